"""What each type of entry of a pi session file comes to.

Unknown types occur with newer releases: they are counted by name and keep their place in the tree.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import islice

from dream.records import Compaction, Label, Skip
from dream.sources import identity, om_entries
from dream.sources.jsonl import Line
from dream.sources.om_entries import Folded, Ledger, Noted
from dream.sources.pi_calls import Calls
from dream.sources.pi_curation import BEHIND, RANGES, Curation, ran_behind
from dream.sources.pi_memory import Stamp
from dream.sources.pi_message import decode
from dream.sources.pi_reading import Reading
from dream.sources.pi_runs import Left

QUIET = frozenset({"model_change", "thinking_level_change", "context_edit", "usage"})
"""Entries without anyone's words: a reply names its own model, an edit leaves its target as is."""
_NAMED = 60  # characters of an unknown name that are told


class Entries:
    """Takes a file's entries in their order. The messages go to `reading`, the rest is here."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.calls = Calls(reading.skips)
        self.compactions: list[tuple[str, Compaction]] = []  # with their ids
        self.labels: dict[str, Label | None] = {}  # target -> the latest; None when cleared
        self.left: dict[str, Left] = {}  # by the id of the tip that was left
        self.title: str | None = None
        self._curation = Curation()
        self.noted: dict[str, Noted] = {}
        self.folded: dict[str, Folded] = {}
        self.stamps: dict[str, Stamp] = {}  # of every entry in noted
        self._counts: dict[tuple[str, str], Skip] = {}
        self._older: Counter[str] = Counter()
        self._older_line = 0

    @property
    def ledger(self) -> Ledger:
        return Ledger(self.noted, self.folded)

    def take(self, line: Line) -> None:
        """The next record of the file, behind its header."""
        get = line.value.get
        kind = get("type")
        if kind == "session":
            self._told("bad_shape", line, "a second header")
            return
        name = self.reading.hang(line)
        if not name:
            return
        if kind != "message":
            take = _TAKE.get(kind, Entries._unknown) if isinstance(kind, str) else Entries._no_type
            take(self, line, name)
        elif type(message := get("message")) is dict:
            said = decode(message)
            added = self.reading.add(line, name, said)
            if said.calls:
                self.calls.ask(added, said)
                self._curation.asked(said.calls)
            elif said.answers is not None:
                self.calls.answer(added, said)
                if self._curation.made_short(said):
                    self._made_short(line, name, "blocks")
        else:
            self._lost(line, "message")

    def counted(self) -> list[Skip]:
        """What was only counted: one Skip a name, with the first line it stood on."""
        older = sum(self._older.values())
        if not older:
            return list(self._counts.values())
        named = ", ".join(f"{count} {name}" for name, count in sorted(self._older.items()))
        notice = Skip("legacy_memory", self._older_line, named, lost=False, count=older)
        return [*self._counts.values(), notice]

    def _put_in(self, line: Line, name: str, role: str, part: str) -> str:
        """An entry whose text pi puts before its model without a message of its own."""
        get = line.value.get
        said = decode({"role": role, part: get(part), "timestamp": get("timestamp")})
        self.reading.add(line, name, said)
        return said.text

    def _custom_message(self, line: Line, name: str) -> None:
        self._put_in(line, name, "custom", "content")

    def _branch_summary(self, line: Line, name: str) -> None:
        text = self._put_in(line, name, "branchSummary", "summary")
        left = line.value.get("fromId")
        if type(left) is str:
            self.left[left] = Left(text, self._curation.why_left(text) or "summary")

    def _compaction(self, line: Line, name: str) -> None:
        value = line.value
        details, before = value.get("details"), value.get("tokensBefore")
        kept = self._first_kept(line)
        if (fold := om_entries.folded(name, kept, details)) is not None:
            self.folded[name] = fold
        elif om_entries.is_legacy(details):
            self._legacy(line, "compaction details")
        elif isinstance(details, dict) and details.get("type") == om_entries.DETAILS:
            self._lost(line, om_entries.DETAILS, "invalid_memory")
        trigger = "extension" if value.get("fromHook") is True else "unknown"
        tokens = before if type(before) is int else None
        self._made_short(line, name, trigger, tokens, kept)
        self._put_in(line, name, "compactionSummary", "summary")

    def _made_short(
        self,
        line: Line,
        name: str,
        trigger: str,
        tokens: int | None = None,
        kept: str | None = None,
    ) -> None:
        """From here on the model has a summary in the place of what it had."""
        reading = self.reading
        row = Compaction(
            f"{reading.session_id}/{name}", reading.session_id, trigger, len(reading.messages),
            tokens, None if kept is None else f"{reading.session_id}/{kept}",
            identity.moment(line.value.get("timestamp")), True, line.number,
        )  # fmt: skip
        self.compactions.append((name, row))

    def _first_kept(self, line: Line) -> str | None:
        """Id of the first entry that a compaction kept."""
        reading, kept = self.reading, line.value.get("firstKeptEntryId")
        index = line.value.get("firstKeptEntryIndex")
        if kept is None and type(index) is int and 0 < index < len(reading.nodes):
            # It counts records, and the header is the first of them.
            return next(islice(reading.nodes, index - 1, None))
        if type(kept) is str and kept in reading.nodes:
            return kept
        self._told("bad_shape", line, "first kept entry")
        return None

    def _custom(self, line: Line, name: str) -> None:
        custom = line.value.get("customType")
        if type(custom) is not str:
            self._lost(line, "customType")
        elif custom in om_entries.KINDS:
            note = om_entries.noted(name, custom, line.value.get("data"))
            if note is None:
                self._lost(line, custom, "invalid_memory")
            else:
                self.noted[name] = note
                moment = identity.moment(line.value.get("timestamp"))
                self.stamps[name] = Stamp(moment, line.number)
                for twice in note.repeated():
                    self._told("duplicate", line, f"{twice} in one {custom}")
        elif custom == om_entries.LEGACY_ENTRY:
            self._legacy(line, custom)
        elif custom in (RANGES, BEHIND):
            self._curated(line, name, custom)
        elif custom.startswith("om."):
            self._count("unknown_type", line, f"custom {custom[:_NAMED]}")
        else:
            self._count("housekeeping", line, f"custom {custom[:_NAMED]}")

    def _curated(self, line: Line, name: str, custom: str) -> None:
        """A state of ranges, or a compression that ran in the background."""
        data = line.value.get("data")
        count = self._curation.new_ranges(data) if custom == RANGES else ran_behind(data)
        if count is None:
            self._lost(line, custom)
        elif count:
            self._made_short(line, name, "range" if custom == RANGES else "blocks")
        else:
            self._count("housekeeping", line, f"custom {custom}")

    def _label(self, line: Line, name: str) -> None:
        target, text = line.value.get("targetId"), line.value.get("label")
        if type(target) is not str or (text is not None and type(text) is not str):
            self._lost(line, "label")
            return
        session_id = self.reading.session_id
        happened = identity.moment(line.value.get("timestamp"))
        self.labels[target] = (
            Label(session_id, f"{session_id}/{target}", text, happened, line.number)
            if text
            else None
        )

    def _session_info(self, line: Line, name: str) -> None:
        title = line.value.get("name")
        if title is None or type(title) is str:
            self.title = title or None
        else:
            self._lost(line, "name")

    def _quiet(self, line: Line, name: str) -> None:
        self._count("housekeeping", line, str(line.value["type"]))

    def _no_type(self, line: Line, name: str) -> None:
        self._lost(line, "", "no_type")

    def _unknown(self, line: Line, name: str) -> None:
        self._count("unknown_type", line, line.value["type"][:_NAMED])

    def _legacy(self, line: Line, what: str) -> None:
        self._older[what] += 1
        self._older_line = self._older_line or line.number

    def _lost(self, line: Line, detail: str, reason: str = "bad_shape") -> None:
        self.reading.skips.append(Skip(reason, line.number, detail))

    def _told(self, reason: str, line: Line, detail: str) -> None:
        self.reading.skips.append(Skip(reason, line.number, detail, lost=False))

    def _count(self, reason: str, line: Line, detail: str) -> None:
        seen = self._counts.get((reason, detail))
        self._counts[reason, detail] = (
            Skip(reason, line.number, detail, lost=reason == "unknown_type")
            if seen is None
            else replace(seen, count=seen.count + 1)
        )


_TAKE: Mapping[str, Callable[[Entries, Line, str], None]] = {
    "branch_summary": Entries._branch_summary,
    "compaction": Entries._compaction,
    "custom": Entries._custom,
    "custom_message": Entries._custom_message,
    "label": Entries._label,
    "session_info": Entries._session_info,
    **dict.fromkeys(QUIET, Entries._quiet),
}
