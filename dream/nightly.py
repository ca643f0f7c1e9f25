"""One night, in the order the data goes. The only page that knows every stage: read the house here.

What it is told: the settings, the night's date, the time, who listens. What it leaves: the archive
in the state folder, and skills_out/<date>/. Killed at any moment, the next night ends the same.
"""

import resource
import shutil
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from dream import judged
from dream.archive import histories, ledger
from dream.archive.archive import Archive
from dream.archive.ingest import ingest
from dream.archive.lock import night_lock
from dream.audit import kept as kept_audits
from dream.audit.subjects import subjects_of
from dream.audit.tonight import AuditedTonight, TonightAsked, tonight
from dream.backtest import kept as kept_backtest
from dream.candidates.detectors import of_sentence
from dream.candidates.draft import choose, possible
from dream.candidates.facts import gather
from dream.config import Config
from dream.judged import Judged
from dream.progress import Progress
from dream.report.build import build
from dream.report.files import report_files
from dream.report.night import AuditLine, NightReport, Stage, Tonight
from dream.review.earlier import Earlier, earlier_in, earlier_of, events_of, parted
from dream.review.existing import Told, existing_rules
from dream.review.personal import personal_rules
from dream.review.projects import trees
from dream.review.propose import propose
from dream.review.publish import files_of, kept, publish
from dream.review.record import Published, published
from dream.review.tree import Tree
from dream.signals.signature import version
from dream.sources import git_history
from dream.sources.foreign import agent_of
from dream.sources.registry import READERS
from dream.templates import counted
from dream.types import Proposed, Rows, Taken


@dataclass(frozen=True, slots=True)
class NightResult:
    """What a night leaves for the one who started it."""

    report: NightReport
    tonight: Tonight  # what this start alone has to say
    folder: Path  # skills_out/<date>
    troubles: tuple[str, ...] = ()  # what went wrong that was our own fault

    @property
    def exit_code(self) -> int:
        """0: done. 1: done, and a person should look."""
        return 1 if self.report.warnings or self.troubles else 0


@dataclass(slots=True)
class _Clock:
    """Seconds by stage, for the terminal; never part of what is written."""

    progress: Progress
    seconds: dict[str, float] = field(default_factory=dict)
    _last: float = field(default_factory=time.perf_counter)

    def end(self, stage: str, following: str = "") -> None:
        now = time.perf_counter()
        self.seconds[stage], self._last = now - self._last, now
        if following:
            self.progress.stage(following)

    def tonight(self, notes: Sequence[str]) -> Tonight:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        return Tonight(self.seconds, peak, tuple(notes))


def nightly(config: Config, night: date, now: datetime, progress: Progress) -> NightResult:
    """One whole night. night: the date it counts for; now: UTC, for the ledger alone.

    Raises NightBusy while another runs, StateBroken when our own state cannot be used.
    """
    clock = _Clock(progress)
    with night_lock(config.state, now.isoformat(timespec="seconds")) as held:
        taken = ingest(
            config.state,
            config.sources,
            READERS,
            night,
            progress,
            known_roots=config.projects,
            whose=agent_of,
        )
        clock.end("read", "reading histories")
        looked = _histories(config, night, progress)
        clock.end("histories", "opening the archive")
        with Archive.open(config.state) as archive:
            clock.end("open", "judging")
            known = trees(archive, config.projects)
            told = Told(
                {key: existing_rules(tree, key) for key, tree in known.items()},
                personal_rules(config.personal),
            )
            spoiled: list[str] = []
            lying = tuple(published(config.skills_out, spoiled))
            past = {
                **earlier_of(lying, night),
                **earlier_in((book := ledger.read(config.state)).events, night),
            }
            thought = _think(config, archive, told, past, night, taken)
            clock.end("judge", "proposing")
            proposed = _propose(config, archive, known, told, past, night, thought)
            clock.end("propose", "auditing")
            asked = TonightAsked(night, now, ZoneInfo(config.timezone), book.events)
            news = (taken.fingerprint, looked.fingerprint)
            audited = _audit(config, archive, asked, lying, thought, *news)
            clock.end("audit", "reporting")
            report = _report(config, archive, night, thought, proposed, audited, spoiled)
        folder = _write(config, night, now, thought, proposed, audited, report)
        clock.end("report")
    left = [f"Took over the lock that {held.left_over} left behind."] if held.left_over else []
    if book.torn:
        left += [f"{counted(book.torn, 'line')} of the ledger hold no event; they stay there."]
    troubles = (*taken.troubles, *looked.troubles, *spoiled)
    return NightResult(report, clock.tonight((*left, *troubles)), folder, troubles)


def _histories(config: Config, night: date, progress: Progress) -> Taken:
    """The rule files of the repositories that sessions worked in, and what became of them."""
    repositories = histories.sources(config.state, config.projects)
    into = histories.folder_of(config.state)
    return ingest(into, repositories, (git_history,), night, progress)


def _think(
    config: Config,
    archive: Rows,
    told: Told,
    past: Mapping[str, Earlier],
    night: date,
    taken: Taken,
) -> Judged:
    """Judgements, clusters and drafts; those of the last night where nothing has changed since."""
    thought = judged.load(config.state)
    since = datetime.combine(night, datetime.min.time(), UTC) - timedelta(config.window_days)
    books = (*told.projects.values(), told.personal)
    own = {text: _shown(past.get(origin)) for book in books for origin, text in book.own}
    first = since if next(archive.rows("first_heard", _First)).happened < since else None
    from_what = judged.key(taken.fingerprint, first, own, config.timezone, judged.program())
    if thought.judged_from != from_what:
        thought = Judged(from_what, (), (), thought.registry)  # lets go of all the rest
        thought = _judged(config, archive, since, own, thought)
    existing = [rule for book in books for rule in book.rules]
    shown = sorted(past)
    found_from = judged.key(from_what, config.gates, existing)
    drafted_from = judged.key(found_from, shown)
    if thought.drafted_from == drafted_from:
        return thought
    by_id = {judgement.id: judgement for judgement in thought.judgements}
    if thought.found_from != found_from:
        facts = gather(archive, thought.clusters, by_id, since)
        drafted = possible(thought.clusters, by_id, config.gates, existing, facts)
        thought = replace(thought, found_from=found_from, found=judged.settled(drafted))
    drafts = choose(thought.found, thought.clusters, by_id, config.gates, shown)
    return replace(thought, drafted_from=drafted_from, drafts=judged.settled(drafts))


def _judged(
    config: Config, archive: Rows, since: datetime, own: Mapping[str, datetime], before: Judged
) -> Judged:
    """Judgements and clusters made anew. own: our rules' words, and since when they were shown."""
    from dream.clusters import group  # most nights find nothing new, and need neither
    from dream.signals.detect import detect

    found = detect(archive, since, zone=ZoneInfo(config.timezone), own=own)
    clusters = group(found, before.registry)
    registry = {member: one.id for one in clusters for member in one.members}
    whole = {**before.registry, **registry}
    return judged.settled(Judged(before.judged_from, found, clusters, whole))


def _shown(earlier: Earlier | None) -> datetime:
    """From when a person could have read a rule of ours, and only repeat it; always, if unknown."""
    return datetime.combine(earlier.night if earlier else date.min, datetime.min.time(), UTC)


@dataclass(frozen=True, slots=True)
class _First:
    happened: datetime


def _propose(
    config: Config,
    archive: Rows,
    known: Mapping[str, Tree],
    told: Told,
    past: Mapping[str, Earlier],
    night: date,
    thought: Judged,
) -> Proposed:
    return propose(
        thought.drafts.candidates,
        {judgement.id: judgement for judgement in thought.judgements},
        archive,
        known,
        night=night,
        earlier=past,
        gates=config.gates,
        git=shutil.which("git"),
        told=told,
    )


def _audit(
    config: Config,
    archive: Rows,
    asked: TonightAsked,
    lying: Iterable[Published],
    thought: Judged,
    *news: str,
) -> AuditedTonight:
    """The rules that have landed. Without one, nothing is asked of the archive."""
    ours, _ = parted(lying, asked.events)
    subjects = subjects_of([each.founded for each in ours], asked.events, of_sentence)
    key = judged.key(news, config.timezone, judged.program())
    before = kept_audits.load(config.state)
    return tonight(
        archive, subjects, thought.judgements, thought.clusters, asked, version, before, key
    )


def _report(
    config: Config,
    archive: Rows,
    night: date,
    thought: Judged,
    proposed: Proposed,
    audited: AuditedTonight,
    spoiled: list[str],
) -> NightReport:
    return build(
        archive,
        night=night,
        stages=_stages(thought, proposed),
        kinds=Counter(judgement.kind for judgement in thought.judgements),
        proposed=proposed,
        misses=thought.drafts.near_misses,
        kept=kept(config.skills_out, night, proposed),
        audits=[AuditLine(**asdict(each)) for each in audited.kept.lines],
        backtest=kept_backtest.load(config.skills_out, spoiled),
    )


def _stages(thought: Judged, proposed: Proposed) -> tuple[Stage, ...]:
    """What each stage after the archive took and gave, in the order the data goes."""
    judgements, clusters = len(thought.judgements), len(thought.clusters)
    candidates, shown = len(thought.drafts.candidates), len(proposed.proposals)
    return (
        Stage("clusters", judgements, "judgements", clusters, "clusters"),
        Stage("candidates", clusters, "clusters", candidates, "candidates"),
        Stage("review", candidates, "candidates", shown, "proposals"),
    )


def _write(
    config: Config,
    night: date,
    now: datetime,
    thought: Judged,
    proposed: Proposed,
    audited: AuditedTonight,
    report: NightReport,
) -> Path:
    """Puts everything in place: what was thought, the night's folder, then the ledger's events."""
    judged.save(config.state, thought)
    files = {**files_of(proposed), **audited.files, **report_files(report)}
    folder = publish(config.skills_out, night, files)
    told = ledger.events(config.state)
    news = (*events_of(proposed, night, now), *audited.events)
    fresh = [event for event in news if not _told(told, event)]
    done = {"event": "night", "night": night.isoformat(), "happened": now.isoformat()}
    ledger.append_all(config.state, (*fresh, {**done, "warnings": len(report.warnings)}))
    kept_audits.save(config.state, audited.kept)
    return folder


def _told(events: Sequence[ledger.Event], event: ledger.Event) -> bool:
    """Whether the ledger has the same event already, of whatever time."""
    same = {name: value for name, value in event.items() if name != "happened"}
    return any(all(each.get(name) == value for name, value in same.items()) for each in events)
