"""Durable work on dbos: SQLite in a file or PostgreSQL by its URL, and no service besides.

dbos asks its database several times a second for as long as it is launched. So it is launched when there is work, and
left when none is under way: somebody who knows of open work calls `look`."""

import asyncio
import inspect
import json
import logging
import os
import re
import secrets
import socket
import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy
from dbos import DBOS, DBOSClient, DBOSConfig, Serializer, SetWorkflowID, StepOptions, WorkflowStatus, error
from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry

from hakoniwa.address import bare_address
from hakoniwa.errors import JournalError
from hakoniwa.jobs import (
    Flow,
    FlowEnd,
    FlowFault,
    FlowStep,
    Jobs,
    Status,
    StepFailed,
    StepOutcome,
    StoredFlowContext,
    as_json_value,
    by_name,
    carry_out,
    fault,
    find_flow,
)
from hakoniwa.jobs.liveness import FileLiveness, Liveness, ServerLiveness
from hakoniwa.jobs.purge import SCHEMA, STATUS
from hakoniwa.own_files import private_database, private_folder
from hakoniwa.sqlite import set_up_connection

log = logging.getLogger("hakoniwa.jobs")

APPLICATION = "hakoniwa"
VERSION = "hakoniwa-1"  # fixed: by default dbos hashes the code, and an upgrade would leave what is under way behind
PATIENCE = 30.0
PULSE = 0.5
BEATS_MISSED = 3
RESUMES = 100  # a flow that takes its process down with it is given up after so many
RESUMED = "resumed"  # the attribute of a flow that counts them
ATTEMPTING = "{} is attempted"
STATUSES: dict[str, Status] = {
    "ENQUEUED": "waiting",
    "DELAYED": "waiting",
    "PENDING": "running",
    "SUCCESS": "done",
    "ERROR": "failed",
    "MAX_RECOVERY_ATTEMPTS_EXCEEDED": "failed",
    "CANCELLED": "cancelled",
}
UNFINISHED = ["ENQUEUED", "PENDING"]
GIVEN_UP = FlowFault(name="GivenUp", message=f"interrupted more than {RESUMES} times")

_one_at_work = threading.Lock()  # dbos has one instance in a process


class DbosJobs(Jobs):
    """Flows kept in the database at `url`, where every worker has a lock that shows the others that it lives.

    Whoever looks does so every `pulse` seconds while something is under way."""

    def __init__(self, url: str, flows: Iterable[Flow], pulse: float = PULSE) -> None:
        logging.getLogger("dbos").addHandler(logging.NullHandler())  # else dbos would print to the terminal
        self._url = make_url(url)
        self._flows = by_name(flows)
        self._running, self._guard = False, threading.RLock()
        self._worker: JobWorker | None = None
        self._engine = _open_engine(self._url)
        self._client = _client(self._engine, patient=False)
        self._liveness = _liveness(self._engine, pulse * BEATS_MISSED)
        try:
            with translate_errors(self._url):
                if not sqlalchemy.inspect(self._engine).has_table(STATUS, _schema(self._engine)):
                    self._make_tables()
        except BaseException:
            self._engine.dispose()
            raise

    def start(self, flow: str, key: str, order: Mapping[str, Any]) -> None:
        name, given = find_flow(self._flows, flow).name, as_json_value(dict(order))
        try:
            with translate_errors(self._url), self._guard:
                if self._running:
                    self._at_work().start(name, key, given)
                else:
                    self._client.enqueue(
                        {"workflow_name": name, "queue_name": name, "workflow_id": key, "app_version": VERSION}, given
                    )
        except error.DBOSConflictingWorkflowError as conflict:
            raise ValueError(f"{key!r} is the key of another flow than {flow!r}") from conflict

    def status(self, key: str) -> Status | None:
        found = self._find(key)
        return STATUSES[found.status] if found else None

    def result(self, key: str) -> FlowEnd | None:
        found = self._find(key)
        return _flow_end(found) if found else None

    def clear(self, key: str) -> bool:
        found = self._find(key)
        if found and STATUSES[found.status] in ("waiting", "running"):
            return False
        if found:
            with translate_errors(self._url):
                self._client.delete_workflow(key)
        return True

    def carries_out(self, key: str) -> bool:
        worker = self._worker
        return worker is not None and worker.carries_out(key)

    def run(self) -> None:
        assert not self._running, "these jobs run already"
        _enter_work(0.0)
        self._running = True
        with translate_errors(self._url), self._guard:
            self._at_work()  # at once, in case the tables are those of an older dbos
        self.look()

    def look(self) -> None:
        with translate_errors(self._url), self._guard:
            if not self._running:
                return
            self._liveness.keep()
            unfinished = self._unfinished()
            for one in unfinished:
                if one.status == "ENQUEUED" and one.queue_name == one.name:
                    self._resume(one.workflow_id)
            for worker in sorted({str(one.executor_id) for one in unfinished if one.status == "PENDING"}):
                self._take_over(worker)
            if self._worker and not unfinished:
                self._worker.leave()
                self._worker = None

    def close(self, patience: float = 5.0) -> None:
        with self._guard:
            was_running, self._running = self._running, False
            worker, self._worker = self._worker, None
        if worker:
            worker.leave(patience)
        if was_running:
            _one_at_work.release()
        self._client.destroy()
        self._engine.dispose()

    def _make_tables(self) -> None:
        """Have dbos make them, on our engine: on SQLite that is one transaction, of which a kill leaves nothing."""
        _enter_work(PATIENCE)
        try:
            self._at_work().leave()
        finally:
            self._worker = None
            _one_at_work.release()

    def _at_work(self) -> "JobWorker":
        """The worker, launched if it is not."""
        if self._worker is None:
            self._worker = JobWorker(self._engine, self._flows, self._liveness)
        return self._worker

    def _find(self, key: str) -> WorkflowStatus | None:
        with translate_errors(self._url):
            found = self._client.list_workflows(workflow_ids=[key], load_input=False)
        return found[0] if found else None

    def _unfinished(self, **whose: Any) -> list[WorkflowStatus]:
        """What is not over, of the flows that are known here: a newer Hakoniwa may know more."""
        return self._client.list_workflows(
            status=UNFINISHED, name=list(self._flows), load_input=False, load_output=False, **whose
        )

    def _take_over(self, worker: str) -> None:
        """Resume what a worker has under way if it is dead. What that is is asked again while nobody else takes it."""
        if self._worker and self._worker.name == worker:
            return
        with self._liveness.dead(worker) as dead:
            for one in self._unfinished(executor_id=worker) if dead else ():
                if one.status == "PENDING":
                    self._resume_again(one, worker)

    def _resume_again(self, one: WorkflowStatus, worker: str) -> None:
        times = _times_resumed(one)
        if times >= RESUMES:
            self._client.cancel_workflow(one.workflow_id)
            return
        log.info("%s is taken over from %s", one.workflow_id, worker)
        self._client.update_workflow_attributes(one.workflow_id, {RESUMED: times + 1}, merge=True)
        self._resume(one.workflow_id)

    def _resume(self, key: str) -> None:
        self._at_work()
        self._client.resume_workflow(key)


def _enter_work(wait: float) -> None:
    if not _one_at_work.acquire(timeout=wait):
        raise RuntimeError("this process has a worker already")


def _times_resumed(found: WorkflowStatus) -> int:
    return int((found.attributes or {}).get(RESUMED, 0))


def _flow_end(found: WorkflowStatus) -> FlowEnd | None:
    match STATUSES[found.status]:
        case "done":
            return FlowEnd(status="done", value=found.output)
        case "failed":
            return FlowEnd(status="failed", fault=fault(found.error) if found.error else GIVEN_UP)
        case "cancelled" if _times_resumed(found) >= RESUMES:
            return FlowEnd(status="failed", fault=GIVEN_UP)
        case "cancelled":
            return FlowEnd(status="cancelled")
        case _:
            return None


# --- a process at work ------------------------------------------------------------------------------------------------


class JobWorker:
    """dbos launched in this process, from its first breath to `leave`; its name is never used again."""

    def __init__(self, engine: Engine, flows: Mapping[str, Flow], liveness: Liveness) -> None:
        self.name = _new_name()
        self._liveness = liveness
        self._running = RunningSteps()
        self._workflows: dict[str, Callable[[Any], Awaitable[Any]]] = {}
        try:
            self._begin(engine, flows)
        except BaseException:
            self._end()
            raise

    def start(self, flow: str, key: str, order: Any) -> None:
        """Carry out a flow, unless one of this key was ever started."""

        def begin() -> None:
            with SetWorkflowID(key):
                DBOS.start_workflow(self._workflows[flow], order)

        _apart(begin)

    def carries_out(self, key: str) -> bool:
        return key in self._running.flows

    def leave(self, patience: float = 0.0) -> None:
        """Begin no further step, wait as long for those that run, and leave the rest to others."""
        self._running.leaving = True
        self._running.over(patience)
        self._end()

    def _begin(self, engine: Engine, flows: Mapping[str, Flow]) -> None:
        self._liveness.hold(self.name)  # before the first claim: who claims and holds nothing looks dead
        DBOS(config=_config(engine, self.name))
        records = _client(engine, patient=True)
        self._workflows = {
            flow.name: DBOS.workflow(name=flow.name)(_wrap_flow(flow, records, self._running))
            for flow in flows.values()
        }
        DBOS.listen_queues([])  # what is resumed comes through a queue of dbos' own
        _apart(DBOS.launch)

    def _end(self) -> None:
        DBOS.destroy(destroy_registry=True)
        if self._running.over():
            self._liveness.let_go()
        else:
            log.warning("%s has left, but for a step that cannot be stopped", self.name)
            threading.Thread(target=self._let_go_later, name="hakoniwa-jobs-last", daemon=True).start()

    def _let_go_later(self) -> None:
        self._running.over(patience=None)
        self._liveness.let_go()


def _apart(work: Callable[[], None]) -> None:
    """Do it in a thread that has neither an event loop nor a flow that dbos could take for its own."""
    with ThreadPoolExecutor(1) as apart:
        apart.submit(work).result()


def _wrap_flow(flow: Flow, records: DBOSClient, running: "RunningSteps") -> Callable[[Any], Awaitable[Any]]:
    """The flow as dbos calls it, the first time and after every kill."""
    room = asyncio.Semaphore(flow.at_once)

    async def through(order: Any) -> Any:
        async with room:
            context = DurableFlowContext(str(DBOS.workflow_id), running)
            with running.flow(context.key):
                await context.read_back(records)
                return as_json_value(await flow.run(context, order))

    return through


def _new_name() -> str:
    host = re.sub(r"[^\w.-]", "-", socket.gethostname())[:40]
    return f"{host}-{os.getpid()}-{secrets.token_hex(4)}"


def _config(engine: Engine, worker: str) -> DBOSConfig:
    return DBOSConfig(
        name=APPLICATION,
        application_version=VERSION,
        executor_id=worker,
        system_database_engine=engine,
        dbos_system_schema=SCHEMA,
        serializer=JsonSerializer(),
        use_listen_notify=False,
        notification_listener_polling_interval_sec=0.05,  # nobody listens, but its thread is waited for in the end
        scheduler_polling_interval_sec=3600.0,  # dbos' own timetable, in which there is nothing
        enable_otlp=False,
        log_level="WARNING",
    )


# --- a flow on its way ------------------------------------------------------------------------------------------------


class RunningSteps:
    """What runs in this process: flows by their keys, and steps, counted, so that it can leave between two of them."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._count = 0
        self.flows: set[str] = set()
        self.leaving = False

    @contextmanager
    def flow(self, key: str) -> Iterator[None]:
        """Know that this flow is carried out here meanwhile."""
        self.flows.add(key)
        try:
            yield
        finally:
            self.flows.discard(key)

    @contextmanager
    def one(self) -> Iterator[None]:
        with self._changed:
            self._count += 1
        try:
            yield
        finally:
            with self._changed:
                self._count -= 1
                self._changed.notify_all()

    def over(self, patience: float | None = 0.0) -> bool:
        """Whether none runs, at the latest after so many seconds, or however long it takes."""
        with self._changed:
            return self._changed.wait_for(lambda: self._count == 0, patience)


class DurableFlowContext(StoredFlowContext):
    """dbos knows a step by its place in the flow; this line knows it by its name, so that a flow may gain, lose or move
    steps while some of its kind are under way."""

    def __init__(self, key: str, running: RunningSteps) -> None:
        super().__init__(key)
        self._running = running

    async def read_back(self, client: DBOSClient) -> None:
        """Go through what was recorded, in its order, so that new steps are written behind it."""
        rows = await asyncio.to_thread(client.list_workflow_steps, self.key, load_output=False)
        for row in rows:
            await self._keep(row["function_name"], _fail_missing)

    async def _newly(self, step: FlowStep, name: str, given: Any) -> None:
        if self._running.leaving:
            await asyncio.get_running_loop().create_future()  # never: the worker that takes over goes on from here
        with self._running.one():
            work = partial(carry_out, replace(step, work=self._counted(step.work)), f"{self.key}/{name}", given)
            if step.found_again:
                await self._do(name, work)
            elif step.once:
                await self._once(name, work)
            else:
                await self._keep(name, work)

    async def _once(self, name: str, work: Callable[[], Awaitable[Any]]) -> None:
        """Say that it is attempted, and only then attempt it: who finds that said and no result knows no more."""
        attempting = ATTEMPTING.format(name)
        if attempting in self._kept:
            await self._keep(name, _unknown_outcome)
        else:
            await self._keep(attempting, _note_attempt)
            await self._keep(name, work)

    async def _keep(self, name: str, work: Callable[[], Awaitable[Any]]) -> None:
        await self._do(name, partial(DBOS.run_step_async, StepOptions(name=name), work))

    async def _do(self, name: str, work: Callable[[], Awaitable[Any]]) -> None:
        try:
            self._kept[name] = await work()
        except StepFailed as failed:
            self._kept[name] = failed

    def _counted(self, work: Callable[[str, Any], Any]) -> Callable[[str, Any], Any]:
        """Work in a thread goes on when whoever waits for it is stopped, so it counts for itself."""
        if inspect.iscoroutinefunction(work):
            return work

        def counted(key: str, given: Any) -> Any:
            with self._running.one():
                return work(key, given)

        return counted


async def _note_attempt() -> None:
    return None


async def _unknown_outcome() -> StepOutcome:
    return StepOutcome.UNKNOWN


async def _fail_missing() -> None:
    raise AssertionError("a step that was recorded is not there any more")


# --- the database -----------------------------------------------------------------------------------------------------


class JsonSerializer(Serializer):
    """Writes JSON, never code to be run when it is read, in ASCII: every database takes what any model may say."""

    def name(self) -> str:
        return "hakoniwa_json"

    def serialize(self, data: Any) -> str:
        return json.dumps(_mark_value(data), allow_nan=False)

    def deserialize(self, serialized_data: str) -> Any:
        kind, *rest = json.loads(serialized_data)
        if kind == "fault":
            return StepFailed(FlowFault.model_validate(rest[0]))
        return StepOutcome.UNKNOWN if kind == "unknown" else rest[0]


def _mark_value(data: Any) -> list[Any]:
    if isinstance(data, Exception):
        return ["fault", fault(data).model_dump()]
    return ["unknown"] if data is StepOutcome.UNKNOWN else ["value", data]


def _open_engine(url: URL) -> Engine:
    return _sqlite(url) if url.get_backend_name() == "sqlite" else _postgres(url)


def _schema(engine: Engine) -> str | None:
    return None if engine.dialect.name == "sqlite" else SCHEMA


def _liveness(engine: Engine, grace: float) -> Liveness:
    if engine.dialect.name == "sqlite":
        return FileLiveness(Path(f"{engine.url.database}.workers"))
    return ServerLiveness(engine, grace)


def _client(engine: Engine, patient: bool) -> DBOSClient:
    """A view of the work; a patient one waits for a database that is away, the other one says so."""
    return DBOSClient(
        system_database_engine=engine,
        dbos_system_schema=SCHEMA,
        serializer=JsonSerializer(),
        application_name=APPLICATION,
        lazy=True,
        retry_connection_errors=patient,
    )


@contextmanager
def translate_errors(url: URL) -> Iterator[None]:
    """Raise what the database complains of inside as an error of ours."""
    try:
        yield
    except SQLAlchemyError as error:
        problem = str(error.orig if isinstance(error, DBAPIError) else error).strip()
        raise JournalError("journal.failed", path=bare_address(url.render_as_string()), problem=problem) from error


def _sqlite(url: URL) -> Engine:
    path = Path(str(url.database))
    private_folder(path.parent)
    private_database(path)
    engine = create_engine(url, connect_args={"timeout": PATIENCE, "isolation_level": None})

    @event.listens_for(engine, "connect")
    def settings(connection: Any, _: ConnectionPoolEntry) -> None:
        set_up_connection(connection, PATIENCE)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")  # a reader that turns writer late would be refused

    return engine


def _postgres(url: URL) -> Engine:
    engine = create_engine(
        url.set(drivername="postgresql+psycopg"), pool_pre_ping=True, connect_args={"connect_timeout": 10}
    )

    @event.listens_for(engine, "connect")
    def settings(connection: Any, _: ConnectionPoolEntry) -> None:
        connection.autocommit = True
        connection.execute("SET synchronous_commit = on")
        connection.execute("SET idle_in_transaction_session_timeout = 60000")
        connection.autocommit = False

    return engine
