"""Means from settings: nothing but what is configured, and acting in the garden one lives in."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from hakoniwa.app.autonomy import delegate_of, means_of
from hakoniwa.app.chats import new_chat
from hakoniwa.capabilities.catalogue import possible_actions
from hakoniwa.capabilities.garden_act import GardenAct
from hakoniwa.capabilities.means import CapabilityMeans, DelegateMeans, ToolForm, WebMeans
from hakoniwa.errors import HakoniwaError
from hakoniwa.journal import GardenRecord
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.persona.action import ActionOffer
from hakoniwa.settings import Settings
from tests.capabilities.orders import order
from tests.gardens import opened, shipped_garden

CONFIGURED = {
    "delegate": {"agent": {"argv": ["agent"]}, "other": {"argv": ["other"]}},
    "servers": {"finder": {"command": ["finder"], "tools": ["search", "fetch"]}},
    "search_tool": "finder/search",
}


@pytest.fixture
def journal() -> MemoryJournal:
    return MemoryJournal()


@pytest.fixture
def chat(journal: MemoryJournal) -> GardenRecord:
    return new_chat(journal, "yana")


def living(chat: GardenRecord, **home: str) -> GardenRecord:
    return chat.model_copy(update={"settings": {**chat.settings, "lives_in": home}})


def granted(means: CapabilityMeans) -> list[ActionOffer]:
    """What is offered for these means, beyond what needs none."""
    return [one for one in possible_actions(means) if one not in possible_actions(CapabilityMeans())]


def test_without_configuration_nothing_can_be_done(journal: MemoryJournal, chat: GardenRecord) -> None:
    assert means_of(Settings(), journal, chat) == CapabilityMeans()


def test_what_is_configured_can_be_done(journal: MemoryJournal, chat: GardenRecord, tmp_path: Path) -> None:
    settings = Settings.model_validate({**CONFIGURED, "home": tmp_path})
    means = means_of(settings, journal, chat)
    assert means.web == WebMeans(search_tool="finder/search")
    assert means.delegate == DelegateMeans(spool=tmp_path / "delegated", commands=settings.delegate)
    means.forms["finder"] = {name: ToolForm() for name in ("search", "fetch")}
    assert [one.action_type for one in granted(means)] == [
        "agent_delegate", "mcp:finder/search", "mcp:finder/fetch", "web_research",
    ]  # fmt: skip
    assert not (tmp_path / "delegated").exists()


def test_nothing_delegated_needs_no_folder(tmp_path: Path) -> None:
    assert delegate_of(Settings(home=tmp_path)) == DelegateMeans()


@pytest.mark.parametrize(("sheet", "language"), [("yana", "ja"), ("marian", "en")])
def test_results_are_in_the_personas_language(sheet: str, language: str, journal: MemoryJournal) -> None:
    assert means_of(Settings(), journal, new_chat(journal, sheet)).language == language


def test_whoever_lives_in_a_garden_acts_there(journal: MemoryJournal, chat: GardenRecord) -> None:
    opened(shipped_garden("tea_room", 1), journal).close()
    means = means_of(Settings(), journal, living(chat, garden="tea_room", who="Theo"))
    assert [one.action_type for one in granted(means)] == ["garden_act"]
    asked = order("garden_act", {"act": "pick up the newspaper"})
    first, second = (asyncio.run(GardenAct().run(asked, means)) for _ in range(2))
    assert (first.result_status, first.result_payload["told"]) == ("success", ["Theo picked up the newspaper."])
    assert second.model_dump_json() == first.model_dump_json()
    turns = [row for row in journal.since(0, garden="tea_room") if row.event.kind == "turn"]
    assert len(turns) == 1


def test_a_garden_that_is_gone_is_the_acts_failure(journal: MemoryJournal, chat: GardenRecord) -> None:
    means = means_of(Settings(), journal, living(chat, garden="nowhere", who="Theo"))
    result = asyncio.run(GardenAct().run(order("garden_act", {"act": "wave"}), means))
    assert result.result_payload == {"fault": "garden"}
    assert means.act is not None
    with pytest.raises(HakoniwaError, match=r"unknown\.garden"):
        asyncio.run(means.act(order("garden_act", {}), "wave"))


def test_what_carries_orders_out_is_not_loaded() -> None:
    asks = "import hakoniwa.app.autonomy, sys; print([name for name in ('mcp', 'dbos') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", asks], capture_output=True, check=True).stdout == b"[]\n"


def test_somebody_of_a_garden_can_be_talked_with_and_acts_there(journal: MemoryJournal) -> None:
    journal.create(shipped_garden("tea_room", 1))
    chat = new_chat(journal, "Theo", home="tea_room")
    assert chat.settings["private"] == {"garden": "tea_room", "who": "Theo"}
    (offer,) = granted(means_of(Settings(), journal, chat))
    assert offer.action_type == "garden_act"
    assert offer.example["act"] in offer.payload["properties"]["act"]["enum"]
    with pytest.raises(HakoniwaError):
        new_chat(journal, "Nobody", home="tea_room")
    with pytest.raises(HakoniwaError):
        new_chat(journal, "Theo", home="nowhere")
