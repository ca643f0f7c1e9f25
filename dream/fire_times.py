"""The schedule as an APScheduler trigger: one fire a local date, in the autumn too."""

from datetime import datetime

from apscheduler.triggers.base import BaseTrigger

from dream.schedule import upcoming


class OncePerDate(BaseTrigger):  # type: ignore[misc]  # APScheduler has no types
    """Fires when dream.schedule says so; a plain cron trigger fires twice on a doubled hour."""

    def __init__(self, schedule: str, tz: str) -> None:
        self.schedule = schedule
        self.tz = tz

    def get_next_fire_time(
        self, previous_fire_time: datetime | None, now: datetime
    ) -> datetime | None:
        """The first fire after the previous one; a missed one counts, and is run late."""
        fires = upcoming(self.schedule, self.tz, previous_fire_time or now, 1)
        return fires[0] if fires else None
