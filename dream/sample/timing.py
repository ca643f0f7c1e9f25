"""When things happened in the sample, and what they are called: all from the story alone."""

import hashlib
import random
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from dream.sample.story import Session


@dataclass(slots=True)
class Clock:
    """Goes on by itself, by as much as such work takes."""

    now: datetime
    draw: random.Random = field(repr=False)

    @classmethod
    def of(cls, session: Session) -> "Clock":
        return cls(session.started, random.Random(session.key))  # noqa: S311 - a story, no secret

    def tick(self, low: float, high: float) -> datetime:
        """So many seconds later, to the millisecond."""
        self.now += timedelta(milliseconds=round(self.draw.uniform(low, high) * 1000))
        return self.now

    def turn(self, gap: int) -> datetime:
        """The person comes back after about so many minutes."""
        return self.tick(gap * 50, gap * 70)


def name(*parts: object, length: int = 8) -> str:
    """Hex digits that follow from what is named."""
    return hashlib.sha256(" ".join(map(str, parts)).encode()).hexdigest()[:length]


def uuid7(moment: datetime, seed: str) -> str:
    """A UUID whose first digits are the time, as newer agents make them."""
    stamp = f"{round(moment.timestamp() * 1000):012x}"
    rest = name("uuid7", seed, length=18)
    return f"{stamp[:8]}-{stamp[8:]}-7{rest[:3]}-8{rest[3:6]}-{rest[6:18]}"
