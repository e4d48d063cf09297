"""Durable work on dbos: SQLite in a file or PostgreSQL by its URL, and no service besides."""

import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from dbos import WorkflowStatus, error
from sqlalchemy import make_url

from hakoniwa.jobs import Flow, FlowEnd, FlowFault, Jobs, Status, by_name, fault, find_flow
from hakoniwa.jobs.database import client, open_engine, translate_errors
from hakoniwa.jobs.liveness import FileLiveness, Liveness, ServerLiveness
from hakoniwa.jobs.worker import RESUMES, VERSION, JobWorker

PULSE = 0.5
BEATS_MISSED = 3
STATUSES: dict[str, Status] = {
    "ENQUEUED": "waiting",
    "DELAYED": "waiting",
    "PENDING": "running",
    "SUCCESS": "done",
    "ERROR": "failed",
    "MAX_RECOVERY_ATTEMPTS_EXCEEDED": "failed",
    "CANCELLED": "cancelled",
}
GIVEN_UP = FlowFault(name="GivenUp", message=f"interrupted more than {RESUMES} times")


class DbosJobs(Jobs):
    """Flows kept in the database at `url`; workers look for work, and after one another, every `pulse` seconds."""

    def __init__(self, url: str, flows: Iterable[Flow], pulse: float = PULSE) -> None:
        logging.getLogger("dbos").addHandler(logging.NullHandler())  # else dbos would print to the terminal
        self._url = make_url(url)
        self._flows = by_name(flows)
        self._pulse = pulse
        self._worker: JobWorker | None = None
        self._engine = open_engine(self._url)
        self._client = client(self._engine, patient=False)

    def start(self, flow: str, key: str, order: Mapping[str, Any]) -> None:
        name = find_flow(self._flows, flow).name
        try:
            with translate_errors(self._url):
                self._client.enqueue(
                    {"workflow_name": name, "queue_name": name, "workflow_id": key, "app_version": VERSION}, dict(order)
                )
        except error.DBOSConflictingWorkflowError as conflict:
            raise ValueError(f"{key!r} is the key of another flow than {flow!r}") from conflict

    def cancel(self, key: str) -> None:
        with translate_errors(self._url):
            self._client.cancel_workflow(key)

    def status(self, key: str) -> Status | None:
        found = self._look(key)
        return STATUSES[found.status] if found else None

    def result(self, key: str) -> FlowEnd | None:
        found = self._look(key)
        return _flow_end(found) if found else None

    def clear(self, key: str) -> None:
        if self.result(key):
            with translate_errors(self._url):
                self._client.delete_workflow(key)

    def run(self) -> None:
        assert self._worker is None, "these jobs run already"
        with translate_errors(self._url):
            self._worker = JobWorker(self._engine, self._flows, self._liveness(), self._pulse)

    def close(self, patience: float = 5.0) -> None:
        if self._worker:
            self._worker.leave(patience)
            self._worker = None
        self._client.destroy()
        self._engine.dispose()

    def _look(self, key: str) -> WorkflowStatus | None:
        with translate_errors(self._url):
            found = self._client.list_workflows(workflow_ids=[key], load_input=False)
        return found[0] if found else None

    def _liveness(self) -> Liveness:
        if self._engine.dialect.name == "sqlite":
            return FileLiveness(Path(f"{self._url.database}.workers"))
        return ServerLiveness(self._engine, self._pulse * BEATS_MISSED)


def _flow_end(found: WorkflowStatus) -> FlowEnd | None:
    match STATUSES[found.status]:
        case "done":
            return FlowEnd(status="done", value=found.output)
        case "failed":
            return FlowEnd(status="failed", fault=fault(found.error) if found.error else GIVEN_UP)
        case "cancelled":
            return FlowEnd(status="cancelled")
        case _:
            return None
