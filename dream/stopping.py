"""Somebody asks the process to end: Ctrl-C, or SIGTERM as systemd and `dream schedule` send it.

The first signal unwinds the work, so that locks and private copies go. It is remembered, too: a
library that is in the middle of a query gives an error of its own instead, and that is no mistake
of ours. The second is passed over, as shells and schedulers like to send two; the third ends the
process at once, which a night stands as well.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

AT_ONCE = 3
"""So many signals, and nothing is unwound any more."""


class Terminated(KeyboardInterrupt):
    """SIGTERM came; the process ends as it does on Ctrl-C."""


@dataclass(slots=True)
class Asked:
    """Signals that came so far. number: of the first one, 0 for none."""

    number: int = 0
    times: int = 0

    def heard(self, number: int, frame: FrameType | None) -> None:
        """A handler of signals."""
        self.times += 1
        if self.times == 1:
            self.number = number
            raise Terminated if number == signal.SIGTERM else KeyboardInterrupt
        if self.times >= AT_ONCE:
            os._exit(128 + number)


@contextmanager
def stoppable() -> Iterator[Asked]:
    """Listens to both signals, and afterwards leaves them as they were. Main thread only.

    Ctrl-C that is ignored stays so: what runs in a shell's background is not meant by it.
    """
    asked = Asked()
    before = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)}
    heard = [one for one, how in before.items() if how is not signal.SIG_IGN]
    try:
        for one in heard:
            signal.signal(one, asked.heard)
    except ValueError:  # not the main thread: whoever runs us there has its own signals
        heard = []
    try:
        yield asked
    finally:
        for one in heard:
            signal.signal(one, before[one])
