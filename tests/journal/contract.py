"""What every journal promises, whatever it is kept in: a class to subclass with a `journal` fixture."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hakoniwa.errors import HakoniwaError, JournalError, JournalMovedOn, UnknownName
from hakoniwa.journal import Branch, CallRow, GardenRecord, Journal, Row, canonical, summary_of
from hakoniwa.journal.open import open_journal
from hakoniwa.turn import Event, PatchOp

KITCHEN = GardenRecord(
    id="kitchen",
    scenario={"world": {"locations": ["居間", "キッチン"]}, "cast": ["やな", "あゆ"]},
    sheets={"やな": {"display_name": "やな"}, "あゆ": {"display_name": "あゆ"}},
    seed=7,
    settings={"lang": "ja"},
)
CHAT = {"id": "chat", "scenario": {}, "settings": {"kind": "chat"}}
STUDY = KITCHEN.model_copy(update={"id": "study"})


def turn(number: int, said: str = "おはよう") -> Event:
    return Event(
        kind="turn",
        turn=number,
        origin="actor:やな",
        witnesses=("やな", "あゆ"),
        payload={"speech": said, "allowed": True, "stall_score": 0.25, "next_speaker": None},
        world_delta=(
            PatchOp(op="replace", path="/props/マグカップ/held_by", value="やな"),
            PatchOp(op="remove", path="/props/湯気"),
        ),
        state_hash=f"{number:016x}",
    )


def play(journal: Journal, numbers: range, garden: str = "kitchen", branch: str = "main") -> list[Row]:
    """Append one turn after another, each in a transaction of its own."""
    rows: list[Row] = []
    for number in numbers:
        head = next(found.head for found in journal.branches(garden) if found.name == branch)
        rows += journal.append(garden, branch, [turn(number)], head)
    return rows


def call(reply: str = "喉が渇いた。", said: str = "おはよう", **more: Any) -> dict[str, Any]:
    """A call as the model's side tells of it."""
    return {
        "purpose": "actor.think",
        "model": "gemma3:4b",
        "messages": [
            {"role": "user", "content": f"規則\n人物\n{said}\n"},
            {"role": "assistant", "content": ""},
            {"role": "user", "content": "考えて。"},
        ],
        "max_tokens": 100,
        "reply": reply,
        "usage": {"prompt": 1100, "cached": None, "completion": 40, "finish": "stop"},
        "first_ms": 81.5,
        "total_ms": 913.25,
        "tries": 1,
        "fault": None,
        **more,
    }


def ask(journal: Journal, turn: int, key: str = "key", branch: str = "main", **more: Any) -> None:
    """Record a call at the branch's head."""
    journal.record_call("kitchen", branch, head(journal, branch), turn, key, call(**more))


def reused(journal: Journal, key: str = "key", branch: str = "main") -> str | None:
    """The reply that a restart would find at the branch's head."""
    found = journal.recorded_call("kitchen", branch, head(journal, branch), key)
    return None if found is None else found["reply"]


def asked(journal: Journal, branch: str = "main", turn: int | None = None) -> list[tuple[int, str, bool]]:
    """The calls behind a branch: turn, reply, whether the turn was taken back."""
    return [(row.turn, row.call["reply"], row.undone) for row in journal.calls("kitchen", branch, turn)]


def turns(rows: list[Row]) -> list[int]:
    return [row.event.turn for row in rows]


def head(journal: Journal, branch: str = "main") -> int | None:
    return {found.name: found.head for found in journal.branches("kitchen")}[branch]


def contents(journal: Journal) -> dict[str, Any]:
    """Everything a journal holds, timestamps too."""
    gardens = journal.gardens()
    return {
        "gardens": gardens,
        "branches": {garden.id: journal.branches(garden.id) for garden in gardens},
        "rows": journal.since(0, limit=1_000_000),
        "calls": {
            (garden.id, branch.name): journal.calls(garden.id, branch.name, prompts=True)
            for garden in gardens
            for branch in journal.branches(garden.id)
        },
    }


def refused(kind: type[HakoniwaError], key: str, act: Callable[[], object]) -> dict[str, Any]:
    """The details of the error that `act` raises."""
    with pytest.raises(kind) as caught:
        act()
    assert caught.value.key == key
    assert type(caught.value) is kind
    return caught.value.details


class JournalContract:
    """The promises."""

    @pytest.fixture
    def kitchen(self, journal: Journal) -> Journal:
        journal.create(KITCHEN)
        return journal

    def test_a_new_garden_reads_back_whole_with_its_branch(self, journal: Journal) -> None:
        journal.create(STUDY)
        journal.create(KITCHEN)
        assert journal.gardens() == [KITCHEN, STUDY]
        assert journal.garden("kitchen") == KITCHEN
        assert journal.branches("kitchen") == [Branch(name="main", head=None, parent=None, turn=0)]
        assert journal.lineage("kitchen", "main") == []
        assert journal.since(0) == []
        assert journal.check("kitchen") == []

    def test_settings_change_and_what_was_played_does_not(self, kitchen: Journal) -> None:
        play(kitchen, range(1, 3))
        before = kitchen.lineage("kitchen", "main")
        changed = kitchen.set_settings("kitchen", {"label": {"title": "茶"}})
        assert (kitchen.garden("kitchen"), changed.settings) == (changed, {"label": {"title": "茶"}})
        assert kitchen.lineage("kitchen", "main") == before
        assert kitchen.check("kitchen") == []

    def test_a_deleted_garden_is_gone_and_the_others_stand(self, kitchen: Journal) -> None:
        kitchen.create(STUDY)
        play(kitchen, range(1, 3))
        kitchen.fork("kitchen", "main", "a", 1)
        assert kitchen.delete("kitchen").rows == 2
        assert [one.id for one in kitchen.gardens()] == ["study"]
        assert kitchen.since(0) == []
        assert kitchen.check("study") == []
        kitchen.create(KITCHEN)
        assert kitchen.lineage("kitchen", "main") == []

    def test_a_plate_tells_what_a_list_needs(self, journal: Journal) -> None:
        titled = {"id": "tea", "title": "茶室「雨」\n", "language": "ja", "world": {"title": "x"}}
        kept = GardenRecord(id="gm/somebody's", scenario={}, sheets={}, seed=0)
        for garden in (STUDY, KITCHEN.model_copy(update={"scenario": titled}), KITCHEN.model_copy(update=CHAT), kept):
            journal.create(garden)
        play(journal, range(1, 3))
        journal.fork("kitchen", "main", "a", 1)
        assert journal.plates() == [
            summary_of(one, journal.branches(one.id)) for one in journal.gardens() if one != kept
        ]
        chat, kitchen, study = journal.plates()
        assert (kitchen.scenario, kitchen.title, kitchen.language) == ("tea", "茶室「雨」\n", "ja")
        assert [(one.name, one.head) for one in kitchen.branches] == [("a", 1), ("main", 2)]
        assert (chat.scenario, chat.settings, study.title) == (None, {"kind": "chat"}, None)
        assert [one.newest for one in journal.plates()] == [0, 2, 0]
        missing = refused(UnknownName, "unknown.garden", lambda: journal.garden("gm/nobody's"))
        assert missing["known"] == "chat, kitchen, study"

    def test_the_order_of_keys_is_kept(self, journal: Journal) -> None:
        order = {"cast": {"やな": 1, "あゆ": 2, "あ": 3}}
        journal.create(KITCHEN.model_copy(update={"scenario": order}))
        journal.append("kitchen", "main", [Event(kind="note", turn=0, origin="gm", payload=order)], None)
        assert list(journal.garden("kitchen").scenario["cast"]) == ["やな", "あゆ", "あ"]
        assert list(journal.since(0)[0].event.payload["cast"]) == ["やな", "あゆ", "あ"]

    @pytest.mark.parametrize("seed", [-(2**63), 0, 2**63 - 1])
    def test_every_seed_of_64_bits_is_kept(self, journal: Journal, seed: int) -> None:
        journal.create(KITCHEN.model_copy(update={"seed": seed}))
        assert journal.garden("kitchen").seed == seed

    def test_an_unknown_garden_is_named_with_those_there_are(self, journal: Journal) -> None:
        journal.create(STUDY)
        journal.create(KITCHEN)
        for act in (
            lambda: journal.garden("kitchin"),
            lambda: journal.branches("kitchin"),
            lambda: journal.lineage("kitchin", "main"),
            lambda: journal.line("kitchin", "main"),
            lambda: journal.append("kitchin", "main", [turn(1)], None),
            lambda: journal.move_head("kitchin", "main", None),
            lambda: journal.fork("kitchin", "main", "other", None),
            lambda: journal.record_call("kitchin", "main", None, 1, "key", call()),
            lambda: journal.calls("kitchin", "main"),
            lambda: journal.check("kitchin"),
        ):
            details = refused(UnknownName, "unknown.garden", act)
            assert details == {"name": "kitchin", "known": "kitchen, study"}

    def test_an_unknown_branch_is_named_with_those_there_are(self, kitchen: Journal) -> None:
        kitchen.fork("kitchen", "main", "evening", None)
        for act in (
            lambda: kitchen.lineage("kitchen", "mian"),
            lambda: kitchen.line("kitchen", "mian"),
            lambda: kitchen.append("kitchen", "mian", [turn(1)], None),
            lambda: kitchen.move_head("kitchen", "mian", None),
            lambda: kitchen.fork("kitchen", "mian", "other", None),
            lambda: kitchen.record_call("kitchen", "mian", None, 1, "key", call()),
            lambda: kitchen.calls("kitchen", "mian"),
        ):
            details = refused(UnknownName, "unknown.branch", act)
            assert details == {"name": "mian", "known": "evening, main"}

    def test_a_garden_is_made_once(self, kitchen: Journal) -> None:
        again = KITCHEN.model_copy(update={"seed": 8})
        assert refused(JournalError, "journal.garden-exists", lambda: kitchen.create(again)) == {"name": "kitchen"}
        assert kitchen.gardens() == [KITCHEN]

    def test_rows_follow_one_another(self, kitchen: Journal) -> None:
        first = kitchen.append("kitchen", "main", [turn(1), turn(2)], None)
        second = kitchen.append("kitchen", "main", [turn(3)], first[-1].seq)
        assert [(row.seq, row.parent) for row in first + second] == [(1, None), (2, 1), (3, 2)]
        assert [row.event for row in first + second] == [turn(1), turn(2), turn(3)]
        assert {(row.garden, row.branch) for row in first + second} == {("kitchen", "main")}
        assert kitchen.lineage("kitchen", "main") == first + second
        assert head(kitchen) == 3

    def test_nothing_to_append_is_nothing_written(self, kitchen: Journal) -> None:
        assert kitchen.append("kitchen", "main", [], None) == []
        assert contents(kitchen)["rows"] == []

    @pytest.mark.parametrize(
        "payload",
        [
            pytest.param({"prop": object()}, id="not data"),
            pytest.param({"props": {"マグカップ"}}, id="a set has no order"),
            pytest.param({"score": float("nan")}, id="NaN"),
            pytest.param({"score": float("inf")}, id="infinity"),
            pytest.param({"speech": "\ud800"}, id="a lone surrogate"),
            pytest.param({"by": {1: "a", "1": "b"}}, id="two keys written the same"),
            pytest.param({"deep": json.loads("[" * 250 + "]" * 250)}, id="nested too deep to be read back"),
        ],
    )
    def test_one_event_that_cannot_be_kept_keeps_all_of_them_out(
        self, kitchen: Journal, payload: dict[str, Any]
    ) -> None:
        play(kitchen, range(1, 2))
        before = contents(kitchen)
        bad = Event(kind="note", turn=2, origin="gm", payload=payload)
        act = lambda: kitchen.append("kitchen", "main", [turn(2), bad, turn(3)], 1)  # noqa: E731
        assert refused(JournalError, "journal.not-json", act)["what"] == "note"
        assert contents(kitchen) == before
        assert [row.seq for row in kitchen.append("kitchen", "main", [turn(2)], 1)] == [2]

    def test_what_the_caller_changes_later_is_not_changed_here(self, kitchen: Journal) -> None:
        event = Event(kind="note", turn=1, origin="gm", payload={"said": ["おはよう"]})
        kitchen.append("kitchen", "main", [event], None)
        event.payload["said"].append("おやすみ")
        assert kitchen.lineage("kitchen", "main")[0].event.payload == {"said": ["おはよう"]}
        assert kitchen.check("kitchen") == []

    def test_what_is_returned_is_what_is_read_back(self, kitchen: Journal) -> None:
        event = Event(
            kind="note", turn=1, origin="gm", payload={"pair": (1, 2), 'sign"\\\n\x00': "🫖\u2028", "n": 10**30}
        )
        rows = kitchen.append("kitchen", "main", [event], None)
        assert rows[0].event.payload["pair"] == [1, 2]
        assert kitchen.lineage("kitchen", "main") == rows

    def test_a_writer_behind_the_head_is_refused(self, kitchen: Journal) -> None:
        play(kitchen, range(1, 3))
        before = contents(kitchen)
        for after in (None, 1, 99):
            act = lambda after=after: kitchen.append("kitchen", "main", [turn(3)], after)  # noqa: E731
            assert refused(JournalMovedOn, "journal.moved-on", act) == {
                "garden": "kitchen",
                "branch": "main",
                "expected": after,
                "found": 2,
            }
        assert contents(kitchen) == before
        assert [row.seq for row in kitchen.append("kitchen", "main", [turn(3)], 2)] == [3]

    def test_undo_and_redo_move_only_the_head(self, kitchen: Journal) -> None:
        rows = play(kitchen, range(1, 4))
        kitchen.move_head("kitchen", "main", 1)
        assert kitchen.lineage("kitchen", "main") == rows[:1]
        assert kitchen.since(0) == rows
        kitchen.move_head("kitchen", "main", 3)
        assert kitchen.lineage("kitchen", "main") == rows

    def test_playing_on_after_an_undo_keeps_the_old_rows(self, kitchen: Journal) -> None:
        old = play(kitchen, range(1, 4))
        kitchen.move_head("kitchen", "main", 1)
        new = kitchen.append("kitchen", "main", [turn(2, "やっぱり紅茶にする"), turn(3)], 1)
        assert [(row.seq, row.parent) for row in new] == [(4, 1), (5, 4)]
        assert kitchen.lineage("kitchen", "main") == [old[0], *new]
        assert kitchen.since(0) == old + new
        kitchen.move_head("kitchen", "main", 3)
        assert kitchen.lineage("kitchen", "main") == old
        assert kitchen.check("kitchen") == []

    def test_undo_goes_back_to_before_the_first_row(self, kitchen: Journal) -> None:
        old = play(kitchen, range(1, 3))
        kitchen.move_head("kitchen", "main", None)
        assert kitchen.lineage("kitchen", "main") == []
        new = kitchen.append("kitchen", "main", [turn(1)], None)
        assert kitchen.lineage("kitchen", "main") == new
        assert (new[0].parent, new[0].row_hash) == (None, old[0].row_hash)

    def test_a_head_moves_only_along_rows_of_its_garden(self, kitchen: Journal) -> None:
        kitchen.create(STUDY)
        play(kitchen, range(1, 2))
        play(kitchen, range(1, 2), garden="study")
        for seq in (2, 3, 0, -1):
            for act in (
                lambda seq=seq: kitchen.move_head("kitchen", "main", seq),
                lambda seq=seq: kitchen.fork("kitchen", "main", "other", seq),
            ):
                assert refused(JournalError, "journal.no-row", act) == {"garden": "kitchen", "seq": seq}
        assert head(kitchen) == 1
        assert [branch.name for branch in kitchen.branches("kitchen")] == ["main"]

    def test_a_fork_shares_the_past_and_not_the_future(self, kitchen: Journal) -> None:
        main = play(kitchen, range(1, 4))
        made = kitchen.fork("kitchen", "main", "evening", 2)
        assert made == Branch(name="evening", head=2, parent="main", turn=2)
        evening = play(kitchen, range(3, 5), branch="evening")
        more = play(kitchen, range(4, 5))
        assert kitchen.lineage("kitchen", "evening") == main[:2] + evening
        assert kitchen.lineage("kitchen", "main") == main + more
        assert evening[0].parent == 2
        assert {row.branch for row in evening} == {"evening"}
        assert kitchen.branches("kitchen") == [
            Branch(name="evening", head=5, parent="main", turn=2),
            Branch(name="main", head=6, parent=None, turn=0),
        ]
        assert kitchen.check("kitchen") == []

    def test_a_line_is_known_by_its_numbers(self, kitchen: Journal) -> None:
        play(kitchen, range(1, 4))
        kitchen.fork("kitchen", "main", "evening", 2)
        play(kitchen, range(3, 5), branch="evening")
        kitchen.move_head("kitchen", "main", 1)
        play(kitchen, range(2, 3))
        assert kitchen.line("kitchen", "evening") == [1, 2, 4, 5]
        assert kitchen.line("kitchen", "main") == [1, 6]

    def test_a_fork_outlives_an_undo_of_the_branch_it_came_from(self, kitchen: Journal) -> None:
        rows = play(kitchen, range(1, 4))
        kitchen.fork("kitchen", "main", "evening", 3)
        kitchen.move_head("kitchen", "main", 1)
        play(kitchen, range(2, 3))
        assert kitchen.lineage("kitchen", "evening") == rows
        assert turns(kitchen.lineage("kitchen", "main")) == [1, 2]

    def test_a_fork_before_the_first_row_starts_anew(self, kitchen: Journal) -> None:
        play(kitchen, range(1, 3))
        assert kitchen.fork("kitchen", "main", "again", None) == Branch(name="again", head=None, parent="main", turn=0)
        assert turns(play(kitchen, range(1, 2), branch="again")) == [1]
        assert turns(kitchen.lineage("kitchen", "again")) == [1]

    def test_a_branch_is_made_once(self, kitchen: Journal) -> None:
        play(kitchen, range(1, 3))
        kitchen.fork("kitchen", "main", "evening", 1)
        act = lambda: kitchen.fork("kitchen", "main", "evening", 2)  # noqa: E731
        assert refused(JournalError, "journal.branch-exists", act) == {"garden": "kitchen", "name": "evening"}
        assert head(kitchen, "evening") == 1

    def test_the_tail_is_in_the_order_of_commits(self, kitchen: Journal) -> None:
        kitchen.create(STUDY)
        rows = [
            *play(kitchen, range(1, 3)),
            *play(kitchen, range(1, 3), garden="study"),
            *play(kitchen, range(3, 4)),
        ]
        assert [row.seq for row in rows] == [1, 2, 3, 4, 5]
        assert kitchen.since(0) == rows
        assert kitchen.since(-5) == rows
        assert kitchen.since(3) == rows[3:]
        assert kitchen.since(1, limit=2) == rows[1:3]
        assert kitchen.since(1, garden="kitchen") == [rows[1], rows[4]]
        assert kitchen.since(0, limit=1, garden="study") == [rows[2]]
        assert kitchen.since(5) == []

    def test_a_hash_tells_what_happened_and_not_when_where_or_how_often(self, kitchen: Journal) -> None:
        play(kitchen, range(1, 3))
        kitchen.fork("kitchen", "main", "again", None)
        play(kitchen, range(1, 3), branch="again")
        kitchen.create(STUDY)
        play(kitchen, range(1, 3), garden="study")
        main, again, study = (
            [row.row_hash for row in kitchen.lineage(garden, branch)]
            for garden, branch in (("kitchen", "main"), ("kitchen", "again"), ("study", "main"))
        )
        assert main == again
        assert len({*main, *study}) == 4

    def test_the_canonical_export_has_neither_times_nor_ids(self, kitchen: Journal) -> None:
        row = play(kitchen, range(1, 2))[0]
        assert canonical(row) == (
            '{"kind":"turn","origin":"actor:やな",'
            '"payload":{"allowed":true,"next_speaker":null,"speech":"おはよう","stall_score":0.25},'
            '"state_hash":"0000000000000001","turn":1,"witnesses":["やな","あゆ"],'
            '"world_delta":[{"op":"replace","path":"/props/マグカップ/held_by","value":"やな"},'
            '{"op":"remove","path":"/props/湯気"}]}'
        )

    def test_a_backup_equals_the_original(self, kitchen: Journal, tmp_path: Path) -> None:
        play(kitchen, range(1, 4))
        kitchen.move_head("kitchen", "main", 2)
        kitchen.fork("kitchen", "main", "another day", 1)
        ask(kitchen, 2, branch="another day")
        ask(kitchen, 2, branch="another day", reply="やっぱりやめる。", said="おやすみ")
        play(kitchen, range(2, 4), branch="another day")
        kitchen.create(STUDY)
        to = tmp_path / "backups" / "箱庭.db"
        kitchen.backup(to)
        assert [path.name for path in to.parent.iterdir()] == [to.name]
        copy = open_journal(f"sqlite:///{to}")
        assert contents(copy) == contents(kitchen)
        assert copy.check("kitchen") == copy.check("study") == []
        assert [row.seq for row in play(copy, range(3, 4))] == [6]
        ask(copy, 4)
        assert [row.id for row in copy.calls("kitchen", "main")] == [3]
        copy.close()

    def test_a_backup_overwrites_nothing(self, kitchen: Journal, tmp_path: Path) -> None:
        to = tmp_path / "photo.jpg"
        to.write_bytes(b"precious")
        assert refused(JournalError, "journal.exists", lambda: kitchen.backup(to)) == {"path": str(to)}
        assert to.read_bytes() == b"precious"

    # --- calls to a model ---

    def test_a_call_reads_back_whole(self, kitchen: Journal) -> None:
        play(kitchen, range(1, 2))
        kitchen.record_call("kitchen", "main", 1, 2, "key", call(), speaker="やな")
        (row,) = kitchen.calls("kitchen", "main", prompts=True)
        assert row == CallRow(
            id=1, garden="kitchen", branch="main", after=1, turn=2, speaker="やな", call=call(), undone=False,
            recorded_at=row.recorded_at,
        )  # fmt: skip
        assert row.recorded_at.endswith("+00:00")
        assert kitchen.calls("kitchen", "main")[0].call == call(messages=[])
        assert kitchen.recorded_call("kitchen", "main", 1, "key") == call()

    def test_a_call_is_no_event(self, kitchen: Journal) -> None:
        ask(kitchen, 1)
        rows = play(kitchen, range(1, 2))
        ask(kitchen, 2)
        assert (rows[0].seq, kitchen.since(0), kitchen.lineage("kitchen", "main")) == (1, rows, rows)
        assert kitchen.check("kitchen") == []
        kitchen.fork("kitchen", "main", "again", None)
        assert [row.row_hash for row in play(kitchen, range(1, 2), branch="again")] == [rows[0].row_hash]

    def test_what_the_caller_changes_later_is_not_changed_in_a_call(self, kitchen: Journal) -> None:
        mine = call()
        kitchen.record_call("kitchen", "main", None, 1, "key", mine)
        mine["messages"][0]["content"] = mine["usage"]["finish"] = "something else"
        found = kitchen.recorded_call("kitchen", "main", None, "key")
        assert found == call()
        found["messages"].clear()
        assert kitchen.recorded_call("kitchen", "main", None, "key") == call()

    def test_a_reply_is_found_again_where_it_was_asked_for_and_nowhere_else(self, kitchen: Journal) -> None:
        kitchen.create(STUDY)
        play(kitchen, range(1, 2))
        ask(kitchen, 2)
        assert reused(kitchen) == "喉が渇いた。"
        assert reused(kitchen, key="another") is None
        assert kitchen.recorded_call("kitchen", "main", None, "key") is None
        assert kitchen.recorded_call("study", "main", 1, "key") is None
        kitchen.fork("kitchen", "main", "evening", 1)
        assert reused(kitchen, branch="evening") is None

    def test_a_reply_is_used_up_by_what_is_written_after_it(self, kitchen: Journal) -> None:
        ask(kitchen, 1)
        assert reused(kitchen) == "喉が渇いた。"
        play(kitchen, range(1, 2))
        assert reused(kitchen) is None
        kitchen.move_head("kitchen", "main", None)
        assert reused(kitchen) is None, "a turn that was taken back is asked for anew"
        ask(kitchen, 1, reply="もう一度。")
        assert reused(kitchen) == "もう一度。"
        kitchen.move_head("kitchen", "main", 1)
        assert reused(kitchen) is None

    def test_what_other_branches_and_gardens_write_uses_nothing_up(self, kitchen: Journal) -> None:
        play(kitchen, range(1, 2))
        ask(kitchen, 2)
        kitchen.fork("kitchen", "main", "evening", 1)
        play(kitchen, range(2, 3), branch="evening")
        kitchen.create(STUDY)
        play(kitchen, range(1, 2), garden="study")
        assert reused(kitchen) == "喉が渇いた。"

    def test_of_several_replies_the_newest_without_a_fault_is_used(self, kitchen: Journal) -> None:
        ask(kitchen, 1, reply="", fault="model.stalled")
        assert reused(kitchen) is None
        ask(kitchen, 1, reply="一")
        ask(kitchen, 1, reply="二")
        ask(kitchen, 1, reply="三", fault="model.cut-off")
        assert reused(kitchen) == "二"
        assert [reply for _, reply, _ in asked(kitchen)] == ["", "一", "二", "三"]

    def test_calls_are_listed_as_they_were_recorded_or_for_one_turn(self, kitchen: Journal) -> None:
        for number in (1, 2, 3):
            ask(kitchen, number, reply=f"{number}で考える")
            ask(kitchen, number, reply=f"{number}で話す", key="other")
            play(kitchen, range(number, number + 1))
        assert asked(kitchen, turn=2) == [(2, "2で考える", False), (2, "2で話す", False)]
        assert [number for number, _, _ in asked(kitchen)] == [1, 1, 2, 2, 3, 3]
        assert asked(kitchen, turn=4) == []

    def test_a_call_whose_turn_was_taken_back_says_so(self, kitchen: Journal) -> None:
        for number in (1, 2, 3):
            ask(kitchen, number, reply=f"初めの{number}")
            play(kitchen, range(number, number + 1))
        kitchen.move_head("kitchen", "main", 1)
        undo = Event(kind="undo", turn=1, origin="user")
        kitchen.append("kitchen", "main", [undo], 1)
        ask(kitchen, 2, reply="次の2")
        before = [(1, "初めの1", False), (2, "初めの2", True), (3, "初めの3", True), (2, "次の2", False)]
        assert asked(kitchen) == before
        play(kitchen, range(2, 3))
        assert asked(kitchen) == before

    def test_a_word_between_call_and_turn_does_not_make_them_strangers(self, kitchen: Journal) -> None:
        play(kitchen, range(1, 2))
        ask(kitchen, 2)
        word = Event(kind="user", turn=1, origin="user", payload={"text": "ねえ"})
        kitchen.append("kitchen", "main", [word], 1)
        play(kitchen, range(2, 3))
        kitchen.move_head("kitchen", "main", 2)
        assert asked(kitchen) == [(2, "喉が渇いた。", True)]

    def test_a_fork_sees_the_calls_of_its_past_and_not_of_its_parents_future(self, kitchen: Journal) -> None:
        for number in (1, 2, 3):
            ask(kitchen, number, reply=f"main {number}")
            play(kitchen, range(number, number + 1))
        kitchen.fork("kitchen", "main", "evening", 2)
        ask(kitchen, 3, branch="evening", reply="evening 3")
        play(kitchen, range(3, 4), branch="evening")
        kitchen.fork("kitchen", "evening", "night", 1)
        kitchen.move_head("kitchen", "main", 1)
        ask(kitchen, 2, reply="main 2 again")
        play(kitchen, range(2, 3))
        assert [reply for _, reply, _ in asked(kitchen, "evening")] == ["main 1", "main 2", "evening 3"]
        assert asked(kitchen, "night") == [(1, "main 1", False)]
        assert asked(kitchen) == [
            (1, "main 1", False), (2, "main 2", True), (3, "main 3", True), (2, "main 2 again", False),
        ]  # fmt: skip

    @pytest.mark.parametrize(
        ("text", "kept"),
        [
            pytest.param("a\ud800b", "a\ufffdb", id="half a pair"),
            pytest.param("\udc00", "\ufffd", id="the other half"),
            pytest.param("\ud83e\uded6", "🫖", id="both halves, from two chunks"),
            pytest.param("a\0b", "a\0b", id="NUL"),
            pytest.param("\x1b[2J\u2028\u202e\r\n\\", "\x1b[2J\u2028\u202e\r\n\\", id="controls"),
            pytest.param("'); DROP TABLE calls; --", "'); DROP TABLE calls; --", id="SQL"),
            pytest.param("あ\n" * 100_000, "あ\n" * 100_000, id="large"),
        ],
    )
    def test_no_text_is_too_strange_to_be_kept(self, kitchen: Journal, text: str, kept: str) -> None:
        strange = {**call(reply=text, said=text, fault=None), text: text}
        kitchen.record_call("kitchen", "main", None, 1, text, strange, speaker=text)
        assert kitchen.recorded_call("kitchen", "main", None, text) == {**call(reply=kept, said=kept), kept: kept}
        assert kitchen.check("kitchen") == []
        assert [row.seq for row in play(kitchen, range(1, 2))] == [1]

    @pytest.mark.parametrize("number", [float("nan"), float("inf")])
    def test_a_number_that_is_none_costs_no_reply(self, kitchen: Journal, number: float) -> None:
        ask(kitchen, 1, first_ms=number)
        assert kitchen.recorded_call("kitchen", "main", None, "key") == call(first_ms=None)

    @pytest.mark.parametrize(
        "bad",
        [
            pytest.param({"reply": object()}, id="not data"),
            pytest.param({"messages": [{"role": "user"}]}, id="a message without content"),
            pytest.param({"messages": [{"role": "user", "content": None}]}, id="a message of nothing"),
            pytest.param({"messages": ["おはよう"]}, id="a message that is none"),
        ],
    )
    def test_a_call_that_is_not_data_is_refused(self, kitchen: Journal, bad: dict[str, Any]) -> None:
        before = contents(kitchen)
        assert refused(JournalError, "journal.not-json", lambda: ask(kitchen, 1, **bad))["what"] == "call"
        assert contents(kitchen) == before
