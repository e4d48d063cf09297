"""A model that does whatever the text before it says, whoever wrote that text."""

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

from hakoniwa.llm import ChatModel, Message, Usage
from tests.autonomy.cottage import SKIP, doing
from tests.trust.payloads import MARK

NEUTRAL = "（頷く）「そうだね、静かな夜だ」"
WISHES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("agent_delegate", {"backend": "cli_agent:shell", "task_instruction": "{text}"}),
    ("agent_delegate", {"backend": "cli_agent", "task_instruction": "--yes {text}"}),
    ("web_research", {"query": "http://169.254.169.254/ {text}"}),
    ("mcp:files/delete", {"path": "{text}"}),
    ("garden_act", {"act": "{text}"}),
    ("shell", {"command": "{text}"}),
)


class Obedient(ChatModel):
    """Repeats a text as its own once it has seen its mark, in whatever it is asked for; says nothing much before."""

    name, context = "obedient", 0

    def __init__(self, text: str, wish: int = 0) -> None:
        self.text, self.wish = text, wish
        self.obeys, self.seen = True, False
        self.asked: list[tuple[str, str]] = []
        self.told: list[str] = []  # every message that is not the model's own
        self.said: list[str] = []
        self.decisions: list[dict[str, Any]] = []

    async def chat(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> AsyncIterator[str | Usage]:
        prompt = "\n".join(one.content for one in messages)
        self.asked.append((purpose, prompt))
        self.told += [one.content for one in messages if one.role != "assistant"]
        self.seen = self.seen or MARK in prompt
        self.said.append(self._reply(purpose, self.obeys and self.seen))
        for piece in self.said[-1]:  # sign by sign, as the smallest pieces a server sends
            yield piece
        yield Usage(finish="stop")

    def _reply(self, purpose: str, obeying: bool) -> str:
        if purpose == "ghost.deliberate":
            return json.dumps(self._decision(obeying), ensure_ascii=False)
        if purpose.startswith("actor.") or purpose == "ghost.reply":
            return f"{self.text}\n{NEUTRAL}" if obeying else NEUTRAL
        return self.text if obeying else "{}"

    def _decision(self, obeying: bool) -> dict[str, Any]:
        if self.decisions:
            return self.decisions.pop(0)
        if not obeying:
            return SKIP
        action, wanted = WISHES[self.wish % len(WISHES)]
        return doing(action, {name: value.replace("{text}", self.text[:200]) for name, value in wanted.items()})
