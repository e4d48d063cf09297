"""/v1/lab: experiments to begin, to watch, to stop, and to read."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response

from hakoniwa.lab.report import PAGE
from hakoniwa.service.experiments import FILES, ExperimentFile, Experiments, ExperimentSummary, NewExperiment
from hakoniwa.service.findings import PanelView, findings
from hakoniwa.service.page import download
from hakoniwa.service.requests import Label, get_responses, language_of, post_responses, strict_router
from hakoniwa.service.work_threads import FILE_WORK
from hakoniwa.turn import Value

HTML = "text/html"
# A report quotes what models wrote. It has no script of its own, and sealed like this none could run in it.
REPORT_HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; sandbox allow-popups allow-popups-to-escape-sandbox",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}
REPORT_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"description": "The report", "content": {HTML: {"schema": {"type": "string"}}}}
}
FILE_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "A file to keep",
        "content": {kind: {"schema": {"type": "string"}} for _, kind in FILES.values()},
    }
}

ExperimentName = Annotated[Label, Path()]


class ExperimentView(Value):
    """An experiment, and what it came to once it is done."""

    summary: ExperimentSummary
    panels: tuple[PanelView, ...]


def lab_routes(experiments: Experiments) -> APIRouter:
    router = strict_router("/v1/lab", "lab")

    @router.get("", operation_id="list_experiments", responses=get_responses())
    async def every() -> list[ExperimentSummary]:
        """Every experiment, the newest first."""
        return await FILE_WORK.run(experiments.every)

    @router.post("", operation_id="begin_experiment", status_code=201, responses=post_responses())
    async def begin(asked: NewExperiment, request: Request) -> ExperimentSummary:
        """Begin a small experiment; one runs at a time."""
        return await experiments.begin(asked, language_of(request))

    @router.get("/{name}", operation_id="read_experiment", responses=get_responses())
    async def read(name: ExperimentName, request: Request) -> ExperimentView:
        """How far an experiment is; once it is done, its verdict and the main measures of every arm."""
        return await FILE_WORK.run(_view, experiments, name, language_of(request))

    @router.post("/{name}/stop", operation_id="stop_experiment", responses=post_responses())
    async def stop(name: ExperimentName) -> ExperimentSummary:
        """Stop an experiment; what is finished is kept."""
        return await experiments.stop(name)

    @router.post("/{name}/resume", operation_id="resume_experiment", responses=post_responses())
    async def resume(name: ExperimentName, request: Request) -> ExperimentSummary:
        """Go on with an experiment that was stopped."""
        return await experiments.go_on(name, language_of(request))

    @router.get(
        "/{name}/report",
        operation_id="open_report",
        response_class=Response,
        responses={**REPORT_RESPONSES, **get_responses()},
    )
    async def report(name: ExperimentName) -> Response:
        """The report as a page to read, in which nothing can run."""
        page = await FILE_WORK.run(experiments.file, name, PAGE)
        return Response(page, media_type=HTML, headers=REPORT_HEADERS)

    @router.get(
        "/{name}/files",
        operation_id="keep_experiment",
        response_class=Response,
        responses={**FILE_RESPONSES, **get_responses()},
    )
    async def files(name: ExperimentName, which: Annotated[ExperimentFile, Query()] = "results") -> Response:
        """The results, every turn as a table, or the report as Markdown, to keep."""
        file, kind = FILES[which]
        return download(await FILE_WORK.run(experiments.file, name, file), f"{name}-{file}", kind)

    return router


def _view(experiments: Experiments, name: str, language: str) -> ExperimentView:
    summary = experiments.summary(name)
    panels = findings(experiments.at(name), language) if summary.state == "done" and summary.reported else ()
    return ExperimentView(summary=summary, panels=panels)
