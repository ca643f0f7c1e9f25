"""The sample session of OpenCode as each of its two stores has it."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

from tests.conftest import HOUSE

SAMPLE = HOUSE / "tests" / "data" / "opencode" / "till.json"
Store = Callable[[Path], Path]


def tree(root: Path) -> Path:
    """The sample as the store of small files has it."""
    whole = json.loads(SAMPLE.read_text())
    path = root / "storage/session/p1/ses_till1.json"
    files = {path: whole["info"]}
    for message in whole["messages"]:
        own = message["info"]["id"]
        files[root / f"storage/message/ses_till1/{own}.json"] = message["info"]
        for part in message["parts"]:
            files[root / f"storage/part/{own}/{part['id']}.json"] = part
    for file, value in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(value))
    (root / "storage/todo").mkdir()
    (root / "storage/todo/ses_till1.json").write_text("[]")
    return path


SCHEMA = """
CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, version TEXT,
    time_created INTEGER, time_updated INTEGER, permission TEXT, revert TEXT);
CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER,
    time_updated INTEGER, data TEXT);
CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER,
    time_updated INTEGER, data TEXT);
"""


def database(root: Path) -> Path:
    """The sample as the database has it."""
    whole = json.loads(SAMPLE.read_text())
    info, path = whole["info"], root / "opencode.db"
    with sqlite3.connect(path) as db:
        db.executescript(SCHEMA)
        db.execute(
            "INSERT INTO session VALUES (?, NULL, ?, ?, ?, ?, ?, NULL, ?)",
            (info["id"], info["directory"], info["title"], info["version"],
             info["time"]["created"], info["time"]["updated"], json.dumps(info["revert"])),
        )  # fmt: skip
        for message in whole["messages"]:
            about = message["info"]
            own, session, created = about.pop("id"), about.pop("sessionID"), about["time"]
            row = (own, session, created["created"], 1, json.dumps(about))
            db.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", row)
            for part in message["parts"]:
                named = (part.pop("id"), part.pop("messageID"), part.pop("sessionID"))
                db.execute("INSERT INTO part VALUES (?, ?, ?, 1, 1, ?)", (*named, json.dumps(part)))
    db.close()
    return path
