"""Which rules each run was told, by the files that were in force for it."""

from pathlib import Path

from dream.archive.archive import Archive
from dream.audit.presence import Presence, Sign, presence
from tests.in_force.land import Land

TABS = Sign("rule-1", mark="dream:rule-1")
TALL = Sign("tall", lines=("### Till", "Always print the receipt twice.", "Count the drawer.", ""))
NOONE = Sign("gone", lines=("Never open on Sundays at all.",))


def looked(land: Land, *signs: Sign) -> Presence:
    with Archive.open(land.state) as archive:
        return presence(archive, signs)


def run_of(name: str, prompt: int = 0) -> str:
    return f"claude-code:{name}:{2 * prompt + 1:08d}-0000-4000-8000-000000000000"


def test_a_run_was_told_what_stood_in_its_files_when_it_began(tmp_path: Path) -> None:
    land = Land(tmp_path)
    ours = "- Use tabs. <!-- dream:rule-1 -->\n"
    land.repo.commit("one", "2026-03-01T08:00:00+00:00", CLAUDE_md="# Shop\n")
    land.repo.commit("two", "2026-03-02T08:00:00+00:00", CLAUDE_md=f"# Shop\n{ours}")
    tall = "Always print the receipt twice.\nCount the drawer daily.\n"
    land.repo.commit("three", "2026-03-03T08:00:00+00:00", CLAUDE_md=f"{ours}{tall}")
    for number in (1, 2, 3):
        land.session(f"s{number}", f"2026-03-0{number}T09:00:00.000Z")
    land.night()
    found = looked(land, TABS, TALL, NOONE)
    told = [found.of(run_of(f"s{number}")) for number in (1, 2, 3)]
    assert told == [frozenset(), frozenset({"rule-1"}), frozenset({"rule-1", "tall"})]


def test_of_a_run_that_worked_nobody_knows_where_nothing_is_said(tmp_path: Path) -> None:
    land = Land(tmp_path)
    land.session("s1", "2026-03-01T09:00:00.000Z", cwd=tmp_path / "elsewhere")
    land.night()
    found = looked(land, TABS)
    assert found.of(run_of("s1")) is None
    assert looked(land).told == {}


def test_a_rule_of_a_person_is_known_by_most_of_its_lines() -> None:
    assert TALL.stands_in("Always print the receipt twice.\n")
    assert not TALL.stands_in("### Till\n")
    assert not Sign("empty").stands_in("")
    assert Sign("short", lines=("Use tabs", "}")).stands_in("x\n  Use tabs\n}\n")
