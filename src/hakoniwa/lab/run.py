"""One run from beginning to end: a job goes in, a run file comes out. It may happen in any process on any machine."""

import asyncio
from time import perf_counter

from hakoniwa.journal import CallRow, Garden
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.lab.critic import scored
from hakoniwa.lab.metrics import metrics_of
from hakoniwa.lab.models import ledger_for, mind_for
from hakoniwa.lab.results import Calibration, Run, RunKey, RunTiming, Spec, TurnRow
from hakoniwa.lab.trial import Trial, play_slot
from hakoniwa.settings import Settings
from hakoniwa.stage.scenario import Scenario
from hakoniwa.turn import Event, Value


class Job(Value):
    """Everything a run needs; no file is read but a cassette."""

    spec: Spec
    key: RunKey
    garden: Garden
    settings: Settings
    calibration: tuple[Calibration, ...] = ()


class Played(Value):
    """A run file: the run as the results have it, and apart from that its journal and its times."""

    run: Run
    timing: RunTiming
    events: tuple[tuple[int, Event], ...] = ()  # with the number of each row, to which the calls refer
    calls: tuple[CallRow, ...] = ()


def play_run(job: Job) -> str:
    """The run file of a job, as JSON."""
    return asyncio.run(_play(job)).model_dump_json()


async def _play(job: Job) -> Played:
    began = perf_counter()
    journal = MemoryJournal()
    model = next(one for one in job.spec.models if one.id == job.key.model)
    mind = mind_for(model, job.key, job.settings)
    trial = Trial.of(job.key.arm, job.key.variant, job.garden, mind, journal)
    crash = await _through(trial, job.spec.turns or Scenario.model_validate(job.garden.scenario).turns)
    rows = await _rows(trial, job)
    return Played(
        run=Run(key=job.key, garden=job.garden.id, rows=rows, metrics=metrics_of(rows), crash=crash),
        timing=RunTiming(run=job.key.id, seconds=round(perf_counter() - began, 3), turns=tuple(trial.timings)),
        events=tuple((row.seq, row.event) for row in journal.lineage(job.garden.id, trial.book.branch)),
        calls=tuple(journal.calls(job.garden.id, trial.book.branch, prompts=True)),
    )


async def _rows(trial: Trial, job: Job) -> tuple[TurnRow, ...]:
    """The rows with the five axes by formula, or all by the model that scores."""
    if job.spec.critic is None:
        return tuple(trial.rows)
    critic = ledger_for(job.spec.critic, job.key.seed, job.settings)
    return await scored(trial.rows, job.garden, critic, job.calibration)


async def _through(trial: Trial, turns: int) -> str | None:
    """Play all turns; what ended it before that, if something did."""
    try:
        await trial.open()
        for _ in range(turns):
            await play_slot(trial)
    except Exception as error:  # a crash is a result of the experiment, and the gate stops it
        return f"{type(error).__name__}: {error}"
    finally:
        await trial.aclose()
    return None
