"""The history of rule files in a repository: a reader whose source is the repository itself.

It is known by its HEAD file. A commit that changed rule files is a unit, and so is each text: they
never change, so a night reads only what is new. What git forgets in time (branches, its log of
checkouts) stays with us. A project that is no repository has only what lies there tonight.
"""

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime
from itertools import groupby
from pathlib import Path

from dream import git_refs, rule_paths
from dream.errors import SourceUnreadable
from dream.git_objects import Objects
from dream.history import Checkout, Commit, HeadMove, RuleChange, RuleSeen, RuleText
from dream.records import Skip, Transcript
from dream.sources import git_branches, git_heads, git_log
from dream.sources.git_heads import Move, Place
from dream.sources.git_log import Log

NAME = "git"
VERSION = 1

_CHANGED, _LINKED = "changed", "linked"  # tokens of a commit: whether it is an anchor
_MISSING = "missing"  # token of a text that is not here: it may come with a later fetch
_OVER = "over"  # token of a day that git's log of a checkout has left behind
_TIPS = 40  # branches that are remembered as read to their end


def find(root: Path) -> Iterator[Path]:
    """The HEAD file of the repository that root is or has; else the rule files in root itself."""
    store = git_refs.store_of(root)
    if store is not None:
        yield store / "HEAD"
    else:
        yield from (root / name for name in rule_paths.at_top(root))


def claims(path: Path, head: bytes) -> bool:
    """Whatever was found is this reader's: it is asked for nothing else."""
    return True


def look(path: Path) -> str:
    """What changes when refs, git's log of a checkout or a rule file lying there has changed."""
    if path.name != "HEAD":
        return ""
    seen: list[object] = [_stamp(path.parent / "shallow")]
    with suppress(SourceUnreadable):  # reading it says why
        seen += sorted(git_branches.tips_of(path.parent).items())
    for place in git_heads.places(path.parent):
        seen += [place.root, git_refs.head(place.private), _stamp(place.log)]
        root = Path(place.root)
        names = rule_paths.at_top(root) if place.root else ()
        seen += [(name, _stamp(root / name)) for name in names]
    return _hash(seen)


def read(path: Path, known: Mapping[str, str], scratch: Path) -> Iterator[Transcript]:
    """What is new in a repository's history, and what of its checkouts no commit holds.

    Raises SourceUnreadable without git, and where the history has holes.
    """
    reading = _Reading(path.parent, known)
    if path.name == "HEAD":
        yield from reading.repository(scratch)
    else:
        root = rule_paths.root_of(path)
        yield from reading.lying(root, path.relative_to(root).as_posix())
    yield Transcript("", "", skips=reading.skips, seen=("", *sorted(reading.seen)))


class _Reading:
    """One pass over a repository, the oldest first: what is published of it has no gaps behind."""

    def __init__(self, store: Path, known: Mapping[str, str]) -> None:
        self.store = store
        self.known = known
        self.seen = {unit for unit in known if unit.startswith("blob:")}
        self.given: set[str] = set()
        self.skips: list[Skip] = []
        self.cut = _stamp(store / "shallow")

    def repository(self, scratch: Path) -> Iterator[Transcript]:
        """All that a repository tells."""
        places = list(git_heads.places(self.store))
        listed = git_branches.tips_of(self.store)
        self.skips = [Skip("bad_shape", 0, name) for name, tip in listed.items() if not tip]
        tips = {name: tip for name, tip in listed.items() if tip}
        heads = {one.root: git_refs.head(one.private) for one in places}
        moves = {
            one.root: git_heads.moves(one.log, _branch(heads[one.root]))
            for one in places
            if one.root
        }
        ids = sorted({*tips.values(), *(move.commit_id for of in moves.values() for move in of)})
        with Objects.open(self.store, scratch, ids[0] if ids else "") as objects:
            log = git_log.log_of(objects, ids)
            unread = self._unread(log)
            found = dict(git_log.changes(objects, log, unread, str(self.store)))
            anchors = log.anchors({*found, *self._commits(_CHANGED)})
            wanted = {*found, *git_log.linked(objects, unread)}
            yield from self._history(objects, log, found, anchors, wanted)
            for root, of in moves.items():
                yield from self._days(root, of, anchors)
            default = git_branches.default_branch(self.store, tips)
            lines = git_branches.lines(log, anchors, tips, default)
            yield from self._branches(objects, lines)
            yield from self._now(tips, default, places)
            for one in places if places[0].root else places[1:]:
                tip = tips.get(heads[one.root], heads[one.root])
                for name in rule_paths.at_top(Path(one.root)):
                    if objects.get(f"{tip}:{name}") is None:
                        yield from self.lying(Path(one.root), name)

    def lying(self, root: Path, name: str) -> Iterator[Transcript]:
        """A rule file as it lies there now, in no commit."""
        path = root / name
        try:
            changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
            with path.open("rb") as file:
                raw = file.read(rule_paths.LARGEST + 1)
        except OSError as error:
            raise SourceUnreadable(path, error.strerror or str(error)) from error
        blob = hashlib.sha1(b"blob %d\0" % len(raw) + raw, usedforsecurity=False).hexdigest()
        unit = f"lying:{root}:{name}:{blob}"
        if self._new(unit, blob):
            seen = RuleSeen(str(root), name, blob, changed)
            texts, skips = _text(blob, raw, name)
            yield Transcript(unit, blob, skips=skips, rule_texts=texts, rules_seen=(seen,))

    def _new(self, unit: str, token: str) -> bool:
        """Whether a unit is to be read: once in a pass, and only when it is not known."""
        first = unit not in self.given
        self.given.add(unit)
        self.seen.add(unit)
        return first and self.known.get(unit) != token

    def _commits(self, token: str) -> set[str]:
        """Commits read on earlier nights, of a history that began where it does now."""
        whole = token + self.cut
        return {
            unit.removeprefix("commit:")
            for unit, told in self.known.items()
            if told == whole and unit.startswith("commit:")
        }

    def _unread(self, log: Log) -> list[str]:
        """Commits that no earlier night has looked at; the others are seen again as they were."""
        reached = self._commits(_CHANGED) | self._commits(_LINKED)
        self.seen |= {f"commit:{commit}" for commit in reached & log.parents.keys()}
        cut, _, tips = self.known.get("now", "").partition("|")[2].partition("|")
        if cut == self.cut:
            reached |= set(tips.split(","))
        done = log.ancestors(reached)
        return [commit for commit in log.parents if commit not in done]

    def _history(
        self,
        objects: Objects,
        log: Log,
        found: Mapping[str, Sequence[RuleChange]],
        anchors: Mapping[str, str],
        wanted: Collection[str],
    ) -> Iterator[Transcript]:
        """Commits that changed rule files or name checkpoints, each after the texts it brought."""
        for unit in sorted(unit for unit in self.seen if self.known.get(unit) == _MISSING):
            texts = self._blob(objects, unit.removeprefix("blob:"), "a rule file")
            if texts.token != _MISSING:
                yield texts
        for commit in log.parents:
            if commit not in wanted:
                continue
            for change in found.get(commit, ()):
                if change.blob_id and self._new(f"blob:{change.blob_id}", change.blob_id):
                    yield self._blob(objects, change.blob_id, change.path)
            own = anchors[commit] == commit
            about = git_log.about(objects.get(commit) or b"")
            unit, token = f"commit:{commit}", (_CHANGED if own else _LINKED) + self.cut
            if (own or about.checkpoints) and self._new(unit, token):
                above = anchors.get(log.first_parent(commit), "")
                told = Commit(commit, str(self.store), *about, anchors[commit], above)
                changes = found.get(commit, ())
                yield Transcript(unit, token, commits=(told,), rule_changes=changes, records=1)

    def _blob(self, objects: Objects, blob: str, path: str) -> Transcript:
        raw = objects.get(blob)
        if raw is None:
            return Transcript(f"blob:{blob}", _MISSING, skips=[Skip("missing_blob", 0, path)])
        texts, skips = _text(blob, raw, path)
        return Transcript(f"blob:{blob}", blob, skips=skips, rule_texts=texts)

    def _days(
        self, root: str, moves: Sequence[Move], anchors: Mapping[str, str]
    ) -> Iterator[Transcript]:
        """Git's log of a checkout by days: one that is over stays with us when git forgets it."""
        last = max((move.happened.date() for move in moves), default=date.min)
        ordered = sorted(moves, key=lambda move: move.happened.date())
        for day, of in groupby(ordered, key=lambda move: move.happened.date()):
            told = list(of)
            token = _OVER if day < last else f"{len(told)}:{told[-1].commit_id}"
            unit = f"head:{root}:{day}"
            if self._new(unit, token):
                rows = [
                    HeadMove(
                        str(self.store), root, move.happened, move.commit_id, move.branch,
                        anchors.get(move.commit_id),
                    )
                    for move in told
                ]  # fmt: skip
                yield Transcript(unit, token, head_moves=rows)

    def _branches(
        self, objects: Objects, lines: Mapping[str, Sequence[str]]
    ) -> Iterator[Transcript]:
        """Each branch as it is. One that is deleted stays as it was."""
        anchors = {anchor for line in lines.values() for anchor in line}
        committed = {one: git_log.about(objects.get(one) or b"").committed for one in anchors}
        for name, line in lines.items():
            rows = git_branches.standings(line, committed, name, str(self.store))
            token = _hash(rows)
            if rows and self._new(f"branch:{name}", token):
                yield Transcript(f"branch:{name}", token, standings=rows)

    def _now(
        self, tips: Mapping[str, str], default: str, places: Sequence[Place]
    ) -> Iterator[Transcript]:
        """The checkouts. Its token also says which branches were read to their end."""
        told = [
            Checkout(str(self.store), one.root, not number, default, bool(self.cut))
            for number, one in enumerate(places)
        ]
        order = sorted(tips, key=lambda ref: (git_branches.short(ref) != default, ref))
        token = f"{_hash(told)}|{self.cut}|{','.join(tips[ref] for ref in order[:_TIPS])}"
        if self._new("now", token):
            yield Transcript("now", token, checkouts=told)


def _text(blob: str, raw: bytes, path: str) -> tuple[Sequence[RuleText], list[Skip]]:
    if len(raw) > rule_paths.LARGEST:
        return (), [Skip("too_long", 0, path)]
    text = raw.decode(errors="replace")
    mended = text.encode() != raw
    skips = [Skip("bad_encoding", 0, path, lost=False)] if mended else []
    return (RuleText(blob, text),), skips


def _hash(value: object) -> str:
    return hashlib.sha256(repr(value).encode(errors="surrogateescape")).hexdigest()


def _branch(head: str) -> str | None:
    return head.removeprefix("refs/heads/") if head.startswith("refs/heads/") else None


def _stamp(path: Path) -> str:
    """Changes with a file; "" without one."""
    try:
        status = path.stat()
    except OSError:
        return ""
    return f"{status.st_size}.{status.st_mtime_ns}"
