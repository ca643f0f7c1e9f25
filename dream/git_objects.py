"""Objects of a git repository read from outside: no file of it is written, no setting has a say.

Git is asked in a private repository that only borrows the objects of the other one. So nothing that
the other one's settings name is started: no hook, no pager, no signature program, no monitor of
files, no fetch of an object that is not here. Such an object is missing, and that is all.
"""

import os
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple

from dream.errors import SourceUnreadable

SECONDS = 600
"""So long one question to git may take; the whole history of a large repository takes some ten."""

LARGEST = 64 * 1024 * 1024
"""Bytes of an object that is held in memory. One that is damaged may claim any size."""

_PIECE = 1 << 20  # bytes of an object that are copied at a time


class Entry(NamedTuple):
    """One line of a tree."""

    name: str
    is_folder: bool
    object_id: str  # hex


class _Died(Exception):
    """The git process ended in the middle of an answer."""


class Objects:
    """The objects of one repository. Guards a private repository and a git process."""

    def __init__(self, store: Path, home: Path) -> None:
        self._store = store
        self._home = home
        self._batch = self._start()

    @classmethod
    @contextmanager
    def open(cls, store: Path, scratch: Path, example: str) -> "Iterator[Objects]":
        """store: a git folder. scratch: a private folder. example: one of its object ids.

        Raises SourceUnreadable without a git that understands it.
        """
        home = scratch / "borrowed.git"
        _borrow(store, home, example)
        made = cls(store, home)
        try:
            made.ask("rev-parse", "--git-dir")
            yield made
        finally:
            made._stop()

    def get(self, name: str) -> bytes | None:
        """The content of an object ("<id>", "<id>^{tree}"); None when it is not here, whole, or is
        larger than LARGEST.
        """
        try:
            size = self._ask(name)
            if size is None:
                return None
            if size > LARGEST:
                raise _Died
            content = self._out.read(size)
            self._end(len(content) == size)
        except _Died:
            self._again()
            return None
        return content

    def copy(self, name: str, target: Path) -> bool:
        """Adds an object's content to a file of ours, however large; False as `get` says None."""
        try:
            left = self._ask(name)
            if left is None:
                return False
            with target.open("ab") as file:
                while left and (piece := self._out.read(min(left, _PIECE))):
                    file.write(piece)
                    left -= len(piece)
            self._end(not left)
        except _Died:
            self._again()
            return False
        return True

    def tree(self, name: str) -> list[Entry] | None:
        """The entries of a tree, or of the tree of a commit; None when it is not here, whole."""
        content = self.get(f"{name}^{{tree}}")
        try:
            return None if content is None else list(entries(content, len(name) // 2))
        except ValueError:
            return None

    def ask(self, *words: str, given: Iterable[str] = ()) -> bytes:
        """What a git command prints. given: lines for its standard input.

        Raises SourceUnreadable with git's own words when it does not end well.
        """
        text = "".join(f"{line}\n" for line in given).encode("utf-8", "surrogateescape")
        try:
            ran = subprocess.run(
                ["git", *words], input=text, cwd=self._home, env=_surroundings(self._home),
                capture_output=True, timeout=SECONDS, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            raise SourceUnreadable(self._store, f"git {words[0]} did not end") from error
        if ran.returncode:
            why = ran.stderr.decode(errors="replace").strip().rpartition("\n")[2]
            raise SourceUnreadable(self._store, f"git {words[0]}: {why or ran.returncode}")
        return ran.stdout

    @property
    def _out(self) -> IO[bytes]:
        assert self._batch.stdout is not None  # noqa: S101 - it was opened with a pipe
        return self._batch.stdout

    def _start(self) -> subprocess.Popen[bytes]:
        pipe = subprocess.PIPE
        try:
            return subprocess.Popen(
                ["git", "cat-file", "--batch"], cwd=self._home, env=_surroundings(self._home),
                stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        except OSError as error:
            raise SourceUnreadable(self._store, f"git could not be started: {error}") from error

    def _stop(self) -> None:
        self._batch.kill()
        with suppress(BrokenPipeError), self._batch:
            pass  # closes both pipes and waits

    def _again(self) -> None:
        """Git ends on an object that is damaged; the others are still to be had."""
        self._stop()
        self._batch = self._start()

    def _ask(self, name: str) -> int | None:
        """Sends a question; the size of the answer, or None when there is no such object."""
        assert self._batch.stdin is not None  # noqa: S101 - it was opened with a pipe
        if "\n" in name:
            return None
        try:
            self._batch.stdin.write(os.fsencode(name) + b"\n")
            self._batch.stdin.flush()
        except BrokenPipeError:
            raise _Died from None
        answer = self._out.readline().split()
        if not answer:
            raise _Died
        return int(answer[2]) if len(answer) == 3 and answer[2].isdigit() else None

    def _end(self, whole: bool) -> None:
        if not whole or self._out.read(1) != b"\n":
            raise _Died


def entries(tree: bytes, width: int) -> Iterator[Entry]:
    """The entries of a tree object as git stores it. width: bytes of an object id, 20 or 32."""
    place = 0
    while place < len(tree):
        space, end = tree.index(b" ", place), tree.index(b"\0", place)
        mode, name = tree[place:space], os.fsdecode(tree[space + 1 : end])
        place = end + 1 + width
        yield Entry(name, mode == b"40000", tree[end + 1 : place].hex())


def _borrow(store: Path, home: Path, example: str) -> None:
    """A bare repository that holds nothing and looks for objects in another one."""
    for folder in ("objects/info", "refs"):
        (home / folder).mkdir(parents=True, exist_ok=True)
    of_sha256 = len(example) == 64
    settings = f"[core]\n\trepositoryFormatVersion = {int(of_sha256)}\n\tbare = true\n"
    if of_sha256:
        settings += "[extensions]\n\tobjectFormat = sha256\n"
    (home / "config").write_text(settings)
    (home / "HEAD").write_text("ref: refs/heads/none\n")
    place = b"".join(_quoted(byte) for byte in os.fsencode(store / "objects"))
    (home / "objects/info/alternates").write_bytes(b'"' + place + b'"\n')
    with suppress(FileNotFoundError):  # where a clone's history was cut off
        (home / "shallow").write_bytes((store / "shallow").read_bytes())


def _quoted(byte: int) -> bytes:
    """As git reads a path between quotes."""
    return bytes([byte]) if 32 <= byte < 127 and byte not in b'"\\' else b"\\%03o" % byte


def _surroundings(home: Path) -> dict[str, str]:
    """Nothing of the person's or the machine's settings, and no way to the network."""
    return {
        "GIT_ALLOW_PROTOCOL": "",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_DIR": str(home),
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "HOME": str(home),
        "LC_ALL": "C",
        "PATH": os.environ.get("PATH", os.defpath),  # where git is, and nothing else
        "XDG_CONFIG_HOME": str(home),
    }
