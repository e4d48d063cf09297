"""persona_focus: what has to do with what this persona cares for, whatever was said."""

from itertools import chain, zip_longest
from typing import ClassVar

from hakoniwa.ghost.candidate import Found, events
from hakoniwa.ghost.ghost import Ghost
from hakoniwa.ghost.source import Asked, CandidateSource, sources
from hakoniwa.ghost.words import words

PER_CUE = 60
ENTITY = "entity_"
WORDED = ("topic", "preference_topic", "preference_food")


@sources.add("persona_focus")
class PersonaFocus(CandidateSource):
    limit: ClassVar = 48
    timeout: ClassVar = 0.8
    weight: ClassVar = 0.3
    brief: ClassVar = True

    def concerned(self, asked: Asked) -> bool:
        hint = asked.plan.persona_focus_hint
        return bool(hint.topic_bias or hint.interest_targets_hint)

    def find(self, ghost: Ghost, asked: Asked) -> list[Found]:
        hint = asked.plan.persona_focus_hint
        cues = dict.fromkeys([*(f"topic:{topic}" for topic in hint.topic_bias), *hint.interest_targets_hint])
        found = [events(self._led_to_by(cue, ghost), cue) for cue in cues]
        return [one for one in chain.from_iterable(zip_longest(*found)) if one is not None]

    def _led_to_by(self, cue: str, ghost: Ghost) -> list[int]:
        """What one thing the persona cares for leads to, newest first."""
        kind, _, value = cue.partition(":")
        if kind.startswith(ENTITY):
            return ghost.memories.of_entities(ghost.scope, [value], PER_CUE)
        if kind not in WORDED:
            return []
        spelled = words(value, ghost.persona.language)
        hits = ghost.memories.with_words(ghost.scope, spelled, PER_CUE) if spelled else {}
        common = set.intersection(*(set(hits.get(word, ())) for word in spelled)) if spelled else set()
        return sorted(common, reverse=True)
