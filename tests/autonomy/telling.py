"""Things a persona did by itself, what came of them, and how somebody would naturally tell of each."""

from datetime import UTC, datetime
from typing import Any, NamedTuple

from hakoniwa.autonomy.delivery import Delivery
from hakoniwa.autonomy.voice import ActionReport, JobReference
from hakoniwa.capabilities.capability import format_sentence
from hakoniwa.memory.ghost import Ghost
from hakoniwa.persona.action import ActionDecision, ActionResult, MessageKind
from hakoniwa.persona.generated import Generated
from tests.memory.living import Cares, Past, ghost_of, lived, somebody

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
PERSONAS = {
    "ja": somebody(
        "ミナ", persona_text="ミナ。古道具屋の店主。物の来歴を聞くのが好き。", addon_text="ゆっくりした話し方。",
        second_person_label="マスター",
    ),
    "en": somebody(
        "Mina", persona_text="Mina keeps a shop for old things and loves to hear where they come from.",
        addon_text="She takes her time when she talks.", second_person_label="boss", language="en",
    ),
}  # fmt: skip


class Doing(NamedTuple):
    """One thing that was done: what was asked for, what a capability brought back, and in what tone it is told."""

    action_type: str
    asked: dict[str, Any]
    capability: str
    summary: str
    payload: dict[str, Any]
    details: dict[str, Any] = {}
    status: str = "success"
    kind: MessageKind = "report"
    job: JobReference | None = None


def report_of(doing: Doing, goals: tuple[int, ...] = ()) -> ActionReport:
    influence = {"summary": "世話好き", "traits": ["世話好き"], "preferred_direction": "support"}
    decision = {
        "decision_outcome": "do_action", "action_type": doing.action_type, "action_payload": doing.asked,
        "reason": "喜んでもらえそうだから", "persona_influence": influence,
        "mood_influence": {"summary": "穏やか", "vad": {"v": 0.2}}, "evidence": {"goal_ids": goals},
        "console_delivery": {"on_complete": "chat", "on_fail": "chat", "message_kind": doing.kind},
    }  # fmt: skip
    result = {
        "capability_name": doing.capability, "result_status": doing.status, "summary_text": Generated(doing.summary),
        "result_payload": doing.payload, "details_json": doing.details,
    }  # fmt: skip
    return ActionReport(
        decision=ActionDecision.model_validate(decision),
        result=ActionResult.model_validate(result),
        delivery=Delivery(mode="chat", kind=doing.kind),
        job=doing.job,
    )


def teller(language: str = "ja", **cares: Any) -> Ghost:
    """Somebody who has done it, with a little past."""
    persona = PERSONAS[language]
    memories, head = lived([Past("おはよう", NOW)], persona.name)
    return ghost_of(memories, head, Cares(persona, **cares), NOW)


def web(query: str, language: str, *found: tuple[str, str, str]) -> Doing:
    findings = [{"title": title, "url": url, "excerpt": text, "from": "page"} for title, url, text in found]
    sources = [{"url": one["url"], "title": one["title"]} for one in findings]
    summary = format_sentence("web.found", language, query=query, findings=len(found), sources=len(found))
    payload = {"findings": findings, "sources": sources, "notes": []}
    return Doing("web_research", {"query": query, "goal": ""}, "web_access", summary, payload)


def delegated(language: str, instruction: str, printed: str) -> Doing:
    counts = {"command": "tidy-agent", "seconds": 12, "characters": len(printed)}
    details = {"backend": "cli_agent", "command": "tidy-agent", "raw_output_text": printed, "exit_code": 0}
    asked = {"backend": "cli_agent", "task_instruction": instruction}
    job = JobReference(backend="cli_agent", job_id="9f3ac1d2e4b5")
    return Doing(
        "agent_delegate",
        asked,
        "agent_delegate",
        format_sentence("delegate.done", language, **counts),
        {},
        details,
        job=job,
    )


def gone_wrong(doing: Doing, fault: str, language: str) -> Doing:
    return doing._replace(
        status="failed", kind="error", summary=format_sentence(f"fault.{fault}", language), payload={"fault": fault}
    )


TEA = web(
    "紅茶の美味しい淹れ方", "ja",
    ("紅茶の基本", "https://tea.example/basics-8841",
     "茶葉はティースプーン一杯。沸騰したての九十五度以上の湯を勢いよく注ぎ、三分ほど蒸らす。"),
    ("水の話", "https://water.example/soft",
     "日本の水は軟水なので、ダージリンのような香りの茶葉に向く。汲みたての水を使うこと。"),
)  # fmt: skip
WEATHER = web(
    "週末の京都の天気", "ja",
    ("京都府の天気予報", "https://weather.example/kyoto?id=26100",
     "土曜は晴れ、最高気温は24.5度。日曜は午後から雨、降水確率は七十パーセント。"),
)  # fmt: skip
REMINDER = Doing(
    "schedule_action", {"after": "PT30M", "note": "マスターに薬の時間だと伝える"}, "schedule",
    format_sentence("schedule.done", "ja", at="2026-05-04T21:30+09:00"),
    {"at": "2026-05-04T21:30+09:00", "note": "マスターに薬の時間だと伝える"},
)  # fmt: skip
SWEPT = delegated(
    "ja", "写真フォルダーを年ごとに分ける",
    "[INFO] scanned 412 files in /srv/photos_2019\n- moved 398 images into yearly folders\n"
    "- 14 files had no date (see unsorted_14.log)",
)  # fmt: skip
ASTRAY = gone_wrong(TEA, "timed-out", "ja")

KETTLE = web(
    "how to descale an iron kettle", "en",
    ("Caring for tetsubin", "https://kettle.example/care-77a1",
     "Simmer green tea leaves in the kettle for twenty minutes; the tannins turn loose rust black and seal it. "
     "Never use soap."),
    ("Iron kettles", "https://iron.example/faq",
     "A thin white film inside is normal and even improves the taste of the water."),
)  # fmt: skip
LETTER = Doing(
    "schedule_action", {"after": "PT2H", "note": "ask about the letter from Lyon"}, "schedule",
    format_sentence("schedule.done", "en", at="2026-05-04T14:00+00:00"),
    {"at": "2026-05-04T14:00+00:00", "note": "ask about the letter from Lyon"},
)  # fmt: skip
SORTED = delegated(
    "en", "sort the shop's invoices by month",
    "INFO run 7f21b: processed 96 invoices\nWARN invoice_0413.pdf: total missing\nwrote summary to out/months_v2.csv",
)  # fmt: skip
LOST = gone_wrong(KETTLE, "unreachable", "en")

DOINGS: dict[str, list[Doing]] = {
    "ja": [TEA, WEATHER, REMINDER, SWEPT, ASTRAY],
    "en": [KETTLE, LETTER, SORTED, LOST],
}

NATURAL: list[tuple[str, Doing, str]] = [
    *(("ja", TEA, said) for said in (
        "マスター、紅茶の美味しい淹れ方を調べてみたよ。お湯は沸かしたての九十五度以上がいいんだって。",
        "ねえマスター。紅茶ってね、茶葉はティースプーン一杯で、三分ほど蒸らすのがちょうどいいみたい。",
        "ちょっと気になって見てきたの。日本の水は軟水なので、ダージリンのような香りの茶葉に向くそうよ。今度淹れてあげるね。",
        "汲みたての水を使うこと、っていうのがいちばん大事みたい。マスターの薬缶なら、きっと美味しくなるよ(´ω`*)",
        "「紅茶の美味しい淹れ方」を調べたんだけど、コツは熱いお湯を勢いよく注ぐことなんですって。……試したくなってきちゃった。",
        "マスター♪\n\n紅茶のこと、少し詳しくなったよ。\n蒸らすのは3分。覚えておいてね！",
        "……ふう。お茶の話を読んでたら、のどが渇いちゃった。沸かしたてのお湯で三分、だって。",
    )),
    *(("ja", WEATHER, said) for said in (
        "マスター、週末の京都は土曜なら晴れて24.5度まで上がるって。日曜は午後から雨みたいだから、出かけるなら土曜がいいよ。",
        "お出かけの話、気になってたの。日曜は降水確率が七十パーセントだって。傘、忘れないでね？",
        "土曜は晴れ、最高気温は24.5度。ね、いいお散歩日和になりそう。",
        "・・・日曜は雨かあ。土曜のうちに行こうよ、マスター＞＜",
    )),
    *(("ja", REMINDER, said) for said in (
        "マスター、夜の九時半になったら、薬の時間だって声をかけるね。忘れてても大丈夫。",
        "お薬のこと、ちゃんと覚えておくことにしたよ。21:30に伝えるから安心して。",
        "マスターに薬の時間だと伝えるって決めたの。約束ね。",
    )),
    *(("ja", SWEPT, said) for said in (
        "写真フォルダーを年ごとに分けるの、終わったよ。三百九十八枚はきれいに並んだけど、十四枚だけ日付がわからなかったの。",
        "マスターの写真、年ごとに片づけておいたよ。日付のない写真が14枚あったから、あとで一緒に見ない？",
        "ぜんぶで412枚も写真があったのね。見ているだけで、来歴を聞きたくなっちゃった。",
    )),
    *(("ja", ASTRAY, said) for said in (
        "ごめんね、マスター。紅茶のことを調べようとしたんだけど、時間がかかりすぎて最後まで見られなかったの。",
        "うーん、今日はうまく調べられなかったみたい。また今度、ゆっくりやってみるね。",
        "紅茶の美味しい淹れ方、まだわからないままなの。悔しいなあ。",
    )),
    *(("en", KETTLE, said) for said in (
        "Boss, I read up on how to descale an iron kettle. You simmer green tea in it for twenty minutes!",
        "You know that white film inside the old kettle? It's normal, and it even improves the taste of the water.",
        "I got curious about your kettle, boss. Never use soap on it - green tea does the work.",
        "Turns out the tannins turn loose rust black and seal it. Isn't that a lovely thing for a kettle to know?",
        "Good news, boss! The rust is no trouble: twenty minutes with green tea, and no soap.",
        "So... I looked into iron kettles. A well-kept one seems to get better with age, film and all.",
    )),
    *(("en", LETTER, said) for said in (
        "I'll ask about the letter from Lyon at two o'clock, boss, so you needn't keep it in your head.",
        "There, it's settled: at 14:00 I'll bring up that letter again.",
        "Boss, I made myself a note about the letter from Lyon. I do want to know who wrote it.",
    )),
    *(("en", SORTED, said) for said in (
        "The invoices are in order by month now, boss. There were ninety-six of them, and one has no total on it.",
        "I had the shop's papers put in order. One bill from April is missing its total; could you have a look?",
        "Ninety-six invoices! They're all sorted, boss, apart from one that doesn't say how much it was.",
    )),
    *(("en", LOST, said) for said in (
        "I'm sorry, boss. I wanted to read about your kettle, but I couldn't get through to anyone just now.",
        "No luck with the kettle today; I'll try again when things are quieter.",
        "Well, that didn't work. How to descale an iron kettle stays a mystery for another day.",
    )),
]  # fmt: skip
