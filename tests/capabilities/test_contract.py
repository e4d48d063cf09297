"""What holds for every capability: it never raises, it says by name what went wrong, and it stays in bounds."""

import ast
import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from hakoniwa import capabilities as package
from hakoniwa.capabilities.agent_delegate import AgentDelegate
from hakoniwa.capabilities.capability import SENTENCES, Capability, capabilities
from hakoniwa.capabilities.catalogue import capability_for, carry_out
from hakoniwa.capabilities.garden_act import GardenAct
from hakoniwa.capabilities.means import (
    CapabilityMeans,
    Command,
    DelegateMeans,
    Reminder,
    ToolForm,
    ToolServer,
    WebMeans,
)
from hakoniwa.capabilities.schedule import Schedule
from hakoniwa.capabilities.tools import McpTools
from hakoniwa.capabilities.web_access import WebAccess
from hakoniwa.messages import LANGUAGES, catalogue
from hakoniwa.persona.action import ActionOrder, ActionResult, ResultStatus
from hakoniwa.persona.generated import unseal
from hakoniwa.turn import Ruling
from tests.capabilities.orders import order
from tests.capabilities.wire import Wire

PAYLOADS: list[dict[str, Any]] = [
    {},
    {"query": "", "act": "", "note": "", "backend": "", "task_instruction": ""},
    {"query": "x" * 10_000},
    {"query": ["x"], "act": {"x": 1}, "note": None, "at": "tomorrow", "after": "soon"},
    {"query": "\ud800", "act": "\ud800"},
    {"query": "x", "extra": 1},
    {"act": "x" * 10_000},
    {"act": "本を読む"},
    {"query": "煎茶", "constraints": "日本語で"},
    {"at": "2031-05-06T07:08:00", "note": "x"},
    {"after": -1, "note": "x"},
    {"after": float("nan"), "note": "x"},
    {"after": "PT30M", "note": "お茶"},
    {"backend": "cli_agent", "task_instruction": "\x00"},
    {"backend": "cli_agent", "task_instruction": "x" * 100_000},
    {"backend": "cli_agent:nobody", "task_instruction": "x"},
    {"backend": "cli_agent\n", "task_instruction": "x"},
    {"backend": "sh", "task_instruction": "x"},
    {"deep": json.loads("[" * 500 + "]" * 500)},
]


async def broken_act(order: ActionOrder, act: str) -> Ruling:
    raise RuntimeError("canary")


async def broken_remind(reminder: Reminder) -> None:
    raise OSError("canary")


def broken(tmp_path: Path) -> CapabilityMeans:
    """Everything is configured, and nothing works."""
    nobody = DelegateMeans(spool=tmp_path / "spool", commands={"nobody": Command(argv=("/nonexistent",))}, patience=0.0)
    web = WebMeans(search_url="http://127.0.0.1:9/search", wire=Wire({}), seconds=2.0)
    servers = {"none": ToolServer(tools=("t",), command=("/nonexistent",))}
    forms = {"none": {"t": ToolForm()}}
    return CapabilityMeans(
        web=web,
        delegate=nobody,
        servers=servers,
        forms=forms,
        act=broken_act,
        remind=broken_remind,
        language="en",
    )


def each() -> Iterator[tuple[Capability, str]]:
    for name in capabilities:
        for action_type in sorted(capabilities[name].action_types):
            yield capabilities[name], f"{action_type}:none/t" if action_type == "mcp" else action_type


def check(result: ActionResult) -> None:
    assert result.result_status in get_args(ResultStatus)
    assert len(result.model_dump_json()) < 64_000
    assert 0 < len(unseal(result.summary_text)) < 300
    assert "canary" not in result.model_dump_json()
    if result.result_status == "failed":
        assert f"fault.{result.result_payload['fault']}" in SENTENCES["ja"]


@pytest.mark.parametrize(("capability", "action_type"), list(each()), ids=lambda one: getattr(one, "name", one))
@pytest.mark.parametrize("configured", [False, True])
def test_it_never_raises(capability: Capability, action_type: str, configured: bool, tmp_path: Path) -> None:
    means = broken(tmp_path) if configured else CapabilityMeans()
    for number, payload in enumerate(PAYLOADS):
        result = asyncio.run(capability.run(order(action_type, payload, key=f"k{number}"), means))
        check(result)
        assert result.result_status != "success" or capability.offers(CapabilityMeans()), (
            "it succeeds without what it needs"
        )


@pytest.mark.parametrize("name", list(capabilities))
def test_it_is_offered_when_everything_is_configured_and_found_by_what_it_offers(name: str, tmp_path: Path) -> None:
    capability = capabilities[name]
    offers = capability.offers(broken(tmp_path))
    assert capability.name == name
    assert offers, f"{name!r} offers nothing, whatever is configured"
    assert [one for one in offers if capability_for(one.action_type) is not capability] == []
    assert [one for one in capability.offers(CapabilityMeans()) if one not in offers] == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", list(capabilities))
def test_its_actions_have_words(name: str, language: str) -> None:
    wanted = [f"autonomy.action.{one}" for one in sorted(capabilities[name].action_types)]
    missing = [key for key in wanted if key not in catalogue(language)]
    assert not missing, f"lexicon/messages.{language}.yaml does not say what {name!r} does: {', '.join(missing)}"


@pytest.mark.parametrize("capability", [WebAccess(), AgentDelegate(), McpTools(), GardenAct(), Schedule()])
def test_what_reaches_out_of_the_persona_is_offered_only_with_its_means(capability: Capability) -> None:
    assert capability.offers(CapabilityMeans()) == ()


@pytest.mark.parametrize("action_type", ["", "rm", "web_access", "mcp_", "web_research ", "device_action"])
def test_an_action_nobody_carries_out_is_refused(action_type: str) -> None:
    assert capability_for(action_type) is None
    assert asyncio.run(carry_out(order(action_type, {}), CapabilityMeans())).result_payload == {"fault": "not-allowed"}


def test_a_mistake_in_a_capability_is_a_failed_result(monkeypatch: pytest.MonkeyPatch) -> None:
    async def mistaken(self: WebAccess, order: ActionOrder, means: CapabilityMeans) -> ActionResult:
        raise KeyError("canary")

    monkeypatch.setattr(WebAccess, "run", mistaken)
    result = asyncio.run(carry_out(order("web_research", {"query": "x"}), CapabilityMeans()))
    check(result)
    assert result.result_payload == {"fault": "unexpected"}


def test_a_search_tool_of_a_server_that_is_not_there_finds_nothing() -> None:
    means = CapabilityMeans(web=WebMeans(search_tool="missing/tool"))
    assert asyncio.run(WebAccess().run(order("web_research", {"query": "x"}), means)).result_payload == {
        "fault": "search"
    }


def test_both_languages_say_the_same_things() -> None:
    assert list(SENTENCES["ja"]) == list(SENTENCES["en"])


TELL_A_FAULT = ("failed_result", "ToolFailed", "AgentOutcome")


def test_every_fault_has_its_sentence() -> None:
    folder = Path(package.__file__).parent
    texts = {
        node.value
        for path in folder.glob("*.py")
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") in TELL_A_FAULT
        for node in ast.walk(call)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    faults = {text for text in texts if text not in get_args(ResultStatus) and text.islower() and "_" not in text}
    assert {"bad-payload", "timed-out", "lost"} <= faults
    assert {fault for fault in faults if f"fault.{fault}" not in SENTENCES["ja"]} == set()
