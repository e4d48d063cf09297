"""`hakoniwa lab`: experiments. Run one, see how far it is, let it pass a gate, write its report."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic
from typing import Annotated, Any

import typer

from hakoniwa.app import journal_of
from hakoniwa.cli.options import BaseUrlOption, GardenArgument, JournalOption, JsonOption, ModelOption, choice, command
from hakoniwa.cli.progress import progress_bar
from hakoniwa.cli.terminal import Terminal
from hakoniwa.director.reply_check import FAULTS
from hakoniwa.errors import UsageError
from hakoniwa.journal import MAIN
from hakoniwa.lab.experiment import Experiment, OnProgress, experiment_progress, read_charter, read_results, write_file
from hakoniwa.lab.metrics import BY_KEY, Failure, baseline_of, gate, read_baseline
from hakoniwa.lab.prompts import VariantJob, VariantSummary, compare, contexts_of, sum_up, variants_of
from hakoniwa.lab.report import write_report
from hakoniwa.lab.results import JOURNAL, Profile, Results, Spec
from hakoniwa.lab.results import ExperimentProgress as Told
from hakoniwa.lab.run import Cluster, Engine, InProcess, Pool
from hakoniwa.lab.spec import keys_of, read_plan
from hakoniwa.settings import Settings

app = typer.Typer()
LAB, CLOSED = "lab", 7


@command(app)
def run(
    terminal: Terminal,
    file: Annotated[Path, typer.Argument(metavar="SPEC", help="cli.lab.run.spec")],
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="cli.lab.run.out")] = None,
    profile: Annotated[str | None, typer.Option("--profile", metavar="NAME", help="cli.lab.run.profile")] = None,
    workers: Annotated[int | None, typer.Option("--workers", metavar="N", min=1, help="cli.lab.run.workers")] = None,
    cluster: Annotated[str | None, typer.Option("--cluster", metavar="ADDRESS", help="cli.lab.run.cluster")] = None,
    check: Annotated[bool, typer.Option("--check", help="cli.lab.run.check")] = False,
    as_data: JsonOption = False,
) -> None:
    """Play every run of an experiment that is not there yet."""
    settings = terminal.settings()
    plan = read_plan(file, choice(profile, Profile, "lab.no-profile"))
    summary = _summary(plan.spec)
    if check or not as_data:
        terminal.show(summary, [terminal.say("lab.plan", **summary)], as_data=as_data)
    if check:
        return
    folder = out or settings.home / LAB / plan.spec.name
    _play(terminal, Experiment(folder, plan, settings), _engine(workers, cluster), as_data)


@command(app)
def status(
    terminal: Terminal,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="cli.lab.folder")],
    as_data: JsonOption = False,
) -> None:
    """How far an experiment is."""
    charter = read_charter(folder)
    told = experiment_progress(folder, charter)
    known = {"name": charter.spec.name, "profile": charter.spec.profile, **told.model_dump(mode="json")}
    line = terminal.say("lab.state", **{**known, "state": terminal.say(f"lab.state-{told.state}")})
    terminal.show(known, [line], as_data=as_data)


@command(app, "gate")
def gate_(
    terminal: Terminal,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="cli.lab.folder")],
    baseline: Annotated[Path | None, typer.Option("--baseline", metavar="FILE", help="cli.lab.gate.baseline")] = None,
    keep: Annotated[
        Path | None, typer.Option("--write-baseline", metavar="FILE", help="cli.lab.gate.write-baseline")
    ] = None,
    as_data: JsonOption = False,
) -> None:
    """Whether the results are good enough."""
    results = read_results(folder)
    failures = gate(results, read_baseline(baseline) if baseline else None)
    if keep:
        write_file(keep, baseline_of(results).model_dump_json(indent=1))
    terminal.show(failures, _gate_lines(terminal, failures, keep), as_data=as_data)
    if failures:
        raise typer.Exit(CLOSED)


@command(app)
def report(
    terminal: Terminal,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="cli.lab.folder")],
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="cli.lab.report.out")] = None,
) -> None:
    """Write the report of an experiment."""
    page = write_report(read_results(folder), out or folder, terminal.lang)
    terminal.print(terminal.say("lab.reported", path=page))


@command(app, "prompts")
def compare_prompts(
    terminal: Terminal,
    garden: GardenArgument,
    folders: Annotated[list[Path] | None, typer.Argument(metavar="FOLDER", help="cli.lab.prompts.folders")] = None,
    contexts: Annotated[int, typer.Option("--contexts", metavar="N", min=1, help="cli.lab.prompts.contexts")] = 12,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="cli.lab.prompts.out")] = None,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    journal: JournalOption = None,
    as_data: JsonOption = False,
) -> None:
    """Ask for turns of a garden again with each folder's templates, and count the replies."""
    settings = terminal.settings(journal=journal, model=model, base_url=base_url)
    jobs = _variant_jobs(settings, garden, folders or [], contexts)
    with _progress_bar(terminal, len(jobs)) as watch:
        found = []
        for replies in compare(jobs):
            found.append(replies)
            watch(Told(done=len(found), total=len(jobs)))
    if out:
        write_file(out, "".join(f"{one.model_dump_json()}\n" for replies in found for one in replies))
    summaries = [sum_up(job.variant, replies) for job, replies in zip(jobs, found, strict=True)]
    terminal.show(summaries, (_variant_line(terminal, one) for one in summaries), as_data=as_data)


def _variant_jobs(settings: Settings, garden: str, folders: Sequence[Path], count: int) -> list[VariantJob]:
    with closing(journal_of(settings)) as journal:
        turns = tuple(contexts_of(journal, journal.garden(garden).id, MAIN, count))
    return [
        VariantJob(variant=name, folder=folder, settings=settings, garden=garden, branch=MAIN, turns=turns)
        for name, folder in variants_of(folders)
    ]


def _variant_line(terminal: Terminal, one: VariantSummary) -> str:
    faults = [f"{terminal.say(f'lab.fault-{name}')} {one.faults[name]}" for name in FAULTS if one.faults[name]]
    known = {"faults": terminal.say("play.comma").join(faults) or "—", "evaluated": one.evaluated or 0}
    return terminal.say("lab.variant", **{**one.model_dump(exclude={"faults", "evaluated"}), **known})


def _gate_lines(terminal: Terminal, failures: Sequence[Failure], kept: Path | None) -> Iterator[str]:
    for one in failures:
        label = getattr(BY_KEY[one.metric].label, terminal.lang) if one.metric in BY_KEY else one.metric
        found = {"group": one.group, "metric": label, "found": one.found, "limit": one.limit}
        yield terminal.say(f"lab.gate-{one.kind}", **found)
    if not failures:
        yield terminal.say("lab.gate-open")
    if kept:
        yield terminal.say("lab.baseline-kept", path=kept)


def _summary(spec: Spec) -> dict[str, Any]:
    """An experiment in a few words."""
    return {
        "name": spec.name,
        "profile": spec.profile,
        "runs": len(keys_of(spec)),
        "scenarios": ", ".join(spec.scenarios),
        "seeds": len(spec.seeds),
        "arms": "".join(spec.arms),
        "models": ", ".join(one.id for one in spec.models),
    }


# --- playing ---------------------------------------------------------------------------------------------------------


def _engine(workers: int | None, cluster: str | None) -> Engine:
    if cluster and workers:
        raise UsageError("lab.cluster-workers")
    if cluster:
        return Cluster(cluster)
    return InProcess() if workers == 1 else Pool(workers)


def _play(terminal: Terminal, experiment: Experiment, engine: Engine, as_data: bool) -> None:
    total, missing = len(experiment.keys), len(experiment.pending())
    if not as_data:
        terminal.print(terminal.say("lab.begin", folder=experiment.folder))
        if missing < total:
            terminal.print(terminal.say("lab.go-on", done=total - missing, total=total))
    began = monotonic()
    with _progress_bar(terminal, total) as watch:
        results = experiment.run(engine, watch)
    _print_result(terminal, experiment.folder, results, round(monotonic() - began, 1), as_data)


def _print_result(terminal: Terminal, folder: Path, results: Results, seconds: float, as_data: bool) -> None:
    crashed = sum(one.crash is not None for one in results.runs)
    ended = {"runs": len(results.runs), "crashed": crashed, "seconds": seconds, "folder": str(folder)}
    replay = terminal.say("lab.replay", garden=results.runs[0].garden, journal=(folder / JOURNAL).resolve())
    terminal.show(ended, [terminal.say("lab.done", **ended), replay], as_data=as_data)


@contextmanager
def _progress_bar(terminal: Terminal, total: int) -> Iterator[OnProgress]:
    """A bar on a terminal; elsewhere nothing, as the folder has it line by line."""
    with progress_bar("{task.fields[left]}") as bar:
        task = bar.add_task(terminal.say("lab.playing"), total=total, left="")

        def watch(told: Told) -> None:
            left = "" if told.left is None else terminal.say("lab.left", minutes=round(told.left / 60, 1))
            bar.update(task, completed=told.done, left=left)

        yield watch
