"""What a person typed while the agent worked counts once."""

from dream.sources.claude_queue import Move, left_over


def left(*moves: tuple[str, str] | tuple[str, str, str]) -> list[str]:
    told = [
        Move(line, move[0], move[1], move[2] if len(move) > 2 else None)
        for line, move in enumerate(moves, 1)
    ]
    return [move.text for move in left_over(told)]


def test_a_remark_taken_up_in_mid_turn_has_no_other_record() -> None:
    assert left(("enqueue", "add a test"), ("remove", "")) == ["add a test"]
    assert left(("enqueue", "add a test"), ("remove", "", "absorbed_mid_turn")) == ["add a test"]


def test_a_remark_that_came_back_as_a_prompt_counts_as_the_prompt() -> None:
    assert left(("enqueue", "commit then"), ("dequeue", ""), ("prompt", "commit then")) == []
    assert left(("enqueue", "commit then"), ("prompt", "commit then\n")) == []


def test_a_remark_that_came_back_as_an_attachment_counts_as_that() -> None:
    assert left(("enqueue", "stop"), ("remove", ""), ("attachment", "stop")) == []


def test_the_same_words_typed_again_later_are_another_prompt() -> None:
    assert left(("enqueue", "commit"), ("remove", ""), ("prompt", "commit")) == ["commit"]


def test_a_remark_that_was_taken_back_does_not_count() -> None:
    assert left(("enqueue", "use npm"), ("popAll", "use npm")) == []
    assert left(("enqueue", "use npm"), ("remove", "", "cancelled")) == []
    assert left(("enqueue", "a"), ("popAll", "a"), ("enqueue", "a b"), ("remove", "")) == ["a b"]


def test_a_remark_still_waiting_at_the_end_was_typed() -> None:
    assert left(("enqueue", "and then rest")) == ["and then rest"]


def test_news_and_commands_in_the_queue_are_no_remarks() -> None:
    assert left(("enqueue", "/model"), ("enqueue", "/plan the work")) == []
    assert left(("enqueue", '{"task_id":"b1","task_type":"local_bash"}')) == []
    assert left(("enqueue", "<task-notification>done</task-notification>")) == []
    assert left(("enqueue", "  ")) == []
    assert left(("enqueue", "/etc/hosts is wrong")) == ["/etc/hosts is wrong"]


def test_a_removal_that_names_its_remark_takes_that_one() -> None:
    assert left(("enqueue", "a"), ("enqueue", "b"), ("remove", "b", "cancelled")) == ["a"]
