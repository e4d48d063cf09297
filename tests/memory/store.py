"""What memory promises, whatever it is kept in: a class to subclass with a `journal` fixture."""

from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from hakoniwa.errors import JournalError
from hakoniwa.journal import GardenRecord, Journal, Row
from hakoniwa.journal.open import open_journal
from hakoniwa.journal.tables import vectors
from hakoniwa.memory.store import Annotation, Memories, MemoryScope, MemoryWriting, RetrievalRun, VisibleRows
from hakoniwa.persona.generated import Generated, unseal
from hakoniwa.persona.records import (
    AboutTime,
    Affect,
    Entity,
    EntityType,
    LifeStage,
    LinkKind,
    MemoryLink,
    MemorySource,
    NewMemory,
    Revision,
    Vad,
)
from hakoniwa.turn import Event

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
CHAT = GardenRecord(id="chat", scenario={}, sheets={"やな": {}}, seed=1, settings={"kind": "chat"})
GARDEN = GardenRecord(id="kitchen", scenario={"title": "台所"}, sheets={"やな": {}, "あゆ": {}}, seed=1)
YANA = Entity(type=EntityType.PERSON, name="やな")


def said(text: str, who: tuple[str, ...] = ("やな",)) -> Event:
    return Event(kind="chat", turn=1, origin="user", witnesses=who, payload={"user_text": text})


def remembered(text: str, **more: Any) -> NewMemory:
    return NewMemory(
        source=more.pop("source", MemorySource.CHAT), text=Generated(text), at=more.pop("at", NOON), **more
    )


def witnessed(row: Row) -> Mapping[str, NewMemory]:
    text = row.event.payload.get("user_text", "")
    return {who: remembered(text, user_text=text, at=NOON + timedelta(minutes=row.seq)) for who in row.event.witnesses}


def kept_vectors(memories: Memories, ghost: int) -> list[tuple[str, int, bytes]]:
    """The vectors of a ghost by the embedder "e" as they are stored, events first."""
    own = select(vectors).where(vectors.c.ghost == ghost, vectors.c.embedder == "e")
    with memories.database.reading() as connection:
        found = connection.execute(own.order_by(vectors.c.of, vectors.c.key))
        return [(row.of, row.key, bytes(row.vector)) for row in found]


class Told:
    """A journal and its memory, told one thing after another; `memories` may be made anew, as after a restart."""

    def __init__(self, journal: Journal, garden: GardenRecord = CHAT, who: str = "やな") -> None:
        self.journal, self.garden, self.who = journal, garden.id, who
        if garden not in journal.gardens():
            journal.create(garden)
        self.memories = Memories(journal)

    def head(self, branch: str = "main") -> int | None:
        return {one.name: one.head for one in self.journal.branches(self.garden)}[branch]

    def write(self, *texts: str, branch: str = "main", who: tuple[str, ...] | None = None) -> list[int]:
        """Into the journal alone."""
        events = [said(text, (self.who,) if who is None else who) for text in texts]
        return [row.seq for row in self.journal.append(self.garden, branch, events, self.head(branch))]

    def catch_up(self, branch: str = "main") -> None:
        rows = self.memories.untaken(self.garden, self.journal.lineage(self.garden, branch))
        self.memories.take_in(self.garden, [(row, witnessed(row)) for row in rows])

    def texts_of_untaken(self, branch: str = "main") -> list[str]:
        rows = self.memories.untaken(self.garden, self.journal.lineage(self.garden, branch))
        return [row.event.payload["user_text"] for row in rows]

    def tell(self, *texts: str, branch: str = "main", who: tuple[str, ...] | None = None) -> list[int]:
        seqs = self.write(*texts, branch=branch, who=who)
        self.catch_up(branch)
        return seqs

    def scope(self, branch: str = "main", who: str | None = None) -> MemoryScope:
        number = self.memories.ghost(self.garden, who or self.who)
        return MemoryScope(ghost=number, line=self.memories.line(self.garden, self.head(branch)))

    def texts(self, branch: str = "main", who: str | None = None) -> list[str]:
        """What is remembered, oldest first."""
        return [unseal(one.text) for one in self.memories.recent(self.scope(branch, who), 100)][::-1]

    def with_word(self, word: str, branch: str = "main") -> list[int]:
        return self.memories.with_words(self.scope(branch), [word], 10)[word]

    def held(self, branch: str = "main") -> list[str]:
        """The states that are held."""
        found = self.memories.revisions(self.scope(branch))
        return [one.after["body_text"] for one in found if one.after is not None]


def state(text: str, item: int = 0, before: str | None = None, evidence: tuple[int, ...] = ()) -> Revision:
    return Revision(
        item=item,
        kind="state",
        before=None if before is None else {"kind": "fact", "body_text": before},
        after={"kind": "fact", "body_text": text},
        reason="そう言った",
        evidence=evidence,
        at=NOON,
    )


def run(candidates: list[dict[str, Any]], input: str = "好きな飲み物は？") -> RetrievalRun:
    return RetrievalRun(at=NOON, input=input, plan={}, candidates=candidates, selection={"selected": []}, by="rule")


@pytest.fixture
def told(journal: Journal) -> Told:
    return Told(journal)


class StoreContract:
    """The promises."""

    # --- taking in ---------------------------------------------------------------------------------------------------

    def test_what_was_taken_in_is_remembered_as_it_was_lived(self, told: Told) -> None:
        (first,) = told.write("紅茶を淹れた")
        (row,) = told.journal.lineage("chat", "main")
        here = datetime(2026, 5, 4, 21, 30, 15, 123456, tzinfo=UTC).astimezone()
        lived = remembered(
            "紅茶を淹れた\nいい香り",
            user_text="紅茶を淹れた",
            assistant_text=Generated("いい香り"),
            at=here,
            entities=(YANA,),
            reply_to=7,
        )
        told.memories.take_in("chat", [(row, {"やな": lived})])
        (memory,) = told.memories.recent(told.scope(), 5)
        assert memory.model_dump(exclude={"seq", "about", "threads"}) == lived.model_dump()
        assert (memory.seq, memory.about, memory.threads) == (first, AboutTime(), ())
        assert told.memories.load(told.scope(), [first, 99])[first].model_dump() == memory.model_dump()

    def test_taking_in_twice_changes_nothing(self, told: Told) -> None:
        told.tell("おはよう", "紅茶をください")
        before = told.memories.stats(told.scope())
        rows = told.journal.lineage("chat", "main")
        assert told.memories.untaken("chat", rows) == []
        told.memories.take_in("chat", [(row, witnessed(row)) for row in rows])
        assert told.memories.stats(told.scope()) == before
        assert before.works == {"queued": 2}

    def test_what_a_crash_kept_from_memory_is_taken_in_later(self, told: Told) -> None:
        told.tell("おはよう")
        told.write("紅茶をください", "砂糖も")
        told.memories = Memories(told.journal)
        assert told.texts_of_untaken() == ["紅茶をください", "砂糖も"]
        told.catch_up()
        assert told.texts() == ["おはよう", "紅茶をください", "砂糖も"]

    def test_a_head_that_was_not_taken_in_is_no_place_to_look_from(self, told: Told) -> None:
        (seq,) = told.write("おはよう")
        with pytest.raises(JournalError, match="no-row"):
            told.memories.line("chat", seq)

    def test_only_witnesses_remember(self, journal: Journal) -> None:
        told = Told(journal, GARDEN)
        told.tell("二人で話す", who=("やな", "あゆ"))
        told.tell("やなの独り言", who=("やな",))
        told.tell("誰もいない部屋で物音", who=())
        told.tell("あゆの独り言", who=("あゆ",))
        assert told.texts(who="やな") == ["二人で話す", "やなの独り言"]
        assert told.texts(who="あゆ") == ["二人で話す", "あゆの独り言"]
        assert told.memories.with_words(told.scope(who="あゆ"), ["独り言"], 9) == {"独り言": [4]}
        assert told.memories.load(told.scope(who="あゆ"), [1, 2]).keys() == {1}

    def test_what_is_not_searchable_is_remembered_but_not_found_and_makes_no_work(self, told: Told) -> None:
        told.write("決定：紅茶を淹れる")
        (row,) = told.journal.lineage("chat", "main")
        decision = remembered("紅茶を淹れると決めた", searchable=False, source=MemorySource.DELIBERATION_DECISION)
        told.memories.take_in("chat", [(row, {"やな": decision})])
        assert told.texts() == ["紅茶を淹れると決めた"]
        assert told.with_word("紅茶") == []
        assert told.memories.pending(None, 9, NOON) == []
        assert told.memories.to_embed(told.scope().ghost, "e", 9) == []

    # --- lines of play -----------------------------------------------------------------------------------------------

    def test_a_fork_sees_what_was_before_it_and_nothing_after(self, told: Told) -> None:
        first, second = told.tell("おはよう", "紅茶が好き")
        told.journal.fork("chat", "main", "別", second)
        told.tell("珈琲も好き")
        (other,) = told.tell("緑茶も好き", branch="別")
        assert told.texts() == ["おはよう", "紅茶が好き", "珈琲も好き"]
        assert told.texts("別") == ["おはよう", "紅茶が好き", "緑茶も好き"]
        assert told.with_word("珈琲", "別") == []
        assert told.with_word("好き", "別") == [other, second]
        assert told.memories.load(told.scope("別"), [first, 3]).keys() == {first}

    def test_taking_back_takes_memory_back_and_doing_again_gives_it_back(self, told: Told) -> None:
        first, second = told.tell("おはよう", "紅茶が好き")
        told.journal.move_head("chat", "main", first)
        assert told.texts() == ["おはよう"]
        assert told.with_word("紅茶") == []
        told.journal.move_head("chat", "main", second)
        assert told.texts() == ["おはよう", "紅茶が好き"]
        told.journal.move_head("chat", "main", None)
        assert told.texts() == []
        assert told.scope().line == VisibleRows()

    def test_after_taking_back_another_story_is_remembered_and_the_first_is_still_there(self, told: Told) -> None:
        first, second = told.tell("おはよう", "紅茶が好き")
        told.journal.move_head("chat", "main", first)
        told.tell("珈琲が好き")
        assert told.texts() == ["おはよう", "珈琲が好き"]
        told.journal.fork("chat", "main", "前の話", second)
        assert told.texts("前の話") == ["おはよう", "紅茶が好き"]
        told.tell("やっぱり紅茶", branch="前の話")
        assert told.texts("前の話") == ["おはよう", "紅茶が好き", "やっぱり紅茶"]
        assert told.texts() == ["おはよう", "珈琲が好き"]

    def test_a_row_that_was_taken_back_before_memory_saw_it_can_be_done_again(self, told: Told) -> None:
        (first,) = told.tell("おはよう")
        (unseen,) = told.write("取り消した言葉")
        told.journal.move_head("chat", "main", first)
        told.tell("言い直した言葉")
        assert told.texts() == ["おはよう", "言い直した言葉"]
        told.journal.move_head("chat", "main", unseen)
        told.catch_up()
        assert told.texts() == ["おはよう", "取り消した言葉"]

    def test_a_line_with_many_breaks_is_seen_whole(self, told: Told) -> None:
        kept = []
        for number in range(40):
            kept += told.tell(f"{number}番目の話")
            told.tell("取り消す話")
            told.journal.move_head("chat", "main", kept[-1])
        assert [one.seq for one in told.memories.recent(told.scope(), 100)][::-1] == kept
        assert len(told.scope().line.spans) == 40
        assert told.with_word("取り消す") == []
        assert told.memories.with_words(told.scope(), ["番目"], 100)["番目"] == kept[::-1]
        assert told.memories.load(told.scope(), range(1, 90)).keys() == set(kept)

    def test_gardens_that_write_in_turn_do_not_get_into_each_others_memory(self, journal: Journal) -> None:
        chat, kitchen = Told(journal), Told(journal, GARDEN)
        for number in range(3):
            chat.tell(f"雑談{number}")
            kitchen.tell(f"料理{number}")
        assert chat.texts() == ["雑談0", "雑談1", "雑談2"]
        assert kitchen.texts() == ["料理0", "料理1", "料理2"]

    # --- finding -----------------------------------------------------------------------------------------------------

    @pytest.mark.parametrize(
        ("text", "word"),
        [
            ("お茶を飲んだ", "茶"),
            ("茶が好き", "茶"),
            ("紅茶を淹れた", "紅茶"),
            ("図書館で調べた", "図書館"),
            ("図書館で調べた", "図書"),
            ("ねこがいる", "猫"),
            ("珈琲を飲んだ", "飲む"),
            ("She was baking cakes", "cak"),
            ("GitHubのissueを閉じた", "github"),
        ],
    )
    def test_words_of_any_length_and_form_are_found(self, told: Told, text: str, word: str) -> None:
        (seq,) = told.tell(text)
        told.tell("別の話")
        assert told.with_word(word) == [seq]

    def test_words_are_answered_each_by_itself_newest_first(self, told: Told) -> None:
        one, two, three = told.tell("茶と猫", "猫と犬", "茶と猫と犬")
        found = told.memories.with_words(told.scope(), ["猫", "茶", "鳥"], 2)
        assert found == {"猫": [three, two], "茶": [three, one], "鳥": []}
        assert told.memories.with_words(told.scope(), [], 2) == {}

    def test_the_newest_of_some_sources(self, told: Told) -> None:
        told.write("一", "二", "三", "四")
        sources = [MemorySource.CHAT, MemorySource.NOTIFICATION, MemorySource.CHAT, MemorySource.AUTONOMY_MESSAGE]
        rows = told.journal.lineage("chat", "main")
        lived = [(row, {"やな": remembered("話", source=source)}) for row, source in zip(rows, sources, strict=True)]
        told.memories.take_in("chat", lived)

        def newest(limit: int, *sources: MemorySource) -> list[int]:
            return [one.seq for one in told.memories.recent(told.scope(), limit, sources)]

        assert newest(9, MemorySource.NOTIFICATION) == [2]
        assert newest(2, MemorySource.CHAT, MemorySource.AUTONOMY_MESSAGE) == [4, 3]
        assert newest(9, MemorySource.REMINDER) == []

    def test_a_chain_of_replies_is_followed_up(self, told: Told) -> None:
        told.write("一", "二", "三", "四")
        rows = told.journal.lineage("chat", "main")
        answered = {1: None, 2: 1, 3: 2, 4: 2}
        told.memories.take_in("chat", [(row, {"やな": remembered("話", reply_to=answered[row.seq])}) for row in rows])
        assert told.memories.reply_chain(told.scope(), 4, 9) == [2, 1]
        assert told.memories.reply_chain(told.scope(), 3, 1) == [2]
        assert told.memories.reply_chain(told.scope(), 1, 9) == []

    def test_names_and_threads_are_found_by_what_was_lived_and_by_what_was_found_out(self, told: Told) -> None:
        told.write("一", "二", "三")
        rows = told.journal.lineage("chat", "main")
        cafe = Entity(type=EntityType.PLACE, name="Café ル")
        lived = [remembered("話", entities=(YANA,)), remembered("話"), remembered("話")]
        told.memories.take_in("chat", [(row, {"やな": one}) for row, one in zip(rows, lived, strict=True)])
        scope = told.scope()
        note = Annotation(seq=2, entities=(YANA, cafe), threads=("旅行",))
        told.memories.write(scope, 3, MemoryWriting(annotations=(note, Annotation(seq=3, entities=(YANA,)))))
        assert told.memories.of_entities(scope, ["やな"], 9) == [3, 2, 1]
        assert told.memories.of_entities(scope, ["やな", "cafÉ ル"], 2) == [3, 2]
        assert told.memories.of_entities(scope, ["ＣＡＦÉ　ル"], 2) == [2]
        assert told.memories.in_threads(scope, ["旅行", "仕事"], 9) == [2]
        assert told.memories.of_entities(scope, [], 9) == []
        memory = told.memories.load(scope, [2])[2]
        assert (memory.entities, memory.threads) == ((YANA, cafe), ("旅行",))

    def test_what_an_event_came_with_may_be_found_out_once_more(self, told: Told) -> None:
        told.write("一")
        (row,) = told.journal.lineage("chat", "main")
        told.memories.take_in("chat", [(row, {"やな": remembered("話", entities=(YANA,))})])
        told.memories.write(
            told.scope(), row.seq, MemoryWriting(annotations=(Annotation(seq=row.seq, entities=(YANA,)),))
        )
        assert told.memories.of_entities(told.scope(), ["やな"], 9) == [row.seq]

    def test_what_was_found_out_is_known_only_where_that_happened(self, told: Told) -> None:
        first, second = told.tell("旅に出た", "京都だった")
        kyoto = Entity(type=EntityType.PLACE, name="京都")
        told.memories.write(
            told.scope(), second, MemoryWriting(annotations=(Annotation(seq=first, entities=(kyoto,)),))
        )
        assert told.memories.of_entities(told.scope(), ["京都"], 9) == [first]
        told.journal.move_head("chat", "main", first)
        assert told.memories.of_entities(told.scope(), ["京都"], 9) == []
        assert told.memories.load(told.scope(), [first])[first].entities == ()

    def test_events_are_found_by_the_time_they_are_about(self, told: Told) -> None:
        seqs = told.tell(*(f"{number}つ目の思い出" for number in range(6)))
        times = [
            AboutTime(year_start=2019, year_end=2019),
            AboutTime(year_start=2016, year_end=2021),
            AboutTime(year_start=2001, life_stage=LifeStage.ELEMENTARY),
            AboutTime(life_stage=LifeStage.HIGH),
            AboutTime(year_start=2019),
            None,
        ]
        notes = tuple(Annotation(seq=seq, about=about) for seq, about in zip(seqs, times, strict=True))
        told.memories.write(told.scope(), seqs[-1], MemoryWriting(annotations=notes))

        def about(limit: int = 9, per_bucket: int = 9, **time: Any) -> list[int]:
            return [seqs.index(seq) for seq in told.memories.about(told.scope(), AboutTime(**time), limit, per_bucket)]

        assert about(year_start=2019, year_end=2019) == [4, 1, 0]
        assert about(year_start=2020) == [1]
        assert about(year_start=2000, year_end=2009) == [2]
        assert about(life_stage=LifeStage.HIGH) == [3]
        assert about(year_start=2001, life_stage=LifeStage.HIGH) == [3, 2]
        assert about(year_start=2019, per_bucket=1) == [4]
        assert about(year_start=2019, limit=2) == [4, 1]
        assert about() == []
        assert told.memories.load(told.scope(), [seqs[2]])[seqs[2]].about.life_stage is LifeStage.ELEMENTARY

    def test_events_are_found_by_when_they_happened(self, told: Told) -> None:
        one, two, three = told.tell("朝", "昼", "晩")
        start = NOON + timedelta(minutes=one)
        assert told.memories.during(told.scope(), start, NOON + timedelta(minutes=three), 9) == [two, one]
        assert told.memories.during(told.scope(), start, NOON + timedelta(minutes=9), 2) == [three, two]

    def test_links_are_found_from_either_end(self, told: Told) -> None:
        one, two, three = told.tell("一", "二", "三")
        told.memories.write(
            told.scope(), two, MemoryWriting(links=(MemoryLink(source=two, target=one, kind=LinkKind.SAME_TOPIC),))
        )
        later = MemoryLink(source=three, target=two, kind=LinkKind.CAUSED_BY, confidence=0.5)
        told.memories.write(told.scope(), three, MemoryWriting(links=(later,)))
        told.memories.write(told.scope(), three, MemoryWriting(links=(later.model_copy(update={"confidence": 0.9}),)))

        def linked(*seqs: int, limit: int = 9) -> list[tuple[int, int, float]]:
            found = told.memories.linked(told.scope(), seqs, limit)
            return [(link.source, link.target, link.confidence) for link in found]

        assert linked(one) == [(two, one, 1.0)]
        assert linked(two) == [(three, two, 0.9), (two, one, 1.0)]
        assert linked(two, limit=1) == [(three, two, 0.9)]
        assert linked() == []
        told.journal.move_head("chat", "main", two)
        assert linked(two) == [(two, one, 1.0)]

    def test_feelings_are_kept_with_their_events(self, told: Told) -> None:
        one, two = told.tell("嬉しい話", "悲しい話")
        glad = Affect(seq=one, text=Generated("嬉しい"), labels=("joy",), vad=Vad(v=0.5, a=-0.25), at=NOON)
        sad = Affect(seq=two, vad=Vad(v=-0.5), confidence=0.5, at=NOON)
        gladder = glad.model_copy(update={"vad": Vad(v=0.75)})
        for affect in (glad, sad, gladder):
            told.memories.write(told.scope(), affect.seq, MemoryWriting(affects=(affect,)))
        assert [one.model_dump() for one in told.memories.affects(told.scope(), 9)] == [
            sad.model_dump(),
            gladder.model_dump(),
        ]
        assert [one.seq for one in told.memories.affects(told.scope(), 1)] == [two]
        assert told.memories.affects_of(told.scope(), [one, 99])[one].vad == Vad(v=0.75)

    # --- items -------------------------------------------------------------------------------------------------------

    def test_revisions_are_numbered_and_none_is_written_over(self, told: Told) -> None:
        (seq,) = told.tell("紅茶が好き")
        (made,) = told.memories.write(
            told.scope(), seq, MemoryWriting(revisions=(state("紅茶が好き", evidence=(seq,)),))
        )
        assert made.id == made.item > 0
        (changed,) = told.memories.write(
            told.scope(), seq, MemoryWriting(revisions=(state("紅茶が大好き", made.item, "紅茶が好き", (seq,)),))
        )
        assert changed.id > made.id
        assert told.memories.history(told.scope(), made.item) == [made, changed]
        assert told.memories.revisions(told.scope()) == [changed]
        assert told.memories.newest_revision(told.scope()) == changed.id
        assert told.memories.revisions(told.scope(), changed.id) == []

    def test_items_are_held_along_the_line_on_which_they_changed(self, told: Told) -> None:
        first, second = told.tell("紅茶が好き", "休みの話")
        (made,) = told.memories.write(told.scope(), first, MemoryWriting(revisions=(state("紅茶が好き"),)))
        told.journal.fork("chat", "main", "別", second)
        (third,) = told.tell("もう飽きた")
        told.memories.write(told.scope(), third, MemoryWriting(revisions=(state("紅茶に飽きた", made.item),)))
        (fourth,) = told.tell("毎日飲む", branch="別")
        told.memories.write(told.scope("別"), fourth, MemoryWriting(revisions=(state("紅茶を毎日飲む", made.item),)))
        assert (told.held(), told.held("別")) == (["紅茶に飽きた"], ["紅茶を毎日飲む"])
        told.journal.move_head("chat", "main", second)
        assert told.held() == ["紅茶が好き"]
        told.journal.move_head("chat", "main", third)
        assert told.held() == ["紅茶に飽きた"]

    def test_what_is_written_late_lies_where_its_event_lies(self, told: Told) -> None:
        first, second = told.tell("紅茶が好き", "取り消す話")
        told.journal.move_head("chat", "main", first)
        told.memories.write(told.scope(), second, MemoryWriting(revisions=(state("取り消した話"),)))
        assert told.held() == []
        told.memories.write(told.scope(), first, MemoryWriting(revisions=(state("紅茶が好き"),)))
        assert told.held() == ["紅茶が好き"]

    def test_states_new_in_one_writing_can_be_linked(self, told: Told) -> None:
        (seq,) = told.tell("紅茶が好き")
        (old,) = told.memories.write(told.scope(), seq, MemoryWriting(revisions=(state("珈琲が好き"),)))
        links = (
            MemoryLink(of="state", source=-2, target=old.item, kind=LinkKind.CONTRADICTS),
            MemoryLink(of="state", source=-1, target=-2, kind=LinkKind.SUPPORTS),
        )
        one, two = told.memories.write(
            told.scope(), seq, MemoryWriting(revisions=(state("一"), state("二")), links=links)
        )
        found = told.memories.linked(told.scope(), [two.item], 9, of="state")
        assert {(link.source, link.target) for link in found} == {(two.item, old.item), (one.item, two.item)}
        assert told.memories.linked(told.scope(), [two.item], 9) == []

    def test_a_writing_that_fails_leaves_nothing_behind(self, told: Told) -> None:
        (seq,) = told.tell("紅茶が好き")
        before = told.memories.stats(told.scope())
        (work,) = told.memories.pending(None, 1, NOON)
        broken = MemoryWriting(
            annotations=(Annotation(seq=seq, threads=("旅行",)),),
            revisions=(state("紅茶が好き"),),
            affects=(Affect(seq=seq, vad=Vad(), at=NOON),),
            links=(MemoryLink(of="state", source=-9, target=1, kind=LinkKind.SUPPORTS),),  # there is no ninth revision
        )
        with pytest.raises(IndexError):
            told.memories.write(told.scope(), seq, broken, done=work.id)
        told.memories.settle(work.id, "queued")
        assert told.memories.stats(told.scope()) == before

    # --- work --------------------------------------------------------------------------------------------------------

    def test_work_is_claimed_once_until_its_lease_is_up(self, told: Told) -> None:
        told.tell("おはよう", "紅茶が好き", "おやすみ")
        other = Memories(told.journal)
        mine = told.memories.pending(told.scope().ghost, 2, NOON)
        theirs = other.pending(None, 9, NOON)
        assert [(work.seq, work.kind, work.tries) for work in mine] == [
            (1, "write_plan", 0),
            (2, "write_plan", 0),
        ]
        assert [(work.seq, work.kind) for work in theirs] == [(3, "write_plan")]
        assert other.pending(None, 9, NOON + timedelta(minutes=1)) == []
        again = other.pending(None, 9, NOON + timedelta(minutes=10), kind="write_plan")
        assert [(work.seq, work.tries) for work in again] == [(1, 1), (2, 1), (3, 1)]

    def test_work_that_is_done_is_gone_and_what_was_dropped_says_why(self, told: Told) -> None:
        told.tell("おはよう", "おやすみ")
        one, two = told.memories.pending(None, 9, NOON)
        told.memories.settle(one.id, "queued", "model.unavailable")
        assert [work.tries for work in told.memories.pending(None, 9, NOON)] == [1]
        told.memories.settle(one.id, "done")
        told.memories.settle(two.id, "dropped", "ghost.bad-plan")
        assert told.memories.pending(None, 9, NOON + timedelta(days=1)) == []
        assert told.memories.stats(told.scope()).works == {"dropped": 1}

    def test_a_writing_for_work_that_somebody_else_has_done_is_not_applied(self, told: Told) -> None:
        (seq,) = told.tell("紅茶が好き")
        (work,) = told.memories.pending(None, 9, NOON, kind="write_plan")
        writing = MemoryWriting(revisions=(state("紅茶が好き"),))
        assert len(told.memories.write(told.scope(), seq, writing, done=work.id)) == 1
        assert told.memories.write(told.scope(), seq, writing, done=work.id) == ()
        assert told.held() == ["紅茶が好き"]

    # --- runs and the board ------------------------------------------------------------------------------------------

    def test_runs_are_kept_with_everything_in_them(self, told: Told) -> None:
        first, second = told.tell("紅茶が好き", "おはよう")
        kept = run([{"type": "event", "key": first, "score": 0.5}]).model_copy(update={"dropped": "ghost.bad-pack"})
        id = told.memories.record_run(told.scope(), first, kept)
        told.memories.record_run(told.scope(), second, run([]))
        assert [one.id for one in told.memories.runs(told.scope(), 1)] > [id]
        assert told.memories.runs(told.scope(), 9)[1] == kept.model_copy(update={"id": id})
        told.journal.move_head("chat", "main", first)
        assert [one.id for one in told.memories.runs(told.scope(), 9)] == [id]

    def test_the_board_is_found_as_it_was_last_kept(self, told: Told) -> None:
        assert told.memories.last_snapshot(told.scope()) is None
        first, second = told.tell("一", "二")
        for number, seq in enumerate((first, first, second)):
            told.memories.snapshot(told.scope(), seq, "periodic", {"number": number}, NOON)
        assert told.memories.last_snapshot(told.scope()) == {"number": 2}
        told.journal.move_head("chat", "main", first)
        assert told.memories.last_snapshot(told.scope()) == {"number": 1}

    # --- vectors -----------------------------------------------------------------------------------------------------

    def test_vectors_are_asked_for_until_all_are_there(self, told: Told) -> None:
        one, two, three = told.tell("一", "二", "三")
        ghost = told.scope().ghost
        (held,) = told.memories.write(told.scope(), one, MemoryWriting(revisions=(state("紅茶が好き"),)))
        mood = Revision(kind="state", after={"kind": "long_mood_state", "body_text": "穏やか"}, at=NOON)
        told.memories.write(told.scope(), one, MemoryWriting(revisions=(mood,)))
        assert told.memories.to_embed(ghost, "e", 2) == [("event", one, "一"), ("event", two, "二")]
        told.memories.put_vectors(ghost, "e", [("event", two, b"\x00\x3c"), ("event", one, b"\x00\x00")])
        assert told.memories.to_embed(ghost, "e", 9) == [("event", three, "三"), ("state", held.id, "紅茶が好き")]
        assert told.memories.embedded(ghost) == {"e": (2, 4)}
        told.memories.put_vectors(ghost, "e", [("event", three, b"\x00\x3c"), ("state", held.id, b"\x00\x3c")])
        assert told.memories.to_embed(ghost, "e", 9) == []
        assert len(told.memories.to_embed(ghost, "another", 9)) == 4

    def test_of_a_state_only_the_newest_words_are_embedded(self, told: Told) -> None:
        (seq,) = told.tell("紅茶が好き")
        (old,) = told.memories.write(told.scope(), seq, MemoryWriting(revisions=(state("紅茶が好き"),)))
        (new,) = told.memories.write(told.scope(), seq, MemoryWriting(revisions=(state("紅茶が大好き", old.item),)))
        found = told.memories.to_embed(told.scope().ghost, "e", 9)
        assert found == [("event", seq, "紅茶が好き"), ("state", new.id, "紅茶が大好き")]

    def test_vectors_are_kept_by_embedder_and_replaced(self, told: Told) -> None:
        one, two = told.tell("一", "二")
        ghost = told.scope().ghost
        told.memories.put_vectors(ghost, "e", [("event", one, b"ab"), ("event", two, b"cd"), ("event", 99, b"no")])
        told.memories.put_vectors(ghost, "e", [("event", one, b"xy")])
        told.memories.put_vectors(ghost, "f", [("event", one, b"zz")])
        assert kept_vectors(told.memories, ghost) == [("event", one, b"xy"), ("event", two, b"cd")]
        assert told.memories.embedded(ghost) == {"e": (2, 2), "f": (1, 2)}
        assert told.memories.drop_vectors(ghost, "e") == 2
        assert kept_vectors(told.memories, ghost) == []
        assert told.memories.embedded(ghost) == {"f": (1, 2)}

    # --- forgetting --------------------------------------------------------------------------------------------------

    def test_an_event_is_forgotten_with_all_that_came_of_it_alone(self, told: Told) -> None:
        one, two, three = told.tell("紅茶が好き", "秘密の合言葉はひらけごま", "おやすみ")
        scope, memories = told.scope(), told.memories
        secret = Entity(type=EntityType.PLACE, name="洞窟")
        (shared,) = memories.write(scope, one, MemoryWriting(revisions=(state("飲み物の話をした", evidence=(one,)),)))
        mixed, own = memories.write(
            scope,
            two,
            MemoryWriting(
                annotations=(Annotation(seq=two, entities=(secret, YANA), threads=("合言葉",)),),
                revisions=(
                    state("飲み物と合言葉の話をした", shared.item, "飲み物の話をした", (two,)),
                    state("合言葉はひらけごま", evidence=(two,)),
                ),
                affects=(Affect(seq=two, text=Generated("どきどき"), vad=Vad(a=0.5), at=NOON),),
                links=(
                    MemoryLink(source=two, target=one, kind=LinkKind.SAME_TOPIC),
                    MemoryLink(of="state", source=-2, target=shared.item, kind=LinkKind.RELATES_TO),
                ),
            ),
        )
        memories.write(scope, three, MemoryWriting(annotations=(Annotation(seq=three, entities=(YANA,)),)))
        (last,) = memories.write(
            scope,
            three,
            MemoryWriting(revisions=(state("いろいろ話した", shared.item, "飲み物と合言葉の話をした", (three,)),)),
        )
        memories.put_vectors(scope.ghost, "e", [("event", two, b"ab"), ("state", own.id, b"cd"), ("event", one, b"ef")])
        memories.record_run(scope, one, run([], "秘密の合言葉はひらけごま"))  # the question that became event two
        memories.record_run(scope, three, run([{"type": "event", "key": two}]))
        memories.record_run(scope, three, run([{"type": "state", "key": own.item}]))
        kept = memories.record_run(scope, three, run([{"type": "event", "key": one}, {"type": "state", "key": two}]))
        memories.snapshot(scope, three, "shutdown", {"attention": ["洞窟"]}, NOON)

        gone = memories.forget(scope, "chat", [two])

        assert gone.model_dump(exclude_defaults=True) == {
            "events": 1, "states": 1, "revisions": 2, "links": 2, "affects": 1, "vectors": 2,
            "runs": 3, "snapshots": 1, "works": 1, "rows": 1,
        }  # fmt: skip
        assert told.texts() == ["紅茶が好き", "おやすみ"]
        assert told.with_word("合言葉") == []
        assert memories.of_entities(scope, ["洞窟"], 9) == []
        assert memories.of_entities(scope, ["やな"], 9) == [three]
        assert memories.in_threads(scope, ["合言葉"], 9) == []
        assert [(one.id, one.before) for one in memories.history(scope, shared.item)] == [
            (shared.id, None),
            (last.id, shared.after),
        ]
        assert memories.history(scope, own.item) == []
        assert memories.linked(scope, [one], 9) == memories.linked(scope, [shared.item], 9, of="state") == []
        assert memories.affects(scope, 9) == []
        assert kept_vectors(memories, scope.ghost) == [("event", one, b"ef")]
        assert [one.id for one in memories.runs(scope, 9)] == [kept]
        assert memories.last_snapshot(scope) is None
        assert mixed.item == shared.item
        assert memories.forget(scope, "chat", [two]).model_dump(exclude_defaults=True) == {}

    def test_attention_to_what_occurred_only_in_a_forgotten_event_goes_with_it(self, told: Told) -> None:
        one, two = told.tell("やなと洞窟へ行った", "やなに会った")
        cave = Entity(type=EntityType.PLACE, name="洞窟")
        told.memories.write(told.scope(), one, MemoryWriting(annotations=(Annotation(seq=one, entities=(cave, YANA)),)))
        told.memories.write(told.scope(), two, MemoryWriting(annotations=(Annotation(seq=two, entities=(YANA,)),)))
        targets = [{"type": "entity_place", "value": "洞窟"}, {"type": "entity_person", "value": "やな"}]
        interest = Revision(
            kind="state",
            after={"kind": "persona_interest_state", "body_text": "", "payload": {"attention_targets": targets}},
            evidence=(two,),
            at=NOON,
        )
        told.memories.write(told.scope(), two, MemoryWriting(revisions=(interest,)))
        told.memories.forget(told.scope(), "chat", [one])
        (left,) = told.memories.revisions(told.scope())
        assert left.after is not None
        assert left.after["payload"]["attention_targets"] == targets[1:]

    def test_a_chat_forgets_in_the_journal_too_and_still_adds_up(self, told: Told) -> None:
        one, two, three = told.tell("紅茶が好き", "秘密の合言葉", "おやすみ")
        for after in (None, one, two):
            prompt = {"messages": [{"role": "user", "content": f"規則\n{after}の次"}], "reply": "はい", "fault": None}
            told.journal.record_call("chat", "main", after, 1, f"key{after}", prompt)
        gone = told.memories.forget(told.scope(), "chat", [two])
        assert (gone.rows, gone.calls) == (1, 3)
        rows = told.journal.lineage("chat", "main")
        assert [row.event.payload for row in rows] == [
            {"user_text": "紅茶が好き"},
            {"forgotten": True},
            {"user_text": "おやすみ"},
        ]
        assert told.journal.check("chat") == []
        told.memories = Memories(told.journal)
        assert told.texts_of_untaken() == []
        assert told.journal.append("chat", "main", [said("おはよう")], three)[0].parent == three
        assert told.journal.check("chat") == []

    def test_calls_from_before_a_forgotten_event_and_of_other_gardens_stay(self, journal: Journal) -> None:
        told, kitchen = Told(journal), Told(journal, GARDEN)
        prompt = {"messages": [{"role": "user", "content": "共通の規則"}], "reply": "はい", "fault": None}
        journal.record_call("chat", "main", None, 1, "early", prompt)
        one, two = told.tell("紅茶が好き"), told.tell("秘密")
        journal.record_call("chat", "main", two[0], 2, "late", prompt)
        journal.record_call("kitchen", "main", None, 1, "other", prompt)
        assert told.memories.forget(told.scope(), "chat", two).calls == 1
        assert journal.recorded_call("kitchen", "main", None, "other") == prompt
        assert [row.call for row in journal.calls("chat", "main", prompts=True)] == [prompt]
        assert journal.recorded_call("chat", "main", two[0], "late") is None
        journal.record_call("chat", "main", two[0], 2, "again", prompt)
        assert journal.recorded_call("chat", "main", two[0], "again") == prompt
        assert journal.check("chat") == journal.check("kitchen") == []
        assert one
        assert kitchen.texts() == []

    def test_a_question_from_before_a_purge_is_not_written_down_after_it(self, told: Told) -> None:
        (seq,) = told.tell("秘密")
        asked = {"purpose": "ghost.reply", "messages": [{"role": "user", "content": "秘密"}], "reply": "うん"}

        def written(purges: int | None) -> int:
            told.journal.record_call("chat", "main", seq, 2, f"{purges}", asked, purges=purges)
            return len(told.journal.calls("chat", "main"))

        before = told.memories.purges()
        assert [written(before), written(None)] == [1, 2]
        told.memories.forget(told.scope(), "chat", [seq])
        assert [written(before), written(told.memories.purges())] == [0, 1]

    def test_a_garden_keeps_its_history_when_a_character_forgets(self, journal: Journal) -> None:
        told = Told(journal, GARDEN)
        (seq,) = told.tell("二人で話した秘密", who=("やな", "あゆ"))
        gone = told.memories.forget(told.scope(), "kitchen", [seq])
        assert (gone.events, gone.rows, gone.calls) == (1, 0, 0)
        assert (told.texts(who="やな"), told.texts(who="あゆ")) == ([], ["二人で話した秘密"])
        assert journal.lineage("kitchen", "main")[0].event.payload == {"user_text": "二人で話した秘密"}

    def test_a_number_is_never_used_twice(self, told: Told) -> None:
        (seq,) = told.tell("紅茶が好き")
        (first,) = told.memories.write(told.scope(), seq, MemoryWriting(revisions=(state("一", evidence=(seq,)),)))
        told.memories.forget(told.scope(), "chat", [seq])
        (other,) = told.tell("おはよう")
        (second,) = told.memories.write(told.scope(), other, MemoryWriting(revisions=(state("二"),)))
        assert second.id > first.id

    def test_counts_are_of_the_line(self, told: Told) -> None:
        one, two = told.tell("紅茶が好き", "おはよう")
        (kept,) = told.memories.write(told.scope(), one, MemoryWriting(revisions=(state("一"),)))
        closed = Revision(item=kept.item, kind="state", before=kept.after, after=None, at=NOON)
        told.memories.write(told.scope(), two, MemoryWriting(revisions=(closed,)))
        assert told.memories.stats(told.scope()).items == {}
        told.journal.move_head("chat", "main", one)
        found = told.memories.stats(told.scope())
        assert (found.events, found.searchable, found.revisions, found.items) == (1, 1, 1, {"state": 1})

    # --- copies ------------------------------------------------------------------------------------------------------

    def test_a_backup_carries_memory(self, told: Told, tmp_path: Path) -> None:
        first, second = told.tell("紅茶が好き", "おやすみ")
        note = Annotation(seq=first, entities=(YANA,), threads=("旅行",))
        (made,) = told.memories.write(
            told.scope(), first, MemoryWriting(revisions=(state("紅茶が好き"),), annotations=(note,))
        )
        told.memories.put_vectors(told.scope().ghost, "e", [("event", first, b"\x00\x3c")])
        told.memories.forget(told.scope(), "chat", [second])
        told.journal.backup(tmp_path / "copy.db")
        with closing(open_journal(f"sqlite:///{tmp_path}/copy.db")) as journal:
            copy = Told(journal)
            assert copy.memories.stats(copy.scope()) == told.memories.stats(told.scope())
            assert (copy.texts(), copy.with_word("紅茶"), copy.held()) == (["紅茶が好き"], [first], ["紅茶が好き"])
            assert kept_vectors(copy.memories, copy.scope().ghost) == [("event", first, b"\x00\x3c")]
            assert journal.check("chat") == []
            (third,) = copy.tell("おはよう")
            (later,) = copy.memories.write(copy.scope(), third, MemoryWriting(revisions=(state("早起き"),)))
            assert later.id > made.id
            assert copy.texts() == ["紅茶が好き", "おはよう"]
