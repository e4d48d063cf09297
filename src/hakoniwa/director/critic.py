"""A critic: a model scores a line on the five axes, by who says it, what was said before and what is there."""

from collections.abc import Callable

from pydantic import Field, ValidationError

from hakoniwa.director.check import CheckInput
from hakoniwa.director.evaluate import Critic
from hakoniwa.errors import ModelMisbehaved
from hakoniwa.llm import ChatModel, Message, join_stream
from hakoniwa.prompts import render
from hakoniwa.turn import FiveAxes, Value

TOP, TOKENS, BEFORE, SCORER = 10, 120, 6, "director.score"
AXES = tuple(FiveAxes.model_fields)


class CriticScores(Value):
    """What the model answers: each axis from 0 to 10."""

    character_consistency: int = Field(ge=0, le=TOP)
    topic_novelty: int = Field(ge=0, le=TOP)
    relationship_quality: int = Field(ge=0, le=TOP)
    naturalness: int = Field(ge=0, le=TOP)
    concreteness: int = Field(ge=0, le=TOP)


class ScoredLine(Value):
    """A line with what is known where it is said: the speaker's persona, the things there, the latest lines."""

    who: str
    persona: str
    things: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    line: str


async def ask_scores(model: ChatModel, language: str, shown: ScoredLine) -> FiveAxes:
    """What a model makes of one line, from 0 to 1; raises ModelError where it gives no score."""
    prompt = [Message(role="user", content=render("director/score", language, **shown.model_dump()))]
    reply = await join_stream(model.chat(prompt, SCORER, TOKENS, CriticScores.model_json_schema()))
    try:
        marks = CriticScores.model_validate_json(reply)
    except ValidationError:
        raise ModelMisbehaved("model.json-shape") from None
    return FiveAxes(**{axis: getattr(marks, axis) / TOP for axis in AXES})


class ModelCritic(Critic):
    """A model as critic; `surroundings` are the things around a speaker and the latest lines, oldest first."""

    def __init__(
        self, model: ChatModel, surroundings: Callable[[str], tuple[tuple[str, ...], tuple[str, ...]]]
    ) -> None:
        self.model, self._surroundings = model, surroundings

    async def score(self, line: CheckInput) -> FiveAxes:
        things, before = self._surroundings(line.who)
        shown = ScoredLine(
            who=line.who, persona=line.character.persona.strip(), things=things, before=before, line=line.text
        )
        return await ask_scores(self.model, line.language, shown)
