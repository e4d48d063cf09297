"""What is forgotten while something is under way because of it is not said, written down or remembered again."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from hakoniwa.app.memory_inspection import forget
from hakoniwa.autonomy.flow import AutonomyFlow
from hakoniwa.autonomy.inspect import recent_deliberations
from hakoniwa.autonomy.log import AutonomyLog, FlowBrokenOff, flow_key
from hakoniwa.capabilities.spool import AgentOutcome, Spool, job_id
from hakoniwa.chat.autonomy_rows import ActivityRow, DecisionRow, EndRow, IntentRow, MessageRow, ResultRow, Trigger
from hakoniwa.chat.lineage import catch_up
from hakoniwa.jobs.dbos import DbosJobs
from hakoniwa.journal import MAIN, Journal
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.journal.open import open_journal
from hakoniwa.llm import Message, Usage
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.store import ForgetResult, Memories, MemoryWriting
from hakoniwa.persona.generated import unseal
from hakoniwa.persona.interest import AttentionTarget
from tests.autonomy.cottage import NOON, Cottage, Puppet, later
from tests.jobs.contract import until
from tests.memory.store import state

CHAT, CANARY = "chat-mina", "金糸雀七三九一"
WHY = "autonomy.forgotten"


@pytest.fixture(params=["memory", "file"])
def journal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Journal]:
    journal = MemoryJournal() if request.param == "memory" else open_journal(f"sqlite:///{tmp_path / 'journal.db'}")
    yield journal
    journal.close()


class Interrupted(Puppet):
    """A model in the middle of whose answer something else happens."""

    def __init__(self, purpose: str, **lines: Any) -> None:
        super().__init__(**lines)
        self.purpose, self.meanwhile = f"ghost.{purpose}", lambda: None

    async def chat(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> AsyncIterator[str | Usage]:
        if purpose == self.purpose:
            await asyncio.to_thread(self.meanwhile)
        async for one in super().chat(messages, purpose, max_tokens, schema):
            yield one


def begun(journal: Journal, model: Puppet) -> Cottage:
    """A cottage in which somebody is about to think about what to do."""
    cottage = Cottage({CHAT: model}, journal=journal)
    doings = cottage.home(CHAT, MAIN).doings
    doings.control("start", cottage.time)
    doings.prompt(cottage.time)
    return cottage


def forget_all(journal: Journal, also: Sequence[int] = ()) -> ForgetResult:
    """Have everything that is remembered forgotten, as another process would."""
    ghost = somebody(journal)
    return forget(ghost, [*(one.seq for one in ghost.memories.recent(ghost.scope, 50)), *also])


def somebody(journal: Journal) -> Ghost:
    memories = Memories(journal)
    head = catch_up(memories, journal, CHAT, MAIN)
    persona = Cottage({CHAT: None}, journal=journal).home(CHAT, MAIN).ghost.persona
    return Ghost(memories, CHAT, MAIN, "mina", persona, head=head)


def words(journal: Journal) -> list[str]:
    """Everything that is written down and held."""
    rows = [str(row.event.payload) for row in journal.since(0)]
    held = [str(row) for rows in journal.database.contents().values() for row in rows]
    return [one for one in rows + held if CANARY in one]


def told(cottage: Cottage) -> list[Any]:
    return list(AutonomyLog(cottage.journal, CHAT, MAIN, "mina").follow().of(MessageRow))


def test_what_waits_to_be_said_is_not_said_once_it_is_forgotten(journal: Journal) -> None:
    model = Puppet(deliberate=[later(2, CANARY)])
    cottage = begun(journal, model)
    home, doings = cottage.home(CHAT, MAIN), AutonomyLog(journal, CHAT, MAIN, "mina")
    home.ghost.memories.talking(CHAT, MAIN, NOON + timedelta(minutes=5))
    cottage.heart.stop()
    with closing(cottage.jobs):
        cottage.jobs.run()
        home.ghost.memories.talking(CHAT, MAIN, None)
        cottage.heart.beat()
        home.ghost.memories.talking(CHAT, MAIN, NOON + timedelta(minutes=5))
        until(lambda: list(doings.follow().of(ResultRow)))
        assert words(journal)
        assert forget_all(journal).events == 2
        home.ghost.memories.talking(CHAT, MAIN, None)
        cottage.settle()
        until(lambda: cottage.heart.beat() == 0 and not home.doings.over)
    cottage.home(CHAT, MAIN).ghost.rest(NOON)
    assert told(cottage) == []
    assert words(journal) == []
    assert not any(CANARY in prompt for purpose, prompt in model.asked)
    (one,) = recent_deliberations(AutonomyLog(journal, CHAT, MAIN, "mina").follow(), 9)
    assert (one.dropped, one.decision, one.message) == (WHY, None, None)
    assert [(one.state, one.warning) for _, one in doings.follow().of(ActivityRow)] == [("dropped", WHY)]
    assert journal.check(CHAT) == []


@pytest.mark.parametrize(
    ("asked", "remembered"), [("deliberate", 1), ("autonomy_message_render", 2), ("write_plan", 1)]
)
def test_what_the_model_is_asked_about_meanwhile_leads_to_nothing(
    journal: Journal, asked: str, remembered: int
) -> None:
    plan = {"states": [{"op": "add", "kind": "fact", "body_text": CANARY, "evidence": [1]}]}
    model = Interrupted(asked, deliberate=[later(2, CANARY)], autonomy_message_render=[f"{CANARY}だよ。"] * 5,
                        write_plan=[plan] * 9)  # fmt: skip
    cottage = Cottage({CHAT: model}, journal=journal)
    asyncio.run(_exchange(cottage))
    cottage.home(CHAT, MAIN).doings.control("start", cottage.time)
    cottage.home(CHAT, MAIN).doings.prompt(cottage.time)
    gone: list[ForgetResult] = []
    model.meanwhile = lambda: gone or gone.append(forget_all(journal))
    cottage.time += timedelta(minutes=5)
    with closing(cottage.jobs):
        cottage.jobs.run()
        cottage.settle()
        until(lambda: cottage.heart.beat() == 0 and gone and not cottage.home(CHAT, MAIN).doings.over)
    assert gone[0].events >= remembered
    assert told(cottage) == []
    assert words(journal) == []


async def _exchange(cottage: Cottage) -> None:
    async for _ in cottage.chat(CHAT).say(f"{CANARY}を預かっている。"):
        pass


def test_a_step_that_is_run_again_after_a_kill_does_not_bring_it_back(journal: Journal) -> None:
    cottage = begun(journal, Puppet(deliberate=[later(2, CANARY)]))
    life, doings = AutonomyFlow(cottage), cottage.home(CHAT, MAIN).doings
    trigger = next(iter(doings.follow().waiting.values()))
    key = flow_key(CHAT, MAIN, trigger)
    cottage.heart.beat()
    course: dict[str, Any] = {"garden": CHAT, "branch": MAIN, "trigger": trigger.model_dump(mode="json")}
    course |= asyncio.run(life.decide(f"{key}/decide", course))
    assert forget_all(journal).rows == 1
    fresh = AutonomyFlow(Cottage({CHAT: Puppet()}, journal=journal))
    for again in (life, fresh):
        with pytest.raises(FlowBrokenOff):
            asyncio.run(again.decide(f"{key}/decide", course))
        with pytest.raises(FlowBrokenOff):
            again.intend(f"{key}/intend", course)
    with pytest.raises(FlowBrokenOff):
        doings.write(IntentRow(key=f"{key}/intend", at=NOON, decision_id=1, action_type="x", action_key=CANARY))
    assert words(journal) == []


def test_that_something_was_broken_off_outlasts_a_second_purge(journal: Journal) -> None:
    cottage = begun(journal, Puppet())
    cottage.heart.beat()
    asyncio.run(_exchange(cottage))
    forget_all(journal)
    asyncio.run(_exchange(cottage))
    forget_all(journal)
    assert len(AutonomyLog(journal, CHAT, MAIN, "mina").follow().broken_off) == 1


def test_a_reminder_that_waits_is_forgotten_with_what_set_it_by_those_who_have_it_in_mind(journal: Journal) -> None:
    cottage = begun(journal, Puppet(deliberate=[later(2, CANARY)]))
    with closing(cottage.jobs):
        cottage.jobs.run()
        cottage.settle()
    home = cottage.home(CHAT, MAIN)
    assert [one.note for one in home.doings.follow().waiting.values()] == [CANARY]
    assert len(list(home.doings.of(EndRow))) == 1
    forget_all(journal)
    assert home.doings.follow().waiting == {}
    assert list(home.doings.of(ResultRow)) == []
    home.up_to_date()
    assert CANARY not in str(home.ghost.inner)
    assert CANARY not in str(home.ghost.board)
    assert words(journal) == []


def test_the_words_something_was_begun_with_go_with_it(journal: Journal) -> None:
    cottage = Cottage({CHAT: Puppet(deliberate=[later(2, "湯のみ")])}, journal=journal)
    doings = cottage.home(CHAT, MAIN).doings
    doings.control("start", cottage.time)
    doings.prompt(cottage.time, note=CANARY)
    with closing(cottage.jobs):
        cottage.jobs.run()
        cottage.settle()
    assert words(journal)
    forget_all(journal)
    assert words(journal) == []
    cottage.heart.beat()
    assert AutonomyLog(journal, CHAT, MAIN, "mina").follow().claims == {}


def test_what_has_nothing_to_do_with_it_goes_on(journal: Journal) -> None:
    cottage = begun(journal, Puppet(deliberate=[later(2, "湯のみ")]))
    asyncio.run(_exchange(cottage))
    exchange = next(row.seq for row in journal.since(0) if row.event.kind == "chat")
    doings = cottage.home(CHAT, MAIN).doings
    trigger = Trigger(key="policy/x", at=NOON, type="policy", due=NOON)
    cottage.time += timedelta(minutes=5)
    cottage.heart.beat()
    taken = next(iter(doings.follow().claims.values())).trigger
    life = AutonomyFlow(cottage)
    course = {"garden": CHAT, "branch": MAIN, "trigger": taken.model_dump(mode="json")}
    key = flow_key(CHAT, MAIN, taken)
    course |= asyncio.run(life.decide(f"{key}/decide", course))
    forget(somebody(journal), [exchange])
    assert life.intend(f"{key}/intend", course)["dropped"] is None
    assert doings.goes_on(flow_key(CHAT, MAIN, trigger))
    assert [one.acting for _, one in doings.follow().of(DecisionRow)] == [True]


def test_whoever_has_it_in_mind_holds_it_no_longer(journal: Journal) -> None:
    cottage = Cottage({CHAT: None}, journal=journal)
    for _ in range(2):
        asyncio.run(_exchange(cottage))
    first, second = [row.seq for row in journal.since(0) if row.event.kind == "chat"]
    ghost = somebody(journal)
    for seq, text in ((first, CANARY), (second, "湯のみ")):
        after = {"kind": "fact", "body_text": text, "last_confirmed_at": NOON.isoformat()}
        held = state(text, evidence=(seq,)).model_copy(update={"after": after})
        ghost.apply(seq, MemoryWriting(revisions=(held,)))
    target = AttentionTarget(type="topic", value=CANARY, weight=0.5, updated_at=NOON)
    ghost.board = ghost.board.model_copy(update={"attention_targets": (target,)})
    ghost.rest(NOON)
    forget(somebody(journal), [first])
    ghost.refresh(second)
    assert [unseal(one.body_text) for one in ghost.inner.states.values()] == ["湯のみ"]
    assert CANARY not in str(ghost.board)


def test_what_a_flow_found_out_is_gone_from_where_work_is_kept(tmp_path: Path) -> None:
    with closing(open_journal(f"sqlite:///{tmp_path / 'journal.db'}")) as journal:
        cottage = begun(journal, Puppet())
        asyncio.run(_exchange(cottage))
        cottage.time += timedelta(minutes=5)
        cottage.heart.beat()
        (claim,) = cottage.home(CHAT, MAIN).doings.claims.values()
        key = flow_key(CHAT, MAIN, claim.trigger)
        with closing(DbosJobs(f"sqlite:///{tmp_path / 'journal.jobs.db'}", [AutonomyFlow(cottage).flow()])) as jobs:
            jobs.start("autonomy", key, {"note": CANARY.encode().hex()})
            assert not forget_all(journal).traces
            assert jobs.status(key) == "cancelled"
            files = [one for one in tmp_path.iterdir() if one.is_file()]
            assert [one for one in files if CANARY.encode().hex().encode() in one.read_bytes()] == []


def test_the_files_of_a_task_go_with_what_it_was_done_for(journal: Journal, tmp_path: Path) -> None:
    cottage = begun(journal, Puppet(deliberate=[later(2, CANARY)]))
    trigger = next(iter(cottage.home(CHAT, MAIN).doings.follow().waiting.values()))
    with closing(cottage.jobs):
        cottage.jobs.run()
        cottage.settle()
    spool = Spool(tmp_path / "delegated")
    spool.end(job_id(f"{flow_key(CHAT, MAIN, trigger)}/act"), AgentOutcome(raw_output_text=CANARY))
    ghost = somebody(journal)
    seqs = [one.seq for one in ghost.memories.recent(ghost.scope, 50)]
    assert not forget(ghost, seqs, spool.root).traces
    assert [one for one in spool.root.rglob("*") if one.is_file()] == []
    again = forget(somebody(journal), seqs, spool.root)
    assert (again.events, again.rows, again.traces) == (0, 0, False)
