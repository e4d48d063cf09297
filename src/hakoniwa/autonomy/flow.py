"""The line of a life between exchanges: a trigger is thought about, decided on, acted on, recorded, told, remembered.

Whatever a step writes is one transaction and has the step's own key, by which it is found again after a kill: it is
recorded nowhere else. Only the act is, which leaves nothing in the journal: one that cannot be repeated is not; if
nobody knows how it ended, that is its result. What the steps find out is the course of the flow, which grows."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar

from hakoniwa.autonomy.context import AutonomyContext, AutonomyContexts
from hakoniwa.autonomy.deliberate import deliberate, writing_of
from hakoniwa.autonomy.delivery import Delivery, decide_delivery
from hakoniwa.autonomy.log import ACT, FlowBrokenOff, flow_key
from hakoniwa.autonomy.policy import action_hindrance, action_key, message_limit, room_today
from hakoniwa.autonomy.schedule import FLOW
from hakoniwa.autonomy.voice import ActionReport, JobReference, Spoken, render_message
from hakoniwa.capabilities.capability import failed_result
from hakoniwa.capabilities.catalogue import capability_for, carry_out, possible_actions
from hakoniwa.chat.autonomy_rows import ActivityRow, DecisionRow, EndRow, IntentRow, MessageRow, ResultRow, Trigger
from hakoniwa.jobs import Flow, FlowContext, FlowStep, StepFailed, StepOutcome
from hakoniwa.memory.apply import single_revision
from hakoniwa.memory.ghost import Ghost, begin_intent, end_intent, record_result
from hakoniwa.memory.store import MemoryWriting
from hakoniwa.memory.work import embed, work_off
from hakoniwa.persona.action import ActionDecision, ActionOrder, ActionResult
from hakoniwa.persona.goals import step_revisions
from hakoniwa.persona.interest import AttentionTarget, interest_as_state, merge_interest, targets_from_result
from hakoniwa.persona.records import Revision

log = logging.getLogger("hakoniwa.autonomy")

GLANCE = 0.5  # seconds between looks whether something may be said now
NO_MODEL = "autonomy.no-model"
NOT_SAID = "autonomy.{}"  # the message that says why something was not done, or not said
SPENT = NOT_SAID.format("messages-spent")
FlowData = dict[str, Any]
Thing = TypeVar("Thing")


class AutonomyFlow:
    """The flow of one trigger for whoever of a household it is due."""

    def __init__(self, household: AutonomyContexts) -> None:
        self._household = household

    def flow(self) -> Flow:
        return Flow(FLOW, self.live)

    async def live(self, line: FlowContext, order: FlowData) -> FlowData:
        """A trigger from beginning to end, or as far as it goes if what it rests on is forgotten on the way."""
        try:
            return await self._lived(line, order)
        except StepFailed as failed_result:
            if failed_result.fault.name != FlowBrokenOff.__name__:
                raise
            log.info("what it rests on was forgotten: %s", line.key)
            return {}

    async def _lived(self, line: FlowContext, order: FlowData) -> FlowData:
        course = dict(order)
        course |= await line.do(_found_again("decide", self.decide), course)
        if not course["acting"]:
            return course
        course |= await line.do(_found_again("intend", self.intend), course)
        if not course["dropped"]:
            course |= await self._acted(line, course)
            course |= await line.do(_found_again("record", self.record), course)
            await self._until_it_may_be_said(course)
            course |= await line.do(_found_again("speak", self.speak), course)
            await line.do(_found_again("remember", self.remember), course)
        await line.do(_found_again("end", self.end), course)
        return course

    @contextmanager
    def _at_home(self, course: FlowData) -> Iterator[AutonomyContext]:
        """Where it happens, with the Ghost up to date; all that is read and written there is one transaction.

        FlowBrokenOff if what the flow rests on was forgotten meanwhile, by whichever process."""
        home = self._household.home(course["garden"], course["branch"])
        flow = flow_key(course["garden"], course["branch"], Trigger.model_validate(course["trigger"]))
        with home.doings.as_one():
            if not home.doings.follow().goes_on(flow):
                raise FlowBrokenOff(flow)
            home.up_to_date()
            yield home

    def _look_home(self, course: FlowData) -> tuple[AutonomyContext, datetime]:
        """Where it happens, and the time there."""
        with self._at_home(course) as home:
            return home, home.now()

    # --- before the act ----------------------------------------------------------------------------------------------

    async def decide(self, key: str, course: FlowData) -> FlowData:
        """Have the persona think about what to do, and write down what it makes up its mind to."""
        home, now = await asyncio.to_thread(self._look_home, course)
        known = home.doings.at(key)
        if known and isinstance(known.what, DecisionRow):
            made = known.what
        else:
            made = await self._make_decision(home, DecisionRow(key=key, at=now, trigger=course["trigger"]))
        return await asyncio.to_thread(self._write_decision, course, made)

    async def _make_decision(self, home: AutonomyContext, asked: DecisionRow) -> DecisionRow:
        """The row of a decision, or of why there is none, to what is asked."""
        if home.model is None:
            return asked.model_copy(update={"dropped": NO_MODEL})
        trigger, actions = asked.trigger, await asyncio.to_thread(possible_actions, home.means)
        world = await asyncio.to_thread(home.believed)
        made = await deliberate(home.ghost, home.model, trigger.type, actions, asked.at, world, trigger.note)
        offered = tuple(one.action_type for one in actions)
        return asked.model_copy(update={"offered": offered, "decision": made.decision, "dropped": made.dropped})

    def _write_decision(self, course: FlowData, made: DecisionRow) -> FlowData:
        """Write the decision down, let it move what the persona cares for, and keep for later what is put off."""
        with self._at_home(course) as home:
            seq, decision = home.write(made), made.decision
            if decision is None:
                log.warning("%s came to no decision: %s", home.ghost.who, made.dropped)
                home.write(ActivityRow(key=f"{made.key}/seen", at=made.at, phase="decision", state="dropped",
                                       decision_id=seq, warning=made.dropped))  # fmt: skip
                return {"acting": False, "decision": None, "decision_id": seq}
            if seq not in home.ghost.inner.interest.updated_from_event_ids:
                home.ghost.apply(seq, writing_of(decision, home.ghost.inner, seq, made.at))
            if decision.decision_outcome == "defer":
                due = _require(decision.next_deliberation_at or decision.defer_until)
                home.write(Trigger(key=f"later/{made.key}", at=made.at, type="time", due=due, note=made.trigger.note))
        return {"acting": made.acting, "decision": decision.model_dump(mode="json"), "decision_id": seq}

    def intend(self, key: str, course: FlowData) -> FlowData:
        """Mean to do it, unless this very thing is under way or was done a while ago, or enough was done today; show
        that it is under way, unless it is to end unseen."""
        with self._at_home(course) as home:
            known = home.doings.at(key)
            meant = known.what if known and isinstance(known.what, IntentRow) else self._intent(home, key, course)
            seq = home.write(meant)
            course = {**course, "intent_id": seq}
            if meant.dropped:
                log.info("%s does not do what it decided: %s", home.ghost.who, meant.dropped)
                home.write(_activity_row(course, f"{key}/seen", meant.at, phase="intent", state="dropped",
                                         warning=meant.dropped))  # fmt: skip
            else:
                self._begin(home, course, meant.at)
            room = room_today(home.doings, home.manners, meant.at)
        return {"intent_id": seq, "dropped": meant.dropped, "meant_at": meant.at.isoformat(), "room": room}

    def _intent(self, home: AutonomyContext, key: str, course: FlowData) -> IntentRow:
        decision, now = _require(_decision(course)), home.now()
        action_type = _require(decision.action_type)
        same = action_key(action_type, _require(decision.action_payload))
        why = action_hindrance(home.doings, home.manners, action_type, same, now)
        return IntentRow(
            key=key, at=now, decision_id=course["decision_id"], action_key=same, action_type=action_type,
            dropped=why and NOT_SAID.format(why),
        )  # fmt: skip

    def _begin(self, home: AutonomyContext, course: FlowData, now: datetime) -> None:
        delivery = _require(_require(_decision(course)).console_delivery)
        home.ghost.board = begin_intent(home.ghost.board, course["intent_id"], now)
        home.ghost.note(now)
        if delivery.on_progress == "activity_only" and delivery.on_complete != "silent":
            home.write(_activity_row(course, _begin_key(course), now, phase="run", state="running"))

    # --- the act -----------------------------------------------------------------------------------------------------

    async def _acted(self, line: FlowContext, course: FlowData) -> FlowData:
        """What came of the act; where it must not happen twice, it is attempted once and may be unknown."""
        capability = capability_for(_require(_require(_decision(course)).action_type))
        once = capability is None or not capability.idempotent
        outcome = await line.do(FlowStep(ACT, self.act, once=once), course)
        if outcome is not StepOutcome.UNKNOWN:
            return dict(outcome)
        home, _ = await asyncio.to_thread(self._look_home, course)
        lost = failed_result(capability.name if capability else "", "lost", home.means, status="unknown")
        return {"result": lost.model_dump(mode="json")}

    async def act(self, key: str, course: FlowData) -> FlowData:
        """Have the capability do it. Its result is facts, in nobody's voice."""
        home = await asyncio.to_thread(self._household.home, course["garden"], course["branch"])
        ghost, decision = home.ghost, _require(_decision(course))
        means = replace(home.means, web=replace(home.means.web, room=course["room"]))
        order = ActionOrder(
            key=key, garden=ghost.garden, branch=ghost.branch, who=ghost.who,
            now=datetime.fromisoformat(course["meant_at"]),
            action_type=_require(decision.action_type), payload=_require(decision.action_payload),
        )  # fmt: skip
        return {"result": (await carry_out(order, means)).model_dump(mode="json")}

    # --- after the act -----------------------------------------------------------------------------------------------

    def record(self, key: str, course: FlowData) -> FlowData:
        """Write down what came of it, let it draw the persona's attention, and show it to those who watch."""
        with self._at_home(course) as home:
            now, decision = home.now(), _require(_decision(course))
            result = _mark_recall(ActionResult.model_validate(course["result"]))
            seq = home.write(ResultRow(
                key=key, at=now, decision_id=course["decision_id"], intent_id=course["intent_id"],
                action_type=_require(decision.action_type), asked=_require(decision.action_payload), result=result,
            ))  # fmt: skip
            self._noticed(home, decision, result, seq, course["intent_id"], now)
            if _delivery(home, decision, result).mode != "silent":
                home.write(_activity_row(
                    course, f"{key}/seen", now, phase="result", result_id=seq, **_outcome_fields(result),
                    state="failed" if result.result_status in ("failed", "unknown") else "completed",
                ))  # fmt: skip
            silent = home.must_be_silent()
        return {"result": result.model_dump(mode="json"), "result_id": seq, "must_wait": silent}

    def _noticed(
        self,
        home: AutonomyContext,
        decision: ActionDecision,
        result: ActionResult,
        seq: int,
        intent: int,
        now: datetime,
    ) -> None:
        ghost, goals, action_type = home.ghost, decision.evidence.goal_ids, _require(decision.action_type)
        board = record_result(ghost.board, action_type, result, now, goals[0] if goals else None)
        ghost.board = end_intent(board, intent, now)
        ghost.note(now)
        if seq not in ghost.inner.interest.updated_from_event_ids:
            targets = targets_from_result(action_type, result, now, goals)
            came_to = goals if result.result_status in ("success", "partial") else ()
            ghost.apply(seq, MemoryWriting(revisions=(
                *step_revisions(ghost.inner.goals, came_to, seq, now), _interest_revision(ghost, targets, seq, now),
            )))  # fmt: skip

    async def _until_it_may_be_said(self, course: FlowData) -> None:
        """Wait while the user is talking, and through the quiet hours."""
        home, silent = self._household.home(course["garden"], course["branch"]), course["must_wait"]
        while silent:
            await asyncio.sleep(GLANCE)
            silent = await asyncio.to_thread(home.must_be_silent)

    async def speak(self, key: str, course: FlowData) -> FlowData:
        """Have the persona tell of it, if it is to be told; what cannot be put in its own voice stays untold."""
        decision, result = _require(_decision(course)), ActionResult.model_validate(course["result"])
        home, now = await asyncio.to_thread(self._look_home, course)
        delivery = _delivery(home, decision, result)
        if delivery.mode not in ("notify", "chat"):
            return {"said": None, "said_at": now.isoformat()}
        if settled := home.doings.at(key) or home.doings.at(f"{key}/unsaid"):
            return {"said": settled.seq if isinstance(settled.what, MessageRow) else None, "said_at": now.isoformat()}
        report = ActionReport(decision=decision, result=result, delivery=delivery, job=_job(result))
        words = await _put_in_words(home, report, now)
        return {"said": await asyncio.to_thread(self._say, key, course, report, words), "said_at": now.isoformat()}

    def _say(self, key: str, course: FlowData, report: ActionReport, words: Spoken | str) -> int | None:
        with self._at_home(course) as home:
            if isinstance(words, Spoken):
                return home.write(_message_row(course, key, home.now(), report, words))
            log.warning("%s says nothing of it: %s", home.ghost.who, words)
            home.write(_silence_row(course, f"{key}/unsaid", home.now(), report.result, words))
        return None

    async def remember(self, _: str, course: FlowData) -> None:
        """Work what was lived through into memory: WritePlans and vectors, as after an exchange."""
        home = self._household.home(course["garden"], course["branch"])
        await work_off(home.ghost, home.model, datetime.fromisoformat(course["said_at"]))
        await embed(home.ghost)

    def end(self, key: str, course: FlowData) -> None:
        """It is over: the next trigger may be taken up."""
        with self._at_home(course) as home:
            said, dropped = course.get("said"), course["dropped"]
            home.write(EndRow(key=key, at=home.now(), trigger=course["trigger"]["key"], said=said, dropped=dropped))


def _found_again(name: str, work: Callable[[str, FlowData], Any]) -> FlowStep:
    """A step whose row in the journal says what it came to."""
    return FlowStep(name, work, found_again=True)


def _begin_key(course: FlowData) -> str:
    trigger = Trigger.model_validate(course["trigger"])
    return f"{flow_key(course['garden'], course['branch'], trigger)}/begin"


async def _put_in_words(home: AutonomyContext, report: ActionReport, now: datetime) -> Spoken | str:
    """What the persona says of it, or the message that tells why it says nothing."""
    if why := message_limit(home.doings, home.manners, now):
        return NOT_SAID.format(why)
    return NO_MODEL if home.model is None else await render_message(home.ghost, home.model, report, now)


def _message_row(course: FlowData, key: str, now: datetime, report: ActionReport, words: Spoken) -> MessageRow:
    result, job = report.result, report.job
    return MessageRow(
        key=key, at=now, assistant_text=words.text, message_kind=report.delivery.kind,
        delivery_mode=report.delivery.mode, action_type=_require(report.decision.action_type),
        capability=result.capability_name, backend=job.backend if job else None,
        agent_job_id=job.job_id if job else None, decision_id=course["decision_id"], intent_id=course["intent_id"],
        result_id=course["result_id"],
    )  # fmt: skip


def _silence_row(course: FlowData, key: str, now: datetime, result: ActionResult, why: str) -> ActivityRow:
    """Nothing is said instead: that it was not, and why, is seen by those who watch."""
    known = {"warning": why, "result_id": course["result_id"], **_outcome_fields(result)}
    return _activity_row(course, key, now, phase="voice", state="withheld" if why == SPENT else "failed", **known)


def _mark_recall(result: ActionResult) -> ActionResult:
    """Whether it may come to mind later: what brought something to light may, what did not may not."""
    worth = result.useful_for_recall_hint and result.result_status in ("success", "partial")
    return result.model_copy(update={"recall_decision": 1 if worth else -1})


def _interest_revision(ghost: Ghost, targets: Iterable[AttentionTarget], seq: int, now: datetime) -> Revision:
    """What an outcome makes of the interest, which the chat reads too."""
    interest = merge_interest(ghost.inner.interest, targets, None, [seq], "action_result", now)
    return single_revision(interest_as_state(interest, now), ghost.inner, "action_result", seq, now)


def _delivery(home: AutonomyContext, decision: ActionDecision, result: ActionResult) -> Delivery:
    return decide_delivery(_require(decision.console_delivery), result, home.manners.speak)


def _activity_row(course: FlowData, key: str, now: datetime, **more: Any) -> ActivityRow:
    decision = _require(_decision(course))
    goals = decision.evidence.goal_ids
    known = {"intent_id": course.get("intent_id"), "goal_id": goals[0] if goals else None, **more}
    return ActivityRow(
        key=key, at=now, action_type=decision.action_type, decision_id=course["decision_id"],
        **{name: value for name, value in known.items() if value is not None},
    )  # fmt: skip


def _outcome_fields(result: ActionResult) -> dict[str, Any]:
    job = _job(result)
    return {
        "capability": result.capability_name,
        "result_status": result.result_status,
        "summary_text": result.summary_text,
        "backend": job.backend if job else None,
        "agent_job_id": job.job_id if job else None,
    }


def _job(result: ActionResult) -> JobReference | None:
    """Whom the work was given to, if it was given away."""
    backend = result.details_json.get("backend")
    return JobReference(backend=backend, job_id=result.details_json.get("job_id", "")) if backend else None


def _decision(course: FlowData) -> ActionDecision | None:
    return None if course["decision"] is None else ActionDecision.model_validate(course["decision"])


def _require(value: Thing | None) -> Thing:
    """What is there by the time it is needed: a decision to act has everything an act needs."""
    assert value is not None
    return value
