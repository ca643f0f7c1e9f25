"""proposal.md: one page on which a reviewer decides."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain
from shlex import quote

from dream.review.acts import Acts
from dream.review.change import Change, Ground
from dream.review.evidence import Case, Cited, Witness
from dream.review.tree import below_top
from dream.templates import render
from dream.templates.width import clip
from dream.types import Candidate, Judgement

SHOWN = 5
"""Quotes on the page; the rest are counted and one command away."""

PLACES = 6
"""Places listed for the same words."""

SHORT = 8
"""Characters of an id on the page; evidence.json has all of it."""

QUOTE_LIMIT = 700
DIFF_LIMIT = 20_000
"""Cells of a quote, characters of a diff: a page is read in a minute. The files hold all."""

KINDS = {
    "correction": "a correction",
    "preference": "a standing preference",
    "constraint": "a constraint",
    "repeated_ask": "asked again",
    "refusal": "a refused tool call",
    "tool_error": "a tool's error",
    "detour": "a detour",
    "memory": "noted by a memory ledger",
    "path": "a path that ended well",
}
ROLES = {
    "human": "a person typed",
    "assistant": "the model wrote",
    "tool": "a tool gave back",
    "injected": "put in by a program",
    "system": "a system text",
}


@dataclass(frozen=True, slots=True)
class Quote:
    """Words as the page shows them, once however often they were said."""

    places: tuple[tuple[str, str], ...]  # what `dream show` takes, and the day
    more: int  # places not listed
    who: str
    what: str
    text: str
    cut: int  # characters left out
    dated: str  # the days its words stand for, when they name some; else ""
    acts: tuple[str, ...] = ()  # the calls at the first of these places, a line each


@dataclass(frozen=True, slots=True)
class Side:
    """The evidence for or against, counted and quoted."""

    quotes: tuple[Quote, ...]
    rest: int  # pieces of evidence whose words are not shown
    sessions: int
    days: int
    first: str
    last: str


def page(
    case: Case,
    ground: Ground,
    change: Change,
    night: date,
    flags: Sequence[str],
    note: str,
    siblings: Sequence[str],
    together: str,
    checked: bool,
    acts: Acts,
) -> str:
    """The page's text.

    siblings: other proposals of the night that change the same file; together: the name of the
    diff that takes them all, "" without one; checked: whether git has seen the diff; acts: the
    calls of the judgements that `shown` gives.
    """
    support = _side(case.witnesses, case.candidate, acts)
    candidate = case.candidate
    return render(
        "proposal.md.j2",
        candidate=candidate,
        night=night,
        project=ground.tree.name,
        known=ground.tree.root is not None,
        change=change,
        diff=_diff(change),
        checked=checked,
        adopt=_adopt(ground),
        flags=flags,
        note=note,
        siblings=siblings,
        reasons=_reasons(case.witnesses),
        support=support,
        together=together,
        shows=quote(short(case.witnesses[0].cited)) if case.witnesses else "",
        against=_side(case.against, None, acts),
    )


def shown(case: Case) -> Iterator[Judgement]:
    """The judgements by whose places the quotes of the page stand."""
    for side in (case.witnesses, case.against):
        yield from (group[0].judgement for group in _groups(side)[:SHOWN])


def _groups(seen: Sequence[Witness]) -> list[list[Witness]]:
    """Those with the same words together."""
    groups: dict[tuple[str, str, str], list[Witness]] = {}
    for each in _spread(seen):
        words = (each.cited.role, each.judgement.kind, each.judgement.quote.strip())
        groups.setdefault(words, []).append(each)
    return list(groups.values())


def _side(seen: Sequence[Witness], candidate: Candidate | None, acts: Acts) -> Side:
    days = sorted({w.judgement.happened.date() for w in seen if w.judgement.happened})
    sessions = len({w.judgement.session_id for w in seen})
    chosen = _groups(seen)[:SHOWN]
    return Side(
        quotes=tuple(_quote(group, acts) for group in chosen),
        rest=len(seen) - sum(map(len, chosen)),
        sessions=candidate.sessions if candidate else sessions,
        days=candidate.days if candidate else len(days),
        first=str(days[0]) if days else "",
        last=str(days[-1]) if days else "",
    )


def _spread(seen: Sequence[Witness]) -> list[Witness]:
    """One of each session first: three quotes of one session tell less than of three."""
    met: set[str] = set()
    first: list[Witness] = []
    again: list[Witness] = []
    for each in seen:
        (again if each.judgement.session_id in met else first).append(each)
        met.add(each.judgement.session_id)
    return first + again


def _quote(group: Sequence[Witness], acts: Acts) -> Quote:
    judgement, cited = group[0].judgement, group[0].cited
    whole = judgement.quote.strip("\n")
    text = clip(whole, QUOTE_LIMIT, "")
    return Quote(
        places=tuple(map(_place, group[:PLACES])),
        more=max(len(group) - PLACES, 0),
        who=ROLES.get(cited.role, cited.role),
        what=KINDS.get(judgement.kind, judgement.kind),
        text=text,
        cut=len(whole) - len(text),
        dated="; ".join(dict.fromkeys(filter(None, (dated(each.judgement) for each in group)))),
        acts=acts.get(judgement.id, ()),
    )


def dated(judgement: Judgement) -> str:
    """The days that words like "yesterday" stand for, and the zone they are counted in."""
    detail = judgement.detail
    if not detail.get("said_on"):
        return ""
    said = date.fromisoformat(str(detail["said_on"]))
    told = [f"said on {said:%A} {said} ({detail.get('zone', 'UTC')})"]
    told += [f"from {detail['valid_from']}"] if detail.get("valid_from") else []
    told += [f"until {detail['valid_until']}"] if detail.get("valid_until") else []
    return ", ".join(told)


def _place(seen: Witness) -> tuple[str, str]:
    happened = seen.judgement.happened
    return seen.cited.name or short(seen.cited), str(happened.date()) if happened else "no date"


def short(cited: Cited) -> str:
    """A message's name for `dream show`, as short as it is likely to be the only one."""
    session, _, native = cited.message_id.rpartition("/")
    if re.fullmatch(r"L\d+", native):
        return f"{session.partition(':')[2][:SHORT]}/{native}"
    return native[:SHORT]


def _reasons(seen: Sequence[Witness]) -> tuple[str, ...]:
    """What the detectors gave as reasons, the most frequent first."""
    given = list(chain.from_iterable(each.judgement.reasons for each in seen))
    order = {reason: n for n, reason in reversed(list(enumerate(given)))}
    return tuple(sorted(order, key=lambda reason: (-given.count(reason), order[reason])))[:SHOWN]


def _diff(change: Change) -> str:
    text = change.diff.decode(errors="replace")
    return text if len(text) <= DIFF_LIMIT else text[:DIFF_LIMIT] + "\n… more in change.diff\n"


def _adopt(ground: Ground) -> str:
    """The command that applies the diff, typed in the proposal's folder."""
    if ground.tree.root is None:
        return ""
    below = below_top(ground.tree.root)
    into = f" --directory={quote(below)}" if below else ""
    return f'git -C {quote(str(ground.tree.root))} apply{into} "$PWD/change.diff"'
