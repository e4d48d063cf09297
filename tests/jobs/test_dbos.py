"""Durable work in a file."""

import json
import logging
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event

from hakoniwa.errors import JournalError
from hakoniwa.jobs import Flow, Jobs
from hakoniwa.jobs.dbos import DbosJobs
from tests.jobs.contract import Bench, DurableContract, ended, flow, until


class TestSqlite(DurableContract):
    @pytest.fixture(autouse=True)
    def place(self, tmp_path: Path) -> None:
        self.path = tmp_path / "work" / "jobs.db"

    def open(self, *flows: Flow) -> Jobs:
        return DbosJobs(f"sqlite:///{self.path}", flows, pulse=0.05)

    def test_everything_written_down_is_json(self, bench: Bench) -> None:
        with self.at_work(flow(bench.step("a", once=True), bench.failing(9))) as jobs:
            jobs.start("line", "k", {"from": "雨"})
            ended(jobs, "k")
        with closing(sqlite3.connect(self.path)) as database:
            orders = database.execute("SELECT inputs FROM workflow_input").fetchall()
            steps = database.execute("SELECT coalesce(output, error) FROM operation_outputs").fetchall()
            ends = database.execute("SELECT coalesce(output, error) FROM workflow_output").fetchall()
            kinds = database.execute("SELECT serialization FROM workflow_status").fetchall()
        assert json.loads(orders[0][0]) == ["value", {"args": [{"from": "雨"}], "kwargs": {}}]
        fault = ["fault", {"step": "ask", "name": "ConnectionError", "message": "nobody there"}]
        assert [json.loads(one) for (one,) in steps] == [["value", None], ["value", "雨a"], fault]
        assert [json.loads(one) for (one,) in ends] == [fault]
        assert kinds == [("hakoniwa_json",)]

    def test_commits_reach_the_disk(self) -> None:
        with closing(DbosJobs(f"sqlite:///{self.path}", [])) as jobs, jobs._engine.connect() as connection:
            found = [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("journal_mode", "synchronous")]
        assert found == ["wal", 2]

    def test_nothing_is_printed_and_warnings_reach_the_programs_own_log(
        self, bench: Bench, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
    ) -> None:
        with caplog.at_level(logging.INFO), self.at_work(flow(bench.failing(9))) as jobs:
            jobs.start("line", "k", {})
            ended(jobs, "k")
        assert capfd.readouterr() == ("", "")
        assert {record.levelname for record in caplog.records if record.name == "dbos"} == {"ERROR"}

    def test_no_trace_is_left_of_workers_that_have_gone(self, bench: Bench) -> None:
        folder = Path(f"{self.path}.workers")
        with self.at_work(flow(bench.held("a"))) as jobs:
            jobs.start("line", "k", {})
            until(lambda: bench.done)
            assert len(list(folder.iterdir())) == 1
            bench.let["a"].set()
            ended(jobs, "k")
        assert list(folder.iterdir()) == []

    def test_with_nothing_under_way_the_database_is_left_alone(self, bench: Bench) -> None:
        asked: list[str] = []

        def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
            asked.append(statement)

        with closing(self.open(flow(bench.step("a")))) as jobs:
            jobs.run()
            jobs.start("line", "k", {})
            ended(jobs, "k")
            jobs.look()
            event.listen(Engine, "before_cursor_execute", note)
            time.sleep(2.5)  # dbos, where it is launched, asks every second
            event.remove(Engine, "before_cursor_execute", note)
            jobs.start("line", "after", {})
            assert ended(jobs, "after").value == "a"
        assert asked == []


def test_several_may_make_the_same_database_at_once(tmp_path: Path) -> None:
    with ThreadPoolExecutor(6) as pool:
        jobs = list(pool.map(lambda _: DbosJobs(f"sqlite:///{tmp_path}/jobs.db", [flow()]), range(6)))
    jobs[0].start("line", "k", {})
    assert {one.status("k") for one in jobs} == {"waiting"}
    for one in jobs:
        one.close()


def test_a_place_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    (tmp_path / "jobs.db").mkdir()
    with pytest.raises(JournalError) as raised:
        DbosJobs(f"sqlite:///{tmp_path}/jobs.db", [])
    assert "unable to open" in raised.value.details["problem"]
