"""agent_delegate: have a program on the configured list do a task. The runner does it; here it is only waited for."""

import asyncio
import re
import time
from typing import Any, ClassVar

from pydantic import Field

from hakoniwa.capabilities.capability import (
    Capability,
    capabilities,
    failed_result,
    format_sentence,
    make_offer,
    make_result,
    parse_payload,
)
from hakoniwa.capabilities.means import CapabilityMeans, DelegateMeans
from hakoniwa.capabilities.spool import AgentJob, AgentOutcome, Spool, job_id
from hakoniwa.memory.schemas import one_of, text
from hakoniwa.persona.action import ActionOffer, ActionOrder, ActionResult, ResultStatus
from hakoniwa.turn import Value

BACKEND = "cli_agent"
GLANCE = 0.1  # seconds between looks at a task under way


class TaskPayload(Value):
    """What is to be done, and by whom: `cli_agent` is the first command on the list, `cli_agent:<name>` another."""

    backend: str = Field(pattern=rf"^{re.escape(BACKEND)}(:[\w-]{{1,40}})?$")
    task_instruction: str = Field(min_length=1, max_length=8_000, pattern=r"^[^\x00]*\S[^\x00]*$")


@capabilities.add("agent_delegate")
class AgentDelegate(Capability):
    name: ClassVar = "agent_delegate"
    action_types: ClassVar = frozenset({"agent_delegate"})
    idempotent: ClassVar = True  # the key names the task, and a task is run once

    def offers(self, means: CapabilityMeans) -> tuple[ActionOffer, ...]:
        if not means.delegate.spool or not means.delegate.commands:
            return ()
        backends = one_of(f"{BACKEND}:{name}" for name in means.delegate.commands)
        return (make_offer("agent_delegate", means, "delegate", backend=backends, task_instruction=text(300)),)

    async def run(self, order: ActionOrder, means: CapabilityMeans) -> ActionResult:
        delegate = means.delegate
        if delegate.spool is None or not delegate.commands:
            return failed_result(self.name, "not-configured", means)
        if (task := parse_payload(TaskPayload, order)) is None:
            return failed_result(self.name, "bad-payload", means)
        job = AgentJob(id=job_id(order.key), command=_command(task, delegate), instruction=task.task_instruction)
        if fault := refusal(job, delegate):
            return failed_result(self.name, fault, means)
        try:
            return _report_result(job, await _run_job(Spool(delegate.spool), job, delegate), means)
        except OSError:
            return failed_result(self.name, "no-runner", means)


def _command(task: TaskPayload, delegate: DelegateMeans) -> str:
    return task.backend.partition(":")[2] or next(iter(delegate.commands))


def refusal(job: AgentJob, delegate: DelegateMeans) -> str | None:
    """Why a task is not begun at all."""
    if job.command not in delegate.commands:
        return "not-allowed"
    if not delegate.commands[job.command].dashes and job.instruction.lstrip().startswith("-"):
        return "option"
    return None


async def _run_job(spool: Spool, job: AgentJob, delegate: DelegateMeans) -> AgentOutcome:
    """How the task ended. If the wait is broken off, so is the task."""
    if not await asyncio.to_thread(spool.submit, job):
        return AgentOutcome(fault="no-runner")
    try:
        return await _await_outcome(spool, job.id, delegate)
    except asyncio.CancelledError:
        if not spool.withdraw(job.id):
            spool.call_off(job.id)
        raise


async def _await_outcome(spool: Spool, id: str, delegate: DelegateMeans) -> AgentOutcome:
    since = time.monotonic()
    while (outcome := spool.outcome(id)) is None:
        state = spool.state(id)
        if state == "queued" and time.monotonic() - since > delegate.patience and spool.withdraw(id):
            return AgentOutcome(fault="no-runner")
        if state is None or (state == "claimed" and spool.silent_for(id) > delegate.silence):
            return AgentOutcome(fault="lost")
        await asyncio.sleep(GLANCE)
    return outcome


def _report_result(job: AgentJob, outcome: AgentOutcome, means: CapabilityMeans) -> ActionResult:
    """What was printed is kept among the details and nowhere else; the summary says that it was, not what."""
    details: dict[str, Any] = {
        "backend": BACKEND, "command": job.command, "job_id": job.id, **outcome.model_dump(exclude={"fault"}),
    }  # fmt: skip
    if outcome.fault is not None:
        status: ResultStatus = "unknown" if outcome.fault == "lost" else "failed"
        return failed_result("agent_delegate", outcome.fault, means, details, status)
    counts = {"seconds": round(outcome.seconds), "characters": len(outcome.raw_output_text)}
    summary = format_sentence("delegate.done", means.language, command=job.command, **counts)
    return make_result("agent_delegate", "success", summary, {}, details)
