"""A noun made the quick way is the noun itself."""

import pickle
from dataclasses import FrozenInstanceError, dataclass, fields, replace

import pytest

from dream.records import Memory, Message, ToolCall, Transcript
from dream.swift import swift


def test_what_comes_out_is_equal_to_what_the_noun_makes_itself() -> None:
    values = [f"value {number}" for number, _ in enumerate(fields(Message))]
    made, usual = swift(Message)(*values), Message(*values)  # type: ignore[arg-type]  # any will do
    assert type(made) is Message
    assert (made, hash(made), repr(made)) == (usual, hash(usual), repr(usual))
    assert replace(made, text="other") == replace(usual, text="other")
    assert pickle.loads(pickle.dumps(made)) == usual  # noqa: S301  # our own bytes


def test_defaults_and_names_of_fields_hold() -> None:
    made = swift(Transcript)("unit", token="token")
    assert made == Transcript("unit", "token")
    with pytest.raises(TypeError):
        swift(Transcript)("unit")  # type: ignore[call-arg]  # the token is missing


@pytest.mark.parametrize("noun", [Message, ToolCall, Memory])
def test_it_is_frozen(noun: type) -> None:
    made = swift(noun)(*range(len(fields(noun))))
    with pytest.raises(FrozenInstanceError):
        made.line = 7


def test_a_class_of_another_kind_is_refused() -> None:
    @dataclass(frozen=True)
    class Slotless:
        name: str

    @dataclass(frozen=True, slots=True)
    class Checked:
        name: str

        def __post_init__(self) -> None:
            raise ValueError

    for noun in (Slotless, Checked, str):
        with pytest.raises(TypeError):
            swift(noun)
