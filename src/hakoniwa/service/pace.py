"""How a garden goes on by itself, and what is being said in it just now."""

from typing import Literal

from hakoniwa.turn import Value

Phase = Literal["think", "perform", "retake"]
Reason = Literal["asked", "stopped", "turns", "ended", "alone", "unwatched", "fault"]
PHASES: dict[str, Phase] = {"actor.think": "think", "actor.perform": "perform", "actor.retake": "retake"}
SLOWEST = 60.0


class Pace(Value):
    """Whether turns come by themselves, how many seconds apart and how many more; if not, why no more come."""

    running: bool = False
    speed: float
    left: int | None = None
    reason: Reason | None = None


class Draft(Value):
    """What somebody is in the middle of saying; nothing of it has happened yet. Another `number`, another text."""

    number: int = 0
    turn: int = 0
    who: str | None = None
    phase: Phase | None = None
    text: str = ""

    def of(self, turn: int, who: str) -> "Draft":
        """The next one, by somebody who begins to think."""
        return Draft(number=self.number + 1, turn=turn, who=who, phase="think")

    def heard(self, purpose: str, piece: str) -> "Draft":
        """The draft with another piece of what its speaker does or says; thoughts are nobody else's business."""
        phase = PHASES.get(purpose)
        if self.who is None or phase is None or (phase == "think" and piece):
            return self
        if not piece and (phase != self.phase or self.text):
            return self.with_fields({"number": self.number + 1, "phase": phase, "text": ""})
        return self.with_field("text", self.text + piece)

    def silent(self) -> "Draft":
        """Nobody speaks any more: it has come to pass, or to nothing."""
        return Draft(number=self.number + 1, turn=self.turn)
