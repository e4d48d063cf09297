"""One turn: judged, remembered and handed on; the user's own is judged like any other."""

import asyncio
from typing import Any

import pytest

from hakoniwa.play.session import Session
from hakoniwa.play.standing import changes_world, event_of, turn_of
from hakoniwa.play.turn import play_turn, user_turn
from hakoniwa.play.user_acts import read_line
from hakoniwa.turn import DeniedReason, Turn
from tests.gardens import garden_of, opened, played


def orchard() -> dict[str, Any]:
    """Two rooms; 実 and 鳴 under the tree, 灯 in the shed."""
    return {
        "time": {"label": "朝", "clock": "07:00"},
        "location": {"current": "木陰"},
        "locations": {"木陰": {"exits": ["納屋"]}, "納屋": {"exits": ["木陰", "裏道"]}, "裏道": {"exits": ["納屋"]}},
        "characters": {
            "実": {"location": "木陰"}, "鳴": {"location": "木陰"}, "灯": {"location": "納屋"},
        },
        "props": {
            "林檎": {"location": "木陰", "edible": True},
            "籠": {"location": "木陰", "container": True},
            "納戸": {"location": "木陰", "fixed": True, "container": True, "state": ["locked"]},
            "梯子": {"location": "納屋"},
        },
    }  # fmt: skip


@pytest.fixture
def session() -> Session:
    return opened(garden_of(orchard(), {}))


def act(session: Session, who: str, text: str) -> Turn:
    asyncio.run(session.open())
    return asyncio.run(user_turn(session, who, text))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(GET: 林檎)", None),
        ("「いい朝だ」", None),
        ("(GET: 梯子)", DeniedReason.WRONG_LOCATION),
        ("(OPEN: 納戸)", DeniedReason.INVALID_STATE),
        ("(GET: 真珠)", DeniedReason.MISSING_OBJECT),
        ("(EAT: 林檎)", DeniedReason.NOT_OWNED),
        ("", None),
    ],
)
def test_a_users_turn_is_judged_like_any_other(session: Session, text: str, reason: DeniedReason | None) -> None:
    turn = act(session, "実", text)

    assert turn.take.ruling.denied_reason == reason
    assert session.rows[-2].event.origin == "user"
    if reason:
        assert (turn.take.ruling.world_delta, session.world.props["林檎"].held_by) == ((), None)
        assert turn.take.ruling.explanation


def test_a_users_words_are_never_put_in_others(session: Session) -> None:
    turn = act(session, "実", "（望遠鏡をのぞく）「見えた」")

    assert turn.take.performance.text == "（望遠鏡をのぞく）「見えた」"
    assert (turn.take.ruling.denied_reason, turn.take.sanitized.triggered) == (DeniedReason.MISSING_OBJECT, False)


def test_what_a_user_has_confirmed_is_denied_where_the_reader_alone_would_let_it_pass(session: Session) -> None:
    asyncio.run(session.open())
    line = read_line(session, "実", "take the frobnicator")
    guessed, meant = (asyncio.run(user_turn(session, "実", line.reply, confirmed=one)) for one in (False, True))

    assert (line.kind, guessed.take.ruling.allowed) == ("unsure", True)
    assert meant.take.ruling.denied_reason == DeniedReason.MISSING_OBJECT


def test_a_users_deed_changes_the_world_for_everyone(session: Session) -> None:
    act(session, "実", "(GET: 林檎) (PUT: 林檎 -> 籠)")

    assert session.world.props["林檎"].inside == "籠"
    assert session.standing.beliefs["鳴"].props["林檎"].prop.inside == "籠"
    assert session.standing.beliefs["灯"].props["林檎"].prop.inside is None


def test_a_scene_tells_of_no_event_that_its_viewer_did_not_witness(session: Session) -> None:
    act(session, "実", "(GET: 林檎)")

    assert "実は林檎を手に取った。" in session.view("鳴").scene.events
    assert "実は林檎を手に取った。" not in session.view("灯").scene.events


def test_who_perceives_a_turn(session: Session) -> None:
    def witnesses(who: str, text: str) -> set[str]:
        act(session, who, text)
        turns = [row.event for row in session.rows if row.event.kind == "turn"]
        return {*turns[-1].witnesses}

    assert witnesses("実", "(GET: 林檎)") == {"実", "鳴"}
    assert witnesses("灯", "(INSPECT: 梯子)") == {"灯"}
    assert witnesses("鳴", "(CALL: 灯)") == {"実", "鳴", "灯"}
    assert witnesses("実", "(MOVE: 納屋)") == {"実", "鳴", "灯"}
    assert witnesses("鳴", "(OPEN: 納戸)") == {"鳴"}


def test_what_was_not_witnessed_is_not_known(session: Session) -> None:
    act(session, "灯", "(GET: 梯子)")
    act(session, "灯", "(MOVE: 裏道)")

    assert session.standing.beliefs["実"].props["梯子"].prop.held_by is None
    assert session.standing.beliefs["実"].people["灯"].location == "納屋"

    act(session, "実", "(MOVE: 納屋)")

    assert "梯子" not in session.standing.beliefs["実"].props
    assert session.world.props["梯子"].location == "裏道"


def test_who_is_asked_hears_the_question(session: Session) -> None:
    act(session, "実", "「鳴、籠はどこ？」")

    (heard,) = session.standing.recent["鳴"]
    assert (heard.who, heard.asked, heard.speech) == ("実", "鳴", "鳴、籠はどこ？")
    assert session.standing.recent["灯"] == []


def test_a_turn_goes_into_its_event_and_comes_back_whole(session: Session) -> None:
    turn = act(session, "実", "(GET: 林檎) 「赤い」")

    event = event_of(turn, ["実"], "user")

    assert turn_of(event) == turn
    assert changes_world(event)
    assert event.payload["take"]["ruling"].get("world_delta") is None


def test_an_urge_outlives_a_turn_that_the_user_plays() -> None:
    urge = {"name": "合図だ", "kind": "duty", "strength": 1, "urgency": 1, "once": True, "goal": {"at": "納屋"}}
    session = opened(garden_of(orchard(), {}, opening={"text": "行け", "urges": [{**urge, "who": ["実"]}]}))
    act(session, "実", "「ちょっと待って」")

    turn = asyncio.run(play_turn(session, "実"))
    session.close()

    assert "合図だ" in [one.desire for one in turn.thought.desires]


def test_the_thought_of_a_turn_carries_the_numbers_behind_it() -> None:
    hunger = {"name": "林檎がほしい", "kind": "body", "urgency": 0.8, "goal": {"holding": "林檎"}}
    session = opened(garden_of(orchard(), {"実": {"desires": [hunger]}}))

    (turn,) = played(session, 1)
    session.close()

    assert (turn.thought.intention, turn.thought.means) == ("(GET: 林檎)", "direct")
    assert [one.desire for one in turn.thought.desires] == ["林檎がほしい"]
    assert turn.thought.beliefs
    assert turn.deeds == (("GET", "林檎"),)
    assert turn.next_speaker in session.cast
