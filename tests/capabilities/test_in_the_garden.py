"""schedule and garden_act: what they ask of the garden's side, and the facts they bring back."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from hakoniwa.capabilities.garden_act import GardenAct
from hakoniwa.capabilities.means import CapabilityMeans, Reminder
from hakoniwa.capabilities.schedule import Schedule
from hakoniwa.persona.action import ActionOrder, ActionResult
from hakoniwa.turn import DeniedReason, ParsedOutput, PatchOp, Ruling
from tests.capabilities.orders import NOW, order

CHANGE = PatchOp(op="replace", path="/time", value=1)


def scheduled(payload: dict[str, Any]) -> tuple[ActionResult, list[Reminder]]:
    stored: list[Reminder] = []

    async def remind(reminder: Reminder) -> None:
        stored.append(reminder)

    return asyncio.run(Schedule().run(order("schedule_action", payload), CapabilityMeans(remind=remind))), stored


@pytest.mark.parametrize(
    ("when", "wait"),
    [
        ({"after": 90}, timedelta(seconds=90)),
        ({"after": "PT30M"}, timedelta(minutes=30)),
        ({"at": "2031-05-06T18:08:00+09:00"}, timedelta(hours=2)),
        ({"after": "P366D"}, timedelta(days=366)),
        ({"at": "30分後"}, timedelta(minutes=30)),
        ({"at": "in half an hour"}, timedelta(minutes=30)),
    ],
)
def test_a_reminder_is_stored_under_the_orders_key(when: dict[str, Any], wait: timedelta) -> None:
    result, stored = scheduled({**when, "note": "お茶\x1bの時間"})
    assert result.result_status == "success"
    assert stored == [
        Reminder(key="flow/act", garden="g1", branch="main", who="やな", at=NOW + wait, note="お茶の時間")
    ]


@pytest.mark.parametrize(
    ("payload", "fault"),
    [
        ({"after": 0, "note": "x"}, "in-the-past"),
        ({"at": "2031-05-06T07:07:59Z", "note": "x"}, "in-the-past"),
        ({"after": "P366DT1S", "note": "x"}, "in-the-past"),
        ({"at": "9999-12-31T23:59:59Z", "note": "x"}, "in-the-past"),
        ({"at": "2031-05-06T18:08:00", "note": "x"}, "bad-payload"),
        ({"note": "x"}, "bad-payload"),
        ({"after": 1, "at": "2031-05-06T18:08:00Z", "note": "x"}, "bad-payload"),
    ],
)
def test_a_time_that_makes_no_sense_stores_nothing(payload: dict[str, Any], fault: str) -> None:
    result, stored = scheduled(payload)
    assert (result.result_payload, stored) == ({"fault": fault}, [])


@pytest.mark.parametrize(
    ("ruling", "status", "reason"),
    [
        ({"allowed": True, "world_delta": (CHANGE,), "told": ("やなは本を取った。",)}, "success", None),
        ({"allowed": True}, "no_effect", None),
        ({"allowed": False, "denied_reason": DeniedReason.OUT_OF_SCOPE}, "no_effect", "OUT_OF_SCOPE"),
    ],
)
def test_the_referee_has_the_last_word(ruling: dict[str, Any], status: str, reason: str | None) -> None:
    heard: list[tuple[str, str]] = []

    async def act(order: ActionOrder, act: str) -> Ruling:
        heard.append((order.key, act))
        return Ruling(parsed=ParsedOutput(), **ruling)

    result = asyncio.run(GardenAct().run(order("garden_act", {"act": "（本を取る）"}), CapabilityMeans(act=act)))
    assert heard == [("flow/act", "（本を取る）")]
    assert (result.result_status, result.result_payload["denied_reason"]) == (status, reason)
    assert result.result_payload["told"] == list(ruling.get("told", ()))
