"""The rules that are audited."""

from dataclasses import replace

from dream.aim import Aim
from dream.audit.subjects import of_candidates, of_events, of_lines
from dream.candidates.detectors import of_sentence
from tests.audit.test_aims import candidate, failed
from tests.makers import judgement


def test_a_proposed_rule_is_known_by_its_id_and_aims_at_its_evidence() -> None:
    rule, skill, check = (candidate(kind) for kind in ("rule", "skill", "check"))
    found = of_candidates([(rule, [failed("lost")]), (check, []), (skill, [])], of_sentence)
    told = {one.rule: one for one in found}
    assert sorted(told) == ["rule-1a2b3c4d", "skill-1a2b3c4d"]
    one = told["rule-1a2b3c4d"]
    assert (one.sign.mark, one.project, one.aim.target) == (one.rule, "/repo/shop", "lost")
    assert told["skill-1a2b3c4d"].path_is_target


def test_the_last_wording_of_a_proposal_holds() -> None:
    old = candidate()
    new = replace(old, title="new", body="Never run `npm install` here.")
    (one,) = of_candidates([(old, []), (new, [judgement(new.body)])], of_sentence)
    assert (one.title, one.aim.kind) == ("new", "breaches")


def test_an_imported_rule_is_known_by_its_lines_and_the_last_event_of_it_holds() -> None:
    def event(*lines: str, title: str = "") -> dict[str, object]:
        told = {"event": "imported", "id": "tabs", "project": "/repo/shop", "title": title}
        return {**told, "lines": lines}

    other = {"event": "proposed", "id": "tabs"}
    (one,) = of_events(
        [event("old words here"), other, event("## Tabs", "Use **tabs**.")], of_sentence
    )
    assert (one.title, one.sign.lines, one.sign.mark) == ("Tabs", ("## Tabs", "Use **tabs**."), "")
    (named,) = of_events([event("x", title="All  tabs")], of_sentence)
    assert named.title == "All tabs"


def test_a_word_in_ticks_that_is_no_program_makes_no_practice() -> None:
    assert of_lines("r", ["Do not use `SilentError` for that."], "", of_sentence).aim == Aim(
        "nothing", ""
    )
    assert of_lines("r", ["Do not use `npm` here."], "", of_sentence).aim.kind == "breaches"


def test_a_rule_without_a_heading_is_called_by_its_first_words() -> None:
    assert of_lines("r", ["", "- **Model**: `m-5`"], "", of_sentence).title == "Model: m-5"
    assert of_lines("r", [], "", of_sentence).title == "r"
