"""The nouns that flow from stage to stage, each frozen, so that a stage can only make new ones."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

Row = TypeVar("Row")

JudgementKind = Literal[
    "correction",  # what the agent did is wrong or unwanted
    "preference",  # meant to hold beyond this task
    "constraint",  # a limit on how the work may be done
    "repeated_ask",  # the same thing asked again
    "refusal",  # a person turned a tool call down, in words
    "tool_error",  # a call failed, with a signature
    "detour",  # fail, retry, retry; or a branch given up
    "memory",  # a memory ledger's entry, as a pointer to its source messages
    "path",  # steps that repeat and end well
]
Polarity = Literal["do", "do_not", "none"]
Language = Literal["en", "zh", "other"]
FactType = Literal["path", "name", "version", "order", "constraint", "fragment", "unknown"]
"""fragment: `constraint | scene | counter-example`. unknown: a fact of another type."""
Age = Literal["fresh", "lower", "archived"]
"""lower: ranks behind what is fresh. archived: no longer in force, and never deleted."""


class Rows(Protocol):
    """Where a stage gets its rows from: the archive, by the name of a .sql file."""

    def rows(self, name: str, into: type[Row], **params: Any) -> Iterator[Row]: ...


@dataclass(frozen=True, slots=True)
class Scope:
    """How far a judgement reaches. Empty parts do not narrow it."""

    project: str = ""  # a project key; "" when the folder belongs to no known repository
    path: str = ""  # a file or folder inside the project, as the person named it
    tool: str = ""  # a program or tool: "git", "Edit"


@dataclass(frozen=True, slots=True)
class Project:
    """A repository, however a session reached it: checkout, worktree or subfolder."""

    key: str  # the path of its main checkout; "" when unknown
    name: str  # for people; "scope unknown" when unknown
    root: Path | None = None  # where it is on this machine, if it is


@dataclass(frozen=True, slots=True)
class Judgement:
    """One piece of evidence: the words, where they stand, and what they say."""

    id: str  # "j-" and 12 hex digits, from kind, message copy and span
    kind: JudgementKind
    session_id: str  # the session that owns the message: copies count once
    run_id: str
    message_id: str
    start: int  # span in the stored text, in code points
    end: int
    quote: str  # equal to text[start:end] of the stored message
    text_sha256: str  # hex, of the stored text in UTF-8
    statement: str  # what is compared: the plain sentence, or an error's signature
    polarity: Polarity
    scope: Scope
    language: Language
    happened: datetime | None  # UTC
    score: float  # 0 to 1, how sure the detector is
    reasons: tuple[str, ...]  # why, in words for the reviewer
    detail: Mapping[str, Any]  # JSON; by kind: what recovered an error, the steps of a path


@dataclass(frozen=True, slots=True)
class Cluster:
    """The same judgement met again. Its id stays from night to night."""

    id: str  # "c-" and 12 hex digits, from its first member
    kind: JudgementKind
    statement: str  # of its most typical member
    polarity: Polarity
    scope: Scope
    language: Language
    members: tuple[str, ...]  # judgement ids, by time and id
    sessions: int  # support: distinct sessions, not lines
    days: int  # distinct UTC days
    first: datetime | None
    last: datetime | None
    opposed: tuple[str, ...] = ()  # clusters that say the opposite in the same scope


@dataclass(frozen=True, slots=True)
class File:
    """One file a candidate would put in place, relative to the target repository."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """What we propose: a rule, a skill or a check, and what it rests on."""

    id: str  # "rule-", "skill-" or "check-" and 8 hex digits, from its cluster
    kind: Literal["rule", "skill", "check"]
    slug: str  # [a-z0-9-], at most 48
    title: str
    body: str  # the rule's constraint; a skill's or check's one-line purpose
    applies: str  # where it applies, in words
    counter_example: str  # "" when the evidence shows none
    valid_from: date | None
    valid_until: date | None  # set for what a person said holds until then
    scope: Scope
    clusters: tuple[str, ...]
    evidence: tuple[str, ...]  # judgement ids, the most telling first
    against: tuple[str, ...]  # judgement ids that speak against it
    sessions: int
    days: int
    score: float
    payload: Mapping[str, Any]  # JSON; a skill's {"steps": [text], "pitfalls": [text], "verify":
    #   [text]}, with code in ticks; a check's detector as `dream check` reads it; {} for a rule
    flags: tuple[str, ...] = ()  # for the reviewer: hidden characters, time-bound ...


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A cluster that became no candidate, the gate it failed and by how much."""

    cluster: str
    statement: str
    kind: str
    gate: str  # the gate's name in dream.yaml, or a reason: "already_said", "contradicted"
    needed: float
    got: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class Drafts:
    """What the candidates stage hands on."""

    candidates: Sequence[Candidate]
    near_misses: Sequence[NearMiss]


@dataclass(frozen=True, slots=True)
class Kept:
    """What a hand-kept memory says of one of its entries beside the words, and how it has aged."""

    type: FactType
    turn: int | None = None  # last verified, by the count of whoever keeps it; None: not told
    subject: str = ""  # the project, as the memory names it
    module: str = ""  # the part of the project it holds for; "" for all of it
    scene: str = ""  # where a fragment applies
    counter_example: str = ""  # of a fragment
    valid_from: str = ""  # as written; a fragment need not have it
    age: Age = "fresh"
    beaten_by: str = ""  # "file:line" of the entry that holds in its place; "" when it stands


@dataclass(frozen=True, slots=True)
class ExistingRule:
    """A line that already tells agents what to do in a project, whoever wrote it."""

    path: str  # of its file, relative to the project's root; a person's own in full
    line: int  # from 1
    text: str  # without bullet, number and marks; of a skill: its description
    project: str  # project key; "" for what a person tells agents in every project
    origin: str = ""  # the candidate's id, when it came from us
    kept: Kept | None = None  # for an entry of a hand-kept memory


@dataclass(frozen=True, slots=True)
class Check:
    """An adopted check: what `dream check` looks for in recorded calls."""

    id: str
    title: str
    detector: Mapping[str, Any]  # as dream.detector.parse reads it
    path: str = ""  # of its file
    project_key: str = ""  # only this project; "" when the detector alone decides
    valid_from: date | None = None  # first and last UTC day on which it holds; None: always
    valid_until: date | None = None


@dataclass(frozen=True, slots=True)
class Breach:
    """A recorded call that a check would not have allowed."""

    check: str  # its id
    session_id: str
    run_id: str
    message_id: str
    call_id: str
    what: str  # the program with its first arguments, or the tool: the agent's words, redacted
    happened: datetime | None


@dataclass(frozen=True, slots=True)
class Proposal:
    """A candidate as a reviewer finds it in skills_out/<date>/<folder>/."""

    candidate: Candidate
    folder: str  # "<id>-<slug>"
    project: str  # for people
    target: str  # the file it would change, relative to its repository; "" when none can be
    applies: bool  # whether change.diff is there and git accepts it
    content: str  # SHA-256, hex, of the words that would be adopted
    diff: str  # SHA-256, hex, of change.diff; "" when there is none
    flags: tuple[str, ...]
    note: str  # why it is written again, or why there is no diff; "" for a plain new one
    files: tuple[tuple[str, bytes], ...]  # by name, as they stand in the folder


@dataclass(frozen=True, slots=True)
class Waiting:
    """A candidate that was proposed on an earlier date and has not changed since."""

    id: str
    title: str
    since: date
    folder: str  # "<date>/<id>-<slug>"
    state: Literal["waiting", "landed"] = "waiting"  # landed: it stands in its target now


@dataclass(frozen=True, slots=True)
class Dropped:
    """Evidence that did not stand up to the stored words, or a candidate that lost too much."""

    candidate: str
    judgement: str  # "" for the candidate as a whole
    reason: str


@dataclass(frozen=True, slots=True)
class Proposed:
    """What the review stage hands on."""

    proposals: Sequence[Proposal] = ()
    waiting: Sequence[Waiting] = ()
    dropped: Sequence[Dropped] = ()
    later: Sequence[NearMiss] = ()  # over what one night proposes, or ended by its own words
    files: Sequence[tuple[str, bytes]] = ()  # of the night's folder itself, by name
    troubles: Sequence[str] = ()  # rule files that could not be read as meant: file, line, cause


@dataclass(frozen=True, slots=True)
class SourceTotal:
    """What one source of dream.yaml held on a night, in files."""

    source: str  # its absolute path
    found: int  # files that may hold transcripts
    read: int  # opened tonight, and a reader's
    unchanged: int  # not opened, since nothing has changed
    foreign: int  # of no format we know
    refused: int  # a reader's, and not readable to the end
    gone: int  # known from earlier nights and not there now; what was read of them is kept
    missing: str  # why the source itself could not be looked into; "" when it could


@dataclass(frozen=True, slots=True)
class Taken:
    """What the archive took in on a night. Counts are of tonight alone; the archive's own totals
    stand in its relations.
    """

    night: date
    sources: tuple[SourceTotal, ...]
    units: int  # transcripts: whole files, or runs of an archive
    records: int
    messages: int  # before copies are taken out
    redacted: Mapping[str, int]  # secrets taken out, by kind
    skipped: Mapping[str, int]  # by reason, content was lost
    noticed: Mapping[str, int]  # by reason, mended or only seen
    troubles: tuple[str, ...]  # sentences for a person: what went wrong that was our own fault
    changed: bool  # whether the archive says anything else than before the night
    fingerprint: str  # of what it says now, 64 hex digits

    @property
    def of_readers(self) -> int:
        """Files that a reader takes, and sources that are missing."""
        missing = sum(bool(one.missing) for one in self.sources)
        return missing + sum(one.found - one.foreign for one in self.sources)

    @property
    def unreadable(self) -> int:
        """How many of these could not be read."""
        return sum(one.refused + bool(one.missing) for one in self.sources)

    @property
    def needs_a_look(self) -> bool:
        """Whether a person should look at what went wrong."""
        return bool(self.unreadable or self.troubles)
