"""Small sessions written down turn by turn, for tests of the whole stage."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from dream.signals.detect import detect
from dream.types import Judgement
from tests.signals.pen import Pen
from tests.signals.relations import Relations

ALWAYS = datetime(2000, 1, 1, tzinfo=UTC)
START = datetime(2026, 4, 1, 8, 0, tzinfo=UTC)


Call = tuple[str, Mapping[str, object], str, bool]


class Talk:
    """One session. Each thing comes a minute after the one before it."""

    def __init__(self, name: str = "a", start: datetime = START) -> None:
        self.pen = Pen(f"pi:{name}")
        self._now = start
        self._count = 0

    def person(self, text: str) -> "Talk":
        self.pen.say("human", "prompt", text, self._next(), f"m{self._count}")
        return self

    def refuses(self, text: str) -> "Talk":
        self.pen.say("human", "refusal", text, self._next(), f"m{self._count}")
        return self

    def agent(self, text: str, *calls: Call) -> "Talk":
        """calls: (tool, arguments, output, failed) each."""
        said = self.pen.say("assistant", "reply", text, self._next(), f"m{self._count}")
        for tool, arguments, output, failed in calls:
            self._count += 1
            mark = f"c{self._count}"
            self.pen.call(tool, dict(arguments), mark, self._next(), said)
            self.pen.answer(mark, output, failed, 1 if failed else 0, self._next())
        return self

    def _next(self) -> str:
        self._count += 1
        self._now += timedelta(minutes=1)
        return self._now.isoformat()


def judged(*talks: Talk, project: str = "/repo/shop") -> list[Judgement]:
    return detect(relations(talks, project), ALWAYS)


def relations(talks: Sequence[Talk], project: str = "/repo/shop") -> Relations:
    return Relations([talk.pen.transcript() for talk in talks], project)


def worked(name: str = "a", start: datetime = START) -> Talk:
    """A session in which the agent has just changed something and said so."""
    edit = ("edit", {"path": "src/export.ts"}, "ok", False)
    return Talk(name, start).person(f"Build {name}view.").agent("Done, the page is there.", edit)
