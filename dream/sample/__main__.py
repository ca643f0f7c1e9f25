"""python -m dream.sample FOLDER: writes the sample archive and a dream.yaml that reads it."""

import argparse
import sys
from pathlib import Path

from dream.sample.build import Occupied, build


def main(words: list[str] | None = None) -> int:
    """0: written; 2: the folder holds something else, or git is missing."""
    parser = argparse.ArgumentParser(
        prog="python -m dream.sample",
        description="Write the sample: six weeks of invented work in the real formats.",
    )
    parser.add_argument("folder", type=Path, help="where to; a sample that is there is replaced")
    parser.add_argument(
        "--skills-out",
        type=Path,
        default=Path("skills_out"),
        help="where a night over the sample puts its proposals (default: skills_out)",
    )
    said = parser.parse_args(words)
    try:
        made = build(said.folder, said.skills_out)
    except (Occupied, RuntimeError, FileNotFoundError) as error:
        print(f"dream.sample: {error}", file=sys.stderr)
        return 2
    print(f"{made.folder}: {made.sessions} sessions, {made.turns} requests, 2 repositories")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
