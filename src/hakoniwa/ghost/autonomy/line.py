"""The line of a life between exchanges: a trigger is thought about, decided on, acted on, recorded, told, remembered.

Each step is carried out again after a kill unless it is known how it ended, and comes to the same then: whatever it
writes has the step's own key. An act that cannot be repeated is not; if nobody knows how it ended, that is its result.
What the steps find out is the course of the flow, which grows from one to the next."""

import asyncio
import logging
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar

from hakoniwa.ghost.action import ActionDecision, ActionResult, Order
from hakoniwa.ghost.apply import single
from hakoniwa.ghost.autonomy.delivery import Delivery, delivered
from hakoniwa.ghost.autonomy.doings import ACT, BrokenOff, flow_key
from hakoniwa.ghost.autonomy.heart import FLOW
from hakoniwa.ghost.autonomy.home import Home, Household
from hakoniwa.ghost.autonomy.manners import action_key, forbidden, hush, room_today, spent
from hakoniwa.ghost.autonomy.rows import Activity, Decided, End, Intent, Resulted, Said, Trigger
from hakoniwa.ghost.autonomy.voice import Job, Report, Spoken, spoken
from hakoniwa.ghost.blackboard import after_result, begun, ended
from hakoniwa.ghost.capabilities.capability import failed
from hakoniwa.ghost.capabilities.catalogue import capability_for, carry_out, offered
from hakoniwa.ghost.deliberate import deliberate, writing_of
from hakoniwa.ghost.ghost import Ghost
from hakoniwa.ghost.interest import Target, interest_as_state, merged, targets_from_result
from hakoniwa.ghost.store import Writing
from hakoniwa.ghost.work import embed, work_off
from hakoniwa.jobs import Failed, Flow, Line, Outcome, Step

log = logging.getLogger("hakoniwa.autonomy")

GLANCE = 0.5  # seconds between looks whether something may be said now
NO_MODEL = "autonomy.no-model"
NOT_SAID = "autonomy.{}"  # the message that says why something was not done, or not said
SPENT = NOT_SAID.format("messages-spent")
Course = dict[str, Any]
Thing = TypeVar("Thing")


class Life:
    """The flow of one trigger for whoever of a household it is due."""

    def __init__(self, household: Household) -> None:
        self._household = household

    def flow(self) -> Flow:
        return Flow(FLOW, self.live)

    async def live(self, line: Line, order: Course) -> Course:
        """A trigger from beginning to end, or as far as it goes if what it rests on is forgotten on the way."""
        try:
            return await self._lived(line, order)
        except Failed as failed:
            if failed.fault.name != BrokenOff.__name__:
                raise
            log.info("what it rests on was forgotten: %s", line.key)
            return {}

    async def _lived(self, line: Line, order: Course) -> Course:
        course = dict(order)
        course |= await line.do(Step("deliberate", self.deliberate), course)
        course |= await line.do(Step("decide", self.decide), course)
        if not course["acting"]:
            return course
        course |= await line.do(Step("intend", self.intend), course)
        if not course["dropped"]:
            await line.do(Step("begin", self.begin), course)
            course |= await self._acted(line, course)
            course |= await line.do(Step("record", self.record), course)
            await self._until_it_may_be_said(course)
            course |= await line.do(Step("speak", self.speak), course)
            await line.do(Step("remember", self.remember), course)
        await line.do(Step("end", self.end), course)
        return course

    def _home(self, course: Course) -> Home:
        """Where it happens; BrokenOff if what the flow rests on was forgotten meanwhile, by whichever process."""
        home = self._household.home(course["garden"], course["branch"])
        flow = flow_key(course["garden"], course["branch"], Trigger.model_validate(course["trigger"]))
        if not home.doings.follow().goes_on(flow):
            raise BrokenOff(flow)
        return home

    # --- before the act ----------------------------------------------------------------------------------------------

    async def deliberate(self, _: str, course: Course) -> Course:
        """Have the persona think about what to do."""
        home = await asyncio.to_thread(self._home, course)
        trigger = Trigger.model_validate(course["trigger"])
        if home.model is None:
            return {"decision": None, "dropped": NO_MODEL, "offered": []}
        ghost = await asyncio.to_thread(home.up_to_date)
        actions = await asyncio.to_thread(offered, home.means)
        made = await deliberate(ghost, home.model, trigger.type, actions, home.now(), note=trigger.note)
        decision = made.decision.model_dump(mode="json") if made.decision else None
        return {"decision": decision, "dropped": made.dropped, "offered": [one.action_type for one in actions]}

    def decide(self, key: str, course: Course) -> Course:
        """Write the decision down, let it move what the persona cares for, and keep for later what is put off."""
        home, now = self._home(course), self._home(course).now()
        trigger, decision = Trigger.model_validate(course["trigger"]), _decision(course)
        what = Decided(
            key=key, at=now, trigger=trigger, offered=course["offered"], decision=decision, dropped=course["dropped"]
        )
        seq = home.write(what)
        if decision is None:
            log.warning("%s came to no decision: %s", home.ghost.who, course["dropped"])
            home.write(Activity(key=f"{key}/seen", at=now, phase="decision", state="dropped", decision_id=seq,
                                warning=course["dropped"]))  # fmt: skip
            return {"acting": False, "decision_id": seq}
        if seq not in home.ghost.inner.interest.updated_from_event_ids:
            home.ghost.apply(seq, writing_of(decision, home.ghost.inner, seq, now))
        if decision.decision_outcome == "defer" and decision.next_deliberation_at:
            due = decision.next_deliberation_at
            home.write(Trigger(key=f"later/{key}", at=now, type="time", due=due, note=trigger.note))
        return {"acting": what.acting, "decision_id": seq}

    def intend(self, key: str, course: Course) -> Course:
        """Mean to do it, unless this very thing is under way or was done a while ago, or enough was done today."""
        home, now, decision = self._home(course), self._home(course).now(), _must(_decision(course))
        action_type = _must(decision.action_type)
        same = action_key(action_type, _must(decision.action_payload))
        known = home.doings.follow().at(key)
        why = None if known else forbidden(home.doings, home.manners, action_type, same, now)
        dropped = known.what.dropped if known and isinstance(known.what, Intent) else why and NOT_SAID.format(why)
        seq = home.write(Intent(key=key, at=now, decision_id=course["decision_id"], action_key=same,
                                action_type=action_type, dropped=dropped))  # fmt: skip
        if dropped:
            log.info("%s does not do what it decided: %s", home.ghost.who, dropped)
            home.write(_activity(course, f"{key}/seen", now, phase="intent", state="dropped", intent_id=seq,
                                 warning=dropped))  # fmt: skip
        return {"intent_id": seq, "dropped": dropped, "meant_at": now.isoformat()}

    def begin(self, key: str, course: Course) -> None:
        """Show that it is under way, unless it is to end unseen."""
        home, now, decision = self._home(course), self._home(course).now(), _must(_decision(course))
        home.ghost.board = begun(home.ghost.board, course["intent_id"], now)
        home.ghost.note(now)
        delivery = _must(decision.console_delivery)
        if delivery.on_progress == "activity_only" and delivery.on_complete != "silent":
            home.write(_activity(course, key, now, phase="run", state="running"))

    # --- the act -----------------------------------------------------------------------------------------------------

    async def _acted(self, line: Line, course: Course) -> Course:
        """What came of the act; where it must not happen twice, it is attempted once and may be unknown."""
        capability = capability_for(_must(_must(_decision(course)).action_type))
        once = capability is None or not capability.idempotent
        outcome = await line.do(Step(ACT, self.act, once=once), course)
        if outcome is not Outcome.UNKNOWN:
            return dict(outcome)
        home = await asyncio.to_thread(self._home, course)
        lost = failed(capability.name if capability else "", "lost", home.means, status="unknown")
        return {"result": lost.model_dump(mode="json")}

    async def act(self, key: str, course: Course) -> Course:
        """Have the capability do it. Its result is facts, in nobody's voice."""
        home, decision = await asyncio.to_thread(self._home, course), _must(_decision(course))
        ghost = home.ghost
        order = Order(
            key=key, garden=ghost.garden, branch=ghost.branch, who=ghost.who,
            now=datetime.fromisoformat(course["meant_at"]),
            action_type=_must(decision.action_type), payload=_must(decision.action_payload),
        )  # fmt: skip
        room = await asyncio.to_thread(lambda: room_today(home.doings.follow(), home.manners, home.now()))
        means = replace(home.means, web=replace(home.means.web, room=room))
        return {"result": (await carry_out(order, means)).model_dump(mode="json")}

    # --- after the act -----------------------------------------------------------------------------------------------

    def record(self, key: str, course: Course) -> Course:
        """Write down what came of it, let it draw the persona's attention, and show it to those who watch."""
        home, now, decision = self._home(course), self._home(course).now(), _must(_decision(course))
        result = _worth_recalling(ActionResult.model_validate(course["result"]))
        seq = home.write(Resulted(
            key=key, at=now, decision_id=course["decision_id"], intent_id=course["intent_id"],
            action_type=_must(decision.action_type), asked=_must(decision.action_payload), result=result,
        ))  # fmt: skip
        self._noticed(home, decision, result, seq, course["intent_id"], now)
        if _delivery(home, decision, result).mode != "silent":
            home.write(_activity(
                course, f"{key}/seen", now, phase="result", result_id=seq, **_outcome(result),
                state="failed" if result.result_status in ("failed", "unknown") else "completed",
            ))  # fmt: skip
        return {"result": result.model_dump(mode="json"), "result_id": seq}

    def _noticed(
        self, home: Home, decision: ActionDecision, result: ActionResult, seq: int, intent: int, now: datetime
    ) -> None:
        ghost, goals, action_type = home.ghost, decision.evidence.goal_ids, _must(decision.action_type)
        board = after_result(ghost.board, action_type, result, now, goals[0] if goals else None)
        ghost.board = ended(board, intent, now)
        ghost.note(now)
        if seq not in ghost.inner.interest.updated_from_event_ids:
            ghost.apply(seq, _cared(ghost, targets_from_result(action_type, result, now, goals), seq, now))

    async def _until_it_may_be_said(self, course: Course) -> None:
        """Wait while the user is talking, and through the quiet hours."""
        home = await asyncio.to_thread(self._home, course)
        while hush(home.manners, home.clock.talking(), home.now()):
            await asyncio.sleep(GLANCE)

    async def speak(self, key: str, course: Course) -> Course:
        """Have the persona tell of it, if it is to be told; what cannot be put in its own voice stays untold."""
        home, decision = await asyncio.to_thread(self._home, course), _must(_decision(course))
        result = ActionResult.model_validate(course["result"])
        delivery = _delivery(home, decision, result)
        if delivery.mode not in ("notify", "chat"):
            return {"said": None}
        doings = await asyncio.to_thread(home.doings.follow)
        if settled := doings.at(key) or doings.at(f"{key}/unsaid"):
            return {"said": settled.seq if isinstance(settled.what, Said) else None}
        report = Report(decision=decision, result=result, delivery=delivery, job=_job(result))
        words = await _in_words(home, report)
        if isinstance(words, Spoken):
            return {"said": await asyncio.to_thread(home.write, _said(course, key, home.now(), report, words))}
        log.warning("%s says nothing of it: %s", home.ghost.who, words)
        await asyncio.to_thread(home.write, _unsaid(course, f"{key}/unsaid", home.now(), result, words))
        return {"said": None}

    async def remember(self, _: str, course: Course) -> None:
        """Work what was lived through into memory: WritePlans and vectors, as after an exchange."""
        home = await asyncio.to_thread(self._home, course)
        ghost = await asyncio.to_thread(home.up_to_date)
        await work_off(ghost, home.model, home.now())
        await embed(ghost)

    def end(self, key: str, course: Course) -> None:
        """It is over: the next trigger may be taken up."""
        home, trigger = self._home(course), course["trigger"]["key"]
        home.write(End(key=key, at=home.now(), trigger=trigger, said=course.get("said"), dropped=course["dropped"]))


async def _in_words(home: Home, report: Report) -> Spoken | str:
    """What the persona says of it, or the message that tells why it says nothing."""
    now = home.now()
    ghost = await asyncio.to_thread(home.up_to_date)
    if why := spent(home.doings, home.manners, now):
        return NOT_SAID.format(why)
    return NO_MODEL if home.model is None else await spoken(ghost, home.model, report, now)


def _said(course: Course, key: str, now: datetime, report: Report, words: Spoken) -> Said:
    result, job = report.result, report.job
    return Said(
        key=key, at=now, assistant_text=words.text, message_kind=report.delivery.kind,
        delivery_mode=report.delivery.mode, action_type=_must(report.decision.action_type),
        capability=result.capability_name, backend=job.backend if job else None,
        agent_job_id=job.job_id if job else None, decision_id=course["decision_id"], intent_id=course["intent_id"],
        result_id=course["result_id"],
    )  # fmt: skip


def _unsaid(course: Course, key: str, now: datetime, result: ActionResult, why: str) -> Activity:
    """Nothing is said instead: that it was not, and why, is seen by those who watch."""
    known = {"warning": why, "result_id": course["result_id"], **_outcome(result)}
    return _activity(course, key, now, phase="voice", state="withheld" if why == SPENT else "failed", **known)


def _worth_recalling(result: ActionResult) -> ActionResult:
    """Whether it may come to mind later: what brought something to light may, what did not may not."""
    worth = result.useful_for_recall_hint and result.result_status in ("success", "partial")
    return result.model_copy(update={"recall_decision": 1 if worth else -1})


def _cared(ghost: Ghost, targets: Iterable[Target], seq: int, now: datetime) -> Writing:
    """What an outcome changes: the interest, which the chat reads too."""
    interest = merged(ghost.inner.interest, targets, None, [seq], "action_result", now)
    return Writing(revisions=(single(interest_as_state(interest, now), ghost.inner, "action_result", seq, now),))


def _delivery(home: Home, decision: ActionDecision, result: ActionResult) -> Delivery:
    return delivered(_must(decision.console_delivery), result, home.manners.speak)


def _activity(course: Course, key: str, now: datetime, **more: Any) -> Activity:
    decision = _must(_decision(course))
    goals = decision.evidence.goal_ids
    known = {"intent_id": course.get("intent_id"), "goal_id": goals[0] if goals else None, **more}
    return Activity(
        key=key, at=now, action_type=decision.action_type, decision_id=course["decision_id"],
        **{name: value for name, value in known.items() if value is not None},
    )  # fmt: skip


def _outcome(result: ActionResult) -> dict[str, Any]:
    job = _job(result)
    return {
        "capability": result.capability_name,
        "result_status": result.result_status,
        "summary_text": result.summary_text,
        "backend": job.backend if job else None,
        "agent_job_id": job.job_id if job else None,
    }


def _job(result: ActionResult) -> Job | None:
    """Whom the work was given to, if it was given away."""
    backend = result.details_json.get("backend")
    return Job(backend=backend, job_id=result.details_json.get("job_id", "")) if backend else None


def _decision(course: Course) -> ActionDecision | None:
    return None if course["decision"] is None else ActionDecision.model_validate(course["decision"])


def _must(value: Thing | None) -> Thing:
    """What is there by the time it is needed: a decision to act has everything an act needs."""
    assert value is not None
    return value
