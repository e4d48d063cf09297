"""A day of two personas, from noon to noon: a clock that is moved by the minute, a model that answers for whoever it is
asked as, and a small web. Everything that may happen in a life between exchanges happens to somebody."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import datetime, timedelta
from time import sleep
from typing import Any, NamedTuple
from urllib.parse import urlencode

from hakoniwa.actor.character import Character
from hakoniwa.autonomy.context import AutonomyContext
from hakoniwa.autonomy.inspect import Digest, build_digest
from hakoniwa.autonomy.log import flow_key
from hakoniwa.autonomy.policy import AutonomyPolicy, QuietHours, speech_hindrance
from hakoniwa.capabilities.means import CapabilityMeans, WebMeans
from hakoniwa.llm import ChatModel, Message, Usage
from hakoniwa.persona.generated import unseal
from tests.autonomy.cottage import SKIP, Cottage, doing
from tests.capabilities.wire import PUBLIC, Wire, page, reply

MINUTE = timedelta(minutes=1)
NOON = datetime(2026, 5, 4, 12, 0).astimezone()  # on the user's wall, as quiet hours are
DAY = timedelta(days=1)
SLOW = timedelta(minutes=45)  # how long a slow server takes
MANNERS = AutonomyPolicy(quiet=QuietHours.read("23:00-07:00"), actions_per_day=9, messages_per_day=5)
SEARCH, SLOW_SITE, SLOW_QUERY = "http://127.0.0.1:8888/search", "slow.test", "鉄瓶 錆"

TALKS = {NOON + MINUTE * 448: ("chat-mina", "ただいま"), NOON + MINUTE * 480: ("chat-sora", "星は見える？")}
SHEETS = {
    "chat-mina": Character.model_validate(
        {
            "display_name": "ミナ",
            "persona": "ミナ。古道具屋の店主。物の来歴を聞くのが好き。",
            "speech": {"tone": "ゆっくりした話し方。", "address": {"user": "きみ"}},
            "phrasebook": {"answer": {"*": ["そうなんだ。"]}},
        }
    ),
    "chat-sora": Character.model_validate(
        {
            "display_name": "ソラ",
            "persona": "ソラ。天文部の高校生。夜更かしと星が好きで、思い立ったらすぐ動く。",
            "speech": {"tone": "元気で早口。", "address": {"user": "先輩"}},
            "phrasebook": {"answer": {"*": ["了解っす！"]}},
        }
    ),
}
PAGES = {
    "急須 手入れ": ("茶渋は塩でこする", "急須の茶渋は、塩をつけた指でやさしくこすると落ちる。洗剤は使わない。"),
    "今夜の流星群": ("みずがめ座の流星群", "みずがめ座の流星群は、明け方に東の低い空を広く見るとよい。"),
    "鉄瓶 錆": ("鉄瓶の赤錆", "赤錆が出た鉄瓶は、緑茶の葉を煮出すと黒く落ち着く。"),
}


class Thought(NamedTuple):
    """What somebody decides at some moment, and what they say of it in the end."""

    decision: Any
    said: str = ""


def research(query: str, said: str, **delivery: str) -> Thought:
    return Thought(doing("web_research", {"query": query}, **delivery), said)


def reminder(hours: float, note: str, said: str, **delivery: str) -> Thought:
    return Thought(doing("schedule_action", {"after": hours * 3600, "note": note}, **delivery), said)


def put_off(minutes: int) -> Thought:
    """Until so long after noon."""
    until = (NOON + MINUTE * minutes).isoformat()
    return Thought({**SKIP, "decision_outcome": "defer", "defer_reason": "あとで", "defer_until": until,
                    "next_deliberation_at": until})  # fmt: skip


LATER = Thought(SKIP)
UNFINISHED = Thought({**doing("schedule_action", {"after": 60, "note": "x"}), "console_delivery": None})
GIBBERISH = Thought("ええと")
TOO_MUCH = reminder(5, "もうひとつ", "言わない")

# What each decides, one after the other, whenever they come to think of something.
LIVES: Mapping[str, Sequence[Thought]] = {
    "ミナ": [
        research("急須 手入れ", "きみの急須、塩でこすれば茶渋が落ちるそうだよ。"),
        LATER,
        research("手入れ 急須", "言わない"),
        reminder(2, "湯のみの貫入を見る", "二時間したら、湯のみをもう一度見るつもり。", on_complete="notify"),
        put_off(230),
        research("ないものの作り方", "ごめんね、調べものはうまくいかなかった。"),
        UNFINISHED,
        LATER,
        reminder(20, "棚を拭く", "言わない", on_complete="silent", on_progress="silent"),
        research("ないものの作り方", "言わない", on_fail="activity_only"),
        *[LATER] * 8,
        reminder(9, "朝いちばんに帳簿をつける", "# 報告\n- [済](http://x.test)"),
        *[LATER] * 4,
        research("鉄瓶 錆", "鉄瓶の赤錆は、お茶の葉で落ち着くらしいね。ゆうべのうちに調べておいたよ。"),
        reminder(3, "店を開ける", "店を開ける時間を決めておいたよ、きみ。"),
        reminder(4, "茶筒を探す", "言えない"),
        *[TOO_MUCH] * 5,
    ],
    "ソラ": [
        GIBBERISH,
        research("今夜の流星群", "先輩！流星群、明け方に東の空っす！", message_kind="question"),
        research("流星群 今夜の", "言わない"),
        *(
            reminder(9 + number, f"観測の支度 {number}", f"先輩、支度の{number}番目、決めたっす！", on_complete=mode)
            for number, mode in enumerate(("chat", "notify", "activity_only", "chat", "chat", "chat", "chat", "silent"))
        ),
        *[TOO_MUCH] * 5,
    ],
}


class Cast(ChatModel):
    """Speaks for everybody, by the name that a prompt is for."""

    name, context = "cast", 0

    def __init__(self) -> None:
        self._lives = {name: iter(thoughts) for name, thoughts in LIVES.items()}
        self._now: dict[str, Thought] = {}

    async def chat(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> AsyncIterator[str | Usage]:
        prompt = messages[-1].content
        who = next(name for name in self._lives if f"あなたは{name}" in prompt)
        match purpose:
            case "ghost.deliberate":
                self._now[who] = next(self._lives[who])
                made = self._now[who].decision
                yield made if isinstance(made, str) else json.dumps(made, ensure_ascii=False)
            case "ghost.autonomy_message_render":
                yield self._now[who].said
            case _:
                yield "{}"
        yield Usage(finish="stop")


class Day(Cottage):
    """Both of them, each with a model, and the user, who looks in now and then."""

    def __init__(
        self, models: Mapping[str, ChatModel | None], manners: AutonomyPolicy = MANNERS, glance: float = 0.003
    ) -> None:
        web = WebMeans(search_url=SEARCH, wire=Wire(_web()), resolve=self._look_up)
        super().__init__(models, manners, CapabilityMeans(web=web), SHEETS)
        self.time = NOON
        self._glance = glance  # seconds between looks whether what is under way is over

    async def _look_up(self, host: str, port: int) -> list[str]:
        if host == SLOW_SITE:
            self.time += SLOW
        return [PUBLIC]

    def go_by(self, by: timedelta = DAY, step: timedelta = MINUTE) -> None:
        """Let it pass; whatever can be done at a minute is done before the next."""
        for home in self.homes():
            home.doings.control("start", self.time)
        with closing(self.jobs):
            self.jobs.run()
            while self.time < NOON + by:
                self.time += step
                self.settle()
                if self.time in TALKS:
                    asyncio.run(self._talk(*TALKS[self.time]))

    async def _talk(self, name: str, text: str) -> None:
        async for _ in self.chat(name).say(text):
            pass

    def settle(self) -> None:
        """Go on until nothing is due, and nothing is under way but what waits to be said in the morning. What ends
        after a beat may let something else begin."""
        busy = True
        while busy:
            under_way = any(self._busy(home) for home in self.homes())
            busy = bool(self.heart.beat()) or under_way
            sleep(self._glance)

    def _busy(self, home: AutonomyContext) -> bool:
        claims = home.doings.follow().claims.values()
        silent = speech_hindrance(home.manners, talking=False, now=home.now())
        place = (home.doings.garden, home.doings.branch)
        return any(not silent or not home.doings.at(f"{flow_key(*place, one.trigger)}/record") for one in claims)

    def digests(self) -> list[tuple[str, Digest]]:
        """What each did all day."""
        return [
            (home.ghost.persona.name, build_digest(home.doings.follow(), NOON, NOON + DAY)) for home in self.homes()
        ]


def scripted_day() -> Day:
    """The day as it was thought out."""
    return Day(dict.fromkeys(SHEETS, Cast()))


def told(day: Day) -> Iterator[str]:
    """The digests as a page."""
    for name, one in day.digests():
        yield f"{name}: thought {one.considered} times, let it be {one.left} times, did {len(one.deeds)} things"
        for deed in one.deeds:
            said = f"「{unseal(deed.message)}」" if deed.message is not None else "(nothing said)"
            yield f"  {deed.at.astimezone():%H:%M} {deed.action_type:<16}{deed.result_status:<9}{said}"


def _web() -> dict[str, bytes]:
    """A search server that knows a few questions, and the pages it finds."""
    found: dict[str, bytes] = {}
    for number, (query, (title, text)) in enumerate(PAGES.items()):
        url = f"http://{SLOW_SITE if query == SLOW_QUERY else 'site.test'}/{number}"
        results = json.dumps({"results": [{"url": url, "title": title, "content": text}]}).encode()
        found[f"/search?{urlencode({'q': query, 'format': 'json'})}"] = reply(results, "Content-Type: application/json")
        found[f"/{number}"] = page(f"<title>{title}</title><p>{text}</p>")
    return found
