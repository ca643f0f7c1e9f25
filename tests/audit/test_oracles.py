"""The statistics against reference results that other programs and papers gave."""

import math
from pathlib import Path

import numpy as np
import pytest

from dream.audit.controls import drift
from dream.audit.likelihood import curve, evidence, sequence
from dream.audit.multiplicity import adjusted, e_found
from dream.audit.pathlength import path, survival
from dream.audit.quantiles import (
    evidence_below,
    mixture_evidence,
    mixture_half_width,
    student,
    widening,
)
from dream.audit.rates import mantel_haenszel
from dream.audit.sensitivity import e_value, shrunk
from dream.audit.series import Series, sides
from tests.audit.references import oracles, table, told

__all__ = ["oracles"]  # the fixture

pytestmark = pytest.mark.shared


def near(found: float | None, wanted: float | None, within: float) -> bool:
    if found is None or wanted is None:
        return found is None and wanted is None
    return abs(found - wanted) <= within


def test_the_e_process_and_its_intervals(oracles: Path) -> None:
    listed = told(oracles, "eprocess_conditional_poisson")
    close = listed["tolerance"]["log_e_abs"], listed["tolerance"]["log_rr_abs"]
    for case in listed["expected"]:
        strata = case["strata"]
        errors = np.array([(s["yb"], s["ya"]) for s in strata], dtype=np.float64)
        occasions = np.array([(s["Eb"], s["Ea"]) for s in strata], dtype=np.float64)
        shift, spread = case["control_log_rr"], case["control_var"]
        found = curve(errors, occasions, case["phi"], shift, spread)
        told_by = evidence(found, case["tau"])
        for name in ("two_sided", "fewer", "more"):
            wanted = case["e_two_sided" if name == "two_sided" else f"e_{name}"]
            assert abs(math.log(getattr(told_by, name) / wanted)) <= close[0], (case["name"], name)
        if case["log_rr_hat"] > -7.9:  # else there is none
            assert near(found.best(), case["log_rr_hat"], close[1]), case["name"]
        for alpha, name in ((0.05, "cs_alpha"), (0.01, "cs_alpha_0.01")):
            for mine, theirs in zip(sequence(found, told_by, alpha), case[name], strict=True):
                assert near(mine, theirs, close[1]), (case["name"], name)
        likely = found.likely(1.959964)
        for mine, theirs in zip(likely, case["likelihood_interval_95"], strict=True):
            assert near(mine, theirs, close[1]), case["name"]


def test_the_mantel_haenszel_ratio_of_british_doctors(oracles: Path) -> None:
    expected = told(oracles, "mantel_haenszel_rate_ratio")["expected"]
    rows = [{k: float(v) for k, v in row.items() if k[0] in "dp"} for row in _doctors(oracles)]
    errors = np.array([(row["d0"], row["d1"]) for row in rows])
    occasions = np.array([(row["py0"], row["py1"]) for row in rows])
    found = mantel_haenszel(errors, occasions, add=0)
    assert found is not None
    assert found.value == pytest.approx(expected["mh_rr"], rel=1e-6)
    assert math.sqrt(found.variance) == pytest.approx(expected["se_log_mh"], rel=1e-6)
    half = mantel_haenszel(errors, occasions)
    assert half is not None
    assert abs(math.log(half.value / found.value)) < 0.01


def _doctors(oracles: Path) -> list[dict[str, str]]:
    return table(oracles, "british_doctors.csv")


def test_random_effects_and_what_a_further_unit_would_do(oracles: Path) -> None:
    expected = told(oracles, "random_effects_dl")["expected"]
    rows = table(oracles, "bcg_logrr.csv")
    logs, variances = ([float(row[name]) for row in rows] for name in ("yi", "vi"))
    found = drift(logs, variances)
    assert found.mean == pytest.approx(expected["mu"], rel=1e-6)
    assert math.sqrt(found.variance) == pytest.approx(expected["se"], rel=1e-6)
    assert found.tau2 == pytest.approx(expected["tau2"], rel=1e-6)
    half = 1.959964 * math.sqrt((found.variance + found.tau2) * widening(found.units - 2))
    for limit, wanted in zip((-half, half), expected["pi95_t_kminus2"], strict=True):
        assert found.mean + limit == pytest.approx(wanted, abs=0.005)


def test_paths_that_were_cut_off(oracles: Path) -> None:
    expected = told(oracles, "censored_path_6mp")["expected"]
    rows = table(oracles, "gehan_6mp.csv")
    control = np.array([row["treat"] == "control" for row in rows])
    times = np.array([float(row["time"]) for row in rows])
    cut = np.array([row["cens"] == "0" for row in rows])
    ones = np.ones(len(rows))
    runs = Series(
        "gehan", np.where(control, 10, 0) + np.arange(len(rows)) % 5,
        np.zeros(len(rows), dtype=np.int64), np.arange(len(rows)), ones, ones, times, cut,
    )  # fmt: skip
    found = path(sides(runs, (0, 10), (10, 20)))
    assert found is not None
    aft = expected["lognormal_aft"]
    assert found.log_ratio == pytest.approx(aft["coef_treatcontrol"], abs=1e-4)
    assert found.sd == pytest.approx(aft["sigma"], abs=1e-4)
    assert math.sqrt(found.variance) >= 0.9 * aft["se"]
    for name, mine in (("control", control), ("6-MP", ~control)):
        seen = survival(times[mine].tolist(), cut[mine].tolist())
        steps = list(zip(seen.at, seen.share, strict=True))
        for row in expected["km"]:
            if row["strata"] == f"treat={name}":
                left = min((share for time, share in steps if time <= row["time"]), default=1.0)
                assert left == pytest.approx(row["surv"], abs=1e-9)
        assert seen.mean_up_to(20) == pytest.approx(expected["rmst"][name], rel=1e-6)
        assert seen.median() == expected["median"][name]


def test_several_rules_at_once(oracles: Path) -> None:
    case = told(oracles, "multiplicity_bh")
    assert adjusted(case["input"]["p"]) == pytest.approx(case["expected"]["BH"], abs=1e-12)
    for each in told(oracles, "multiplicity_ebh")["expected"]:
        assert e_found(each["e"], each["alpha"]) == each["k"]


def test_normal_mixtures(oracles: Path) -> None:
    for case in told(oracles, "normal_mixture_msprt")["expected"]:
        v, tau = case["variance"], case["tau"]
        assert mixture_evidence(case["estimate"], v, tau) == pytest.approx(case["e"], rel=1e-6)
        fewer = evidence_below(case["estimate"], v, tau)
        assert fewer == pytest.approx(case["e_fewer"], rel=1e-6)
        for alpha in (0.05, 0.01):
            wanted = case[f"halfwidth_alpha_{alpha}"]
            assert mixture_half_width(v, tau, alpha) == pytest.approx(wanted, rel=1e-6)


def test_what_something_unmeasured_would_take(oracles: Path) -> None:
    for case in told(oracles, "evalue_sensitivity")["expected"]:
        low, high = case["ci"]
        point, limit = e_value(case["rr"], (low, high))
        assert point == pytest.approx(case["evalue"], abs=0.005)
        assert limit == pytest.approx(case["evalue_limit"], abs=0.005)


def test_a_unit_chosen_for_its_bad_record_is_drawn_to_its_like(oracles: Path) -> None:
    for case in told(oracles, "hauer_empirical_bayes")["expected"]:
        counts = case["counts"] if isinstance(case["counts"], list) else [case["counts"]]
        length = case["length_km"]
        found = shrunk(counts, case["mu_per_km_year"] * length, case["phi_per_km"] * length)
        assert found.weight == pytest.approx(case["weight"], abs=1e-6)
        assert found.mean == pytest.approx(case["expected"], abs=0.01)
        assert found.sd == pytest.approx(case["sd"], abs=0.01)


@pytest.mark.parametrize(
    ("freedom", "wanted"), [(1, 12.7062), (2, 4.3027), (3, 3.1824), (5, 2.5706), (30, 2.0423)]
)
def test_students_quantiles_are_those_of_the_tables(freedom: int, wanted: float) -> None:
    assert student(0.975, freedom) == pytest.approx(wanted, rel=0.002)
