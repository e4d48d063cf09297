"""docs/http.md says what the door does: its routes, fields, caps and statuses; and its example without HTTP runs."""

import contextlib
import io
import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from hakoniwa.app.memory_inspection import EventTrace
from hakoniwa.autonomy.inspect import DailyUse, DeliberationRecord, Digest, DigestEntry, OpenFlow
from hakoniwa.chat.autonomy_rows import Trigger
from hakoniwa.chat.chat import LONGEST
from hakoniwa.gm.facts import MAX_CARD, MAX_CARDS
from hakoniwa.gm.request import MAX_ACTS, MAX_REPLY, GMStepRequest
from hakoniwa.memory.store import ForgetResult, MemoryStats, RetrievalRun
from hakoniwa.service import chat_events, streams
from hakoniwa.service.answering import (
    MOST_AT_ONCE,
    NAMES,
    AnswerDone,
    AnswerPiece,
    RecalledItem,
    RecallSummary,
    WholeAnswer,
)
from hakoniwa.service.gm_sessions import MAX_UNWRITTEN
from hakoniwa.service.requests import MAX_BODY, MAX_DEPTH, MAX_FORGOTTEN, MAX_QUERY, MAX_WORLD, TITLES, Problem
from hakoniwa.service.routes.autonomy import (
    A_YEAR,
    MOST_CONSIDERED,
    MOST_NOTE,
    AutonomyView,
    ClockRequest,
    ClockTime,
    PauseRequest,
    TriggerRequest,
)
from hakoniwa.service.routes.chats import (
    MOST_CHATS,
    MOST_EXCHANGES,
    BranchPosition,
    ChatExchange,
    ChatSummary,
    ChatView,
    MessageRequest,
    NewBranch,
    NewChat,
)
from hakoniwa.service.routes.memory import (
    MOST_FOUND,
    MOST_RUNS,
    CompareRequest,
    ForgetRequest,
    InnerLife,
    MindComparison,
)
from hakoniwa.stage.patch import MAX_OPERATIONS
from hakoniwa.stage.world import MAX_CHARACTERS, MAX_LOCATIONS, MAX_NAME, MAX_NESTING, MAX_PROPS
from hakoniwa.turn import ActionIntent, Explanation, ParsedOutput, Resolution, Ruling
from tests.service.console import PATHS
from tests.service.door import Door, WholeDoor, routes

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "http.md").read_text(encoding="utf-8")
TOLD: tuple[type[BaseModel], ...] = (
    GMStepRequest, Ruling, ParsedOutput, Explanation, Resolution, ActionIntent, Problem,
    NewChat, MessageRequest, NewBranch, ChatView, ChatExchange, ChatSummary, BranchPosition, RecallSummary,
    RecalledItem, AnswerPiece, AnswerDone, WholeAnswer,
    InnerLife, ForgetRequest, CompareRequest, MindComparison, EventTrace, RetrievalRun, ForgetResult, MemoryStats,
    AutonomyView, DailyUse, OpenFlow, Trigger, DeliberationRecord, Digest, DigestEntry, PauseRequest,
    TriggerRequest, ClockRequest, ClockTime,
    *chat_events.NAMES,
)  # fmt: skip


def section(title: str) -> str:
    return re.split(r"^#", PAGE.split(f"# {title}\n")[1], maxsplit=1, flags=re.MULTILINE)[0]


@pytest.mark.parametrize("model", TOLD, ids=lambda model: model.__name__)
def test_every_field_is_described(model: type[BaseModel]) -> None:
    assert [name for name in model.model_fields if f"`{name}`" not in PAGE] == []


@pytest.mark.parametrize("kind", [Door, WholeDoor])
def test_every_route_is_described(kind: type[Door]) -> None:
    files = PATHS - {"/"}  # of the console; they have other names with every build
    with kind() as door:
        named = [f"`{method} {path}`" for method, path in routes(door) if method != "HEAD" and path not in files]
    assert [one for one in named if one not in PAGE] == []


def test_every_status_is_described() -> None:
    rows = re.findall(r"^\| ([\d, ]+) \|", section("Limits and errors"), re.MULTILINE)
    assert {int(code) for row in rows for code in row.split(", ")} == set(TITLES) - {500}


@pytest.mark.parametrize(
    "cap",
    [f"{MAX_BODY >> 20} MiB", f"{MAX_REPLY >> 10} KiB", f"{MAX_WORLD >> 10} KiB", f"{MAX_DEPTH} levels",
     f"{MAX_CHARACTERS}, {MAX_PROPS:,}, {MAX_LOCATIONS}", f"{MAX_NESTING} deep", f"{MAX_NAME} characters",
     f"{MAX_OPERATIONS} operations", f"{MAX_CARDS}, of {MAX_CARD} characters"],
)  # fmt: skip
def test_every_cap_is_told(cap: str) -> None:
    assert cap in section("Limits and errors")


@pytest.mark.parametrize(
    "cap",
    [f"{LONGEST:,} characters", f"{MOST_AT_ONCE} at the same time", f"{MAX_FORGOTTEN:,} events",
     f"{MAX_QUERY} characters", f"{MOST_CHATS} chats", f"{MOST_EXCHANGES} exchanges", f"{MOST_FOUND}, {MOST_RUNS}"],
)  # fmt: skip
def test_every_cap_of_chats_and_memory_is_told(cap: str) -> None:
    assert cap in section("Limits and errors")


def test_every_event_of_a_stream_is_described() -> None:
    assert [name for name in NAMES.values() if f"| `{name}` |" not in section("Saying something")] == []


def test_every_event_of_a_chat_is_described_with_what_it_has() -> None:
    told = section("Watching a chat")
    for kind, name in chat_events.NAMES.items():
        (row,) = re.findall(rf"^\| `{re.escape(name)}` \|.*$", told, re.MULTILINE)
        assert [field for field in kind.model_fields if f"`{field}`" not in row] == []
    assert f"more than {chat_events.BEHIND:,} rows" in told
    assert f"{streams.SLOWEST:.0f} seconds" in told


@pytest.mark.parametrize(
    "cap", [f"{streams.MOST_STREAMS} at the same time", f"{MOST_NOTE} characters", f"| {MOST_CONSIDERED} |",
            f"{A_YEAR.days} days"],
)  # fmt: skip
def test_every_cap_of_a_life_is_told(cap: str) -> None:
    assert cap in section("Limits and errors")


def test_other_figures_are_told_right() -> None:
    assert f"0 to {MAX_ACTS}" in section("The request")
    assert f"{MAX_UNWRITTEN:,}" in section("The same turn again")


def test_the_example_without_http_prints_what_the_page_says() -> None:
    code, printed = re.findall(r"^```(?:python|text)\n(.*?)^```", section("Without HTTP"), re.MULTILINE | re.DOTALL)
    found = io.StringIO()
    with contextlib.redirect_stdout(found):
        exec(compile(code, "http.md", "exec"), {})
    assert found.getvalue() == printed
