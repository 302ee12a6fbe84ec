"""Several workers, one lake: run by `.ci/distributed pytest -n 0 -m distributed`."""
