"""A day of two personas with a real Gemma 3: a model of this size decides and says what it likes, and life goes on."""

import json
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from typing import Any

import pytest

from hakoniwa.autonomy.context import AutonomyContext
from hakoniwa.autonomy.log import One
from hakoniwa.autonomy.policy import AutonomyPolicy, QuietHours
from hakoniwa.chat.autonomy_rows import ActivityRow, DecisionRow, MessageRow, ResultRow
from hakoniwa.llm import ChatModel, Message, Usage
from hakoniwa.llm.openai import OpenAIChat
from hakoniwa.messages import catalogue
from hakoniwa.persona.generated import unseal
from tests.autonomy.cottage import SKIP, later
from tests.autonomy.day import SHEETS, Day
from tests.real.gemma import NAME

BEAT = timedelta(hours=6)
MANNERS = AutonomyPolicy(heartbeat=BEAT, quiet=QuietHours.read("23:00-07:00"))
SHORT = {"ghost.deliberate": 48, "ghost.autonomy_message_render": 16, "ghost.write_plan": 16}  # tokens
TOLD = {
    "ghost.deliberate": json.dumps(SKIP),
    "ghost.autonomy_message_render": "湯のみを拭くことにしたよ。",
    "ghost.write_plan": "{}",
}
# What is left to the model, once for each of them: to decide; to tell of something, and to remember it.
REAL = (("ghost.deliberate",), ("ghost.autonomy_message_render", "ghost.write_plan"))


class Short(ChatModel):
    """The model, kept short, once for each of some purposes; what it would do and say after that is told to it.

    It is told once to do something, as it seldom does so by itself, and later to leave it at that."""

    def __init__(self, model: ChatModel, real: Sequence[str]) -> None:
        self._model, self.name, self.context = model, model.name, model.context
        self.real, self._told = list(real), [json.dumps(later(30, "棚の湯のみを拭く"))]

    async def chat(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> AsyncIterator[str | Usage]:
        if purpose not in self.real:
            yield self._told.pop() if purpose == "ghost.deliberate" and self._told else TOLD[purpose]
            yield Usage(finish="stop")
            return
        self.real.remove(purpose)
        async for piece in self._model.chat(messages, purpose, SHORT[purpose], schema):
            yield piece


def of(home: AutonomyContext, kind: type[One]) -> list[One]:
    return [one for _, one in home.doings.follow().of(kind)][::-1]


def told(home: AutonomyContext) -> str:
    """What came of it."""
    decided = Counter(one.decision.decision_outcome if one.decision else one.dropped for one in of(home, DecisionRow))
    said = [unseal(one.assistant_text) for one in of(home, MessageRow)]
    return f"{home.ghost.persona.name}: {dict(decided)}, {len(of(home, ResultRow))} done, said {said}"


@pytest.mark.long
def test_a_day_goes_by(model_server: str, capsys: pytest.CaptureFixture[str]) -> None:
    chats = zip(SHEETS, REAL, strict=True)
    models = {chat: Short(OpenAIChat(NAME, model_server, context=4096), real) for chat, real in chats}
    day = Day(models, MANNERS, glance=0.1)
    day.go_by(step=BEAT)
    with capsys.disabled():
        print("", *map(told, day.homes()), sep="\n  ", end=" ")
    for home in day.homes():
        assert [one.at.astimezone().hour for one in of(home, DecisionRow)] == [18, 12], "the others are at night"
        assert not home.doings.claims
        assert {f"error.{one.warning}" for one in of(home, ActivityRow) if one.warning} <= catalogue("ja").keys()
        assert of(home, ResultRow)[-1].result.result_status == "success"
    assert [one.real for one in models.values()] == [[], []], "the model had its say"
