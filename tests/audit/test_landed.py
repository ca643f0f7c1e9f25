"""When rules came into force, by the history of a default branch."""

from pathlib import Path

from dream.archive.archive import Archive
from dream.audit.landed import Landing, landings
from dream.audit.presence import Sign
from tests.in_force.land import Land

TABS = Sign("rule-00000001", mark="rule-00000001")


def found(land: Land, *signs: Sign) -> list[Landing]:
    land.session("s", "2026-03-01T09:00:00.000Z")
    land.night()
    with Archive.open(land.state) as archive:
        return list(landings(archive, signs))


def told(one: Landing) -> tuple[str, str, bool]:
    until = one.until.isoformat()[:10] if one.until else ""
    return one.since.isoformat()[:10], until, one.reworded


def test_a_rule_is_in_force_from_the_commit_that_the_default_branch_had_it_with(
    tmp_path: Path,
) -> None:
    land = Land(tmp_path)
    land.repo.commit("begin", "2026-02-28T08:00:00+00:00", CLAUDE_md="# Shop\n")
    land.repo.git("checkout", "-q", "-b", "topic")
    text = "# Shop\n- Use tabs. <!-- rule-00000001 -->\n"
    land.repo.commit("tabs", "2026-03-01T08:00:00+00:00", CLAUDE_md=text)
    land.repo.git("checkout", "-q", "main")
    when = "2026-03-05T08:00:00+00:00"
    land.repo.git("merge", "-q", "--no-ff", "-m", "land", "topic", when=when)
    (one,) = found(land, TABS)
    assert told(one) == ("2026-03-05", "", False)
    assert one.root == str(land.repo.root)


def test_rewording_and_taking_away_end_a_time_and_other_lines_do_not(tmp_path: Path) -> None:
    land = Land(tmp_path)
    texts = [
        "- Use tabs. <!-- rule-00000001 -->\n",
        "- Use tabs. <!-- rule-00000001 -->\n- Something else.\n",
        "- Use tabs in Go. <!-- rule-00000001 -->\n- Something else.\n",
        "- Something else.\n",
    ]
    for day, text in enumerate(texts, start=1):
        land.repo.commit(f"c{day}", f"2026-03-0{day}T08:00:00+00:00", CLAUDE_md=text)
    assert list(map(told, found(land, TABS))) == [
        ("2026-03-01", "2026-03-03", False),
        ("2026-03-03", "2026-03-04", True),
    ]


def test_a_rule_that_no_branch_ever_had_has_not_landed(tmp_path: Path) -> None:
    land = Land(tmp_path)
    land.repo.commit("begin", "2026-03-01T08:00:00+00:00", CLAUDE_md="# Shop\n")
    assert found(land, TABS) == []
    with Archive.open(land.state) as archive:
        assert landings(archive, []) == ()
