"""What a reader makes of an archive: one row for each thing a session holds.

A reader turns a source's own records into these nouns and nothing else leaves it. Text is as the
source has it here; secrets are removed in the archive stage, before a row is stored. Every row
names the line it came from, so that each later claim leads back to it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from dream.history import Checkout, Commit, HeadMove, RuleChange, RuleSeen, RuleText, Standing

Role = Literal["human", "assistant", "tool", "injected", "system"]
"""Who made a text. human: a person typed it. injected: it stands under the user's role but a
program put it there (context, summaries, command echoes, interruption marks, other agents)."""

SessionKind = Literal["interactive", "subagent", "headless", "review", "unknown"]
MessageKind = Literal[
    "prompt",  # a person's request or remark
    "reply",  # part of a model's reply
    "result",  # what a tool gave back
    "refusal",  # a person's words inside a refused tool call (role human)
    "interrupt",  # the mark that a person stopped the agent (role injected)
    "command",  # a slash command, its echo or its output (role injected)
    "shell",  # a person's own shell command and its output (role injected)
    "summary",  # a compaction's or branch's summary (role injected)
    "meta",  # context put in by a program (role injected)
    "api_error",  # text the client wrote in the model's place (role system)
    "system",  # a system prompt or notice (role system)
    "subagent",  # a sub-agent's own words inside a session (role injected)
]
CallStatus = Literal["ok", "error", "refused", "interrupted", "sibling", "unanswered"]
"""refused: a person said no. sibling: a parallel call failed, so this was dropped. Neither is an
error."""


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation of a person with an agent. The same id from every source that holds it."""

    session_id: str  # "<agent>:<the agent's own id>"
    agent: str  # "claude-code", "pi"
    kind: SessionKind = "interactive"
    cwd: str = ""  # absolute folder the session started in; "" when not recorded
    git_branch: str | None = None
    title: str | None = None
    parent_id: str | None = None  # session it was forked, cloned or continued from, or sub-agent of
    started: datetime | None = None  # UTC
    ended: datetime | None = None  # UTC, last thing recorded
    agent_version: str | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class Run:
    """One request of a person until the agent settles."""

    run_id: str  # "run2:<uuid>" from an archive, else "<session_id>:<id of the prompt>"
    session_id: str
    number: int  # from 1, in the order of the session
    name: str | None = None  # the source's own short name, "r3"
    state: Literal["settled", "running", "interrupted", "stopped"] = "settled"
    started: datetime | None = None
    ended: datetime | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class Message:
    """One record of a conversation: a prompt, a part of a reply, a tool's result, injected text."""

    message_id: str  # "<session_id>/<the source's own id>", unique in its source
    session_id: str
    run_id: str
    number: int  # from 0, in the order of the source
    role: Role
    kind: (
        str  # prompt, reply, result, summary, meta, command, interrupt, api_error, shell, queued...
    )
    text: str  # may be empty, never None; for a result the text the model saw
    copy_key: str  # equal for copies of the same message in any file, session or archive
    digest: str  # SHA-256, hex, of the record's own bytes (RUN2: of the decoded JSON)
    line: int  # from 1; RUN2: first_seq
    happened: datetime | None = None  # UTC
    name: str | None = None  # short name a person may use: "r3/m2"
    parent: str | None = None  # message_id of the record before it in the tree
    reply_id: str | None = None  # the same for all records of one model reply
    active: bool = True  # on the branch that the session ended on
    model: str | None = None
    tokens_in: int | None = None  # None: unknown, which is not zero; only on a reply's last record
    tokens_out: int | None = None
    stop: str | None = None  # why the model stopped, in the source's own word


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool by the model, with what became of it."""

    call_id: str  # "<session_id>/<the source's own call id>"
    session_id: str
    run_id: str
    message_id: str  # the reply's record that asked for it
    number: int  # the message's number; calls of one message keep their order in `place`
    place: int  # from 0, among the calls of its message
    tool: str  # the source's own name: "Bash", "bash", "Edit"
    arguments: str  # JSON text of an object
    status: CallStatus
    line: int
    copy_key: str
    result_id: str | None = None  # message_id of the result; None when unanswered
    exit_code: int | None = None
    active: bool = True
    happened: datetime | None = None


@dataclass(frozen=True, slots=True)
class Branch:
    """One path through a session's tree, told by its tip. A plain session has one."""

    branch_id: str  # "<session_id>/<id of the tip>"
    session_id: str
    active: bool
    length: int  # records from root to tip
    fork_point: str | None = None  # message_id of the last record shared with the active path
    reason: str | None = None  # navigation, summary, edit, fork, reset ...
    summary: str | None = None  # written by a model: never evidence
    happened: datetime | None = None
    line: int = 0
    last: str | None = None  # message_id of its last message, where its tip is another record


@dataclass(frozen=True, slots=True)
class Compaction:
    """The agent's context was replaced by a summary here."""

    compaction_id: str
    session_id: str
    trigger: str  # auto, manual, extension, unknown; range, blocks: a part was made short
    number: int  # the number of the next message
    tokens_before: int | None = None
    kept_from: str | None = None  # message_id of the first record kept
    happened: datetime | None = None
    active: bool = True
    line: int = 0


@dataclass(frozen=True, slots=True)
class Memory:
    """An entry of a memory ledger inside a session: what an agent noted, never what is true."""

    memory_id: str  # "<session_id>/<ledger id>/<id of the entry that recorded it>"
    session_id: str
    kind: Literal["observation", "reflection", "drop"]
    ledger_id: str  # 12 hex digits
    text: str  # "" for a drop
    status: Literal["active", "dropped", "shadowed", "off_branch"]
    visible: bool  # in what the model saw after the latest fold
    sources: tuple[str, ...] = ()  # message_ids it was made from
    supports: tuple[str, ...] = ()  # ledger ids a reflection rests on
    relevance: str | None = None
    covers_up_to: str | None = None  # watermark: id of the last source entry read
    stated: str | None = None  # the ledger's own time, local, without a zone
    happened: datetime | None = None  # when it was appended, UTC
    line: int = 0


@dataclass(frozen=True, slots=True)
class Label:
    """A name a person or a tool hung on one record; of several on one record the last holds."""

    session_id: str
    target: str  # message_id of the record it hangs on
    text: str
    happened: datetime | None = None  # UTC
    line: int = 0


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A moment at which a session was kept beside the code that had come of it.

    A commit names the checkpoint, so it leads from a session to what was committed.
    """

    checkpoint_id: str  # 12 hex digits or a ULID
    session: str  # the agent's own id of the session, without the agent's name
    number: int  # from 0, among the sessions of the checkpoint
    happened: datetime | None = None  # UTC
    branch: str | None = None
    kind: str = ""  # "imported": put in later from the agent's own store; the source's own word
    commit_id: str | None = None  # told for an imported one only; for others the commit tells
    moved_from: str | None = None  # commit of the older store that it was moved over from
    first_line: int | None = None  # lines of the transcript that an earlier checkpoint has already
    repository: str = ""  # git folder it stands in; "" when it was read from plain files
    line: int = 0


@dataclass(frozen=True, slots=True)
class Deletion:
    """A run that its own archive has deleted: known by name, its words are gone there."""

    run_id: str
    name: str
    deleted: datetime | None
    reason: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Skip:
    """Something a reader passed over, mended or only noticed. Nothing is lost in silence."""

    reason: str  # a word of SKIPS
    line: int  # from 1; 0: the whole file
    detail: str = ""  # the unknown name, the broken id: never the text itself
    lost: bool = True  # False: mended or only noticed, no content was lost
    count: int = 1


@dataclass(frozen=True, slots=True)
class Transcript:
    """All that one unit of a source holds. A unit is what is read, and read again, as a whole."""

    unit: str  # "" for a file that is one unit; the run's uuid in a RUN2 archive
    token: str  # changes when the unit must be read again
    sessions: Sequence[Session] = ()
    runs: Sequence[Run] = ()
    messages: Sequence[Message] = ()
    calls: Sequence[ToolCall] = ()
    branches: Sequence[Branch] = ()
    compactions: Sequence[Compaction] = ()
    memories: Sequence[Memory] = ()
    labels: Sequence[Label] = ()
    deletions: Sequence[Deletion] = ()
    skips: Sequence[Skip] = ()
    records: int = 0  # records read whole, of any kind
    seen: Sequence[str] = field(default=())  # RUN2's last unit: every unit the source has now
    checkpoints: Sequence[Checkpoint] = ()
    checkouts: Sequence[Checkout] = ()  # these seven: of a repository's own history
    commits: Sequence[Commit] = ()
    rule_changes: Sequence[RuleChange] = ()
    rule_texts: Sequence[RuleText] = ()
    rules_seen: Sequence[RuleSeen] = ()
    standings: Sequence[Standing] = ()
    head_moves: Sequence[HeadMove] = ()


SKIPS = {
    "torn": "the end was cut off; it is read again when the file has grown",
    "glued": "several records on one line; all were recovered",
    "not_json": "a line that is not JSON",
    "not_a_record": "JSON, but not an object",
    "no_type": "a record without a type",
    "unknown_type": "a kind of record this reader does not know",
    "unknown_role": "a message of a role this reader does not know",
    "too_long": "a line or a document over the limit",
    "bad_encoding": "bytes that are not UTF-8; replaced by U+FFFD",
    "lone_surrogate": "half a surrogate pair; replaced by U+FFFD",
    "bad_shape": "a known record with a part of another shape than known",
    "bad_time": "a time that could not be read",
    "undecodable": "a payload that could not be decoded",
    "missing_dictionary": "a payload whose dictionary is missing",
    "missing_blob": "a media file that is not there",
    "lost_argument": "an argument that the archive itself stored as a media file",
    "duplicate": "a second copy of a record inside one file",
    "copied": "history of another session that this file begins with a copy of",
    "duplicate_result": "a second result for one call",
    "result_without_call": "a result whose call is not there",
    "broken_parent": "a record whose parent is not in the file",
    "foreign_summary": "a title that belongs to another session",
    "legacy_memory": "memory of an older layout, noticed and not folded",
    "invalid_memory": "a memory entry with a bad record in it; ignored as a whole",
    "running": "a run still being recorded; read again next night",
    "deleted": "a run its archive has deleted",
    "housekeeping": "records that say nothing about the work",
    "subagent": "work of a sub-agent inside a session",
    "not_told": "something this format does not tell; it stays unknown",
    "foreign_format": "a file of another agent's format",
    "empty": "nothing in it",
    "unreadable": "the source could not be opened or read",
    "damaged": "damaged pages or bytes",
    "not_an_archive": "another program's database",
    "too_new": "newer than this reader",
    "redacted": "a secret; a mark that names its kind stands in its place",
    "gone": "a source that is no longer there; what was read from it is kept",
}
"""Every reason a Skip may carry, with the words a person reads."""
