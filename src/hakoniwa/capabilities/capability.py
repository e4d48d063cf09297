"""Capability: one kind of work a persona can have done, and its results as neutral, bounded sentences."""

import unicodedata
from collections.abc import Mapping
from typing import Any, ClassVar, Protocol, TypeVar

from pydantic import ValidationError

from hakoniwa.capabilities.means import CapabilityMeans
from hakoniwa.memory.schemas import Schema, record
from hakoniwa.persona.action import ActionOffer, ActionOrder, ActionResult, ResultStatus
from hakoniwa.persona.generated import Generated
from hakoniwa.registry import Registry
from hakoniwa.turn import Value

Payload = TypeVar("Payload", bound=Value)


class Capability(Protocol):
    """Carries out orders of its action types. Failures are statuses, never exceptions; facts are in nobody's voice.

    One that is `idempotent` comes to the same when an order of the same key is tried again."""

    name: ClassVar[str]
    action_types: ClassVar[frozenset[str]]
    idempotent: ClassVar[bool]

    def offers(self, means: CapabilityMeans) -> tuple[ActionOffer, ...]:
        """What of it can be done with these means."""
        ...

    async def run(self, order: ActionOrder, means: CapabilityMeans) -> ActionResult: ...


capabilities: Registry[Capability] = Registry("capability")


def parse_payload(kind: type[Payload], order: ActionOrder) -> Payload | None:
    """The payload in its shape, times counted from when it was ordered, or None: what does not fit is not mended."""
    try:
        return kind.model_validate(order.payload, context={"now": order.now})
    except ValidationError:
        return None


def make_result(
    name: str, status: ResultStatus, summary: str, facts: Mapping[str, Any], details: Mapping[str, Any] | None = None
) -> ActionResult:
    return ActionResult(
        capability_name=name,
        result_status=status,
        summary_text=Generated(summary),
        result_payload=dict(facts),
        details_json=dict(details or {}),
        useful_for_recall_hint=status in ("success", "partial"),
    )


def failed_result(
    name: str,
    fault: str,
    means: CapabilityMeans,
    details: Mapping[str, Any] | None = None,
    status: ResultStatus = "failed",
) -> ActionResult:
    """A result that says by name what went wrong."""
    return make_result(name, status, format_sentence(f"fault.{fault}", means.language), {"fault": fault}, details)


def make_offer(action_type: str, means: CapabilityMeans, key: str, **fields: Schema) -> ActionOffer:
    """An action of these fields, each with its sentence and its example; all but the optional ones are needed."""
    said, examples = SENTENCES[means.language], {}
    for name, schema in fields.items():
        schema["description"] = said[f"offer.{key}.{name}"]
        examples[name] = schema["enum"][0] if "enum" in schema else said[f"example.{key}.{name}"]
    return ActionOffer(action_type, said[f"offer.{key}"], record(**fields), examples)


SENTENCES = {
    "ja": {
        "offer.web": "ウェブで調べる",
        "offer.web.query": "検索する言葉",
        "example.web.query": "鉄瓶 赤錆 落とし方",
        "offer.web.goal": "何を知りたいか",
        "example.web.goal": "家にあるもので落とせるか知りたい",
        "offer.schedule": "あとで思い出す",
        "offer.schedule.at": "いつ（30分後、今夜、明日の朝8時など）",
        "example.schedule.at": "30分後",
        "offer.schedule.note": "何を思い出すか",
        "example.schedule.note": "やかんの火を見る",
        "offer.delegate": "プログラムに作業を任せる",
        "offer.delegate.backend": "任せる先",
        "offer.delegate.task_instruction": "何をしてもらうか、一文で",
        "example.delegate.task_instruction": "メモを日付ごとに分けて",
        "offer.garden": "いる場所で動く",
        "offer.garden.act": "すること",
        "example.garden.act": "（窓を開ける）",
        "offer.tool": "{server}の{tool}を使う。{about}",
        "web.found": "「{query}」を調べ、{sources}件の出典から{findings}件の情報を得た。",
        "web.rest": "一日にウェブから読みこめる量を使い切ったので、残りは読まずに打ち切られた。",
        "web.nothing": "「{query}」を調べたが、情報は得られなかった。",
        "delegate.done": "{command}に任せた作業が{seconds}秒で終わった。出力は{characters}文字。",
        "tool.done": "{server}の{tool}を使い、応答を得た。",
        "schedule.done": "{at}に思い出すよう予定を入れた。",
        "garden.done": "行動が認められた。",
        "garden.denied": "行動は認められなかった（{reason}）。",
        "garden.idle": "行動は認められたが、何も変わらなかった。",
        "fault.bad-payload": "依頼の中身が正しい形になっていない。",
        "fault.not-configured": "この能力は設定されていない。",
        "fault.not-allowed": "許可された一覧にない。",
        "fault.in-the-past": "時刻が過去か、先すぎる。",
        "fault.search": "検索サーバーから使える答えが得られなかった。",
        "fault.spent": "一日にウェブから読みこめる量を使い切ったので、途中で打ち切られた。",
        "fault.timed-out": "時間切れで打ち切られた。",
        "fault.tool": "ツールがエラーを返した。",
        "fault.unreachable": "ツールのサーバーから使える答えが得られなかった。",
        "fault.garden": "箱庭で行動を進められなかった。",
        "fault.unstored": "予定を保存できなかった。",
        "fault.option": "指示が「-」で始まり、オプションと区別がつかない。",
        "fault.no-runner": "作業を引き受けるランナーが動いていない。",
        "fault.no-sandbox": "このシステムでは作業を隔離できない。",
        "fault.no-program": "設定されたプログラムを起動できなかった。",
        "fault.exit": "任せた作業がエラーで終わった。",
        "fault.output": "出力が多すぎて打ち切られた。",
        "fault.processes": "プロセスが多すぎて打ち切られた。",
        "fault.memory": "メモリーを使いすぎて打ち切られた。",
        "fault.disk": "作業フォルダーに書きこみすぎて打ち切られた。",
        "fault.cancelled": "作業は途中で取りやめられた。",
        "fault.lost": "作業の結末がわからない。",
        "fault.unexpected": "思わぬ失敗で終わった。",
    },
    "en": {
        "offer.web": "look something up on the web",
        "offer.web.query": "the words to search for",
        "example.web.query": "iron kettle remove rust",
        "offer.web.goal": "what you want to know",
        "example.web.goal": "whether it can be done with what is at home",
        "offer.schedule": "think of something again later",
        "offer.schedule.at": "when (in half an hour, tonight, tomorrow at 8, ...)",
        "example.schedule.at": "in half an hour",
        "offer.schedule.note": "what to think of then",
        "example.schedule.note": "look after the kettle",
        "offer.delegate": "give a task to a program",
        "offer.delegate.backend": "which one",
        "offer.delegate.task_instruction": "what it is to do, in one sentence",
        "example.delegate.task_instruction": "sort the notes by date",
        "offer.garden": "do something where you are",
        "offer.garden.act": "what to do",
        "example.garden.act": "(open the window)",
        "offer.tool": "use {tool} of {server}. {about}",
        "web.found": 'Looked up "{query}": {findings} findings from {sources} sources.',
        "web.rest": " The rest was left unread: as much as may be taken from the web in a day had been taken.",
        "web.nothing": 'Looked up "{query}" and found nothing.',
        "delegate.done": "A task given to {command} ended after {seconds} s, with {characters} characters of output.",
        "tool.done": "Used {tool} of {server} and got an answer.",
        "schedule.done": "A reminder was set for {at}.",
        "garden.done": "The act was allowed.",
        "garden.denied": "The act was not allowed ({reason}).",
        "garden.idle": "The act was allowed and changed nothing.",
        "fault.bad-payload": "What was asked does not have the right shape.",
        "fault.not-configured": "This capability is not configured.",
        "fault.not-allowed": "It is not on the list of what is allowed.",
        "fault.in-the-past": "The time is in the past, or too far away.",
        "fault.search": "The search server gave no usable answer.",
        "fault.spent": "It was stopped: as much as may be taken from the web in a day had been taken.",
        "fault.timed-out": "It was stopped when its time was up.",
        "fault.tool": "The tool reported an error.",
        "fault.unreachable": "The tool's server gave no usable answer.",
        "fault.garden": "The garden could not take the act.",
        "fault.unstored": "The reminder could not be stored.",
        "fault.option": 'The instruction begins with "-" and could be taken for an option.',
        "fault.no-runner": "No runner is there to take the task.",
        "fault.no-sandbox": "This system has no way to confine the task.",
        "fault.no-program": "The configured program could not be started.",
        "fault.exit": "The task ended with an error.",
        "fault.output": "It was stopped for too much output.",
        "fault.processes": "It was stopped for too many processes.",
        "fault.memory": "It was stopped for using too much memory.",
        "fault.disk": "It was stopped for writing too much into its folder.",
        "fault.cancelled": "The task was called off.",
        "fault.lost": "Nobody knows how the task ended.",
        "fault.unexpected": "It failed in a way nobody foresaw.",
    },
}


def format_sentence(key: str, language: str, **details: Any) -> str:
    return SENTENCES[language][key].format(**details)


_STEERING = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})


def plain(text: str, limit: int) -> str:
    """At most `limit` characters of it, lines and tabs kept, everything else that cannot be seen dropped."""
    head = text[: 2 * limit].replace("\r\n", "\n").replace("\r", "\n")
    seen = (char for char in head if char in "\n\t" or unicodedata.category(char) not in _STEERING)
    return "".join(seen)[:limit]


def one_line(text: str, limit: int) -> str:
    return " ".join(plain(text, 2 * limit).split())[:limit]


def bound_value(value: Any, room: int = 4_000, depth: int = 6) -> Any:
    """A JSON value with its texts made plain, its lists and tables cut short, and nothing nested too deep."""
    if isinstance(value, str):
        return plain(value, room)
    if isinstance(value, bool | None) or (isinstance(value, int | float) and abs(value) < 2**53):
        return value
    if depth and isinstance(value, list):
        return [bound_value(one, room // 4, depth - 1) for one in value[:20]]
    if depth and isinstance(value, dict):
        return {one_line(str(key), 80): bound_value(one, room // 4, depth - 1) for key, one in list(value.items())[:20]}
    return None
