"""A repository's commits, and what each of them did to rule files, as git tells them."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from dream.git_objects import Objects
from dream.history import Change, RuleChange
from dream.rule_paths import PATHSPECS

_CHECKPOINT = re.compile(
    rb"^[ \t]*Entire-Checkpoint:[ \t]*([0-9a-f]{12}|[0-9A-HJKMNP-TV-Z]{26})[ \t]*\r?$", re.MULTILINE
)
_TIME = re.compile(rb"^(author|committer) .*?(\d{1,11}) [+-]\d{4}$", re.MULTILINE)
_CHANGES: Mapping[str, Change] = {"A": "added", "D": "removed"}
_LONGEST = 200  # characters of a subject


@dataclass(frozen=True, slots=True)
class Log:
    """A history. parents: of every commit by its id, parents before children."""

    parents: Mapping[str, tuple[str, ...]]

    def first_parent(self, commit: str) -> str:
        """Its id; "" for a commit without one."""
        return next(iter(self.parents[commit]), "")

    def ancestors(self, tips: Iterable[str]) -> set[str]:
        """All that can be reached from these commits, themselves among them."""
        seen = {tip for tip in tips if tip in self.parents}
        waiting = list(seen)
        while waiting:
            for parent in self.parents[waiting.pop()]:
                if parent in self.parents and parent not in seen:
                    seen.add(parent)
                    waiting.append(parent)
        return seen

    def anchors(self, changed: Iterable[str]) -> dict[str, str]:
        """For every commit the nearest one along first parents that is among `changed`, or ""."""
        own = set(changed)
        found: dict[str, str] = {}
        for commit in self.parents:
            above = found.get(self.first_parent(commit), "")
            found[commit] = commit if commit in own else above
        return found


class About(NamedTuple):
    """What a commit says of itself."""

    authored: datetime | None
    committed: datetime | None
    subject: str
    checkpoints: tuple[str, ...]  # a commit made from several may name several


def log_of(objects: Objects, tips: Iterable[str]) -> Log:
    """The whole history behind some commits; those that are not here are passed over."""
    here = [tip for tip in tips if objects.get(tip) is not None]
    if not here:
        return Log({})
    words = ("rev-list", "--stdin", "--topo-order", "--reverse", "--parents")
    names: dict[str, str] = {}
    parents: dict[str, tuple[str, ...]] = {}
    for line in objects.ask(*words, given=here).decode().splitlines():
        commit, *above = (names.setdefault(name, name) for name in line.split())
        parents[commit] = tuple(above)
    return Log(parents)


def linked(objects: Objects, unread: Iterable[str]) -> set[str]:
    """Of these commits those that may name a checkpoint."""
    words = ("rev-list", "--stdin", "--no-walk", "--fixed-strings", "--grep=Entire-Checkpoint:")
    given = list(unread)
    return set(objects.ask(*words, given=given).decode().split()) if given else set()


def changes(
    objects: Objects, log: Log, commits: Iterable[str], repository: str
) -> Iterator[tuple[str, list[RuleChange]]]:
    """Of these commits those that changed rule files against their first parent, with what."""
    given = [f"{commit} {log.first_parent(commit)}".strip() for commit in commits]
    if not given:
        return
    words = ("diff-tree", "--stdin", "-r", "--root", "--raw", "--no-renames", "--no-abbrev", "-z")
    parts = iter(objects.ask(*words, "--", *PATHSPECS, given=given).split(b"\0"))
    commit, found = "", list[RuleChange]()
    for part in parts:
        if not part.startswith(b":"):
            if found:
                yield commit, found
            commit, found = part.decode().strip(), []
            continue
        _, mode, _, blob, status = part.decode().split(" ")
        path = next(parts).decode("utf-8", "replace")
        change = _CHANGES.get(status[:1], "changed")
        blob = "" if change == "removed" else blob
        found.append(RuleChange(commit, repository, path, change, blob, mode == "120000"))
    if found:
        yield commit, found


def about(raw: bytes) -> About:
    """What the bytes of a commit object say."""
    head, _, message = raw.partition(b"\n\n")
    times = {who: _moment(seconds) for who, seconds in _TIME.findall(head)}
    lines = message.lstrip().split(b"\n\n", 1)[0].decode(errors="replace")
    return About(
        times.get(b"author"),
        times.get(b"committer"),
        " ".join(lines.split())[:_LONGEST],
        tuple(dict.fromkeys(name.decode() for name in _CHECKPOINT.findall(message))),
    )


def _moment(seconds: bytes) -> datetime | None:
    try:
        return datetime.fromtimestamp(int(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        return None
