"""Several rules in one report."""

from dataclasses import replace

from dream.audit.assessment import Assessment, Estimate, PathResult
from dream.audit.multiplicity import together

NOTHING = Estimate()
OPEN = Assessment(
    "no effect shown", (), "B1", "open", NOTHING, NOTHING, NOTHING, 90, p=0.5, p_fewer=0.5
)  # fmt: skip


def helped(p: float, e: float = 1.0) -> Assessment:
    return replace(OPEN, verdict="helped", error="fewer", p=p, p_fewer=p, e=e, e_fewer=e)


def test_a_finding_that_would_be_one_alone_is_none_among_many() -> None:
    alone = together([helped(0.03)], 0.1)
    assert alone.standings[0].stands
    many = together([helped(0.03), *[OPEN] * 30], 0.1)
    assert not many.standings[0].stands
    assert many.findings == 0


def test_many_findings_carry_each_other() -> None:
    found = together([*[helped(0.03)] * 20, *[OPEN] * 10], 0.1)
    assert all(one.stands for one in found.standings)
    assert found.findings == 20
    assert found.wrong == 2.0


def test_the_direction_of_the_finding_is_what_is_tested() -> None:
    other = replace(helped(0.001), p_fewer=0.9, p_more=0.001)
    assert not together([other], 0.1).standings[0].stands


def test_a_rule_whose_gates_are_closed_is_no_test_and_hides_no_other() -> None:
    closed = replace(OPEN, p=None)
    found = together([helped(0.04), *[closed] * 50], 0.1)
    assert found.standings[0].stands
    assert found.standings[1].p is None
    assert found.standings[1].stands


def test_a_path_has_a_family_of_its_own() -> None:
    path = PathResult("longer", NOTHING, p_longer=0.01)
    way = replace(OPEN, verdict="hurt (path)", path=path)
    assert together([way], 0.1).standings[0].stands
    weak = replace(way, path=replace(path, p_longer=0.09))
    assert not together([weak], 0.1).standings[0].stands


def test_e_values_find_only_what_is_strong_but_whatever_hangs_on_what() -> None:
    found = together([helped(0.001, e=500), helped(0.01, e=15), OPEN], 0.1)
    assert [one.by_e for one in found.standings] == [True, False, False]
    assert [one.stands for one in found.standings] == [True, True, True]


def test_no_rules_are_no_findings() -> None:
    assert together([], 0.1).findings == 0
