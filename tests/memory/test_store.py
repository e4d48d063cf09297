"""Memory in a file and in the process keeps the promises; and what is particular to a file."""

import asyncio
import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine

from hakoniwa.errors import JournalBroken, JournalError
from hakoniwa.journal import MAIN, Journal
from hakoniwa.journal.copies import copy_of
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.journal.open import open_journal
from hakoniwa.memory.gather import gather
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.retrieval_plan import PersonaFocusHint, plan_for
from hakoniwa.memory.store import Annotation, Memories, MemoryScope, MemoryWriting
from hakoniwa.persona.generated import Generated
from hakoniwa.persona.persona import Persona
from hakoniwa.persona.records import Affect, Entity, EntityType, LinkKind, MemoryLink, Vad
from tests.journal import old
from tests.journal.contract import call, refused
from tests.memory.large import PEOPLE, fill
from tests.memory.store import CHAT, NOON, StoreContract, Told, run, state, told
from tests.pace import busy

__all__ = ["told"]  # the fixture of the contract

ROOT = Path(__file__).parents[2]
CLAIMER = """
import json, sys
from datetime import datetime
from hakoniwa.memory.store import Memories
from hakoniwa.journal.open import open_journal

memories = Memories(open_journal(sys.argv[1]))
claimed = []
while found := memories.pending(None, 7, datetime.fromisoformat(sys.argv[2])):
    claimed += [work.id for work in found]
print(json.dumps(claimed))
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "garden.db"


@pytest.fixture
def journal(file: Path) -> Iterator[Journal]:
    journal = open_journal(f"sqlite:///{file}")
    yield journal
    journal.close()


class TestMemory(StoreContract):
    @pytest.fixture
    def journal(self) -> Journal:
        return MemoryJournal()


class TestSqlite(StoreContract):
    """With the journal in a file."""


def by_hand(file: Path, *statements: str) -> None:
    """Change the file as someone with the sqlite3 shell would."""
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


# --- forgetting ----------------------------------------------------------------------------------------------------


def test_of_what_was_forgotten_no_byte_is_left_in_the_file(told: Told, file: Path) -> None:
    canary, name = "かなりあの歌を覚えている canary7391", "金糸雀屋敷"
    place = Entity(type=EntityType.PLACE, name=name)
    for number in range(60):  # so that pages are split, and old text lies about in them
        told.tell(f"{number}番目の雑談。天気と紅茶と、きのう読んだ本の話。")
    (asked,) = told.tell("前置き")
    told.memories.record_run(told.scope(), asked, run([], canary))
    prompt = call(said=canary, reply=canary)
    told.journal.record_call("chat", "main", asked, 1, "key", prompt)
    (seq,) = told.tell(canary)
    scope = told.scope()
    writing = MemoryWriting(
        annotations=(Annotation(seq=seq, entities=(place,), threads=(name,)),),
        revisions=(state(canary, evidence=(seq,)),),
        affects=(Affect(seq=seq, text=Generated(canary), vad=Vad(), at=NOON),),
    )
    told.memories.write(scope, seq, writing)
    told.memories.snapshot(scope, seq, "periodic", {"attention_targets": [{"value": name}]}, NOON)
    for number in range(60):
        told.tell(f"{number}番目の続き。")
    told.memories.record_run(told.scope(), seq + 1, run([{"type": "event", "key": seq, "snippet": canary}]))

    def traces() -> list[str]:
        files = [path for path in sorted(file.parent.iterdir()) if path.name.startswith(file.name)]
        data = b"".join(path.read_bytes() for path in files)
        return [word for word in (canary, "かなりあの歌", "canary7391", name) if word.encode() in data]

    assert len(traces()) == 4
    gone = told.memories.forget(told.scope(), "chat", [seq])
    assert traces() == []
    assert (gone.rows, gone.calls, gone.traces) == (1, 1, False)
    assert told.journal.check("chat") == []
    assert len(told.texts()) == 100


def test_nothing_comes_of_what_was_forgotten_meanwhile(told: Told) -> None:
    (seq,) = told.tell("秘密の合言葉")
    scope = told.scope()
    told.memories.forget(scope, "chat", [seq])
    assert told.memories.write(scope, seq, MemoryWriting(revisions=(state("合言葉", evidence=(seq,)),))) == ()


def test_the_copy_an_upgrade_has_made_goes_and_no_other(told: Told, file: Path) -> None:
    (seq,) = told.tell("秘密の合言葉")
    copy, own = copy_of(file, "0003"), file.with_name("journal.mine.db")
    told.journal.backup(copy)
    told.journal.backup(own)
    assert "秘密".encode() in copy.read_bytes()
    gone = told.memories.forget(told.scope(), "chat", [seq])
    assert (gone.copies, gone.traces) == (1, False)
    assert own.exists()
    assert not copy.exists()


def test_a_copy_that_cannot_be_removed_is_not_passed_over_in_silence(told: Told, file: Path) -> None:
    (seq,) = told.tell("秘密の合言葉")
    copy_of(file, "0003").mkdir()
    assert told.memories.forget(told.scope(), "chat", [seq]).traces


def test_a_reader_elsewhere_keeps_old_pages_alive_and_the_answer_says_so(file: Path) -> None:
    with closing(open_journal(f"sqlite:///{file}")) as journal, closing(sqlite3.connect(file)) as reader:
        told = Told(journal)
        (seq,) = told.tell("秘密の合言葉")
        journal.database.outside("PRAGMA busy_timeout = 50")
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM events").fetchall()
        assert told.memories.forget(told.scope(), "chat", [seq]).traces
        reader.rollback()
        assert not told.memories.forget(told.scope(), "chat", [seq]).traces
        assert "秘密".encode() not in file.read_bytes()


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ('UPDATE events SET payload = \'{"user_text":"改竄"}\' WHERE seq = 2', ["row 2: its hash does not add up"]),
        ("UPDATE events SET payload = '{\"forgotten\":1}' WHERE seq = 2", ["row 2: its hash does not add up"]),
        ("UPDATE events SET origin = 'gm' WHERE seq = 2", ["row 2: its hash does not add up"]),
        ("UPDATE events SET witnesses = '[]' WHERE seq = 2", ["row 2: its hash does not add up"]),
        (
            "UPDATE events SET row_hash = 'x' WHERE seq = 2",
            ["row 2: its hash does not add up", "row 3: its hash does not add up"],
        ),
        ("UPDATE events SET payload = '{\"forgotten\":true}' WHERE seq = 1", ["row 1: its hash does not add up"]),
        ("DELETE FROM forgotten", ["row 2: its hash does not add up"]),
        ("UPDATE forgotten SET seq = 3", ["row 2: its hash does not add up", "row 3: its hash does not add up"]),
    ],
)
def test_a_forgotten_row_is_excused_only_as_it_was_left(
    told: Told, file: Path, statement: str, found: list[str]
) -> None:
    told.tell("紅茶が好き", "秘密の合言葉", "おやすみ")
    told.memories.forget(told.scope(), "chat", [2])
    assert told.journal.check("chat") == []
    by_hand(file, statement)
    assert told.journal.check("chat") == found


def test_who_kept_texts_in_mind_since_before_a_purge_writes_them_again(told: Told, file: Path) -> None:
    (seq,) = told.tell("秘密の合言葉")
    told.journal.record_call("chat", "main", seq, 1, "one", call())
    with closing(open_journal(f"sqlite:///{file}")) as other:
        memories = Memories(other)
        memories.forget(told.scope(), "chat", [seq])
    told.journal.record_call("chat", "main", seq, 1, "two", call())
    assert told.journal.recorded_call("chat", "main", seq, "two") == call()
    assert told.journal.check("chat") == []


# --- writers -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", ["revisions", "annotations", "marks", "affects", "links"])
def test_a_writing_the_database_refuses_is_not_applied_by_halves(told: Told, file: Path, table: str) -> None:
    one, two = told.tell("紅茶が好き", "おはよう")
    (work,) = told.memories.pending(None, 1, NOON)
    before = told.memories.stats(told.scope())
    by_hand(file, f"CREATE TRIGGER no BEFORE INSERT ON {table} BEGIN SELECT RAISE(ABORT, 'no'); END")
    writing = MemoryWriting(
        annotations=(Annotation(seq=one, threads=("旅行",)),),
        revisions=(state("紅茶が好き"),),
        affects=(Affect(seq=one, vad=Vad(), at=NOON),),
        links=(MemoryLink(source=two, target=one, kind=LinkKind.SAME_TOPIC),),
    )
    refused(JournalError, "journal.failed", lambda: told.memories.write(told.scope(), one, writing, done=work.id))
    assert told.memories.stats(told.scope()) == before
    by_hand(file, "DROP TRIGGER no")
    assert len(told.memories.write(told.scope(), one, writing, done=work.id)) == 1


def test_memory_that_fails_to_take_in_takes_nothing_in(told: Told, file: Path) -> None:
    told.write("紅茶が好き", "おはよう")
    by_hand(file, "CREATE TRIGGER no BEFORE INSERT ON works BEGIN SELECT RAISE(ABORT, 'no'); END")
    refused(JournalError, "journal.failed", told.catch_up)
    by_hand(file, "DROP TRIGGER no")
    assert told.texts_of_untaken() == ["紅茶が好き", "おはよう"]
    told.catch_up()
    assert told.texts() == ["紅茶が好き", "おはよう"]


def test_several_may_take_in_the_same_rows_at_once(told: Told, file: Path) -> None:
    told.write(*(f"{number}番目の話" for number in range(30)))
    with closing(open_journal(f"sqlite:///{file}")) as other, ThreadPoolExecutor(4) as pool:
        several = [Told(journal) for journal in (told.journal, told.journal, other, other)]
        list(pool.map(Told.catch_up, several))
    assert len(told.texts()) == 30
    assert told.memories.stats(told.scope()).works == {"queued": 30}


def test_processes_never_claim_the_same_work(told: Told, file: Path) -> None:
    told.tell(*(f"{number}番目の話" for number in range(80)))
    program = [sys.executable, "-c", CLAIMER, f"sqlite:///{file}", NOON.isoformat()]
    both = [subprocess.Popen(program, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    claimed = [json.loads(one.communicate()[0]) for one in both]
    assert len(claimed[0]) + len(claimed[1]) == 80
    assert len({*claimed[0], *claimed[1]}) == 80


# --- readers -------------------------------------------------------------------------------------------------------


def test_what_is_read_together_is_read_at_one_moment(told: Told) -> None:
    told.tell("紅茶が好き")
    scope = told.scope()
    with told.journal.database.together():
        before = told.memories.stats(scope), told.memories.runs(scope, 9)
        with ThreadPoolExecutor(1) as elsewhere:
            elsewhere.submit(told.memories.record_run, scope, 1, run([])).result()
        assert (told.memories.stats(scope).events, told.memories.runs(scope, 9)) == (before[0].events, [])
    assert len(told.memories.runs(scope, 9)) == 1


def test_a_question_that_fails_spoils_no_other_that_is_read_together_with_it(told: Told, file: Path) -> None:
    told.tell("紅茶が好き")
    by_hand(file, "DROP TABLE links")
    with told.journal.database.together():
        assert told.with_word("紅茶") == [1]
        refused(JournalBroken, "journal.broken", lambda: told.memories.linked(told.scope(), [1], 5))
        assert told.with_word("紅茶") == [1]


def test_a_reader_who_reads_together_may_write_in_between(told: Told) -> None:
    told.tell("紅茶が好き")
    with told.journal.database.together():
        assert told.with_word("紅茶") == [1]
        told.memories.record_run(told.scope(), 1, run([]))
    assert len(told.memories.runs(told.scope(), 9)) == 1


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("普通の言葉", "普通の言葉"),
        ("\ud83d\ude00", "😀"),  # the halves of one sign
        ("片割れ\ud83d", "片割れ\ufffd"),
        (float("nan"), None),
        ([1, ("組", float("inf"))], [1, ["組", None]]),
    ],
)
def test_a_run_is_kept_whatever_is_in_it(told: Told, said: object, kept: object) -> None:
    (seq,) = told.tell("紅茶が好き")
    told.memories.record_run(told.scope(), seq, run([{"type": "event", "key": seq, "said": said}]))
    (found,) = told.memories.runs(told.scope(), 1)
    assert found.candidates == [{"type": "event", "key": seq, "said": kept}]


# --- journals from before ------------------------------------------------------------------------------------------


def test_a_journal_from_before_there_was_memory_can_be_taken_in(file: Path) -> None:
    engine = create_engine(f"sqlite:///{file}")
    with engine.begin() as connection:
        config = Config(attributes={"connection": connection})
        config.set_main_option("script_location", "hakoniwa.journal:migrations")
        command.upgrade(config, "0002")
    engine.dispose()
    by_hand(file, "DELETE FROM counters", *old.inserts("counters", "gardens", "events", "branches"))
    with closing(open_journal(f"sqlite:///{file}")) as journal:
        told = Told(journal, journal.garden("box"), "楓")
        for branch in ("main", "二度目"):
            told.catch_up(branch)
        assert [one.seq for one in told.memories.recent(told.scope("二度目"), 99)] == [11, 10, 9, 5, 4, 3, 2, 1]
        assert [one.seq for one in told.memories.recent(told.scope(), 99)] == [5, 4, 3, 2, 1]
        old.is_as_it_was_left(journal)


# --- speed ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    """A hundred thousand memories of one ghost, and as many of others around them."""
    journal = open_journal(f"sqlite:///{tmp_path_factory.mktemp('many')}/garden.db")
    told = Told(journal, CHAT)
    fill(told, 100_000)
    yield told
    journal.close()


QUESTIONS: dict[str, Callable[[Memories, MemoryScope], object]] = {
    "the newest": lambda memories, scope: memories.recent(scope, 12),
    "words": lambda memories, scope: memories.with_words(scope, ["毎度", "時折", "一度"], 50),
    "names": lambda memories, scope: memories.of_entities(scope, PEOPLE[:2], 50),
    "links": lambda memories, scope: memories.linked(scope, [5, 500, 50_000], 50),
    "what lies beside twenty": lambda memories, scope: memories.beside(scope, range(1, 100_000, 5_000), 3),
    "forty of them": lambda memories, scope: memories.load(scope, range(1, 100_000, 2_500)),
}


@pytest.mark.pace
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_to_a_hundred_thousand_memories_is_answered_in_a_millisecond(many: Told, question: str) -> None:
    ask, scope = QUESTIONS[question], many.scope()
    assert ask(many.memories, scope)
    assert busy(lambda: [ask(many.memories, scope) for _ in range(20)], within=0.020) < 0.020


@pytest.mark.pace
def test_candidates_from_a_hundred_thousand_memories_are_gathered_in_four_milliseconds(many: Told) -> None:
    who = Persona(name=many.who, persona_text="穏やかな人。", second_person_label="あなた")
    ghost = Ghost(many.memories, many.garden, MAIN, many.who, who, head=many.head())
    plan = plan_for("毎度のことだが、時折、人物7と一度だけ話した。", NOON, PersonaFocusHint(), "ja")

    async def often() -> int:
        return sum([len((await gather(ghost, plan, NOON)).candidates) for _ in range(20)])

    assert asyncio.run(often()) == 20 * plan.limits.max_candidates
    assert busy(lambda: asyncio.run(often()), within=0.080) < 0.080
