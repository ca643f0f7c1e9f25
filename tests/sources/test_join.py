"""The same work seen twice: an archive and the session files of the same sessions."""

from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

import pytest

from dream.records import Message, Session, ToolCall, Transcript
from dream.sources import pi, run2

pytestmark = pytest.mark.shared


class Side(NamedTuple):
    """What one kind of source holds, by session."""

    messages: dict[str, list[Message]]
    calls: dict[str, list[ToolCall]]
    sessions: dict[str, Session]


def _side(transcripts: list[Transcript]) -> Side:
    messages, calls = defaultdict(list), defaultdict(list)
    for transcript in transcripts:
        for message in transcript.messages:
            messages[message.session_id].append(message)
        for call in transcript.calls:
            calls[call.session_id].append(call)
    sessions = {one.session_id: one for made in transcripts for one in made.sessions}
    return Side(messages, calls, sessions)


@pytest.fixture(scope="module")
def files(shared: Path) -> Side:
    folder = shared / "archives" / "pi-sessions"
    return _side([made for path in pi.find(folder) for made in pi.read(path, {}, folder)])


def _archive(shared: Path, scratch: Path, name: str) -> Side:
    return _side(list(run2.read(shared / "archives" / f"{name}.sqlite", {}, scratch)))


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("run2-v2", 1757), ("run2-v1", 131), ("run2-migrated", 161), ("run2-compacted", 1745),
        ("run2-pi16", 215), ("run2-unicode", 35),
    ],
)  # fmt: skip
def test_every_archived_message_stands_in_a_session_file_under_the_same_key(
    shared: Path, tmp_path: Path, files: Side, name: str, count: int
) -> None:
    archive = _archive(shared, tmp_path, name)
    assert sum(len(messages) for messages in archive.messages.values()) == count
    alone: list[tuple[str, str]] = []
    for session_id, messages in archive.messages.items():
        filed = Counter(message.copy_key for message in files.messages[session_id])
        archived = Counter(message.copy_key for message in messages)
        assert max(archived.values(), default=1) == 1
        alone += [(one.role, one.kind) for one in messages if not filed[one.copy_key]]
    # An extension's message: the file says when it was appended, the archive when it was made.
    assert alone == ([("injected", "meta")] if name == "run2-v2" else [])


def test_joined_messages_say_the_same(shared: Path, tmp_path: Path, files: Side) -> None:
    archive = _archive(shared, tmp_path, "run2-v2")
    for session_id, messages in archive.messages.items():
        filed = {message.copy_key: message for message in files.messages[session_id]}
        for one in messages:
            if one.kind == "meta":
                continue
            other = filed[one.copy_key]
            assert (one.text, one.role, one.kind) == (other.text, other.role, other.kind)
            assert (one.happened, one.model, one.stop) == (other.happened, other.model, other.stop)
            assert (one.tokens_in, one.tokens_out) == (other.tokens_in, other.tokens_out)


def test_joined_calls_came_to_the_same(shared: Path, tmp_path: Path, files: Side) -> None:
    archive = _archive(shared, tmp_path, "run2-v2")
    for session_id, calls in archive.calls.items():
        filed = {(call.copy_key, call.place): call for call in files.calls[session_id]}
        for one in calls:
            other = filed[one.copy_key, one.place]
            assert (one.call_id, one.tool) == (other.call_id, other.tool)
            assert (one.status, one.exit_code) == (other.status, other.exit_code)


def test_joined_sessions_are_the_same_session(shared: Path, tmp_path: Path, files: Side) -> None:
    archive = _archive(shared, tmp_path, "run2-v2")
    assert set(archive.sessions) <= set(files.sessions)
    for session_id, one in archive.sessions.items():
        other = files.sessions[session_id]
        assert (one.agent, one.cwd, one.title) == (other.agent, other.cwd, other.title)


def test_a_fork_owns_only_what_its_parent_does_not_hold(files: Side) -> None:
    forks = {one.session_id: one.parent_id for one in files.sessions.values() if one.parent_id}
    assert len(forks) == 4
    for fork, parent in forks.items():
        assert parent in files.sessions
        copied = {one.copy_key for one in files.messages[str(parent)]}
        own = [one for one in files.messages[fork] if one.copy_key not in copied]
        started = files.sessions[fork].started
        assert own
        assert started is not None
        for message in own:
            assert message.happened is not None
            assert message.happened >= started
        assert len(own) < len(files.messages[fork])


def test_only_forks_share_messages_with_another_session(files: Side) -> None:
    holders: dict[str, set[str]] = defaultdict(set)
    for session_id, messages in files.messages.items():
        for message in messages:
            holders[message.copy_key].add(session_id)
    family = {
        frozenset((one.session_id, str(one.parent_id)))
        for one in files.sessions.values()
        if one.parent_id
    }
    assert {frozenset(shared) for shared in holders.values() if len(shared) > 1} == family
