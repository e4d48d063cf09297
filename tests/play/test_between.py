"""What happens between turns: who perceives an incident."""

from typing import Any

import pytest

from hakoniwa.play.between import ring
from hakoniwa.stage.scenario import Incident
from tests.worlds import tiny


@pytest.mark.parametrize(
    ("where", "witnesses"),
    [
        ({}, ("楓", "蓬")),
        ({"at": "茶室"}, ("楓",)),
        ({"at": "中庭"}, ("蓬",)),
        ({"at": "茶室", "carries": True}, ("楓", "蓬")),
    ],
)
def test_an_incident_is_perceived_where_it_is_and_farther_off_if_it_carries(
    where: dict[str, Any], witnesses: tuple[str, ...]
) -> None:
    world = tiny(characters={"楓": {"location": "茶室"}, "蓬": {"location": "中庭"}})
    assert ring(Incident(id="bell", text="鐘が鳴った。", **where), world, 3).witnesses == witnesses
