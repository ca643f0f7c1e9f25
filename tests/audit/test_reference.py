"""More of what the audit computes against published results and other programs.

Reference cases without a counterpart here, since the audit computes nothing of the kind: rank
tests, negative binomial and GEE models, entropy balancing. The bench sets its results beside them.
"""

import math
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest

from dream.audit.assessment import Estimate
from dream.audit.exact import chances, exact_ratio
from dream.audit.likelihood import curve
from dream.audit.matching import difference, effective, spread, weights
from dream.audit.quantiles import mixture_half_width, normal
from dream.audit.segmented import Fit, poisson
from dream.audit.spending import THREE, bounds, closing, exits, p_value, solved, spent
from dream.audit.verdicts import equivalent
from tests.audit.references import oracles, table, told
from tests.bench_audit.observe import PLAN

__all__ = ["oracles"]  # the fixture

K3, K5 = [n / 3 for n in (1, 2, 3)], [n / 5 for n in (1, 2, 3, 4, 5)]


def column(rows: list[dict[str, str]], name: str) -> np.ndarray:
    return np.array([float(row[name]) for row in rows])


@pytest.mark.shared
def test_exact_ratios_are_those_of_poisson_test(oracles: Path) -> None:
    for case in told(oracles, "exact_rate_ratio")["expected"]:
        (after, before), (late, early) = case["x"], case["exposure"]
        found = exact_ratio(before, after, early, late, 0.95)
        low, high = case["ci95_central"]
        if case["rate_ratio"] is None:
            assert found.point is None
        else:
            assert found.point == pytest.approx(case["rate_ratio"], rel=1e-7)
        assert (found.low or 0) == pytest.approx(low, rel=1e-7, abs=1e-9)
        assert found.high == (None if high is None else pytest.approx(high, rel=1e-7))
        p = chances(before, after, early, late, case["null_ratio"])
        assert p.less == pytest.approx(case["p_less"], rel=1e-7)
        assert p.more == pytest.approx(case["p_greater"], rel=1e-7)
        assert p.both == pytest.approx(case["p_minlike"], rel=1e-7)
        assert min(1, 2 * min(p.less, p.more)) == pytest.approx(case["p_twice_one_sided"])


@pytest.mark.shared
def test_the_conditional_likelihood_is_that_of_a_poisson_model_with_strata(oracles: Path) -> None:
    expected = told(oracles, "mantel_haenszel_rate_ratio")["expected"]
    rows = table(oracles, "british_doctors.csv")
    errors = np.stack([column(rows, "d0"), column(rows, "d1")], axis=1)
    years = np.stack([column(rows, "py0"), column(rows, "py1")], axis=1)
    found = curve(errors, years, 1.0)
    assert found.best() == pytest.approx(math.log(expected["poisson_glm_rr"]), abs=1e-4)
    for mine, theirs in zip(found.likely(1.959964), expected["poisson_glm_ci95"], strict=True):
        assert mine == pytest.approx(math.log(theirs), abs=0.01)
    # each stratum with a ratio of its own: how much better that is tells whether they differ
    alone = sum(float(curve(errors[[k]], years[[k]], 1.0).log.max()) for k in range(len(rows)))
    gain = 2 * (alone - float(found.log.max()))
    assert gain == pytest.approx(expected["heterogeneity_lr_chi2"], abs=0.01)


@pytest.mark.shared
def test_an_interval_of_two_counts_lies_among_those_of_other_methods(oracles: Path) -> None:
    case = told(oracles, "poisson_ratio_asymptotic")
    one = case["input"]
    low, high = curve(
        np.array([[one["count2"], one["count1"]]], dtype=np.float64),
        np.array([[one["exposure2"], one["exposure1"]]], dtype=np.float64),
        1.0,
    ).likely(1.959964)
    assert low is not None
    assert high is not None
    others = case["expected"]["confint95"].values()
    assert min(each[0] for each in others) < math.exp(low) < max(each[0] for each in others)
    assert min(each[1] for each in others) < math.exp(high) < max(each[1] for each in others)


@pytest.mark.shared
def test_two_rates_are_the_same_within_the_margin_when_two_one_sided_tests_say_so(
    oracles: Path,
) -> None:
    for case in told(oracles, "poisson_ratio_asymptotic")["expected"]["tost"]:
        found = curve(
            np.array([[case["count2"], case["count1"]]], dtype=np.float64),
            np.array([[case["exposure2"], case["exposure1"]]], dtype=np.float64),
            1.0,
        )
        low, high = found.likely(-normal(PLAN.budget.closing))
        assert low is not None
        assert high is not None
        ratio = Estimate(math.exp(low), 1.0, math.exp(high))
        assert equivalent(PLAN, ratio) == (case["p"] < PLAN.budget.closing)


@pytest.mark.shared
def test_closing_looks_have_the_bounds_of_published_tables(oracles: Path) -> None:
    expected = told(oracles, "group_sequential")["expected"]

    def flat(information: list[float]) -> float:
        return solved(0.025, lambda z: float(exits([z] * len(information), information).sum()))

    def falling(information: list[float]) -> list[float]:
        def risk(last: float) -> float:
            return float(exits([last / math.sqrt(t) for t in information], information).sum())

        last = solved(0.025, risk, low=1.0)
        return [last / math.sqrt(t) for t in information]

    assert falling(K3) == pytest.approx(expected["OBF_K3"], abs=0.001)
    assert falling(K5) == pytest.approx(expected["OBF_K5"], abs=0.001)
    assert flat(K3) == pytest.approx(expected["Pocock_K3"][0], abs=0.001)
    assert flat(K5) == pytest.approx(expected["Pocock_K5"][0], abs=0.001)
    assert bounds(0.025, K3) == pytest.approx(expected["asOF_K3"], abs=0.001)
    assert bounds(0.025, K5) == pytest.approx(expected["asOF_K5"], abs=0.001)
    last = solved(0.025, lambda z: float(exits([3, 3, z], K3).sum()))
    assert last == pytest.approx(expected["haybittle_peto_K3"][2], abs=0.001)
    for name, information in (("asOF_K3_info_0.5_0.8_1", THREE), ("asOF_K3_info_thirds", K3)):
        for alpha in (0.02, 0.04):
            wanted = expected[name][f"alpha_one_sided_{alpha}"]
            assert bounds(alpha, information) == pytest.approx(wanted, abs=0.001)


@pytest.mark.shared
def test_looking_often_finds_something_as_often_as_was_published(oracles: Path) -> None:
    case = told(oracles, "peeking_inflation")
    for looks, wanted in case["expected"]["published"].items():
        count = int(looks)
        found = exits([1.959964] * count, [n / count for n in range(1, count + 1)], both=True)
        assert found.sum() == pytest.approx(wanted, abs=case["tolerance"]["abs"])


@pytest.mark.parametrize(
    "z", [(2.7,), (2.6,), (1.0, 2.1), (2.0, 2.0), (0.0, 0.0, 1.85), (1, 2, 1.8)]
)
def test_three_closing_looks_find_something_exactly_when_their_p_is_small(
    z: tuple[float, ...],
) -> None:
    passed = any(one >= limit for one, limit in zip(z, closing(0.04, "three"), strict=False))
    assert passed == (p_value(z, 0.04, "three") <= spent(0.04, THREE[len(z) - 1]))
    assert p_value(z, 0.04, "one") == pytest.approx(1 - NormalDist().cdf(z[-1]))
    assert p_value((), 0.04, "three") == 1


@pytest.mark.shared
def test_the_interval_for_all_nights_is_that_of_two_other_programs(oracles: Path) -> None:
    case = told(oracles, "confidence_sequence_reference")
    for each in case["expected"]["boundary"]:
        v, rho, alpha = each["v"], each["rho"], each["alpha"]
        half = mixture_half_width(1 / v, 1 / math.sqrt(rho), alpha)
        assert half * v == pytest.approx(each["two_sided"], rel=1e-6)
    for each in case["expected"]["growthbook"]:
        count = each["n_a"] + each["n_b"]
        one = math.sqrt(each["variance"] * count)  # sd of a single observation
        half = mixture_half_width(each["variance"], one * each["rho"], each["alpha"])
        low, high = each["ci"]
        assert half == pytest.approx((high - low) / 2, rel=1e-6)


@pytest.fixture
def sicily(oracles: Path) -> list[dict[str, str]]:
    return table(oracles, "sicily_its.csv")


def fitted(rows: list[dict[str, str]], *more: np.ndarray) -> Fit:
    ones = np.ones(len(rows))
    columns = np.stack([ones, column(rows, "smokban"), column(rows, "time"), *more], axis=1)
    found = poisson(columns, column(rows, "aces"), column(rows, "stdpop"))
    assert found is not None
    return found


@pytest.mark.shared
def test_an_interrupted_series_is_that_of_the_tutorial(
    oracles: Path, sicily: list[dict[str, str]]
) -> None:
    expected = told(oracles, "its_sicily")["expected"]
    step = fitted(sicily)
    wanted = expected["quasipoisson_step_trend"]
    assert step.beta[1] == pytest.approx(wanted["log_rr"], rel=1e-5)
    assert step.dispersion == pytest.approx(wanted["dispersion"], rel=1e-5)
    assert step.plain()[1] == pytest.approx(wanted["se"], rel=1e-5)
    month = column(sicily, "month") * 2 * np.pi / 12
    season = [np.sin(month), np.cos(month), np.sin(2 * month), np.cos(2 * month)]
    wanted = expected["quasipoisson_step_trend_season"]
    seasonal = fitted(sicily, *season)
    assert seasonal.beta[1] == pytest.approx(wanted["log_rr"], rel=1e-5)
    assert seasonal.plain()[1] == pytest.approx(wanted["se"], rel=1e-5)
    assert seasonal.near(6)[1] == pytest.approx(expected["newey_west_se_smokban_m3"], rel=1e-5)
    slope = column(sicily, "smokban") * (column(sicily, "time") - 36)
    both = fitted(sicily, slope, *season)
    wanted = expected["quasipoisson_step_slope_season"]
    assert both.beta[1] == pytest.approx(wanted["step"]["log_rr"], rel=1e-5)
    assert both.beta[3] == pytest.approx(wanted["slope"]["log_rr"], rel=1e-5)


@pytest.mark.shared
def test_errors_that_come_in_bunches_are_as_uncertain_as_other_programs_say(oracles: Path) -> None:
    expected = told(oracles, "epilepsy_negbin")["expected"]
    rows = table(oracles, "epilepsy_totals.csv")
    treated = np.array([float(row["trt"] == "progabide") for row in rows])
    columns = np.stack([np.ones(len(rows)), treated, np.log(column(rows, "base"))], axis=1)
    found = poisson(columns, column(rows, "y"), np.ones(len(rows)))
    assert found is not None
    wanted = expected["totals_quasipoisson"]
    assert found.beta[1] == pytest.approx(wanted["log_rr"], rel=1e-4)
    assert found.dispersion == pytest.approx(wanted["dispersion"], rel=1e-4)
    assert found.plain()[1] == pytest.approx(wanted["se"], rel=1e-4)
    rows = table(oracles, "epilepsy.csv")
    people = np.unique([row["subject"] for row in rows], return_inverse=True)[1]
    treated = np.array([float(row["trt"] == "progabide") for row in rows])
    period = [(column(rows, "period") == k).astype(float) for k in (2, 3, 4)]
    parts = [np.ones(len(rows)), treated, np.log(column(rows, "base")), *period]
    long = poisson(np.stack(parts, axis=1), column(rows, "y"), column(rows, "weeks"))
    assert long is not None
    assert long.beta[1] == pytest.approx(expected["long_poisson"]["log_rr"], rel=1e-4)
    count = int(people.max()) + 1
    sums = np.zeros((count, long.score.shape[1]))
    np.add.at(sums, people, long.score)
    mine = long.sandwich(sums.T @ sums * count / (count - 1))[1]
    wanted = expected["long_cluster_se"]
    assert mine == pytest.approx(wanted["HC0_CR0"], rel=1e-4)
    free = (len(rows) - 1) / (len(rows) - len(parts))
    assert mine * math.sqrt(free) == pytest.approx(wanted["HC1_CR1"], rel=1e-4)


@pytest.mark.shared
def test_runs_of_one_kind_are_weighted_as_matchit_does(oracles: Path) -> None:
    case = told(oracles, "lalonde_cem")
    rows = table(oracles, "lalonde.csv")
    cuts = case["input"]["cutpoints"]

    def kind(row: dict[str, str]) -> tuple[object, ...]:
        coarse = (sum(float(row[name]) > cut for cut in cuts[name]) for name in sorted(cuts))
        return (*coarse, *(row[name] for name in case["input"]["exact"]))

    sides = [[row for row in rows if row["treat"] == arm] for arm in ("0", "1")]
    found = weights(*([kind(row) for row in side] for side in sides))
    wanted = {row["id"]: float(row["weight"]) for row in table(oracles, "lalonde_cem_weights.csv")}
    for side, mine in zip(sides, found, strict=True):
        for row, weight in zip(side, mine, strict=True):
            assert weight == pytest.approx(wanted[row["id"]], rel=1e-6)
    assert effective(found[0]) == pytest.approx(case["expected"]["ess_control"], rel=1e-6)
    for name in ("age", "educ", "married", "nodegree", "re74", "re75"):
        early, late = (list(column(side, name)) for side in sides)
        scale = spread(early, late)
        even = difference(early, [1.0] * len(early), late, [1.0] * len(late), scale)
        matched = difference(early, found[0], late, found[1], scale)
        assert even == pytest.approx(case["expected"]["balance_before"][name]["smd"], abs=1e-6)
        assert matched == pytest.approx(case["expected"]["balance_after"][name]["smd"], abs=1e-6)
