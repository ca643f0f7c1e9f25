"""What a folder looks like, to say afterwards that nobody touched it."""

import hashlib
from pathlib import Path


def listing(folder: Path) -> dict[str, tuple[int, int, int, str]]:
    """Every entry below folder: mode, time of change, size and SHA-256 of its bytes."""
    found: dict[str, tuple[int, int, int, str]] = {}
    for path in sorted([folder, *folder.rglob("*")]):
        status = path.lstat()
        plain = path.is_file() and not path.is_symlink()
        digest = hashlib.sha256(path.read_bytes()).hexdigest() if plain else ""
        size = status.st_size if plain else 0
        found[str(path.relative_to(folder))] = (status.st_mode, status.st_mtime_ns, size, digest)
    return found
