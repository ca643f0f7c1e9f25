"""A stored payload of the RUN2 archive, turned back into the JSON the agent wrote.

Dictionaries are heads of old payloads: private text that lives in a decoder here and goes nowhere
else. A frame says nothing about its dictionary and has no checksum, so what comes out is believed
only when it is a message object of the role that its row names.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson
import zstandard

from dream.records import Skip

LIMIT = 256 * 1024 * 1024
"""Bytes of one decoded payload. A frame of some kilobytes can claim to hold gigabytes."""

_REF = "sha256-"
REF_MARK = b'"sha256-'
"""Without these bytes in a message the archive moved nothing out of it."""
_EXTENSIONS = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/gif": "gif",
    "image/webp": "webp",
    "image/avif": "avif",
    "application/pdf": "pdf",
}


class Unreadable(Exception):
    """One payload that cannot be decoded: a reason of records.SKIPS, and why."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


class Payloads:
    """Decodes the payloads of one archive."""

    def __init__(self, dictionaries: Iterable[tuple[object, object]]) -> None:
        self.decoders: dict[object, zstandard.ZstdDecompressor] = {0: zstandard.ZstdDecompressor()}
        for number, held in dictionaries:
            if isinstance(number, int) and number > 0 and isinstance(held, bytes):
                raw = zstandard.ZstdCompressionDict(held, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
                self.decoders[number] = zstandard.ZstdDecompressor(dict_data=raw)

    def json_bytes(self, payload: object, dictionary: object) -> bytes:
        """The bytes as the agent wrote them; their SHA-256 is a message's digest.

        Raises Unreadable.
        """
        if type(payload) is str:
            payload = payload.encode()
        if type(payload) is not bytes:
            raise Unreadable("undecodable", "no payload")
        if dictionary is None:
            return payload
        decoder = self.decoders.get(dictionary)
        if decoder is None:
            if type(dictionary) is int and dictionary > 0:
                raise Unreadable("missing_dictionary", f"dictionary {dictionary} is missing")
            raise Unreadable("undecodable", "a dictionary id that is no number")
        try:
            size = zstandard.frame_content_size(payload)
            if size > LIMIT:
                raise Unreadable("too_long", f"{size} bytes when decoded")
            if size >= 0:
                return decoder.decompress(payload)
            with decoder.stream_reader(payload) as stream:  # a frame that does not say its size
                data = stream.read(LIMIT + 1)
        except zstandard.ZstdError as error:
            raise Unreadable("undecodable", str(error)[:80]) from error
        if len(data) > LIMIT:
            raise Unreadable("too_long", f"over {LIMIT} bytes when decoded")
        return data


def message_object(data: bytes, role: object) -> tuple[dict[str, Any], bool]:
    """The message, and whether half surrogate pairs in it had to be replaced by U+FFFD.

    Raises Unreadable for what is no JSON object of this role.
    """
    mended = False
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        value, mended = _second_way(data)
    if type(value) is not dict or (found := value.get("role")) is None:
        raise Unreadable("undecodable", "not a message")
    if found != role:
        raise Unreadable("undecodable", "of another role than its row")
    return value, mended


def _second_way(data: bytes) -> tuple[Any, bool]:
    """What orjson refuses and the agent may still have written: half a surrogate pair, NaN."""
    try:
        value = json.loads(data)
        text = json.dumps(value, ensure_ascii=False)
        whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return (value, False) if whole == text else (json.loads(whole), True)
    except (ValueError, RecursionError) as error:
        raise Unreadable("undecodable", "not JSON") from error


def media(message: dict[str, Any], folder: Path, line: int) -> list[Skip]:
    """What the archive moved out of this message and what became of it.

    A picture is not needed here, only missed when its file is gone. A tool call's long argument
    named `data` was stored as if it were one, and its text is lost to the archive.
    """
    skips: list[Skip] = []
    stack: list[tuple[Any, bool]] = [(message, False)]
    while stack:
        value, argument = stack.pop()
        if type(value) is list:
            stack.extend((part, argument) for part in value)
        elif type(value) is dict:
            ref = value.get("ref")
            if type(ref) is str and ref.startswith(_REF) and "bytes" in value:
                skips.extend(_missed(ref, value.get("mimeType"), argument, folder, line))
            for key, part in value.items():
                if type(part) is dict or type(part) is list:
                    stack.append((part, argument or key == "arguments"))
    return sorted(skips, key=lambda skip: (skip.reason, skip.detail))


def _missed(ref: str, kind: object, argument: bool, folder: Path, line: int) -> list[Skip]:
    name = ref.removeprefix(_REF)
    if argument:
        return [Skip("lost_argument", line, name[:12])]
    whole = len(name) == 64 and name.isalnum() and name.isascii()
    extension = _EXTENSIONS.get(kind, "bin") if isinstance(kind, str) else "bin"
    if whole and (folder / name[:2] / f"{name[2:]}.{extension}").is_file():
        return []
    return [Skip("missing_blob", line, name[:12] if whole else "a name that is no digest")]
