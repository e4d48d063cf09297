"""The GM for other engines without a journal: many sessions, each judged on its world and on what it did before."""

from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Any

from hakoniwa.errors import WorldError
from hakoniwa.gm.history import History, PastTurn
from hakoniwa.gm.request import checked_request, step_for
from hakoniwa.stage.patch import apply
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import Ruling

MAX_SESSIONS, MAX_PAST = 1000, 64


@dataclass(frozen=True)
class CachedSession:
    """What the GM knows of one session: its turns, and the world after the latest of them."""

    past: tuple[PastTurn, ...] = ()
    world: WorldState | None = None
    before: "CachedSession | None" = None

    def for_turn(self, turn: Any, speaker: Any) -> "CachedSession":
        """What there was before this turn; a turn played again stands on what there was before its first take."""
        latest = self.past[-1] if self.past else None
        again = latest is not None and (latest.turn, latest.speaker) == (turn, speaker)
        return self.before if again and self.before else replace(self, before=None)


class SessionCache:
    """The sessions of one process; those that have been silent longest are forgotten first."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, CachedSession] = OrderedDict()

    def answer(self, data: dict[str, Any]) -> Ruling:
        """Judge one request. Without a world of its own, it goes on from the one the previous answer left."""
        session = self._known.get(str(data.get("session_id")), CachedSession())
        before = session.for_turn(data.get("turn_number"), data.get("speaker"))
        if data.get("world_state") is None:
            if before.world is None:
                raise WorldError("world.none-given", session=data.get("session_id"))
            data = {**data, "world_state": before.world}
        request = checked_request(data)
        step = step_for(request, History(before.past))
        after = apply(request.world_state, step.ruling.world_delta)
        before = replace(before, world=request.world_state)
        self._remember(request.session_id, CachedSession((*before.past[-MAX_PAST:], step.past), after, before))
        return step.ruling

    def _remember(self, name: str, session: CachedSession) -> None:
        self._known[name] = session
        self._known.move_to_end(name)
        if len(self._known) > MAX_SESSIONS:
            self._known.popitem(last=False)
