"""Chatter: a model that takes no time, always has something to say, and says it as long and as well as a chat model."""

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

from hakoniwa.llm import ChatModel, Message, Usage

PER_TOKEN = {"ja": 1.6, "en": 4.0}
# A prime number of lines each, so that everyone in a cast of two or three gets to say them all before one comes again.
THOUGHTS = {
    "ja": "少し様子を見て、それから声をかけてみよう。急ぐことはない。",
    "en": "I shall wait and see, and then say something. There is no hurry at all.",
}
GESTURES = {
    "ja": ("腕を組む", "首をかしげる", "小さく笑う", "肩をすくめる", "目を細める"),
    "en": ("nod", "smile", "shrug", "tilt my head", "fold my arms"),
}
LINES = {
    "ja": (
        "夢の中で、知らない町の地図を描いていた。端のほうだけ、どうしても白いまま",
        "考えごとをすると、なぜか左の肩から先に疲れてくる。不思議なもの",
        "小さいころの約束ほど、あとになって急に思い出す。困ったことに",
        "名前を呼ばれる前に振り向く癖、いつからだったか思い出せない",
        "笑うつもりがなくても笑ってしまう、そういう話をひとつ知っている",
        "急ぐほど遠くなる気がする。今日はそういう一日になりそう",
        "言いかけて忘れた言葉が、いまごろ戻ってきた。大した話でもない",
        "黙っていると、自分の足音まで誰かの足音に聞こえてくる",
        "長い話と短い話、どちらから先に聞きたい？　どちらも同じ結末",
        "昔の歌を一節だけ覚えている。続きを知る人に会ったことがない",
        "迷ったときは、いちばん遠回りの道がいちばん楽しい。たぶん",
        "心配ごとには順番がある。いちばん小さいものから片付けていく",
        "数えはじめると眠くなる。羊よりも、言いそびれた言葉を数える",
    ),
    "en": (
        "I dreamt of a town that nobody has ever drawn, and its edges would not stay still",
        "Thinking makes one shoulder tired before the other, and it is always the left",
        "The promises of childhood come back at the most inconvenient hours of the day",
        "I turn round before anybody calls my name, and I cannot say when that began",
        "There is a story that makes me laugh however hard I try to tell it gravely",
        "The more I hurry, the further off it seems; it is going to be that sort of day",
        "A word I lost last week has just come back to me, and it was hardly worth it",
        "When nobody speaks, even my own footsteps begin to sound like company",
        "Would the long version suit us, or the short one? They end in the same place",
        "I know one line of an old song, and have never met a soul who knows the next",
        "Whenever I am lost, the longest way round turns out to be the pleasantest",
        "Worries have an order, and I prefer to begin with the smallest of them",
        "Counting sends me to sleep, so I count the things I never quite managed to say",
    ),
}
WRITTEN = {"ja": "（{gesture}）「{line}」", "en": '({gesture}) "{line}."'}


class Chatter(ChatModel):
    """Never asks for a retake; with a schema it picks the acts in turn. `calls` are all it was asked."""

    name = "chatter"

    def __init__(self, language: str, context: int = 0, per_token: float | None = None) -> None:
        self.language, self.context = language, context
        self.per_token = per_token or PER_TOKEN[language]
        self.calls: list[tuple[str, list[Message]]] = []

    async def chat(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> AsyncIterator[str | Usage]:
        self.calls.append((purpose, list(messages)))
        yield self._reply(purpose, schema)
        tokens = int(sum(len(one.content) for one in messages) / self.per_token)
        yield Usage(prompt=tokens, cached=0, completion=40, finish="stop")

    def _reply(self, purpose: str, schema: dict[str, Any] | None) -> str:
        turn, thought = sum(purpose == first for first, _ in self.calls) - 1, THOUGHTS[self.language]
        gestures, lines = GESTURES[self.language], LINES[self.language]
        line = lines[turn % len(lines)]
        if schema:
            numbers = schema["properties"]["acts"]["items"]["enum"]
            words = {"words": line} if "words" in schema["properties"] else {}
            return json.dumps({"thought": thought, "acts": [numbers[turn % len(numbers)]], **words}, ensure_ascii=False)
        if purpose == "actor.think":
            return thought
        return WRITTEN[self.language].format(gesture=gestures[turn % len(gestures)], line=line)
