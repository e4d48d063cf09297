"""full_text: what was said in the same words, the rarer the better."""

from collections import defaultdict
from math import log
from typing import ClassVar

from hakoniwa.ghost.candidate import Found
from hakoniwa.ghost.ghost import Ghost
from hakoniwa.ghost.source import Asked, CandidateSource, sources

PER_WORD = 32  # of a word in more events than these the newest are enough: it says little
MOST_WORDS = 24


@sources.add("full_text")
class FullText(CandidateSource):
    limit: ClassVar = 40
    timeout: ClassVar = 0.8
    weight: ClassVar = 0.8
    brief: ClassVar = True

    def concerned(self, asked: Asked) -> bool:
        return bool(asked.words)

    def find(self, ghost: Ghost, asked: Asked) -> list[Found]:
        hits = ghost.memories.with_words(ghost.scope, asked.words[:MOST_WORDS], PER_WORD)
        rarity = {word: log(1 + PER_WORD / max(len(seqs), 1)) for word, seqs in hits.items()}
        shared: dict[int, float] = defaultdict(float)
        for word, seqs in hits.items():
            for seq in seqs:
                shared[seq] += rarity[word]
        newest_first = sorted(shared, reverse=True)
        best = sorted(newest_first, key=shared.__getitem__, reverse=True)[: self.limit]
        whole = sum(rarity.values())
        return [Found("event", seq, shared[seq] / whole) for seq in best]
