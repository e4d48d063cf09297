"""Sources by words: what was said in the same words, and what has to do with what this persona cares for."""

from collections import defaultdict
from itertools import chain, zip_longest
from math import log
from typing import ClassVar

from hakoniwa.memory.candidate import SourceFind, event_finds
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.source import CandidateSource, SourceQuery, sources
from hakoniwa.memory.words import words

PER_WORD = 32  # of a word in more events than these the newest are enough: it says little
MOST_WORDS = 24


@sources.add("full_text")
class FullText(CandidateSource):
    limit: ClassVar = 40
    timeout: ClassVar = 0.8
    weight: ClassVar = 0.8
    brief: ClassVar = True

    def concerned(self, asked: SourceQuery) -> bool:
        return bool(asked.words)

    def find(self, ghost: Ghost, asked: SourceQuery) -> list[SourceFind]:
        hits = ghost.memories.with_words(ghost.scope, asked.words[:MOST_WORDS], PER_WORD)
        rarity = {word: log(1 + PER_WORD / max(len(seqs), 1)) for word, seqs in hits.items()}
        shared: dict[int, float] = defaultdict(float)
        for word, seqs in hits.items():
            for seq in seqs:
                shared[seq] += rarity[word]
        newest_first = sorted(shared, reverse=True)
        best = sorted(newest_first, key=shared.__getitem__, reverse=True)[: self.limit]
        whole = sum(rarity.values())
        return [SourceFind("event", seq, shared[seq] / whole) for seq in best]


PER_CUE = 60
ENTITY = "entity_"
WORDED = ("topic", "preference_topic", "preference_food")


@sources.add("persona_focus")
class PersonaFocus(CandidateSource):
    limit: ClassVar = 48
    timeout: ClassVar = 0.8
    weight: ClassVar = 0.3
    brief: ClassVar = True

    def concerned(self, asked: SourceQuery) -> bool:
        hint = asked.plan.persona_focus_hint
        return bool(hint.topic_bias or hint.interest_targets_hint)

    def find(self, ghost: Ghost, asked: SourceQuery) -> list[SourceFind]:
        hint = asked.plan.persona_focus_hint
        cues = dict.fromkeys([*(f"topic:{topic}" for topic in hint.topic_bias), *hint.interest_targets_hint])
        found = [event_finds(self._led_to_by(cue, ghost), cue) for cue in cues]
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
