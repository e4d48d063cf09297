"""View: everything a mind may know when its turn comes. Minds never see the world itself."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random

from hakoniwa.actor.character import Character
from hakoniwa.actor.window import Transcript
from hakoniwa.stage.belief import Belief
from hakoniwa.stage.goal import Desire
from hakoniwa.stage.relations import Bond, Promise
from hakoniwa.stage.scene import Scene
from hakoniwa.stage.world import WorldState, people_in
from hakoniwa.turn import WitnessedEvent


@dataclass(frozen=True)
class CharacterView:
    """One character's side of a turn: who they are, what they see and believe, what has happened since."""

    who: str
    character: Character
    scene: Scene
    belief: Belief
    believed: WorldState
    recent: Sequence[WitnessedEvent]
    urges: Sequence[Desire]
    dice: Random
    facts: Sequence[str] = ()  # cards of the GM and the Director, and of nobody else
    lore: Sequence[str] = ()
    bonds: Mapping[str, Bond] = field(default_factory=dict)  # what is felt for those who are here
    knows_of: Mapping[str, Sequence[str]] = field(default_factory=dict)  # what those who are here are known to know of
    promises: Sequence[Promise] = ()  # which they have made, and which are still open
    cast: Mapping[str, Character] = field(default_factory=dict)
    memories: Sequence[tuple[int, str]] = ()  # rows of the journal that have come to mind, and what is remembered
    witnessed: Callable[[], Transcript] = Transcript

    @property
    def turn(self) -> int:
        return self.believed.time.turn

    @cached_property
    def language(self) -> str:
        return self.believed.language

    @cached_property
    def company(self) -> list[str]:
        """Who else is here."""
        return [name for name in people_in(self.believed, self.scene.location) if name != self.who]

    @property
    def transcript(self) -> Transcript:
        """Everything this character has witnessed, from the beginning; put together when somebody asks for it."""
        return self.witnessed()

    def address(self, other: str) -> str:
        """What this character calls somebody."""
        return self.character.speech.address.get(other, other)
