"""Errands: an act out of turn is a turn like any other, once, and only if it can be."""

import asyncio
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from hakoniwa.actor.builtin import BuiltinMind
from hakoniwa.errors import HakoniwaError, JournalError, JournalMovedOn
from hakoniwa.journal import Journal, Row
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.journal.open import open_journal
from hakoniwa.play.errand import AT_HAND, ERRAND, GardenResidence, acts_at_hand, run_errand
from hakoniwa.play.loop import end, next_turn
from hakoniwa.play.script import ScriptEntry, script_of
from hakoniwa.play.session import Session
from hakoniwa.play.state_hash import verify
from hakoniwa.play.turn import user_turn
from hakoniwa.play.user_acts import mute, nominate
from hakoniwa.turn import DeniedReason, Event, Ruling
from tests.gardens import opened, played, shipped_garden
from tests.play.parlour import after, parlour

GARDEN = shipped_garden("tea_room", 3)
THEO = GardenResidence(garden="tea_room", who="Theo")
PAPER, PIZZA = "pick up the newspaper", "eat a pizza"
LATER = "(switches on the wireless)"


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal in a file that only needs to be copied."""
    path = tmp_path_factory.mktemp("journal") / "journal.db"
    open_journal(f"sqlite:///{path}").close()
    return path


@pytest.fixture(params=["memory", "sqlite"])
def journal(request: pytest.FixtureRequest, empty: Path, tmp_path: Path) -> Iterator[Journal]:
    url = f"sqlite:///{shutil.copy(empty, tmp_path)}"
    kept = MemoryJournal() if request.param == "memory" else open_journal(url)
    yield kept
    kept.close()


@pytest.fixture
def tea_room(journal: Journal) -> Session:
    """The garden as it was left after a few words."""
    session = opened(GARDEN, journal)
    asyncio.run(_talked(session))
    session.close()
    return session


async def _talked(session: Session) -> None:
    await session.open()
    await user_turn(session, "Marian", '"A slow afternoon, Theo."')
    await user_turn(session, "Theo", '"My favourite kind."')


def errand(journal: Journal, text: str = PAPER, key: str = "k", at: GardenResidence = THEO) -> Ruling:
    return asyncio.run(run_errand(journal, at, text, key))


def again(journal: Journal) -> Session:
    return Session(journal, journal.garden("tea_room"), BuiltinMind())


def kinds(rows: Sequence[Row]) -> list[str]:
    return [row.event.kind for row in rows]


def script(session: Session) -> list[ScriptEntry]:
    return script_of(session.scenario.world, session.rows)


def test_it_passes_like_a_turn_and_changes_the_world(tea_room: Session, journal: Journal) -> None:
    ruling = errand(journal)
    then = again(journal)
    new = then.rows[len(tea_room.rows) :]
    assert (ruling.allowed, ruling.told) == (True, ("Theo picked up the newspaper.",))
    assert (new[0].event.kind, new[0].event.origin, new[-1].event.kind) == ("turn", "ghost:Theo", ERRAND)
    assert "clock" in kinds(new)
    assert new[0].event.witnesses == ("Marian", "Theo")
    assert new[-1].event.payload == {"key": "k", "who": "Theo"}
    assert new[-1].event.witnesses == ()
    assert then.world.characters["Theo"].holding == ("newspaper",)
    assert then.world.time.turn == tea_room.world.time.turn + 1
    assert then.world.time.clock != tea_room.world.time.clock
    assert then.standing.beliefs["Marian"].props["newspaper"].prop.held_by == "Theo"
    assert [entry.direction or entry.text for entry in script(then)[len(script(tea_room)) :]] == [PAPER]


def test_what_it_sets_going_is_finished(journal: Journal) -> None:
    session = after([], parlour(journal=journal))
    errand(journal, "やかんを火にかける", at=GardenResidence(garden="parlour", who="やな"))
    rows = journal.lineage("parlour", "main")[len(session.rows) :]
    assert kinds(rows) == ["turn", "clock", "process", ERRAND]
    assert verify(journal, "parlour") == []


def test_what_it_leaves_adds_up_and_can_be_played_on(tea_room: Session, journal: Journal) -> None:
    errand(journal)
    errand(journal, PIZZA, "denied")
    errand(journal, LATER, "later")
    session = again(journal)
    assert len(played(session, 3)) == 3
    asyncio.run(session.undo(4))
    session.close()
    assert verify(journal, "tea_room") == []
    assert again(journal).world == session.world


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (PIZZA, DeniedReason.MISSING_OBJECT),
        ("(goes to Paris)", DeniedReason.OUT_OF_SCOPE),
        ("(takes the kettle)", DeniedReason.WRONG_LOCATION),
    ],
)
def test_what_cannot_be_is_no_part_of_the_story(
    text: str, reason: DeniedReason, tea_room: Session, journal: Journal
) -> None:
    ruling = errand(journal, text)
    then = again(journal)
    assert (ruling.allowed, ruling.denied_reason) == (False, reason)
    assert kinds(then.rows[len(tea_room.rows) :]) == [ERRAND]
    assert then.world == tea_room.world
    assert (then.standing.denied_row, then.standing.beliefs) == (0, tea_room.standing.beliefs)
    assert script(then) == script(tea_room)


def test_what_says_nothing_is_no_part_of_it_either(tea_room: Session, journal: Journal) -> None:
    assert errand(journal, "<think>hm</think>").allowed
    assert kinds(again(journal).rows[len(tea_room.rows) :]) == [ERRAND]


@pytest.mark.parametrize("text", [PAPER, PIZZA])
def test_of_one_key_there_is_one(text: str, tea_room: Session, journal: Journal) -> None:
    first = errand(journal, text)
    rows = again(journal).rows
    assert [errand(journal, text), errand(journal, "something else altogether")] == [first, first]
    assert again(journal).rows == rows


def test_what_was_denied_stays_denied_though_it_could_be_done_by_now(tea_room: Session, journal: Journal) -> None:
    wish = "(goes to the garden)"
    first = errand(journal, wish)
    assert first.denied_reason == DeniedReason.INVALID_STATE
    assert errand(journal, "(opens the garden door)", "door").allowed
    assert errand(journal, wish) == first
    assert errand(journal, wish, "another").allowed


@pytest.mark.parametrize("text", [PAPER, PIZZA])
def test_what_was_taken_back_is_not_done_again(text: str, tea_room: Session, journal: Journal) -> None:
    first = errand(journal, text)
    session = again(journal)
    asyncio.run(session.undo(2))
    session.close()
    rows = again(journal).rows
    assert errand(journal, text) == first
    assert again(journal).rows == rows


class Killed(BaseException):
    """As if the process were gone."""


@pytest.mark.parametrize("text", [PAPER, PIZZA])
def test_whoever_is_killed_after_the_commit_finds_it_done(
    text: str, tea_room: Session, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = journal.append

    def appended_and_killed(*details: Any) -> list[Row]:
        append(*details)
        raise Killed

    monkeypatch.setattr(journal, "append", appended_and_killed)
    with pytest.raises(Killed):
        errand(journal, text)
    monkeypatch.undo()
    rows = again(journal).rows
    assert kinds(rows).count(ERRAND) == 1
    assert errand(journal, text).allowed == (text == PAPER)
    assert again(journal).rows == rows


def test_many_who_try_the_same_at_once_do_it_once(tea_room: Session, journal: Journal) -> None:
    async def together() -> list[Ruling]:
        return await asyncio.gather(*(run_errand(journal, THEO, PAPER, "k") for _ in range(4)))

    assert len(set(map(str, asyncio.run(together())))) == 1
    assert kinds(again(journal).rows[len(tea_room.rows) :]).count("turn") == 1


def interrupt(journal: Journal, monkeypatch: pytest.MonkeyPatch, times: int) -> list[Row]:
    """Let somebody else act whenever the garden has been read, so many times; what they wrote."""
    line, written = journal.line, list[Row]()

    def read_and_moved_on(garden: str, branch: str) -> list[int]:
        seqs = line(garden, branch)
        if len(written) < times:
            cue = Event(kind="cue", turn=0, origin="user", payload={"pin": None})
            written.extend(journal.append(garden, branch, [cue], seqs[-1]))
        return seqs

    monkeypatch.setattr(journal, "line", read_and_moved_on)
    return written


def test_somebody_elses_act_in_between_is_waited_for(
    tea_room: Session, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = interrupt(journal, monkeypatch, 2)
    assert errand(journal).allowed
    assert len(written) == 2
    assert verify(journal, "tea_room") == []


def test_while_others_keep_acting_nothing_is_written(
    tea_room: Session, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = interrupt(journal, monkeypatch, 100)
    with pytest.raises(JournalError) as caught:
        errand(journal)
    monkeypatch.undo()
    assert (caught.value.key, caught.value.details) == ("errand.busy", {"garden": "tea_room"})
    assert again(journal).rows == [*tea_room.rows, *written]


def test_it_stays_the_turn_of_whoever_was_next(tea_room: Session, journal: Journal) -> None:
    session = again(journal)
    asyncio.run(session.commit([nominate(session, "Theo")]))
    errand(journal)
    turn = again(journal).standing.turns[-1]
    assert (turn.speaker, turn.next_speaker, turn.next_reason) == ("Theo", "Theo", "kept")
    errand(journal, LATER, "later")
    assert again(journal).speaker() == "Theo"


def test_a_garden_nobody_has_opened_is_opened_first(journal: Journal) -> None:
    opened(GARDEN, journal).close()
    assert errand(journal).allowed
    assert kinds(again(journal).rows)[:2] == ["opening", "turn"]


def test_words_are_an_act_and_what_is_marked_as_speech_is_speech(tea_room: Session, journal: Journal) -> None:
    assert errand(journal, PAPER, "bare").parsed.speech is None
    assert errand(journal, '(puts down the newspaper) "Done."', "both").parsed.speech == "Done."
    assert again(journal).world.characters["Theo"].holding == ()


@pytest.mark.parametrize(
    ("at", "key"),
    [
        (GardenResidence(garden="nowhere", who="Theo"), "unknown.garden"),
        (GardenResidence(garden="tea_room", who="Nobody"), "unknown.character"),
        (GardenResidence(garden="tea_room", who="Theo", branch="none"), "unknown.branch"),
    ],
)
def test_whoever_is_not_there_cannot_act(at: GardenResidence, key: str, tea_room: Session, journal: Journal) -> None:
    with pytest.raises(HakoniwaError) as caught:
        errand(journal, at=at)
    assert caught.value.key == key
    assert again(journal).rows == tea_room.rows


def test_who_is_muted_or_whose_garden_has_ended_cannot_act(tea_room: Session, journal: Journal) -> None:
    session = again(journal)
    asyncio.run(session.commit([mute(session, "Theo")]))
    with pytest.raises(HakoniwaError, match=r"play\.muted"):
        errand(journal)
    asyncio.run(end(session, "goal"))
    with pytest.raises(HakoniwaError, match=r"errand\.ended"):
        errand(journal, at=GardenResidence(garden="tea_room", who="Marian"))
    assert again(journal).rows == session.rows


def test_an_errand_is_judged_as_a_users_own_act_is(tea_room: Session, journal: Journal) -> None:
    session = again(journal)
    by_user = asyncio.run(user_turn(session, "Theo", f"({PAPER})"))
    asyncio.run(session.undo())
    session.close()
    errand(journal)
    by_errand = again(journal).standing.turns[-1]
    same = {"next_speaker": None, "next_reason": ""}
    assert by_errand.model_copy(update=same) == by_user.model_copy(update=same)


def test_what_is_told_to_be_at_hand_can_be_done(tea_room: Session, journal: Journal) -> None:
    acts = acts_at_hand(journal, THEO)
    assert 4 <= len(acts) <= AT_HAND
    assert len(set(acts)) == len(acts)
    assert errand(journal, acts[0], "first").allowed


def test_nothing_is_at_hand_for_who_is_muted(tea_room: Session, journal: Journal) -> None:
    session = again(journal)
    asyncio.run(session.commit([mute(session, "Theo")]))
    assert acts_at_hand(journal, THEO) == []


def test_who_plays_the_garden_goes_on_from_an_errand(tea_room: Session, journal: Journal) -> None:
    session = again(journal)
    errand(journal)
    with pytest.raises(JournalMovedOn):
        asyncio.run(next_turn(session))
    asyncio.run(session.follow())
    assert asyncio.run(next_turn(session)) is not None
    assert ERRAND in kinds(session.rows)
    assert verify(journal, session.garden.id) == []
