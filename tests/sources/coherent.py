"""What holds for every transcript, whatever was in the file."""

from dream.records import SKIPS, Transcript


def check(transcript: Transcript) -> None:
    """Rows name one another by ids that are there, and no id names two of a kind."""
    messages = {message.message_id: message for message in transcript.messages}
    assert len(messages) == len(transcript.messages)
    runs = {run.run_id: run for run in transcript.runs}
    assert len(runs) == len(transcript.runs)
    assert {message.run_id for message in transcript.messages} == set(runs)
    sessions = {session.session_id for session in transcript.sessions}
    for session in sessions:
        own = [one.number for one in transcript.messages if one.session_id == session]
        assert own == list(range(len(own)))
    for message in transcript.messages:
        assert message.session_id in sessions
        assert message.parent is None or message.parent in messages
        assert (message.role == "human") == (message.kind in ("prompt", "refusal"))
        message.text.encode()
    assert len({call.call_id for call in transcript.calls}) == len(transcript.calls)
    for call in transcript.calls:
        asking = messages[call.message_id]
        assert (call.run_id, call.number) == (asking.run_id, asking.number)
        assert (call.result_id is None) == (call.status in ("unanswered", "interrupted"))
        assert call.result_id is None or messages[call.result_id].kind == "result"
        call.arguments.encode()
    spoken = {message.session_id for message in transcript.messages}
    assert {branch.session_id for branch in transcript.branches if branch.active} == spoken
    assert {skip.reason for skip in transcript.skips} <= SKIPS.keys()
