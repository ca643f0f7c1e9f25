"""When rules came into force, as repositories tell: the default branch has them from then on."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from dream import rule_life
from dream.audit.presence import Sign
from dream.in_force.ask import texts
from dream.in_force.decide import Held
from dream.in_force.facts import History, load
from dream.rule_events import Event
from dream.rule_life import lives
from dream.types import Rows


@dataclass(frozen=True, slots=True)
class Landing:
    """A time in which a rule stood on a default branch in one wording."""

    rule: str
    repository: str
    root: str  # of its checkout; "" for a bare repository
    commit_id: str
    since: datetime  # UTC
    until: datetime | None  # when it was reworded or taken away; None: it stands there still
    revision: str  # of the lines it is known by, 12 hex digits
    reworded: bool = False  # it stood there before in other words


def landings(rows: Rows, signs: Sequence[Sign]) -> tuple[Landing, ...]:
    """By rule, time and repository. A rule that no branch ever had has none."""
    if not signs:
        return ()
    history = load(rows)
    found: list[Landing] = []
    for one in history.checkouts:
        if one.main or not one.root:
            found.extend(_of(rows, history, one.repository, one.root, one.default_branch, signs))
    return tuple(sorted(found, key=lambda each: (each.rule, each.since, each.repository)))


@dataclass(slots=True)
class _Open:
    since: datetime
    commit_id: str
    revision: str
    reworded: bool


def _of(
    rows: Rows, history: History, repository: str, root: str, branch: str, signs: Sequence[Sign]
) -> Iterator[Landing]:
    standing: dict[str, _Open] = {}
    for row in history.standings.get((repository, branch), ()):
        words = _words(rows, history, repository, row.anchor)
        for sign in signs:
            revision = _revision(sign, words)
            now = standing.get(sign.rule)
            if now is not None and now.revision == revision:
                continue
            if now is not None:
                del standing[sign.rule]
                yield Landing(
                    sign.rule, repository, root, now.commit_id, now.since, row.since, now.revision,
                    now.reworded,
                )  # fmt: skip
            if revision:
                standing[sign.rule] = _Open(row.since, row.anchor, revision, now is not None)
    for rule, now in standing.items():
        yield Landing(
            rule, repository, root, now.commit_id, now.since, None, now.revision, now.reworded
        )


def _words(rows: Rows, history: History, repository: str, anchor: str) -> tuple[str, ...]:
    held = [
        Held(path, at.blob_id, "commit", at.commit_id, None, at.link)
        for path, at in history.files(repository, anchor).items()
    ]
    return tuple(texts(rows, held).values())


def _revision(sign: Sign, words: Sequence[str]) -> str:
    """The lines by which it is known, as they stand now; "" when it does not stand there."""
    found = [text for text in words if sign.stands_in(text)]
    if not found:
        return ""
    lines = sorted({line for text in found for line in sign.own_lines(text)})
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]


def known_landings(
    rows: Rows, signs: Sequence[Sign], events: Iterable[Event]
) -> tuple[Landing, ...]:
    """As the repositories tell; of a rule that none of them tells of, as the ledger does."""
    told = landings(rows, signs)
    seen = {one.rule for one in told}
    wanted = {sign.rule for sign in signs} - seen
    kept = [_of_ledger(one, life) for name, life in lives(events).items() if name in wanted
            for one in life.landings]  # fmt: skip
    return tuple(sorted((*told, *kept), key=lambda each: (each.rule, each.since, each.repository)))


def _of_ledger(one: rule_life.Landing, life: rule_life.Life) -> Landing:
    earlier = (each for each in life.landings if each.ended == one.landed)
    reworded = any(each.why == "superseded" for each in earlier)
    return Landing(
        one.rule, one.repository, one.project or one.repository, one.commit or "", one.landed,
        one.ended, one.revision, reworded,
    )  # fmt: skip
