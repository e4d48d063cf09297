"""reply_chain: what led up to the exchange that is being answered."""

from typing import ClassVar

from hakoniwa.ghost.candidate import Found, events
from hakoniwa.ghost.ghost import Ghost
from hakoniwa.ghost.source import Asked, CandidateSource, sources


@sources.add("reply_chain")
class ReplyChain(CandidateSource):
    limit: ClassVar = 6
    timeout: ClassVar = 0.4
    weight: ClassVar = 0.1
    brief: ClassVar = True

    def concerned(self, asked: Asked) -> bool:
        return asked.reply_to is not None

    def find(self, ghost: Ghost, asked: Asked) -> list[Found]:
        assert asked.reply_to is not None
        return events(ghost.memories.reply_chain(ghost.scope, asked.reply_to, self.limit)[: self.limit])
