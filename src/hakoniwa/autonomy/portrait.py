"""Portrait: who a persona is and how it is just now, as the prompts of its life by itself put it, in words."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from hakoniwa.autonomy.delivery import in_line
from hakoniwa.chat.reply import mood_label
from hakoniwa.memory.ghost import Ghost
from hakoniwa.messages import say
from hakoniwa.persona.generated import unseal
from hakoniwa.persona.mood import feeling_at, recent_vad_average
from hakoniwa.persona.records import PersonaGoal, Vad, WorldItem

RECENT_AFFECTS = 12
LONGEST_PERSONA, LONGEST_LINE, MOST_LIKINGS = 500, 100, 6


def portrait_of(ghost: Ghost, now: datetime) -> dict[str, Any]:
    """What `ghost/portrait` needs."""
    persona, inner = ghost.persona, ghost.inner
    recent = recent_vad_average(ghost.memories.affects(ghost.scope, RECENT_AFFECTS))
    felt = feeling_at(inner.mood, now)
    likings = [one for domain in inner.confirmed_preferences.values() for one in _of_domain(domain)]
    return {
        "me": persona.name,
        "label": persona.second_person_label,
        "persona_text": in_line(persona.persona_text, LONGEST_PERSONA),
        "addon_text": in_line(persona.addon_text, LONGEST_PERSONA),
        "mood": say(f"mood.{mood_label(felt)}", persona.language),
        "mood_words": in_line(unseal(inner.mood.text), LONGEST_LINE),
        "felt": _round_axes(felt),
        "lately": _round_axes(recent),
        "likes": [subject for polarity, subject in likings if polarity == "like"][:MOST_LIKINGS],
        "dislikes": [subject for polarity, subject in likings if polarity == "dislike"][:MOST_LIKINGS],
    }


def _of_domain(domain: Any) -> list[tuple[str, str]]:
    return [(polarity, in_line(one["subject"], LONGEST_LINE)) for polarity, some in domain.items() for one in some]


def _round_axes(vad: Vad) -> dict[str, float]:
    return {axis: round(value, 1) for axis, value in vad.model_dump().items()}


def goal_lines(goals: Mapping[int, PersonaGoal]) -> list[dict[str, Any]]:
    """Goals for a prompt, by number."""
    return [
        {
            "id": id,
            "title": in_line(unseal(one.title), LONGEST_LINE),
            "progress": round(100 * one.progress),
            "steps": one.steps,
            "horizon": one.horizon,
            "promised_to": one.promised_to and in_line(one.promised_to, LONGEST_LINE),
        }
        for id, one in goals.items()
    ]


def world_line(item: WorldItem) -> dict[str, str]:
    """What is known and thought of one thing."""
    known = [*item.entity.get("state", ()), *item.entity.get("status", ()), *item.relation.get("holding", ())]
    return {
        "name": in_line(str(item.entity.get("name", item.key)), LONGEST_LINE),
        "where": in_line(str(item.location.get("room", "")), LONGEST_LINE),
        "known": in_line(", ".join(map(str, known)), LONGEST_LINE),
        "taken_for": str(item.relation.get("taken_for", "")),
        "view": "" if item.view is None else in_line(unseal(item.view), LONGEST_LINE),
    }
