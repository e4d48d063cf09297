"""Gathering: every source is asked at once, each within its time; what they found is one list."""

import asyncio
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hakoniwa.journal import MAIN
from hakoniwa.journal.sql import SqlJournal
from hakoniwa.memory import gather as gathering
from hakoniwa.memory.candidate import Candidate, SourceFind, fuse
from hakoniwa.memory.gather import QUICK, GatheredCandidates, MissedSource, gather, is_in_time, spread_by_time, threads
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.retrieval_plan import Diversify, PersonaFocusHint, plan_for
from hakoniwa.memory.sources import RECENT, CandidateSource, LazyResult, SourceQuery, sources
from hakoniwa.memory.store import Annotation, MemoryWriting
from hakoniwa.memory.when import TimeHint
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
    PersonaState,
    Revision,
    StateKind,
    Vad,
)
from hakoniwa.turn import Event
from tests.memory.embedding.standing_in import Characters
from tests.memory.living import GARDEN, Cares, Past, embedded, ghost_of, lived, somebody

NOW = datetime(2025, 11, 12, 6, 0, tzinfo=UTC)
KYOTO = Entity(type=EntityType.PLACE, name="京都")
PAST = [
    Past("おばあちゃんと紅茶を飲んだ。", NOW - timedelta(days=400)),
    Past("京都で抹茶の店に入った。", NOW - timedelta(days=120), (KYOTO,)),
    Past("駅で傘をなくした。", NOW - timedelta(days=60)),
    Past("京都の写真を整理した。", NOW - timedelta(days=30), (KYOTO,)),
    Past("猫がソファで寝ていた。", NOW - timedelta(days=9)),
    Past("昼は蕎麦にした。", NOW - timedelta(days=1, hours=3)),
    Past("新しい靴を買った。", NOW - timedelta(hours=2)),
]


@pytest.fixture
def ghost() -> Ghost:
    memories, head = lived(PAST, "ミナ")
    return ghost_of(memories, head, Cares(somebody()), NOW)


def asked(
    ghost: Ghost, text: str, hint: PersonaFocusHint | None = None, reply_to: int | None = None
) -> GatheredCandidates:
    plan = plan_for(text, NOW, hint or PersonaFocusHint(), "ja")
    return asyncio.run(gather(ghost, plan, NOW, reply_to))


def question(text: str) -> SourceQuery:
    plan = plan_for(text, NOW, PersonaFocusHint(), "ja")
    vector = LazyResult(lambda: Characters().embed([text])[0])
    return SourceQuery(plan=plan, words=[], vector=vector, reply_to=None, now=NOW)


def found_by(gathered: GatheredCandidates, source: str) -> list[int]:
    """The keys that a source came up with, in its own order."""
    having = [one for one in gathered.candidates if source in one.ranks]
    return [one.key for one in sorted(having, key=lambda one: one.ranks[source])]


# --- what each source finds ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "source", "keys"),
    [
        ("何か言った？", "recent_events", [7, 6, 5, 4, 3, 2, 1]),
        ("紅茶をどうぞ", "full_text", [1]),
        ("猫", "full_text", [5]),
        ("京都の抹茶", "full_text", [2, 4]),
        ("昨日のお昼", "about_time", [6]),
        ("先週のこと", "about_time", [5]),
        ("去年の話", "about_time", [1]),
        ("京都はどうだった", "entity_expand", [4, 2]),
    ],
)
def test_a_source_finds_what_it_is_there_for(ghost: Ghost, text: str, source: str, keys: list[int]) -> None:
    assert found_by(asked(ghost, text), source) == keys


TALK = [
    Past("姉と口をきいていない。", NOW - timedelta(minutes=200)),
    Past("健康診断の結果が来たよ。", NOW - timedelta(minutes=10)),
    Past("どきどきするね。", NOW - timedelta(minutes=8)),
    Past("どこも悪くなかった。", NOW - timedelta(minutes=6)),
]


def test_what_answers_is_found_beside_what_was_named_and_not_beyond_a_pause() -> None:
    memories, head = lived(TALK, "ミナ")
    ghost = ghost_of(memories, head, Cares(somebody()), NOW)
    assert found_by(asked(ghost, "健康診断はどうだった？"), "full_text") == [2, 3, 4]
    ghost.refresh(3)
    assert found_by(asked(ghost, "健康診断はどうだった？"), "full_text") == [2, 3]


def test_a_conversation_is_followed_back() -> None:
    talk = [Past(f"話{seq}", NOW, reply_to=before) for seq, before in ((1, None), (2, 1), (3, None), (4, 2))]
    memories, head = lived(talk, "ミナ")
    ghost = ghost_of(memories, head, Cares(somebody()), NOW)
    assert found_by(asked(ghost, "うん", reply_to=4), "reply_chain") == [2, 1]
    assert found_by(asked(ghost, "うん"), "reply_chain") == []


def test_threads_links_states_and_feelings_are_followed(ghost: Ghost) -> None:
    held = PersonaState(
        kind=StateKind.FACT, body_text=Generated("京都が好きらしい"), last_confirmed_at=NOW, entities=(KYOTO,)
    )
    other = held.model_copy(update={"body_text": Generated("旅は疲れるとも言っていた"), "entities": ()})
    written = ghost.apply(
        2,
        MemoryWriting(
            annotations=(
                Annotation(seq=2, about=AboutTime(life_stage=LifeStage.HIGH), threads=("旅の話",)),
                Annotation(seq=3, threads=("旅の話",)),
            ),
            revisions=tuple(Revision(kind="state", after=one.model_dump(mode="json"), at=NOW) for one in (held, other)),
            affects=(Affect(seq=2, text=Generated("しみじみした"), vad=Vad(v=0.5), at=NOW),),
            links=(
                MemoryLink(source=2, target=1, kind=LinkKind.SAME_TOPIC),
                MemoryLink(of="state", source=-1, target=-2, kind=LinkKind.CONTRADICTS),
            ),
        ),
    )
    first, second = (one.item for one in written)
    gathered = asked(ghost, "京都の抹茶")
    assert found_by(gathered, "context_links") == [1]
    assert 3 in found_by(gathered, "context_threads")
    assert found_by(gathered, "recent_states")[:2] == [first, second]
    assert found_by(asked(ghost, "高校のころ"), "about_time") == [2]
    felt = next(one for one in gathered.candidates if one.type == "event_affect")
    assert (felt.key, unseal(felt.text)) == (2, "しみじみした")


def test_what_the_persona_cares_for_is_looked_for_whatever_was_said(ghost: Ghost) -> None:
    hint = PersonaFocusHint(topic_bias=("猫",), interest_targets_hint=("entity_place:京都", "event_source:chat"))
    gathered = asked(ghost, "おはよう", hint)
    assert sorted(found_by(gathered, "persona_focus")) == [2, 4, 5]
    cues = {one.key: one.cues for one in gathered.candidates if one.cues}
    assert cues == {5: ("topic:猫",), 2: ("entity_place:京都",), 4: ("entity_place:京都",)}


@pytest.mark.parametrize("days", [[500, 400, 300, 20, 10, 5], [90] * 40 + [3] * 30, [200] * 200 + [1] * 5, [400] * 9])
def test_what_was_meant_alike_lately_is_what_a_search_of_that_time_alone_finds(days: list[int]) -> None:
    past = [Past(f"紅茶の{place}杯目", NOW - timedelta(days=back)) for place, back in enumerate(days)]
    memories, head = lived(past, "ミナ")
    embedded(memories, ["ミナ"], Characters())
    ghost = ghost_of(memories, head, Cares(somebody()), NOW, Characters())
    lately = sources["vector_recent"].find(ghost, question("紅茶を何杯飲んだ"))
    assert ghost.index is not None
    vector = Characters().embed(["紅茶を何杯飲んだ"])[0]
    alone = ghost.index.search(ghost.scope, vector, sources["vector_recent"].limit, NOW - RECENT)
    assert [round(one.sure, 6) for one in lately] == [round(near.score, 6) for near in alone]
    assert {one.key for one in lately} <= {seq for seq, back in enumerate(days, start=1) if back <= RECENT.days}


@pytest.mark.parametrize("elsewhere", [0, 50])
def test_what_was_meant_alike_lately_is_of_the_line_that_is_played(tmp_path: Path, elsewhere: int) -> None:
    """Here a branch was played on from long ago after the other had come to the present."""
    journal = SqlJournal(f"sqlite:///{tmp_path / 'journal.db'}")
    past = [Past("紅茶", NOW - timedelta(days=days)) for days in (400, *[elsewhere] * 20)]
    memories, head = lived(past, "ミナ", journal=journal)
    journal.fork(GARDEN, MAIN, "別の日", 1)
    told = [Event(kind="chat", turn=1, origin="user", witnesses=("ミナ",), payload={})] * 2
    rows = journal.append(GARDEN, "別の日", told, 1)
    at = [NOW - timedelta(days=days) for days in (300, 1)]
    again = [NewMemory(source=MemorySource.CHAT, text=Generated("紅茶"), at=one) for one in at]
    memories.take_in(GARDEN, [(row, {"ミナ": one}) for row, one in zip(rows, again, strict=True)])
    embedded(memories, ["ミナ"], Characters())
    ghost = ghost_of(memories, head, Cares(somebody()), NOW, Characters())
    ghost.refresh(rows[-1].seq)
    lately = sources["vector_recent"].find(ghost, question("紅茶"))
    assert [one.key for one in lately] == [rows[-1].seq]


def test_what_was_taken_back_is_not_found(ghost: Ghost) -> None:
    ghost.refresh(4)
    gathered = asked(ghost, "新しい靴と猫と京都")
    assert {one.key for one in gathered.candidates} <= {1, 2, 3, 4}


def test_nothing_is_found_before_anything_happened() -> None:
    memories, _ = lived([], "ミナ")
    assert asked(ghost_of(memories, 0, Cares(somebody()), NOW), "おはよう") == ((), ())


def test_no_more_candidates_than_the_plan_allows() -> None:
    memories, head = lived([Past(f"紅茶の{n}杯目", NOW - timedelta(hours=n)) for n in range(300, 0, -1)], "ミナ")
    ghost = ghost_of(memories, head, Cares(somebody()), NOW)
    plan = plan_for("紅茶", NOW, PersonaFocusHint(), "ja")
    few = plan.model_copy(update={"limits": plan.limits.model_copy(update={"max_candidates": 10})})
    assert len(asyncio.run(gather(ghost, few, NOW)).candidates) == 10


# --- sources that do not answer --------------------------------------------------------------------------------------


def made(find: Any, timeout: float = 0.2, **more: Any) -> CandidateSource:
    return CandidateSource(limit=1, timeout=timeout, weight=1.0, find=find, **more)


def breaks(*_: Any) -> list[SourceFind]:
    raise RuntimeError("no such index")


def hangs(*_: Any) -> list[SourceFind]:
    """Never comes back, until the test is over."""
    released.wait()
    return [SourceFind("event", 1)]


def waits_for(seats: threading.Barrier) -> Any:
    """Comes back once as many are asked at the same time as there are seats."""

    def find(*_: Any) -> list[SourceFind]:
        seats.wait(60.0)
        return [SourceFind("event", 1)]

    return find


released = threading.Event()


@pytest.fixture
def with_source(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    def add(name: str, source: CandidateSource) -> None:
        monkeypatch.setitem(sources, name, source)

    released.clear()
    yield add
    released.set()


@pytest.mark.parametrize(("find", "problem"), [(breaks, "failed"), (hangs, "timeout")])
@pytest.mark.parametrize("expands", [False, True])
@pytest.mark.parametrize("brief", [False, True])
def test_a_source_that_fails_or_hangs_is_missed_and_the_others_answer(
    ghost: Ghost,
    with_source: Any,
    find: Any,
    problem: Any,
    expands: bool,
    brief: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gathering, "QUICK", QUICK)
    with_source("planted", made(find, expands=expands, brief=brief))
    gathered = asked(ghost, "紅茶をどうぞ")
    assert gathered.missed == (MissedSource(source="planted", problem=problem),)
    assert found_by(gathered, "full_text") == [1]


def test_an_embedder_that_fails_costs_the_vectors_and_nothing_else(ghost: Ghost) -> None:
    class Down:
        name, dim = "down", 3

        def embed(self, texts: Any) -> Any:
            raise OSError("no server")

    ghost.embedder, ghost.index = Down(), object()  # type: ignore[assignment]
    gathered = asked(ghost, "紅茶をどうぞ")
    assert {one.source for one in gathered.missed} == {"vector_recent", "vector_global"}
    assert found_by(gathered, "full_text") == [1]


def test_an_embedder_that_is_slow_is_waited_for_and_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "QUICK", QUICK)

    class Slowly(Characters):
        def embed(self, texts: Any) -> Any:
            time.sleep(2 * QUICK)
            return super().embed(texts)

    memories, head = lived(PAST, "ミナ")
    embedded(memories, ["ミナ"], Characters())
    ghost = ghost_of(memories, head, Cares(somebody()), NOW, embedder := Slowly())
    gathered = asked(ghost, "紅茶をどうぞ")
    assert gathered.missed == ()
    assert found_by(gathered, "vector_global")[0] == 1
    assert embedder.asked == ["紅茶をどうぞ"]


def test_sources_answer_while_others_who_remember_wait_for_something_slow(
    ghost: Ghost, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy, over = ThreadPoolExecutor(1), threading.Event()
    monkeypatch.setattr(gathering, "one_thread_each", busy)
    monkeypatch.setattr(gathering, "QUICK", QUICK)
    busy.submit(over.wait)
    try:
        gathered = asked(ghost, "紅茶をどうぞ")
    finally:
        over.set()
        busy.shutdown()
    assert gathered.missed == ()
    assert found_by(gathered, "full_text") == [1]


def test_sources_of_which_none_keeps_the_others_waiting_share_a_thread(
    ghost: Ghost, monkeypatch: pytest.MonkeyPatch
) -> None:
    on: set[int] = set()

    def noting(find: Any) -> Any:
        def find_and_note(*question: Any) -> Any:
            on.add(threading.get_ident())
            return find(*question)

        return find_and_note

    for name in sources:
        assert sources[name].brief, name
        monkeypatch.setitem(sources, name, replace(sources[name], find=noting(sources[name].find)))
    asked(ghost, "京都の抹茶")
    assert len(on) == 1


def test_sources_look_at_the_same_time(ghost: Ghost, with_source: Any) -> None:
    seats = threading.Barrier(5)
    for count in range(seats.parties):
        with_source(f"waiting{count}", made(waits_for(seats), timeout=60.0, brief=False))
    assert not asked(ghost, "紅茶をどうぞ").missed


USUAL_TIMEOUTS = {name: one.timeout for name, one in sources.items()}  # as they are before a test lifts them


def test_every_source_has_its_limits() -> None:
    for name in sources:
        assert 0.2 <= USUAL_TIMEOUTS[name] <= 2.2, name
        assert sources[name].limit > 0, name
        assert sources[name].weight > 0, name


# --- putting together ------------------------------------------------------------------------------------------------


def test_what_several_sources_found_comes_before_what_one_found() -> None:
    one, two, three = (SourceFind("event", key) for key in (1, 2, 3))
    found = fuse({"a": [one, two], "b": [three, two]}, {"a": 1.0, "b": 1.0})
    assert next(iter(found)) == ("event", 2)
    assert found["event", 2].ranks == {"a": 2, "b": 2}


def test_a_source_counts_by_its_weight_and_by_how_sure_it_is() -> None:
    sure, unsure = SourceFind("event", 1, 1.0), SourceFind("event", 2, 0.1)
    heavy = fuse({"a": [sure], "b": [unsure]}, {"a": 1.0, "b": 5.0})
    assert [key for _, key in heavy] == [1, 2]
    assert [key for _, key in fuse({"a": [sure], "b": [unsure]}, {"a": 1.0, "b": 50.0})] == [2, 1]


def test_what_a_source_finds_twice_counts_once_and_keeps_both_cues() -> None:
    twice = [SourceFind("event", 1, cue="topic:茶"), SourceFind("event", 2), SourceFind("event", 1, cue="topic:猫")]
    found = fuse({"a": twice}, {"a": 1.0})
    assert found["event", 1].ranks == {"a": 1}
    assert found["event", 2].ranks == {"a": 2}
    assert found["event", 1].cues == ["topic:茶", "topic:猫"]


def candidate(key: int, at: datetime = NOW, **about: Any) -> Candidate:
    return Candidate(type="event", key=key, text=Generated("…"), at=at, about=AboutTime(**about))


@pytest.mark.parametrize(
    ("one", "when", "meant"),
    [
        (candidate(1), TimeHint(), False),
        (candidate(1), TimeHint(at_from=NOW, at_to=NOW + timedelta(days=1)), True),
        (candidate(1), TimeHint(at_from=NOW - timedelta(days=1), at_to=NOW), False),
        (candidate(1, year_start=2019, year_end=2020), TimeHint(about_year_start=2020, about_year_end=2024), True),
        (candidate(1, year_start=2019, year_end=2020), TimeHint(about_year_start=2021, about_year_end=2024), False),
        (candidate(1, year_start=2019), TimeHint(about_year_start=2019, about_year_end=2019), True),
        (candidate(1, life_stage="high"), TimeHint(life_stage_hint=(LifeStage.UNIVERSITY, LifeStage.HIGH)), True),
        (candidate(1, life_stage="work"), TimeHint(life_stage_hint=(LifeStage.HIGH,)), False),
        (candidate(1), TimeHint(life_stage_hint=(LifeStage.HIGH,)), False),
    ],
)
def test_what_lies_in_the_time_that_was_spoken_of(one: Candidate, when: TimeHint, meant: bool) -> None:
    assert is_in_time(one, when) is meant


def test_no_time_of_life_fills_the_front() -> None:
    school = [candidate(key, life_stage="high") for key in range(8)]
    others = [candidate(key) for key in range(8, 12)]
    ordered = spread_by_time([*school, *others], Diversify())
    assert [one.key for one in ordered] == [0, 1, 2, 3, 4, 8, 9, 10, 11, 5, 6, 7]
    assert spread_by_time([*school, *others], Diversify(by=())) == [*school, *others]


def test_years_are_spread_by_handfuls() -> None:
    years = [candidate(year, year_start=year) for year in (2010, 2011, 2012, 2013, 2014, 2010, 2015)]
    assert [one.key for one in spread_by_time(years, Diversify())] == [2010, 2011, 2012, 2013, 2014, 2015, 2010]


def test_the_threads_are_enough_for_every_source_at_once() -> None:
    assert threads._max_workers >= len(list(sources))
