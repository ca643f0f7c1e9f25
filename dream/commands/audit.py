"""`dream audit`: did each adopted rule do any good?"""

from datetime import date
from typing import TYPE_CHECKING

from dream.commands import Call, Commands, Exit, day
from dream.errors import UserMistake

if TYPE_CHECKING:
    from dream.audit.night import Audited
    from dream.audit.subjects import Subject
    from dream.config import Config

EXAMPLE = """\
Compares runs before a rule came into force with those after it that were told it, kind by kind, and
says what can be said: helped, hurt, mixed, neutral, changed over time, no effect shown, or not
comparable with the reason. Only rules that have landed are audited. Nothing is written.

example:
  dream audit                              every rule, a few lines each
  dream audit rule-1a2b3c4d                one rule, its whole page
  dream audit rule-1a2b3c4d --explain      the sums, to be done again by hand
  dream audit --as-of 2026-05-31           as if it were that day
"""


def add_audit(commands: Commands) -> None:
    parser = commands.add_parser(
        "audit", help="tell whether each adopted rule did any good", epilog=EXAMPLE
    )
    parser.add_argument("rule", nargs="?", metavar="RULE", help="one rule (default: all of them)")
    parser.add_argument("--as-of", type=day, metavar="DAY", help="the last day that counts")
    parser.add_argument(
        "--explain", action="store_true", help="the sums by kind of run, for a pocket calculator"
    )
    parser.set_defaults(run=run_audit)


def run_audit(call: Call) -> int:
    from dream.audit.pages import explained, listed, markdown

    if call.args.explain and not call.args.rule:
        raise UserMistake("--explain needs a rule: dream audit --explain RULE")
    config = call.config()
    as_of = call.args.as_of or _last_day(config)
    made, subjects = _audited(call, config, as_of)
    chosen = _chosen(made, subjects, call.args.rule) if call.args.rule else made
    if call.json:
        told = [{"page": each.page, "plan": each.plan} for each in chosen]
        call.console.json({"as_of": as_of, "audits": told})
    elif call.args.explain:
        call.console.result("\n".join(explained(each.page) for each in chosen))
    elif call.args.rule:
        call.console.result("\n".join(markdown(each.page) for each in chosen))
    else:
        landed = {each.page.rule for each in made}
        waiting = [(one.rule, one.title) for one in subjects if one.rule not in landed]
        q = chosen[0].plan.budget.fdr if chosen else 0.1
        call.console.result(listed([each.page for each in chosen], waiting, as_of, q))
    harmful = any(each.page.verdict.startswith("hurt") for each in chosen)
    return Exit.LOOK if harmful else Exit.DONE


def _last_day(config: "Config") -> date:
    """The day of the last night, since the archive knows of nothing later; today without one."""
    from datetime import UTC, datetime
    from zoneinfo import ZoneInfo

    from dream.archive import ledger

    nights = [e["night"] for e in ledger.events(config.state) if e["event"] == "night"]
    today = datetime.now(UTC).astimezone(ZoneInfo(config.timezone)).date()
    return date.fromisoformat(max(nights)) if nights else today


def _audited(
    call: Call, config: "Config", as_of: date
) -> "tuple[tuple[Audited, ...], tuple[Subject, ...]]":
    """Every audit as of a day, and the rules that may have landed."""
    from zoneinfo import ZoneInfo

    from dream import judged
    from dream.archive import ledger
    from dream.archive.archive import Archive
    from dream.audit import record
    from dream.audit.night import Asked, audits
    from dream.audit.subjects import subjects_of
    from dream.audit.tonight import counted_by
    from dream.candidates.detectors import of_sentence
    from dream.review.earlier import parted
    from dream.review.record import published
    from dream.signals.signature import version

    troubles: list[str] = []
    events = ledger.events(config.state)
    ours, _ = parted(published(config.skills_out, troubles), events)
    for trouble in troubles:
        call.console.note(trouble)
    subjects = subjects_of([each.founded for each in ours], events, of_sentence)
    thought = judged.load(config.state)
    asked = Asked(
        as_of,
        ZoneInfo(config.timezone),
        lambda aim: counted_by(aim, version),
        record.frozen(events),
        record.looks(events, as_of),
        events,
    )
    with Archive.open(config.state) as archive:
        made = audits(archive, subjects, thought.judgements, thought.clusters, asked)
    return made, subjects


def _chosen(
    made: "tuple[Audited, ...]", subjects: "tuple[Subject, ...]", name: str
) -> "tuple[Audited, ...]":
    found = tuple(each for each in made if each.page.rule.startswith(name))
    exact = tuple(each for each in found if each.page.rule == name)
    if exact or len(found) == 1:
        return exact or found
    if found:
        told = "\n".join(f"  {each.page.rule}" for each in found)
        raise UserMistake(f"{name} stands for several rules; say which one:\n{told}")
    if any(one.rule.startswith(name) for one in subjects):
        raise UserMistake(
            f"{name} has not landed: no rule file of a repository that Dream knows holds it yet.\n"
            "There is nothing to compare before it does."
        )
    raise UserMistake(f"There is no rule {name}. All of them: dream audit")
