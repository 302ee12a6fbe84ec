"""Expected numbers are calculated by hand from the published rows."""

import pytest

from appeval_pipeline.taubench.leaderboard import PUBLISHED, PublishedRow


def row(domain: str, strategy: str) -> PublishedRow:
    [found] = [one for one in PUBLISHED if (one.domain, one.strategy) == (domain, strategy)]
    return found


def test_nine_rows_are_published() -> None:
    assert len(PUBLISHED) == len({(one.domain, one.strategy) for one in PUBLISHED}) == 9
    for one in PUBLISHED:
        assert sorted(one.pass_hat_k, reverse=True) == list(one.pass_hat_k)


def test_a_row_of_airline_has_an_error_over_50_tasks() -> None:
    one = row("airline", "TC gpt-4o")
    # sqrt((0.273 - 0.1764 + 0.147 / 4) / 50); 0.0966 / 0.2436.
    assert one.standard_error == pytest.approx(0.051643, abs=1e-6)
    assert one.intraclass_correlation == pytest.approx(0.396552, abs=1e-6)
    assert one.minimum_detectable_difference == pytest.approx(0.051643 * 1.414214 * 2.801585, abs=1e-5)


def test_a_row_of_retail_has_an_error_over_115_tasks() -> None:
    one = row("retail", "TC gpt-4o")
    # sqrt((0.491 - 0.364816 + 0.113 / 4) / 115); 0.126184 / 0.239184.
    assert one.standard_error == pytest.approx(0.036645, abs=1e-6)
    assert one.intraclass_correlation == pytest.approx(0.527560, abs=1e-6)
    assert one.to_dict()["pass_hat_k"] == {"1": 0.604, "2": 0.491, "3": 0.430, "4": 0.383}
