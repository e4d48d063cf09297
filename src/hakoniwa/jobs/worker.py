"""A process at work: it carries out flows, shows that it lives, and takes over what the dead have left."""

import logging
import os
import re
import secrets
import socket
import threading
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from dbos import DBOS, DBOSClient, DBOSConfig
from sqlalchemy import Engine

from hakoniwa.jobs import Flow, as_json_value
from hakoniwa.jobs.database import APPLICATION, client
from hakoniwa.jobs.durable import DurableFlowContext, RunningSteps
from hakoniwa.jobs.liveness import Liveness
from hakoniwa.jobs.purge import SCHEMA
from hakoniwa.jobs.serial import JsonSerializer

log = logging.getLogger("hakoniwa.jobs")

VERSION = "hakoniwa-1"  # fixed: by default dbos hashes the code, and an upgrade would leave what is under way behind
RESUMES = 100  # a flow that takes its process down with it is given up after so many

_at_work = threading.Lock()  # dbos has one instance in a process


class JobWorker:
    """The one worker of this process, from its first breath to `leave`."""

    def __init__(self, engine: Engine, flows: Mapping[str, Flow], liveness: Liveness, pulse: float) -> None:
        self.name = _new_name()
        self._client = client(engine, patient=False)
        self._liveness = liveness
        self._pulse = pulse
        self._running = RunningSteps()
        self._leaving = threading.Event()
        self._watch = threading.Thread(target=self._look_around, name="hakoniwa-jobs", daemon=True)
        if not _at_work.acquire(blocking=False):
            raise RuntimeError("this process has a worker already")
        try:
            self._begin(engine, flows)
        except BaseException:
            self._end()
            raise

    def leave(self, patience: float) -> None:
        """Begin no further step, wait as long for those that run, and leave the rest to others."""
        self._running.leaving = True
        self._running.over(patience)
        self._leaving.set()
        self._watch.join()
        self._end()

    def _begin(self, engine: Engine, flows: Mapping[str, Flow]) -> None:
        self._liveness.hold(self.name)  # before the first claim: who claims and holds nothing looks dead
        for flow in flows.values():
            self._client.register_queue(flow.name, worker_concurrency=flow.at_once, polling_interval_sec=self._pulse)
        DBOS(config=_config(engine, self.name, self._pulse))
        records = client(engine, patient=True)
        for flow in flows.values():
            DBOS.workflow(name=flow.name, max_recovery_attempts=RESUMES)(_wrap_flow(flow, records, self._running))
        DBOS.listen_queues(list(flows))  # not those of flows that only a newer Hakoniwa knows
        with ThreadPoolExecutor(1) as apart:
            apart.submit(DBOS.launch).result()  # in a thread that has no event loop dbos could take for its own
        self._watch.start()

    def _end(self) -> None:
        DBOS.destroy(destroy_registry=True)
        if self._running.over():
            self._liveness.let_go()
        else:
            log.warning("%s has left, but for a step that cannot be stopped", self.name)
            threading.Thread(target=self._let_go_later, name="hakoniwa-jobs-last", daemon=True).start()
        _at_work.release()

    def _let_go_later(self) -> None:
        self._running.over(patience=None)
        self._liveness.let_go()

    def _look_around(self) -> None:
        while True:
            try:
                self._liveness.keep()
                self._take_over()
            except Exception as error:  # a database that is away for a while must not end the watch
                log.warning("%s cannot see who is alive: %s", self.name, error)
            if self._leaving.wait(self._pulse):
                return

    def _take_over(self) -> None:
        under_way = self._client.list_workflows(status="PENDING", load_input=False, load_output=False)
        for other in sorted({one.executor_id for one in under_way if one.executor_id} - {self.name}):
            with self._liveness.dead(other) as dead:
                if dead:
                    taken = DBOS._recover_pending_workflows([other])
                    log.info("%s takes over %d flows of %s", self.name, len(taken), other)


def _wrap_flow(flow: Flow, records: DBOSClient, running: RunningSteps) -> Callable[[Any], Awaitable[Any]]:
    """The flow as dbos calls it, the first time and after every kill."""

    async def through(order: Any) -> Any:
        line = DurableFlowContext(str(DBOS.workflow_id), running)
        await line.read_back(records)
        return as_json_value(await flow.run(line, order))

    return through


def _new_name() -> str:
    """Never used before or again, on any machine: the lock of that name says who is alive."""
    host = re.sub(r"[^\w.-]", "-", socket.gethostname())[:40]
    return f"{host}-{os.getpid()}-{secrets.token_hex(4)}"


def _config(engine: Engine, worker: str, pulse: float) -> DBOSConfig:
    return DBOSConfig(
        name=APPLICATION,
        application_version=VERSION,
        executor_id=worker,
        system_database_engine=engine,
        dbos_system_schema=SCHEMA,
        serializer=JsonSerializer(),
        run_migrations=False,
        use_listen_notify=False,
        notification_listener_polling_interval_sec=pulse,  # nobody listens, but its thread is waited for in the end
        enable_otlp=False,
        log_level="WARNING",
    )
