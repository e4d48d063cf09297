"""LanguageMind: the same numbers decide, and a language model finds the words. Two phases: think, then perform."""

from collections.abc import Sequence
from itertools import islice

from hakoniwa.actor.mind import Decision, MindState
from hakoniwa.actor.view import View
from hakoniwa.gm.act import shown
from hakoniwa.gm.options import possible_acts
from hakoniwa.llm import ChatModel, Message, whole
from hakoniwa.prompts import render
from hakoniwa.stage.scene import to_xml
from hakoniwa.turn import Performance, Thought

THINK_TOKENS, PERFORM_TOKENS = 100, 120
LISTED, WANTED, HEARD, REMEMBERED = 12, 3, 4, 60


class LanguageMind:
    """Plays a character through a ChatModel."""

    def __init__(self, model: ChatModel) -> None:
        self.model = model
        self.name = model.name

    async def think(self, view: View, decision: Decision) -> Thought:
        text = await self._ask("actor.think", [_opening(view, decision)], THINK_TOKENS)
        return Thought(
            text=text.strip(),
            beliefs=decision.beliefs,
            desires=decision.ranked,
            intention=_intention(view, decision),
            means=decision.means,
        )

    async def perform(self, view: View, decision: Decision, thought: Thought) -> tuple[Performance, MindState]:
        text = await self._ask("actor.perform", _script(view, decision, thought), PERFORM_TOKENS)
        state = decision.state.model_copy(update={"said": (*decision.state.said, text)[-REMEMBERED:]})
        return Performance(text=text.strip()), state

    async def retake(self, view: View, decision: Decision, thought: Thought, guidance: str) -> Performance | None:
        """The second phase again, with a card that says what was wrong."""
        again = render("actor/retake", view.language, me=view.who, guidance=guidance)
        *before, last = _script(view, decision, thought)
        messages = [*before, last.model_copy(update={"content": f"{last.content}\n\n{again}"})]
        return Performance(text=(await self._ask("actor.retake", messages, PERFORM_TOKENS)).strip())

    async def _ask(self, purpose: str, messages: Sequence[Message], limit: int) -> str:
        return await whole(self.model.chat(messages, purpose, limit))


def _opening(view: View, decision: Decision) -> Message:
    """Rules and cast, then the turn: one user message, since many templates want it so."""
    cast = [{"name": name, "persona": text} for name, text in view.personas.items()]
    frame = render("actor/frame", view.language, cast=cast, me=view.who)
    turn = render(
        "actor/think",
        view.language,
        me=view.who,
        scene=to_xml(view.scene),
        beliefs=decision.beliefs,
        desires=[one.desire for one in decision.ranked[:WANTED]],
        intention=_intention(view, decision),
        facts=view.facts,
        heard=[f"{seen.who}「{seen.speech}」" for seen in view.recent if seen.speech][-HEARD:],
    )
    return Message(role="user", content=f"{frame}\n\n{turn}")


def _script(view: View, decision: Decision, thought: Thought) -> list[Message]:
    acts = [shown(view.believed, act, view.language) for act in islice(possible_acts(view.believed, view.who), LISTED)]
    others = view.company
    ask = render(
        "actor/perform", view.language, me=view.who, acts=acts, others=others, nominate=len(others) > 1
    )
    spoken = Message(role="assistant", content=thought.text)
    return [_opening(view, decision), spoken, Message(role="user", content=ask)]


def _intention(view: View, decision: Decision) -> str | None:
    return "、".join(shown(view.believed, act, view.language) for act in decision.acts) or None
