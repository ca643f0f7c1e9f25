"""A repeated path as steps that somebody can follow: what is always the same, and what is not.

Step texts come from the commands that the agent itself ran, word by word and only plain words;
what differs between runs becomes a <name>. Nothing of any output gets in.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from dream.types import Judgement

USUAL = 0.6
"""Share of the sessions in which a word must be the same to stand in a step."""
WORDS = 6
"""Words of a command that a step shows."""
_PLAIN = re.compile(r"[A-Za-z0-9._/:=@%+,*-]{1,60}")
_HOME = re.compile(r"^(?:/|~|[A-Za-z]:)|\$|\.\./\.\./")
_AFTER: Mapping[str, str] = {
    "-m": "<message>",
    "-am": "<message>",
    "--message": "<message>",
    "-F": "<file>",
    "--title": "<title>",
    "--body": "<text>",
    "-b": "<branch>",
}
_BY_PROGRAM: Mapping[str, str] = {
    "git add": "<files>",
    "git rm": "<files>",
    "git commit": "<options>",
    "git tag": "<tag>",
    "git checkout": "<branch>",
    "git switch": "<branch>",
    "git push": "<branch>",
    "git pull": "<branch>",
    "git merge": "<branch>",
    "git rebase": "<branch>",
    "gh pr": "<pull request>",
}
_KINDS: Mapping[str, str] = {
    "source": "source files",
    "test": "tests",
    "docs": "documents",
    "config": "settings",
    "lock file": "lock file",
    "workflow": "CI workflow",
    "migration": "migration",
    "query": "queries",
    "style": "styles",
}
_USES: Mapping[str, str] = {
    "delegate": "Hand the part that stands alone to a sub-agent",
    "fetch": "Look up what is needed on the web",
}


def good_steps(members: Sequence[Judgement]) -> tuple[tuple[int, str], ...]:
    """The steps of a path with their places, without those that failed in half of the sessions.

    members: paths with the same steps, as dream/signals tells them: "edit test", "run go test".
    """
    steps = [str(step) for step in members[0].detail.get("steps", ())] if members else []
    sessions = {member.session_id for member in members}
    failed = Counter(
        text
        for text, _ in {
            (str(text), member.session_id)
            for member in members
            for text in member.detail.get("failed", ())
        }
    )
    return tuple(
        (place, step) for place, step in enumerate(steps) if 2 * failed[step] < len(sessions)
    )


def step_texts(members: Sequence[Judgement], steps: Sequence[tuple[int, str]]) -> tuple[str, ...]:
    """One sentence for each of some steps, given with their places; code in ticks."""
    return tuple(_text(step, _arguments(members, place)) for place, step in steps)


def _arguments(members: Sequence[Judgement], place: int) -> list[str]:
    """The step's argument in each session, the first of each."""
    found: dict[str, str] = {}
    for member in members:
        listed = member.detail.get("arguments", ())
        if place < len(listed):
            found.setdefault(member.session_id, str(listed[place]))
    return list(found.values())


def _text(step: str, arguments: Sequence[str]) -> str:
    what, _, name = step.partition(" ")
    if what == "run":
        return f"Run `{command(name, arguments)}`."
    if what == "edit":
        same = _usual([argument.replace("\\", "/").rsplit("/", 1)[-1] for argument in arguments])
        kind = _KINDS.get(name, f"{name} files")
        return f"Change `{same}`." if same else f"Change the {kind} that the task is about."
    known = _USES.get(name, f"Use the tool `{name}`" if _PLAIN.fullmatch(name) else "Use the tool")
    return f"{known}."


def command(program: str, arguments: Sequence[str]) -> str:
    """The program with the words that are the same in most runs, and names for the others."""
    words = program.split()
    rows = [argument.split()[:WORDS] for argument in arguments]
    rows = [row[len(words) - 1 :] if row[: len(words) - 1] == words[1:] else row for row in rows]
    shown = list(words)
    for place in range(WORDS):
        here = [row[place] if place < len(row) else "" for row in rows]
        same = "" if shown[-1] in _AFTER else _usual(here)
        if same:
            shown.append(same)
            continue
        if sum(not word for word in here) < USUAL * len(here):
            shown.append(_placeholder(shown, program))
            shown += _options([row[place:] for row in rows])
        break
    return " ".join(word for word in shown if _PLAIN.fullmatch(word) or word.startswith("<"))


def _options(rows: Sequence[Sequence[str]]) -> list[str]:
    """Options that most runs have after what differs between them, in the order of the first."""
    options = [[word for word in row if _is_plain_option(word)] for row in rows]
    counts = Counter(word for row in options for word in set(row))
    usual = {word for word, count in counts.items() if count >= USUAL * len(rows)}
    return list(dict.fromkeys(word for row in options for word in row if word in usual))


def _is_plain_option(word: str) -> bool:
    place = word.partition("=")[2]
    return word.startswith("-") and word not in _AFTER and not _HOME.search(place)


def _placeholder(shown: Sequence[str], program: str) -> str:
    return _AFTER.get(shown[-1]) or _BY_PROGRAM.get(program, "<arguments>")


def _usual(words: Sequence[str]) -> str:
    """The plain word that USUAL of the sessions share; "" without one."""
    counts = Counter(word for word in words if _PLAIN.fullmatch(word) and not _HOME.search(word))
    if not counts:
        return ""
    word = min(counts, key=lambda each: (-counts[each], each))
    return word if counts[word] >= USUAL * len(words) else ""
