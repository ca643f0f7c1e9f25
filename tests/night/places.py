"""What lies in a folder, for tests that compare before with after."""

from pathlib import Path


def content(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its path inside."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def stamps(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Name, mode, time of change and bytes of all that is below a folder, folders included."""
    return {
        path.relative_to(folder).as_posix(): (
            path.stat().st_mode,
            path.stat().st_mtime_ns,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in sorted(folder.rglob("*"))
    }
