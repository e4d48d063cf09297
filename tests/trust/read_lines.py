"""Lines of talk to be read: by the referee, by whoever decides who speaks next, and by the sanitizer."""

from collections.abc import Iterator
from typing import Any

from hakoniwa.actor.request import requested_urges
from hakoniwa.director import next_speaker
from hakoniwa.director.next_speaker import CharacterRegistry, NextPolicy
from hakoniwa.director.sanitize import ActionSanitizer
from hakoniwa.gm.step import rule_on
from hakoniwa.lab.absent_words import absent_words
from hakoniwa.llm.reply import extract_json
from hakoniwa.messages import LANGUAGES
from tests.trust.reader import Chance, Reader, framed, named, nothing_wrong
from tests.trust.scrawl import text
from tests.worlds import lighthouse

WORDS = (
    "Thought:", "Output：", "思考:", "出力:", "<think>", "</think>", "<thought>", "＜think＞", "(", ")", "（", "）",
    "*", "「", "」", "『", "』", '"', "[Next: 鉄平]", "<|x|>", "(GET: 茶筒)", "(PUT: 茶筒 -> 卓)", "（OPEN: 戸棚）",
    "鉄平「", "汐里:", "\n", "茶筒を手に取る", "戸棚を開けて、", "外へ出る", "picks up the tin", "opens the door and ",
    "goes to the pier", "？", "　", "\t", "->", ":", "さん", "を", "に", "と", "の", "ながら", "。", "the ", ", ", "[",
    "]", "{", "}", "```json\n", '{"type":"control","next":"', '"}', "NOX", "ノックス", "る", "[Next: ", "［次：", "< ",
    "本", "コーヒー", "（コーヒーを飲みながら）", "ペン・", "傘を差す", "眼鏡", "ß", "İ", "takes out a book",
    "a cup of coffee", "GET", "DRINK", "茶",
)  # fmt: skip
REPLIES = (
    "Thought: 寒い。\nOutput: （茶筒を手に取る）「鉄平、お茶にする？」[Next: 鉄平]",
    "<think>棚を見てみよう。</think>（戸棚を開け、茶筒を取り出して卓に置く）「どうぞ」",
    "(GET: 茶筒)(PUT: 茶筒 -> 卓)「できた。飲む？」",
    '*takes the brass key and opens the iron door* "Come with me, Ivo." [Next: Ivo]',
    '{"thought": "寒い", "act": 2}', '```json\n{"type": "control", "next": "NOX"}\n```',
    "（コーヒーを飲みながら）「おはよう」『うん』（本を閉じる）", "「（静かに）行こう」[Next: ノックスさん]",
)  # fmt: skip
UNITS = (
    "（", "）", "（（）", "「", "「」", '"a" ', '"', "*", "***", "*a", "*あ*", "Thought: あ\n", "Thought: ",
    "Output: あ\n", "<think>", "</think>", "<think>あ</think>", "(GET: 茶筒)", "(GET: 茶筒)(PUT: 茶筒)", "(PUT: a -> ",
    "[Next: ", "[Next: NOX]", "[ next ", "<|im_start|>", "汐里「", "鉄平「あ」\n", ":", "　", "(\t", "< ", "[ ", "{ ",
    '{"type":', "\n", "。", "の", "茶筒の", "茶筒と", "茶筒、", "茶筒を", "食べる", "茶筒を手に取り、", "外へ出て、",
    "持つ人が", "ですか、", "晴れだ。", "どうだろう", "takes the tin and ", "tin of the ", "tin, ", "\\{%s}",
    "コーヒー", "（コーヒー）", "（「", "（コーヒーを、", "ペン・", "本", "（本を", "ß本", "ring ", "\\\"", "a?", "b!",
    "あ？い。", "思考：", "looks at it, ", "茶筒を見て、", "飲んで、", "(cup)", "</s>", "鉄平の", "あ***「*********",
)  # fmt: skip
ASKING = (
    "戸棚を開けて", "茶筒を取って。", "鉄平、", "鉄平に", "open the door ", "take the tin. ", "Ivo, ", "to Ivo ",
    "あ。",
)  # fmt: skip
WORLDS = {lang: lighthouse(lang) for lang in LANGUAGES}
SPEAKERS = {"ja": "汐里", "en": "Maren"}
SHAPE = {"type": "object", "properties": {"thought": {"type": "string"}, "act": {"type": "integer"}}}
VOICES = CharacterRegistry([
    {"internal_id": "LUMINA", "display_name": "ルミナ", "short_name": "る"},
    {"internal_id": "NOX", "display_name": "ノックス", "aliases": ["鉄平", "Ivo"]},
    {"internal_id": "CLARIS", "display_name": "クラリス", "hidden": False},
])  # fmt: skip
SCENE = ("机", "窓", "茶筒", "coffee maker")


def a_reply(chance: Chance) -> str:
    return text(chance, WORDS, REPLIES)


def read_reply(reply: str) -> object:
    """What the referee makes of a reply, and the JSON in it where some was asked for."""
    lang = "en" if reply.isascii() else "ja"
    return rule_on(WORLDS[lang], SPEAKERS[lang], reply).ruling, named(lambda: extract_json(reply, SHAPE, "stop"))


def read_request(words: str) -> object:
    """What a user's words ask for, and what a second opinion on them as a reply finds in use."""
    lang = "en" if words.isascii() else "ja"
    return requested_urges(words, WORLDS[lang]), absent_words(words, WORLDS[lang], SPEAKERS[lang])


def read_next(reply: str) -> object:
    return next_speaker.resolve_next_speaker(reply, "LUMINA", VOICES, NextPolicy())


def wrong_speaker(_: str, found: Any) -> Iterator[str]:
    if found["next_id"] not in ("NOX", "CLARIS"):
        yield f"{found['next_id']} is to speak next"


def read_actions(line: str) -> object:
    return ActionSanitizer().sanitize(line, SCENE)


def still_guilty(line: str, found: Any) -> Iterator[str]:
    if not found.blocked_props and "*" not in line and "＊" not in line and found.sanitized_text != line:
        yield "an innocent line was changed"
    if again := ActionSanitizer().sanitize(found.sanitized_text, SCENE).blocked_props:
        yield f"{again} are still in use"


REFEREE = Reader(
    a_reply, read_reply, nothing_wrong, UNITS, framed, frames=("{}", "（{}）", "「{}」", "<{}x", '{"a": "{}'),
    size=16_384,
)  # fmt: skip
REQUESTS = Reader(a_reply, read_request, nothing_wrong, (*UNITS, *ASKING), framed)
RESOLVER = Reader(
    a_reply, read_next, wrong_speaker, UNITS, framed, frames=("{}", "{}[Next: NOX]", "< {}", "「{}」"), size=32_768
)
SANITIZER = Reader(a_reply, read_actions, still_guilty, UNITS, framed, frames=("{}", "（{}）", "*{}*"))
