"""The tree and the messages of a pi session file, gathered in one pass over its lines.

Parents stand before their children in every file that pi wrote, so a message's run and the message
above it are known when its line is read, and nothing but text has to be kept of a line. What a
damaged file has in another order is put right at the end, by `tree`.
"""

from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256

from dream.records import Message, Skip
from dream.sources import pi_tree
from dream.sources.identity import copy_key, millis, moment
from dream.sources.jsonl import Line
from dream.sources.pi_message import Odd, Said
from dream.swift import swift

ROOT = pi_tree.ROOT
_message = swift(Message)


Node = tuple[int, str, str | None, int, object]
"""An entry in the tree. A plain tuple, since there is one a line:
its place, which is its index in file order;
run_id;
message_id of the message that it holds, else of the next one above it;
its line;
its time, as it stands in the file."""


class Reading:
    """What has been read so far."""

    def __init__(self, session_id: str, skips: list[Skip]) -> None:
        self.session_id = session_id
        self.skips = skips
        self.first_run = f"{session_id}:start"  # of what stands before the first prompt
        self.nodes: dict[str, Node] = {}  # in file order, by the file's own id; "L12" for none
        self.messages: list[Message] = []
        self.prompts: list[int] = []  # places
        self._parents: list[int] = []  # places
        self._unknown: dict[int, str] = {}  # place -> a parent that no line before it has
        self._digests: dict[str, str] = {}  # by message_id; filled when a copy is met
        self._prefix = f"{session_id}/"

    def hang(self, line: Line) -> str:
        """Puts an entry into the tree; its id, or "" for a copy of one that is there."""
        nodes, get = self.nodes, line.value.get
        name, asked = get("id"), get("parentId")
        if type(name) is not str or not name or name in nodes:
            if self._is_copy(line, name):
                return ""
            name = self._free_name(line, name)
            if asked is None and "parentId" not in line.value and nodes:
                asked = next(reversed(nodes))  # the oldest layout is a plain list
        place = len(nodes)
        above = nodes.get(asked) if type(asked) is str else None
        if above is not None:
            self._parents.append(above[0])
            nodes[name] = (place, above[1], above[2], line.number, get("timestamp"))
        else:
            self._parents.append(ROOT)
            nodes[name] = (place, self.first_run, None, line.number, get("timestamp"))
            if asked is not None:
                self._unknown[place] = asked if type(asked) is str else f"a {type(asked).__name__}"
        return name

    def add(self, line: Line, name: str, said: Said) -> Message:
        """The message that the entry of this id holds."""
        (role, kind, text, when, call_ids, _, _, _, _, _, model,
         tokens_in, tokens_out, stop, odd) = said  # fmt: skip
        place, run_id, above, number, stamp = self.nodes[name]
        happened = None if when is None else moment(when)
        if happened is None:
            # A fork keeps the times of the entries it copies, so they may stand in for the message.
            happened, when = moment(stamp), millis(stamp)
            if happened is None:  # a copy of itself only: two times "Go on." are two messages
                call_ids = (*call_ids, name)
                self.skips.append(Skip("bad_time", number, lost=False))
        if kind == "prompt":
            self.prompts.append(place)
            run_id = f"{self.session_id}:{name}"
        if odd:
            self._tell(line, odd)
        message_id = self._prefix + name
        added = _message(
            message_id, self.session_id, run_id, len(self.messages), role, kind, text,
            copy_key(role, when, text, call_ids), sha256(line.raw).hexdigest(),
            number, happened, None, above, message_id if role == "assistant" else None, True,
            model, tokens_in, tokens_out, stop,
        )  # fmt: skip
        self.nodes[name] = (place, run_id, message_id, number, stamp)
        self.messages.append(added)
        return added

    def tree(self) -> pi_tree.Tree:
        """The tree of the whole file. To be asked for once: each broken link becomes a Skip."""
        if not self._unknown:
            return pi_tree.Tree(self._parents)
        ids = list(self.nodes)
        asked: list[str | None] = [None if place == ROOT else ids[place] for place in self._parents]
        for place, name in self._unknown.items():
            asked[place] = name
        tree = pi_tree.grow(ids, asked)
        for place in tree.broken:
            number, detail = self.nodes[ids[place]][3], (asked[place] or "")[:60]
            self.skips.append(Skip("broken_parent", number, detail, lost=False))
        if list(tree.parents) != self._parents:
            self._rehang(tree, ids)
        return tree

    def _rehang(self, tree: pi_tree.Tree, ids: list[str]) -> None:
        """Runs and parents of messages anew, for a file in which children stand first."""
        owners = pi_tree.owners(tree, self.prompts)
        numbers = {message.message_id: message.number for message in self.messages}
        above: list[str | None] = [None] * len(ids)
        for place in pi_tree.parents_first(tree):
            parent, owner = tree.parents[place], owners[place]
            over = above[place] = None if parent == ROOT else above[parent]
            if (number := numbers.get(self._prefix + ids[place])) is not None:
                run_id = self.first_run if owner == ROOT else f"{self.session_id}:{ids[owner]}"
                message = replace(self.messages[number], parent=over, run_id=run_id)
                self.messages[number], above[place] = message, message.message_id

    def _tell(self, line: Line, odd: Iterable[Odd]) -> None:
        self.skips.extend(Skip(one.reason, line.number, one.detail, one.lost) for one in odd)

    def _is_copy(self, line: Line, name: object) -> bool:
        """Whether the same entry stood in the file before: id and time, and its words."""
        if type(name) is not str or name not in self.nodes:
            return False
        _, _, message_id, _, stamp = self.nodes[name]
        copied = stamp == line.value.get("timestamp")
        if copied and message_id == self._prefix + name:
            for message in self.messages[len(self._digests) :]:
                self._digests[message.message_id] = message.digest
            copied = self._digests[message_id] == sha256(line.raw).hexdigest()
        if copied:
            self.skips.append(Skip("duplicate", line.number, name, lost=False))
        return copied

    def _free_name(self, line: Line, name: object) -> str:
        """An id for an entry that has none, or one that another entry has."""
        if name is not None:
            detail = f"id {name[:60]} a second time" if type(name) is str else "id"
            self.skips.append(Skip("bad_shape", line.number, detail, lost=False))
        own, more = f"L{line.number}", len(self.nodes)
        while own in self.nodes:  # records glued together stand on one line
            own, more = f"L{line.number}.{more}", more + 1
        return own
