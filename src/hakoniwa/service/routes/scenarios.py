"""/v1/scenarios: what comes with Hakoniwa and what is the user's own, to read, to check and to keep."""

import re
from typing import Annotated

from fastapi import APIRouter, Path, Request
from pydantic import Field

from hakoniwa.app.lint import Flaw, lint
from hakoniwa.app.user_files import Origin, UserFiles, id_for
from hakoniwa.errors import ScenarioError
from hakoniwa.service.glance import glance
from hakoniwa.service.requests import LINES, Label, Title, get_responses, language_of, post_responses, strict_router
from hakoniwa.service.work_threads import FILE_WORK
from hakoniwa.turn import Value

MOST_TEXT = 256 * 1024  # characters: reading YAML takes its time

_ID = re.compile(r"^id:.*$", re.MULTILINE)
Yaml = Annotated[str, Field(max_length=MOST_TEXT, pattern=LINES)]


class ScenarioSummary(Value):
    """One scenario in a list, by what it says of itself at its top."""

    name: str
    origin: Origin
    title: str
    description: str
    language: str
    shelf: str


class ScenarioText(ScenarioSummary):
    """A scenario as it is written."""

    text: str


class ScenarioDraft(Value):
    """A scenario as it is being written, and what it is called; the id it is kept under is made from that."""

    name: Title = "scenario"
    text: Yaml


class ScenarioCheck(Value):
    """Whether a scenario can be played, and what there is to say about it."""

    name: str
    playable: bool
    flaws: tuple[Flaw, ...]


def scenario_routes(shelf: UserFiles) -> APIRouter:
    router = strict_router("/v1/scenarios", "scenarios")

    @router.get("", operation_id="list_scenarios", responses=get_responses())
    async def every() -> list[ScenarioSummary]:
        """Every scenario, those that come with Hakoniwa first."""
        return await FILE_WORK.run(lambda: [_summary(shelf, *one) for one in shelf.scenarios()])

    @router.post("", operation_id="save_scenario", responses=post_responses())
    async def save(draft: ScenarioDraft, request: Request) -> ScenarioCheck:
        """Keep a scenario of one's own, whether or not it can be played already, in place of what was there."""
        own = _with_id(draft)
        await FILE_WORK.run(shelf.save, own.name, own.text)
        return await FILE_WORK.run(_check_draft, shelf, own, language_of(request))

    @router.post("/lint", operation_id="lint_scenario", responses=post_responses())
    async def check(draft: ScenarioDraft, request: Request) -> ScenarioCheck:
        """What is wrong with a text, and what only looks wrong; nothing is kept."""
        return await FILE_WORK.run(_check_draft, shelf, _with_id(draft), language_of(request))

    @router.get("/{name}", operation_id="read_scenario", responses=get_responses())
    async def read(name: Annotated[Label, Path()]) -> ScenarioText:
        """A scenario as it is written."""
        return await FILE_WORK.run(_read_scenario, shelf, name)

    return router


def _with_id(draft: ScenarioDraft) -> ScenarioDraft:
    """The draft under the id that is made from its name, which its text says too."""
    name = id_for(draft.name)
    if name == draft.name or glance(draft.text, ("id",)).get("id", draft.name) != draft.name:
        return draft.with_field("name", name)
    return draft.with_fields({"name": name, "text": _ID.sub(f"id: {name}", draft.text, count=1)})


def _check_draft(shelf: UserFiles, draft: ScenarioDraft, language: str) -> ScenarioCheck:
    flaws = tuple(lint(draft.text, f"{draft.name}.yaml", shelf, language))
    return ScenarioCheck(name=draft.name, playable=all(one.grade != "error" for one in flaws), flaws=flaws)


def _read_scenario(shelf: UserFiles, name: str) -> ScenarioText:
    text = shelf.text(name)
    return ScenarioText(text=text, **dict(_parse_summary(name, dict(shelf.scenarios())[name], text)))


def _summary(shelf: UserFiles, name: str, origin: Origin) -> ScenarioSummary:
    try:
        return _parse_summary(name, origin, shelf.text(name))
    except ScenarioError:  # whoever opens it is told what is wrong
        return _parse_summary(name, origin, "")


def _parse_summary(name: str, origin: Origin, text: str) -> ScenarioSummary:
    said = {"title": name, "description": "", "language": "ja", "shelf": "story"}
    said |= glance(text, tuple(said))
    return ScenarioSummary(name=name, origin=origin, **said)
