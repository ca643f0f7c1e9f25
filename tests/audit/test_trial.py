"""Rules on trial: withheld by a lot that is drawn again from the session's own id."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream.archive.archive import Archive
from dream.audit.presence import Sign, presence
from dream.trial import Trial, here, read, written
from tests.in_force.land import Land

FIRST, LAST = date(2026, 5, 31), date(2026, 6, 13)
INSIDE = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
PNPM = Trial("rule-1a2b3c4d", 0.2, FIRST, LAST, "5f1c09aa", "- Use pnpm. <!-- rule-1a2b3c4d -->")


def blanks(trial: Trial, count: int = 4000) -> float:
    return sum(trial.withheld(f"session-{n}", INSIDE) for n in range(count)) / count


def test_a_file_is_read_back_as_it_was_written() -> None:
    assert read(written(PNPM)) == PNPM
    assert read("\ufeff" + written(PNPM).replace("\n", "\r\n")) == PNPM


@pytest.mark.parametrize(
    "text",
    [
        "",
        "- Use pnpm.",
        written(PNPM).replace("0.2", "1.2"),
        written(PNPM).replace("2026-05-31", "2026-05-32"),
        written(PNPM).replace("5f1c09aa", "x"),
    ],
)
def test_another_file_is_no_trial(text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 1.0])
def test_a_rule_is_withheld_in_its_share_of_sessions(share: float) -> None:
    assert blanks(replace(PNPM, share=share)) == pytest.approx(share, abs=0.02)


def test_two_rules_draw_lots_of_their_own() -> None:
    other = replace(PNPM, rule="rule-00000000", share=0.5)
    mine = replace(PNPM, share=0.5)
    sessions = [f"session-{n}" for n in range(4000)]
    both = sum(mine.withheld(s, INSIDE) and other.withheld(s, INSIDE) for s in sessions)
    assert both / 4000 == pytest.approx(0.25, abs=0.03)


def test_before_its_first_day_and_after_its_last_one_nothing_is_withheld() -> None:
    always = replace(PNPM, share=1.0)
    at = [datetime(2026, 5, 30, 23, 59, tzinfo=UTC), datetime(2026, 5, 31, tzinfo=UTC),
          datetime(2026, 6, 13, 23, 59, tzinfo=UTC), datetime(2026, 6, 14, tzinfo=UTC)]  # fmt: skip
    assert [always.withheld("s", each) for each in at] == [False, True, True, False]


@given(st.text(), st.floats(0, 1), st.integers(-12, 14))
def test_the_lot_is_the_same_whoever_draws_it(session: str, share: float, hours: int) -> None:
    one = replace(PNPM, share=share)
    zone = INSIDE.astimezone(tz=None)
    assert one.withheld(session, INSIDE) == one.withheld(session, zone)
    assert one.withheld(session, INSIDE) == one.withheld(
        session, INSIDE + timedelta(hours=hours % 12)
    )


def test_the_trials_of_a_folder_are_those_up_to_its_repository(tmp_path: Path) -> None:
    top = tmp_path / "shop"
    for folder in (tmp_path, top, top / "web"):
        home = folder / ".dream/trials"
        home.mkdir(parents=True)
        (home / f"{folder.name}.md").write_text(written(PNPM))
    (top / ".git").mkdir()
    (top / ".dream/trials/broken.md").write_text("no trial")
    (top / ".dream/trials/link.md").symlink_to(tmp_path / ".dream/trials" / f"{tmp_path.name}.md")
    found = [(path.name, one is not None) for path, one in here(top / "web")]
    assert found == [("web.md", True), ("broken.md", False), ("shop.md", True)]


def test_a_session_that_drew_a_blank_was_not_told_the_rule(tmp_path: Path) -> None:
    land = Land(tmp_path)
    half = replace(PNPM, share=0.5)
    land.repo.put(".dream/trials/pnpm.md", written(half))
    land.repo.commit("trial", "2026-05-31T08:00:00+00:00")
    names = [f"s{n}" for n in range(40)]
    for name in names:
        land.session(name, "2026-06-01T09:00:00.000Z")
    land.session("late", "2026-06-20T09:00:00.000Z")
    land.night()
    with Archive.open(land.state) as archive:
        found = presence(archive, [Sign(PNPM.rule, mark=PNPM.rule)])
    drawn = {name for name in names if half.withheld(name, INSIDE)}
    assert 8 <= len(drawn) <= 32
    for name in (*names, "late"):
        run = f"claude-code:{name}:00000001-0000-4000-8000-000000000000"
        blank = frozenset({PNPM.rule}) if name in drawn else frozenset()
        assert found.withheld.get(run, frozenset()) == blank
        assert found.of(run) == frozenset({PNPM.rule}) - blank
