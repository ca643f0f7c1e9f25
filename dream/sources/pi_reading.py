"""The tree and the messages of a pi session file, gathered in one pass over its lines.

Parents stand before their children in every file that pi wrote, so a message's run and the message
above it are known when its line is read, and nothing but text has to be kept of a line. What a
damaged file has in another order is put right at the end, by `rehang`.
"""

from bisect import bisect_left
from dataclasses import replace

from dream.records import Message, Skip
from dream.sources import identity, jsonl, pi_tree
from dream.sources.jsonl import Line
from dream.sources.pi_message import Said

ROOT = pi_tree.ROOT
START = "start"
"""What the run of messages before the first prompt is called."""


class Reading:
    """What has been read so far. Columns are by place, an entry's index in file order."""

    def __init__(self, session_id: str, skips: list[Skip]) -> None:
        self.session_id = session_id
        self.skips = skips
        self.ids: list[str] = []  # the file's own; "L12" where it has none
        self.asked: list[str | None] = []  # parents' ids as they stand in the file
        self.parents: list[int] = []
        self.line_of: list[int] = []
        self.stamps: list[object] = []  # times as they stand in the file
        self.place_of: dict[str, int] = {}
        self.prompts: list[int] = []  # places
        self.messages: list[Message] = []
        self.message_places: list[int] = []
        self._owners: list[int] = []  # place of the prompt that an entry hangs below
        self._above: list[str | None] = []  # message_id at or next above an entry
        self._prefix = f"{session_id}/"

    def hang(self, line: Line) -> int:
        """Puts an entry into the tree; its place, or ROOT for a copy of one that is there."""
        get = line.value.get
        name, asked = get("id"), get("parentId")
        if type(name) is not str or not name or name in self.place_of:
            if self._is_copy(line, name):
                return ROOT
            name = self._free_name(line, name)
            if asked is None and "parentId" not in line.value and self.ids:
                asked = self.ids[-1]  # the oldest layout is a plain list
        if asked is None:
            parent = ROOT
        else:
            if type(asked) is not str:
                asked = f"a {type(asked).__name__}"  # names nothing, and is told as broken
            parent = self.place_of.get(asked, ROOT)
        place = len(self.ids)
        self.place_of[name] = place
        self.ids.append(name)
        self.asked.append(asked)
        self.parents.append(parent)
        self.line_of.append(line.number)
        self.stamps.append(get("timestamp"))
        if parent == ROOT:
            self._owners.append(ROOT)
            self._above.append(None)
        else:
            self._owners.append(self._owners[parent])
            self._above.append(self._above[parent])
        return place

    def add(self, line: Line, place: int, said: Said) -> Message:
        """The message that an entry holds."""
        millis, stamp = said.millis, self.stamps[place]
        happened = None if millis is None else identity.moment(millis)
        if happened is None:
            # A fork keeps the times of the entries it copies, so they may stand in for the message.
            happened, millis = identity.moment(stamp), identity.millis(stamp)
            if happened is None:
                self.skips.append(Skip("bad_time", line.number, lost=False))
        for odd in said.odd:
            self.skips.append(Skip(odd.reason, line.number, odd.detail, odd.lost))
        if said.kind == "prompt":
            self.prompts.append(place)
            self._owners[place] = place
        name = self._prefix + self.ids[place]
        role = said.role
        added = Message(
            name, self.session_id, self.run_id(self._owners[place]), len(self.messages),
            role, said.kind, said.text,
            identity.copy_key(role, millis, said.text, said.call_ids),
            jsonl.digest_of(line.raw), line.number, happened, None, self._above[place],
            name if role == "assistant" else None, True,
            said.model, said.tokens_in, said.tokens_out, said.stop,
        )  # fmt: skip
        self._above[place] = name
        self.messages.append(added)
        self.message_places.append(place)
        return added

    def run_id(self, owner: int) -> str:
        """owner: place of the prompt that began the run; ROOT for what stands before any."""
        return f"{self.session_id}:{START if owner == ROOT else self.ids[owner]}"

    def tree(self) -> pi_tree.Tree:
        """The tree of the whole file. Every broken link is a Skip; no link is lost otherwise."""
        unknown = any(
            parent == ROOT and asked is not None
            for parent, asked in zip(self.parents, self.asked, strict=True)
        )
        if not unknown:
            return pi_tree.Tree(self.parents)
        tree = pi_tree.grow(self.ids, self.asked)
        for place in tree.broken:
            detail = (self.asked[place] or "")[:60]
            self.skips.append(Skip("broken_parent", self.line_of[place], detail, lost=False))
        if list(tree.parents) != self.parents:
            self._rehang(tree)
        return tree

    def _rehang(self, tree: pi_tree.Tree) -> None:
        """Runs and parents of messages anew, for a file in which children stand first."""
        owners = pi_tree.owners(tree, self.prompts)
        own = dict(zip(self.message_places, range(len(self.messages)), strict=True))
        above: list[str | None] = [None] * len(self.ids)
        for place in pi_tree.parents_first(tree):
            parent = tree.parents[place]
            over = above[place] = None if parent == ROOT else above[parent]
            if (number := own.get(place)) is not None:
                message = self.messages[number]
                above[place] = message.message_id
                run_id = self.run_id(owners[place])
                self.messages[number] = replace(message, parent=over, run_id=run_id)

    def _is_copy(self, line: Line, name: object) -> bool:
        """Whether the same entry stood in the file before: id, time, parent, and its words."""
        if type(name) is not str or name not in self.place_of:
            return False
        first, get = self.place_of[name], line.value.get
        copied = self.stamps[first] == get("timestamp") and self.asked[first] == get("parentId")
        number = bisect_left(self.message_places, first)
        if copied and number < len(self.messages) and self.message_places[number] == first:
            copied = self.messages[number].digest == jsonl.digest_of(line.raw)
        if copied:
            self.skips.append(Skip("duplicate", line.number, name, lost=False))
        return copied

    def _free_name(self, line: Line, name: object) -> str:
        """An id for an entry that has none, or one that another entry has."""
        if name is not None:
            detail = f"id {name[:60]} a second time" if type(name) is str else "id"
            self.skips.append(Skip("bad_shape", line.number, detail, lost=False))
        own = f"L{line.number}"
        while own in self.place_of:
            own += "+"
        return own
