"""What makes two records the same message, and how a source's times are read.

A fork, a clone, a resumed session and an archive beside a session file all hold copies of one
message under other ids. What they share is who spoke, the moment, the words and the tool calls.
"""

from collections.abc import Container, Sequence
from datetime import UTC, datetime
from hashlib import sha256

_BETWEEN = "\x1e"
_EDGE = 256  # characters of either end that tell one long text from another of the same moment
_LONGEST = 64  # characters; no spelling of a time is longer


def copy_key(role: str, millis: int | None, text: str, call_ids: Sequence[str]) -> str:
    """32 hex digits, equal for copies of one message in any file, session or archive.

    role: one of records.Role. millis: when it happened, ms since 1970, as the message itself says
    (not the entry around it, which a copy may stamp anew); None when it says nothing.
    text: without media. call_ids: the calls a reply asks for, or the one call a result answers.
    Of a long text of a known millisecond only the ends and the length count: hashing the whole was
    a tenth of all reading.
    """
    stamp = "" if millis is None else millis
    if len(text) > 2 * _EDGE and millis is not None:
        text = f"{len(text)}\x1f{text[:_EDGE]}\x1f{text[-_EDGE:]}"
    # The text comes last, so that nothing in it can be mistaken for a border.
    whole = f"{role}\x1f{stamp}\x1f{_BETWEEN.join(call_ids)}\x1f{text}"
    try:
        raw = whole.encode()
    except UnicodeEncodeError:  # half a surrogate pair
        raw = whole.encode("utf-8", "surrogatepass")
    return sha256(raw).hexdigest()[:32]


def entry_id(session_id: str, place: str, taken: Container[str] = ()) -> str:
    """An id for a record that its source gives none: 8 hex digits, more where taken has those.

    place: what is the record's own in its session and stays when the session goes on. People see
    the first signs of an id, so these must tell records apart.
    """
    digits = sha256(f"{session_id}\x1f{place}".encode(errors="surrogatepass")).hexdigest()
    return next((name for n in range(8, 65) if (name := digits[:n]) not in taken), digits)


def once(name: str, suffix: str, taken: set[str]) -> str:
    """The name, or one made of it that is not taken yet; takes it.

    suffix: where the second one stands. Records glued together stand on one line, so even with it
    two may be alike.
    """
    own = name if name not in taken else f"{name}{suffix}"
    more = 1
    while own in taken:
        more += 1
        own = f"{name}{suffix}.{more}"
    taken.add(own)
    return own


def moment(value: object) -> datetime | None:
    """A source's time in UTC: ISO 8601 text in any spelling, or a number of ms since 1970.

    Text without a zone is taken as UTC. None for anything that is no time; never raises.
    """
    if type(value) is str:
        try:
            read = datetime.fromisoformat(value)
        except ValueError:
            return _odd_spelling(value)
        return read if read.tzinfo is UTC else _utc(read)
    if type(value) is int or type(value) is float:
        try:
            return datetime.fromtimestamp(value / 1000, UTC)
        except (ValueError, OverflowError, OSError):
            return None
    return None


def millis(value: object) -> int | None:
    """The same as moment, in whole ms since 1970, exact for numbers."""
    if type(value) is int:
        return value
    read = moment(value)
    return None if read is None else round(read.timestamp() * 1000)


def _utc(read: datetime) -> datetime | None:
    if read.tzinfo is None:
        return read.replace(tzinfo=UTC)
    try:
        return read.astimezone(UTC)
    except OverflowError:  # the first or last day of the calendar
        return None


def _odd_spelling(value: str) -> datetime | None:
    """Spaces around it, a small z, a space before the zone, ms as text."""
    bare = value.strip()
    if not bare or len(bare) > _LONGEST:
        return None
    if bare.isascii() and bare.isdigit() and len(bare) >= 12:
        return moment(int(bare))
    try:
        read = datetime.fromisoformat(bare.upper().replace(" +", "+").replace(" Z", "Z"))
    except ValueError:
        return None
    return _utc(read)
