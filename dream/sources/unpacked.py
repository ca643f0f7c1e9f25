"""A file that its agent has compressed with Zstandard, unpacked as far as it goes.

It is unpacked piece by piece into a private folder, so that a long one costs room there and none in
memory. A frame that breaks off gives what stands before the break.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import zstandard

from dream.errors import SourceUnreadable
from dream.records import Skip

MAGIC = b"\x28\xb5\x2f\xfd"
LIMIT = 1 << 32  # bytes of what comes out; a few bytes can stand for any number of zeros
_PIECE = 1024  # bytes: at the worst they unpack to 32 MB
_WINDOW = 1 << 27  # bytes that a frame may make us hold; what `zstd` itself allows


@contextmanager
def unpacked(path: Path, scratch: Path, skips: list[Skip], limit: int = LIMIT) -> Iterator[Path]:
    """The file unpacked, in a folder below scratch that is gone afterwards.

    What breaks off (torn), is no frame (damaged) or goes over the limit is appended to skips.
    Raises SourceUnreadable when the file cannot be opened or read.
    """
    with tempfile.TemporaryDirectory(prefix="unpacked-", dir=scratch) as folder:
        own = Path(folder) / path.stem
        with own.open("wb") as into:
            try:
                with path.open("rb") as packed:
                    _unpack(packed, into, skips, limit)
            except zstandard.ZstdError:
                skips.append(Skip("damaged", 0, "the compressed file, from somewhere on"))
            except OSError as error:
                raise SourceUnreadable(path, error.strerror or str(error)) from error
        yield own


def _unpack(packed: BinaryIO, into: BinaryIO, skips: list[Skip], limit: int) -> None:
    """Frame after frame. Raises ZstdError where the bytes are none."""
    unpacker = zstandard.ZstdDecompressor(max_window_size=_WINDOW)
    frame = unpacker.decompressobj()
    begun, size = False, 0
    while piece := packed.read(_PIECE):
        while piece:
            if frame.eof:
                frame, begun = unpacker.decompressobj(), False
            data = frame.decompress(piece)
            begun, piece = True, frame.unused_data
            size += len(data)
            if size > limit:
                skips.append(Skip("too_long", 0, f"more than {limit} bytes when unpacked"))
                return
            into.write(data)
    if begun and not frame.eof:
        skips.append(Skip("torn", 0, "the compressed file"))
