"""What every kind of Jobs promises, and what those promise that outlive their process."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any

import pytest

from hakoniwa.errors import JournalError, UnknownName
from hakoniwa.jobs import Flow, FlowContext, FlowEnd, FlowFault, FlowStep, Jobs, StepFailed, StepOutcome

WITHIN = 120.0


def until(true: Callable[[], Any], within: float = WITHIN) -> Any:
    """What it returns as soon as that is something; fails when it never is."""
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        if found := true():
            return found
        time.sleep(0.01)
    raise AssertionError(f"not within {within} s")


def ended(jobs: Jobs, key: str, within: float = WITHIN) -> FlowEnd:
    found: FlowEnd = until(lambda: jobs.result(key), within)
    return found


@contextmanager
def looking(jobs: Jobs, pulse: float = 0.05) -> Iterator[None]:
    """Look for work as the scheduler does, from a thread of its own."""
    over = threading.Event()

    def look() -> None:
        while not over.wait(pulse):
            with suppress(JournalError):
                jobs.look()

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


class Bench:
    """Steps that write down what they do and can be held up; all of it in this process."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.let: dict[str, threading.Event] = {}

    def step(self, name: str, **more: Any) -> FlowStep:
        def work(key: str, given: Any) -> Any:
            self.done.append(key)
            return f"{given or ''}{name}"

        return FlowStep(name, work, **more)

    def held(self, name: str, **more: Any) -> FlowStep:
        """A step that begins and goes on only when it is let."""
        let = self.let.setdefault(name, threading.Event())

        async def work(key: str, given: Any) -> Any:
            self.done.append(f"{key} begins")
            while not let.is_set():
                await asyncio.sleep(0.01)
            self.done.append(key)
            return name

        return FlowStep(name, work, **more)

    def stuck(self, name: str) -> FlowStep:
        """A step in a thread, which nobody can stop."""
        let = self.let.setdefault(name, threading.Event())

        def work(key: str, given: Any) -> Any:
            self.done.append(f"{key} begins")
            let.wait(WITHIN)
            self.done.append(key)
            return name

        return FlowStep(name, work)

    def failing(self, times: int, **more: Any) -> FlowStep:
        def work(key: str, given: Any) -> str:
            self.done.append(key)
            if len(self.done) <= times:
                raise ConnectionError("nobody there")
            return "there"

        return FlowStep("ask", work, pause=0.01, **more)


def flow(*steps: FlowStep, name: str = "line", at_once: int = 4) -> Flow:
    """One step after another, each given what the last returned; what the last returned in the end."""

    async def run(line: FlowContext, order: Any) -> Any:
        found = order.get("from", "")
        for step in steps:
            found = await line.do(step, found)
        return found if found is not StepOutcome.UNKNOWN else "unknown"

    return Flow(name, run, at_once)


class JobsContract:
    """Subclasses say how jobs are opened."""

    def open(self, *flows: Flow) -> Jobs:
        raise NotImplementedError

    @contextmanager
    def at_work(self, *flows: Flow) -> Iterator[Jobs]:
        with closing(self.open(*flows)) as jobs:
            jobs.run()
            with looking(jobs):
                yield jobs
            jobs.close(patience=0)

    @pytest.fixture
    def bench(self) -> Bench:
        return Bench()

    def test_each_step_is_given_what_the_last_returned_and_a_key_of_its_own(self, bench: Bench) -> None:
        async def later(key: str, given: Any) -> Any:
            await asyncio.sleep(0)
            bench.done.append(key)
            return f"{given}b"

        with self.at_work(flow(bench.step("a"), FlowStep("b", later), bench.step("c", once=True))) as jobs:
            jobs.start("line", "雨", {"from": "→"})
            assert ended(jobs, "雨") == FlowEnd(status="done", value="→abc")
        assert bench.done == ["雨/a", "雨/b", "雨/c"]

    def test_a_key_starts_nothing_twice(self, bench: Bench) -> None:
        with self.at_work(flow(bench.step("a"))) as jobs:
            for order in ("1", "2"):
                jobs.start("line", "k", {"from": order})
            assert ended(jobs, "k").value == "1a"
            jobs.start("line", "k", {"from": "3"})
            jobs.start("line", "after", {})
            ended(jobs, "after")
            assert (ended(jobs, "k").value, bench.done) == ("1a", ["k/a", "after/a"])

    def test_a_key_belongs_to_one_flow_and_a_flow_has_to_be_there(self, bench: Bench) -> None:
        with closing(self.open(flow(bench.step("a")), flow(bench.step("b"), name="other"))) as jobs:
            jobs.start("line", "k", {})
            with pytest.raises(ValueError, match="'k' is the key of another flow than 'other'"):
                jobs.start("other", "k", {})
            with pytest.raises(UnknownName) as raised:
                jobs.start("nothing", "n", {})
            assert raised.value.details == {"kind": "flow", "name": "nothing", "known": "line, other"}
            assert jobs.status("n") is None

    def test_an_order_that_is_not_json_is_refused_at_once(self, bench: Bench) -> None:
        with closing(self.open(flow(bench.step("a")))) as jobs:
            for order in ({"when": time}, {"odds": float("nan")}):
                with pytest.raises((TypeError, ValueError)):
                    jobs.start("line", "k", order)
            assert jobs.status("k") is None

    def test_observers_see_how_far_it_is(self, bench: Bench) -> None:
        with closing(self.open(flow(bench.held("a")))) as jobs:
            seen = [jobs.status("k")]
            jobs.start("line", "k", {})
            seen.append(jobs.status("k"))
            jobs.run()
            until(lambda: bench.done)
            seen.append(jobs.status("k"))
            assert jobs.result("k") is None
            bench.let["a"].set()
            ended(jobs, "k")
            assert [*seen, jobs.status("k")] == [None, "waiting", "running", "done"]
            jobs.close(patience=0)

    def test_a_step_that_raises_is_tried_again_as_often_as_it_may(self, bench: Bench) -> None:
        with self.at_work(flow(bench.failing(2, tries=3))) as jobs:
            jobs.start("line", "k", {})
            assert ended(jobs, "k").value == "there"
        assert bench.done == ["k/ask"] * 3

    @pytest.mark.parametrize(("more", "tried"), [({"tries": 2}, 2), ({"tries": 5, "once": True}, 1)])
    def test_a_step_out_of_tries_fails_the_flow_by_name(self, bench: Bench, more: dict[str, Any], tried: int) -> None:
        with self.at_work(flow(bench.failing(9, **more), bench.step("never"))) as jobs:
            jobs.start("line", "k", {})
            fault = FlowFault(step="ask", name="ConnectionError", message="nobody there")
            assert ended(jobs, "k") == FlowEnd(status="failed", fault=fault)
        assert bench.done == ["k/ask"] * tried

    def test_a_flow_may_go_on_without_a_step_that_failed(self, bench: Bench) -> None:
        async def run(line: FlowContext, order: Any) -> Any:
            try:
                return await line.do(bench.failing(9))
            except StepFailed as failed:
                return [failed.fault.name, await line.do(bench.step("instead"))]

        with self.at_work(Flow("line", run)) as jobs:
            jobs.start("line", "k", {})
            assert ended(jobs, "k").value == ["ConnectionError", "instead"]

    def test_what_goes_wrong_between_steps_is_named_too(self) -> None:
        async def run(line: FlowContext, order: Any) -> Any:
            return order["missing"]

        with self.at_work(Flow("line", run)) as jobs:
            jobs.start("line", "k", {})
            assert ended(jobs, "k").fault == FlowFault(name="KeyError", message="'missing'")

    def test_a_step_may_be_used_several_times_in_parts(self, bench: Bench) -> None:
        step = bench.step("read")

        async def run(line: FlowContext, order: Any) -> Any:
            return [await line.do(step, part, part=part) for part in ("1", "2", "1")]

        with self.at_work(Flow("line", run)) as jobs:
            jobs.start("line", "k", {})
            assert ended(jobs, "k").value == ["1read", "2read", "1read"]
        assert bench.done == ["k/read/1", "k/read/2"]

    def test_a_flow_sees_what_json_gives_back(self) -> None:
        made = {"pair": (1, 2), "text": "\ud800 雨 \0"}

        def work(key: str, given: Any) -> Any:
            return made if given else {1, 2}

        async def run(line: FlowContext, order: Any) -> Any:
            found = await line.do(FlowStep("make", work), True)
            assert found == {**made, "pair": [1, 2]}
            return found

        with self.at_work(Flow("line", run), flow(FlowStep("odd", work), name="odd")) as jobs:
            jobs.start("line", "k", {})
            jobs.start("odd", "o", {})
            assert ended(jobs, "k").value == {**made, "pair": [1, 2]}
            fault = ended(jobs, "o").fault
            assert fault
            assert (fault.step, fault.name) == ("odd", "TypeError")

    def test_a_step_may_start_other_flows_and_they_are_started_once(self, bench: Bench) -> None:
        async def follow(key: str, given: Any) -> str:
            await asyncio.to_thread(jobs.start, "after", "f", {"from": given})
            bench.done.append(key)
            raise ConnectionError("after it was started")

        with self.at_work(
            flow(FlowStep("follow", follow, tries=3, pause=0.01)), flow(bench.step("a"), name="after")
        ) as jobs:
            jobs.start("line", "k", {"from": "next: "})
            assert ended(jobs, "k").status == "failed"
            assert ended(jobs, "f").value == "next: a"
        assert sorted(bench.done) == ["f/a", "k/follow", "k/follow", "k/follow"]

    def test_no_more_of_a_flow_run_at_once_than_it_allows(self, bench: Bench) -> None:
        now, most = [0], [0]

        async def work(key: str, given: Any) -> None:
            now[0] += 1
            most[0] = max(most[0], now[0])
            await asyncio.sleep(0.05)
            now[0] -= 1

        with self.at_work(flow(FlowStep("work", work), at_once=2)) as jobs:
            for number in range(7):
                jobs.start("line", f"k{number}", {})
            assert [ended(jobs, f"k{number}").status for number in range(7)] == ["done"] * 7
        assert most == [2]

    def test_of_a_flow_that_was_cleared_away_nothing_is_left(self, bench: Bench) -> None:
        with self.at_work(flow(bench.step("a"), bench.held("b"))) as jobs:
            jobs.start("line", "k", {})
            until(lambda: "k/b begins" in bench.done)
            jobs.clear("k")
            assert jobs.status("k") == "running"
            bench.let["b"].set()
            ended(jobs, "k")
            jobs.clear("k")
            assert jobs.status("k") is None
            jobs.clear("never started")
            jobs.start("line", "k", {})
            ended(jobs, "k")
        assert bench.done.count("k/a") == 2


class DurableContract(JobsContract):
    """What is kept beyond the life of the jobs that began it; `open` opens the same database every time."""

    def interrupted(self, jobs: Jobs, bench: Bench, beginning: str) -> None:
        jobs.start("line", "k", {})
        jobs.run()
        with looking(jobs):
            until(lambda: beginning in bench.done)
        jobs.close(patience=0)

    def test_another_worker_goes_on_where_one_left(self, bench: Bench) -> None:
        line = flow(bench.step("a"), bench.held("b"), bench.step("c"))
        self.interrupted(self.open(line), bench, "k/b begins")
        bench.let["b"].set()
        with self.at_work(line) as jobs:
            assert ended(jobs, "k").value == "bc"
        assert bench.done == ["k/a", "k/b begins", "k/b begins", "k/b", "k/c"]

    def test_a_step_that_must_not_happen_twice_and_was_torn_off_is_unknown(self, bench: Bench) -> None:
        line = flow(bench.step("a"), bench.held("pay", once=True))
        self.interrupted(self.open(line), bench, "k/pay begins")
        bench.let["pay"].set()
        with self.at_work(line) as jobs:
            assert ended(jobs, "k").value == "unknown"
        assert bench.done == ["k/a", "k/pay begins"]

    def test_what_is_unknown_stays_unknown(self, bench: Bench) -> None:
        async def run(line: FlowContext, order: Any) -> Any:
            paid = await line.do(bench.held("pay", once=True))
            await line.do(bench.held("tell"))
            return paid is StepOutcome.UNKNOWN

        for beginning in ("k/pay begins", "k/tell begins"):
            self.interrupted(self.open(Flow("line", run)), bench, beginning)
            bench.let["pay"].set()
        bench.let["tell"].set()
        with self.at_work(Flow("line", run)) as jobs:
            assert ended(jobs, "k").value is True
        assert bench.done.count("k/pay begins") == 1

    def test_closing_waits_for_the_step_that_runs_and_begins_no_other(self, bench: Bench) -> None:
        jobs = self.open(flow(bench.held("a", once=True), bench.step("b")))
        jobs.start("line", "k", {})
        jobs.run()
        until(lambda: bench.done)
        threading.Timer(0.3, bench.let["a"].set).start()
        jobs.close(patience=WITHIN)
        assert bench.done == ["k/a begins", "k/a"]
        with self.at_work(flow(bench.held("a", once=True), bench.step("b"))) as jobs:
            assert ended(jobs, "k").value == "ab"
        assert bench.done == ["k/a begins", "k/a", "k/b"]

    def test_a_step_that_cannot_be_stopped_is_begun_nowhere_else_while_it_runs(self, bench: Bench) -> None:
        line = flow(bench.stuck("a"))
        self.interrupted(self.open(line), bench, "k/a begins")
        with self.at_work(line) as jobs:
            time.sleep(1.0)  # several times as long as it takes to find out who is dead
            assert bench.done == ["k/a begins"]
            bench.let["a"].set()
            assert ended(jobs, "k").value == "a"
        assert bench.done == ["k/a begins", "k/a"] * 2

    def test_a_step_that_failed_is_not_tried_again_after_a_restart(self, bench: Bench) -> None:
        async def run(line: FlowContext, order: Any) -> Any:
            try:
                await line.do(bench.failing(9, tries=2))
            except StepFailed as failed:
                await line.do(bench.held("report"))
                return failed.fault.model_dump()

        self.interrupted(self.open(Flow("line", run)), bench, "k/report begins")
        bench.let["report"].set()
        with self.at_work(Flow("line", run)) as jobs:
            assert ended(jobs, "k").value == {"step": "ask", "name": "ConnectionError", "message": "nobody there"}
        assert bench.done.count("k/ask") == 2

    def test_a_newer_flow_finishes_what_an_older_one_began(self, bench: Bench) -> None:
        old = flow(bench.step("a"), bench.step("gone"), bench.step("pay", once=True), bench.held("b"))
        new = flow(bench.step("first"), bench.step("pay", once=True), bench.step("a"), bench.held("b"), bench.step("c"))
        self.interrupted(self.open(old), bench, "k/b begins")
        bench.let["b"].set()
        with self.at_work(new) as jobs:
            assert ended(jobs, "k").value == "bc"
        assert bench.done[4:] == ["k/first", "k/b begins", "k/b", "k/c"]

    def test_work_of_a_flow_nobody_here_knows_waits_for_somebody_who_does(self, bench: Bench) -> None:
        older, newer = flow(bench.step("a")), flow(bench.step("b"), name="new")
        with closing(self.open(older, newer)) as jobs:
            jobs.start("new", "n", {})
        with self.at_work(older) as jobs:
            jobs.start("line", "k", {})
            ended(jobs, "k")
            time.sleep(0.5)
            assert jobs.status("n") == "waiting"
        with self.at_work(older, newer) as jobs:
            assert ended(jobs, "n").value == "b"

    def test_a_flow_that_is_interrupted_again_and_again_is_given_up(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("hakoniwa.jobs.dbos.RESUMES", 1)
        line = flow(bench.held("crash"))
        for times in (1, 2):
            jobs = self.open(line)
            jobs.start("line", "k", {})
            jobs.run()
            with looking(jobs):
                until(lambda times=times: len(bench.done) == times)
            jobs.close(patience=0)
        with self.at_work(line) as jobs:
            fault = ended(jobs, "k").fault
            assert fault
            assert fault.name == "GivenUp"

    def test_whoever_only_starts_work_needs_no_worker(self, bench: Bench) -> None:
        line = flow(bench.step("a"))
        with closing(self.open(line)) as elsewhere, self.at_work(line) as jobs:
            elsewhere.start("line", "k", {})
            assert ended(elsewhere, "k") == ended(jobs, "k") == FlowEnd(status="done", value="a")

    def test_a_process_has_one_worker(self, bench: Bench) -> None:
        line = flow(bench.step("a"))
        with self.at_work(line) as jobs, closing(self.open(line)) as second:
            with pytest.raises(RuntimeError, match="has a worker already"):
                second.run()
            jobs.start("line", "k", {})
            assert ended(jobs, "k").status == "done"
