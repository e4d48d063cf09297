"""The sanitizer: every stage direction is looked at, nothing else is, and the same line always comes out the same."""

import json
import os
import re
import subprocess
import sys
from functools import cache
from random import Random

import pytest
from sudachipy import Dictionary, SplitMode

from hakoniwa.director import sanitize
from hakoniwa.director.props import prop_dictionary
from hakoniwa.director.sanitize import ActionSanitizer, SanitizerInput, SanitizerResult, actions_in, metrics
from hakoniwa.messages import LANGUAGES
from tests.director.sentences import ABSENT, INNOCENT, lines
from tests.pace import busy

SEED_PROPS = """
コーヒー | 珈琲 | カップ | グラス | ワイン | ビール | お茶 | 紅茶 | 眼鏡 | メガネ | めがね | サングラス | 指輪
ネックレス | イヤリング | スマホ | 携帯 | パソコン | PC | タブレット | タバコ | 煙草 | たばこ | ライター | 本
雑誌 | 新聞 | ペン | ノート | バッグ | 傘
"""
SEED_GESTURES = """
微笑む | 笑う | 目を細める | 眉をひそめる | 首をかしげる | ため息をつく | 深呼吸する | 一息つく | 頷く
首を振る | 肩をすくめる | 手を振る
"""
OTHER_WORDS = """
本当に驚く | 日本の地図を見る | 基本を思い出す | 本気で怒る | 本人を前にする | 指を一本立てる | 指を2本立てる
３本目の木に触れる | 根本から考え直す | 資本論の話をする | ペンギンの真似をする | カーペンターズを口ずさむ
カップルのように並ぶ | ワールドカップを思い出す | ワールド・カップの話をする | お茶目に舌を出す
お茶碗の話をする | お茶の水のほうを見る | 携帯食を思い出す | 銃を携帯している | 拳銃を携帯せずに歩く
コピーライターのように悩む | ライターズブロックに陥る | ノートルダムの鐘を思う | メガネザルのように目を見開く
虫眼鏡のような目で見る | お眼鏡にかなう | 傘寿を祝う | 傘下に入る | 新聞社の前に立つ | PC98を懐かしむ
PCゲームの話をする | コーヒー豆の匂いを思い出す | ビール瓶の話に笑う | ペン先のように尖った声を出す
タバコ屋の方を見る | 本マグロの話をする | 本みりんを思う | 本棚の前に立つ | 鍬ノ本の話をする
山本と目を合わせる | グラスゴーを懐かしむ | スマホ首をさする | あの乙ノ本を見る | 竹ケ本と話す | 鳥ヶ本を知る
三ツ本に手を振る | それは本みりんだと言う | いまが本降りだと言う | 本APIの話をする | 本サービスの話をする
コーヒー色した瞳を向ける | コーヒー好きな顔をする | タバコ臭い息だと笑う | タバコ屋さんに手を振る
"""
OTHER_ENGLISH_WORDS = """
cups her hands | watches the rain | watch the door | keeps watch | rings the bell | books a table | phones him
pens the letter | bags the bread | opens the cupboard | sharpens a pencil | follows the string
sits in the springtime sun | sits at the coffee table | makes a phone call | is an open book | a tear runs down
steams | bookkeeping | glassy eyes | winery | beery breath | earringed | wristwatches the | penetrating look
tabletop | lighterman | baggage | upcoming
"""
JOINED = """
コーヒー飲みながら | スマホ片手に | グラスを両手で | スマホ見、息をのむ | タバコ吸って | 赤ワインを注ぐ
生ビールを頼む | 古い本や雑誌を見る | この本だけ見る | 文庫本から顔を上げる | 折りたたみ傘を広げる
コーヒー、それからパン | 本1冊を手に取る | 「これ」と本を渡す | checks his watch as he waits | takes out phone
closes the book | a red book in hand | PC を開く | ピアノ本をめくる | looks to her watch | 本片手、笑う
コーヒー一杯を飲む | 本一冊を取る | 新聞一部を取る
"""
KINDS_OF_THE_THING = """
あやかり本 | ぞっき本 | とじ本 | ウタ本 | エロ本 | タネ本 | ビニ本 | 刷り本 | 割り本 | 和本 | 折り本 | 摺り本
洋本 | 綴じ本 | 読み本 | 豆本 | 貸し本 | 黒本 | 古本 | 絵本 | こうもり傘 | コウモリ傘 | 古傘 | 差し傘 | 日傘
洋傘 | 破れ傘 | 置き傘 | 貸し傘 | 雨傘 | 絵日傘 | ハンドバッグ | ワイングラス | ボールペン | マグカップ | 老眼鏡
note PC | マイバッグ | 番傘 | 蝙蝠傘 | 吊り傘 | 乙女の傘
"""


def listed(text: str) -> list[str]:
    return [word.strip() for line in text.strip().splitlines() for word in line.split("|")]


def sanitized(text: str, *scene: str) -> str:
    return ActionSanitizer().sanitize(text, list(scene)).sanitized_text


def blocked(text: str, *scene: str) -> list[str]:
    return ActionSanitizer().sanitize(text, list(scene)).blocked_props


# --- what the seed asks for ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("prop", listed(SEED_PROPS))
def test_every_prop_of_the_seed_is_known(prop: str) -> None:
    assert blocked(f"（{prop}を手に取る）「あら」") == [prop]
    assert blocked(f"（{prop}を手に取る）「あら」", prop) == []


@pytest.mark.parametrize("gesture", listed(SEED_GESTURES))
def test_a_gesture_that_is_already_there_is_what_remains(gesture: str) -> None:
    assert sanitized(f"（傘を閉じて{gesture}）「やあ」") == f"（{gesture}）「やあ」"


@pytest.mark.parametrize(
    ("action", "gesture"),
    [
        ("コーヒーを淹れる", "一息つく"),
        ("眼鏡を拭く", "目を細める"),
        ("スマホを伏せる", "考え込む"),
        ("本を閉じる", "考え込む"),
        ("タバコに火をつける", "一息つく"),
        ("ビールを飲み干す", "一息つく"),
        ("新聞を読んでいる", "考え込む"),
        ("傘を差す", "小さく頷く"),
        ("指輪とスマホを見比べる", "考え込む"),
        ("傘を閉じ、首を横に振ってから笑う", "首を振る"),
        ("sips wine", "take a breath"),
        ("reads the magazine", "think it over"),
        ("puts on his glasses", "narrow one's eyes"),
        ("Sighs and opens the umbrella", "sigh"),
        ("glances at the sight of the umbrella", "nod slightly"),
    ],
)
def test_the_gesture_comes_from_the_action_the_prop_or_the_verb(action: str, gesture: str) -> None:
    result = ActionSanitizer().sanitize(f"（{action}）「ええ」", [])
    assert (result.sanitized_text, result.replacement) == (f"（{gesture}）「ええ」", gesture)


def test_the_result_says_what_was_done() -> None:
    assert ActionSanitizer().sanitize("（コーヒーを飲みながら）「おはよう」", ["机"]) == SanitizerResult(
        sanitized_text="（一息つく）「おはよう」",
        action_removed=False,
        action_replaced=True,
        blocked_props=["コーヒー"],
        original_action="コーヒーを飲みながら",
        replacement="一息つく",
        actions=["コーヒーを飲みながら"],
    )


def test_an_innocent_action_is_named_and_left() -> None:
    assert ActionSanitizer().sanitize("（窓を開ける）「風だ」", []) == SanitizerResult(
        sanitized_text="（窓を開ける）「風だ」", original_action="窓を開ける", actions=["窓を開ける"]
    )


@pytest.mark.parametrize(
    "text", ["", "「おはよう」", "お茶でも淹れようか。", "「五時（夕方、コーヒーつき）にね」", "（）「うん」", "* *"]
)
def test_a_line_without_an_action_is_left(text: str) -> None:
    assert ActionSanitizer().sanitize(text, []) == SanitizerResult(sanitized_text=text)


def test_an_input_is_a_line_with_what_is_held_in_reach_and_brought_in() -> None:
    given = SanitizerInput(output_text="（傘を差す）", scene_items=["傘", "机", "電話"])
    assert blocked(given.output_text, *given.scene_items) == []


def test_removing_takes_the_action_out_and_leaves_the_words() -> None:
    result = ActionSanitizer("remove").sanitize("（微笑む）「どうぞ」（お茶を飲む） 「ふう」*眼鏡を外す*", [])
    assert result == SanitizerResult(
        sanitized_text="（微笑む）「どうぞ」「ふう」",
        action_removed=True,
        action_replaced=False,
        blocked_props=["お茶", "眼鏡"],
        original_action="お茶を飲む",
        actions=["微笑む", "お茶を飲む", "眼鏡を外す"],
    )


def test_removing_leaves_an_innocent_action() -> None:
    assert ActionSanitizer("remove").sanitize("（微笑む）「どうぞ」", []) == SanitizerResult(
        sanitized_text="（微笑む）「どうぞ」", original_action="微笑む", actions=["微笑む"]
    )


# --- where actions are ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("（眼鏡を外す）「寝るね」", "（目を細める）「寝るね」"),
        ("「寝るね」（眼鏡を外す）", "「寝るね」（目を細める）"),
        ("(眼鏡を外す)「寝るね」", "（目を細める）「寝るね」"),
        ("　（眼鏡を外す）「寝るね」", "　（目を細める）「寝るね」"),
        ("*眼鏡を外す*「寝るね」", "（目を細める）「寝るね」"),
        ("＊眼鏡を外す＊「寝るね」", "（目を細める）「寝るね」"),
        ("**眼鏡を外す**「寝るね」", "（目を細める）「寝るね」"),
        ("( *眼鏡を外す* )「寝るね」", "（目を細める）「寝るね」"),
        ("（眼鏡を（そっと）外す）「寝るね」", "（目を細める）「寝るね」"),
        ("（そっと（眼鏡を）外す）「寝るね」", "（目を細める）「寝るね」"),
        ("（眼鏡を外して「寝るね」", "（目を細める）「寝るね」"),
        ("（眼鏡を外す\n「寝るね」", "（目を細める）\n「寝るね」"),
        ("（「寝るね」と言って眼鏡を外す）", "（目を細める）「寝るね」"),
        ("（「眼鏡」とつぶやく）", "（「眼鏡」とつぶやく）"),
        ("「眼鏡（老眼）どこ？」（眼鏡を探す）", "「眼鏡（老眼）どこ？」（目を細める）"),
        ("「『（眼鏡を外す）』と書いて」", "「『（眼鏡を外す）』と書いて」"),
        ("「寝るね\n（眼鏡を外す）", "「寝るね\n（目を細める）"),
        ('(takes off his glasses) "Night."', '（narrow one\'s eyes） "Night."'),
        ('"Five (bring coffee)." (drinks coffee)', '"Five (bring coffee)." （take a breath）'),
        ("“Five (bring coffee).” (drinks coffee)", "“Five (bring coffee).” （take a breath）"),
        ('5" tall (drinks coffee)', '5" tall （take a breath）'),
        ("(GET: コーヒー)「もらうよ」", "(GET: コーヒー)「もらうよ」"),
        ("（ＧＥＴ：コーヒー）", "（ＧＥＴ：コーヒー）"),
        ("(DRINK)", "(DRINK)"),
        ("(GIVE: 赤い傘 -> 蓬)", "(GIVE: 赤い傘 -> 蓬)"),
        ("(ACTION: コーヒーを飲む)「ふう」", "（一息つく）「ふう」"),
        ("(USE: コーヒーを飲む)「ふう」", "（一息つく）「ふう」"),
        ("(NOTE: drinks coffee)", "（take a breath）"),
    ],
)
def test_actions_are_found_wherever_they_stand(text: str, expected: str) -> None:
    assert sanitized(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("*微笑む*「うん」", "（微笑む）「うん」"),
        ("＊微笑む＊「うん」", "（微笑む）「うん」"),
        ("( *微笑む* )「うん」", "（微笑む）「うん」"),
        ("（そっと*微笑む*）「うん」", "（そっと微笑む）「うん」"),
        ("***微笑む***「うん」", "（微笑む）「うん」"),
        ("「*すごい*ね」", "「*すごい*ね」"),
        ("3 * 4", "3 * 4"),
        ("*\n微笑む*", "*\n微笑む*"),
        ("****", "****"),
    ],
)
def test_asterisks_always_become_brackets(text: str, expected: str) -> None:
    assert sanitized(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("*少し(笑って* 傘を差したいな", "（少し笑って） 傘を差したいな"),
        ("*nods :)* I miss my book (", "（nods :） I miss my book ("),
        ("*そっと（小声で）話す* 本の話を", "（そっと（小声で）話す） 本の話を"),
        ("*((* 傘を差す", "*((* 傘を差す"),
        ("（ゆっくり「やあ」*歩く (* 傘を差す）", "（小さく頷く）「やあ」"),
    ],
)
def test_brackets_without_a_partner_lead_nobody_astray(text: str, expected: str) -> None:
    assert sanitized(text) == expected == sanitized(expected)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_gesture_uses_anything(language: str) -> None:
    words = prop_dictionary(language)
    gestures = {*words.safe, *words.by_prop.values(), *words.by_verb, words.default}
    assert [gesture for gesture in gestures if sanitized(f"（{gesture}）") != f"（{gesture}）"] == []


def test_the_first_guilty_action_is_the_one_that_is_named() -> None:
    result = ActionSanitizer().sanitize("（微笑む）「どうぞ」（ビールを飲む）「ふう」（傘を差す）", [])
    assert (result.original_action, result.replacement) == ("ビールを飲む", "一息つく")
    assert result.actions == ["微笑む", "ビールを飲む", "傘を差す"]


def test_actions_know_their_place() -> None:
    text = "「あ」\n（い）*う*"
    assert [text[one.start : one.end] for one in actions_in(text)] == ["（い）", "*う*"]
    assert [(one.inner, one.starred) for one in actions_in(text)] == [("い", False), ("う", True)]


# --- what counts as being there ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("action", "scene"),
    [
        ("カップを持つ", "マグカップ"),
        ("マグカップを持つ", "マグカップ"),
        ("コーヒーカップを置く", "コーヒーカップ"),
        ("コーヒーカップを置く", "カップ"),
        ("コーヒーをすする", "ｺｰﾋｰ"),
        ("本をなぞる", "『本』"),
        ("眼鏡を外す", "メガネ"),
        ("めがねを外す", "老眼鏡"),
        ("煙草をくわえる", "タバコ"),
        ("珈琲を飲む", "冷めたコーヒー"),
        ("携帯電話を見る", "スマホ"),
        ("PCを開く", "ノートパソコン"),
        ("ノートPCを開く", "pc"),
        ("新聞紙を丸める", "新聞"),
        ("文庫本をめくる", "文庫本"),
        ("raises the cup", "tea cup"),
        ("raises the mug", "cups"),
        ("takes her PHONE", "phone"),
        ("マグカップを置く", "マグ"),
        ("カップを置く", "カップ１"),
        ("カップを置く", "カップA"),
        ("カップを置く", "カップ 2個"),
        ("グラスに注ぐ", "グラス×2"),
        ("本を閉じる", "本（赤い表紙）"),
        ("本を閉じる", "紙の束(本)"),
        ("本を閉じる", "『銀河鉄道の夜』の文庫本"),
        ("本を閉じる", "魔法本"),
        ("本を閉じる", "植物図鑑"),
        ("本を取る", "本の山"),
        ("コーヒーを飲む", "コーヒーの入ったポット"),
        ("コーヒーを飲む", "コーヒー入りの瓶"),
        ("コ－ヒ－を飲む", "コーヒー"),
        ("コーヒーを飲む", "コ－ヒ－"),
        ("タバコを吸う", "煙草の箱"),
        ("タバコを吸う", "タバコ一箱"),
        ("お茶を飲む", "冷たい麦茶"),
        ("お茶を飲む", "紅茶"),
        ("バッグを開ける", "鞄"),
        ("鞄を開ける", "ハンドバッグ"),
        ("かばんを開ける", "リュックサック"),
        ("携帯を見る", "iPhone"),
        ("ペンを取る", "父の万年筆"),
        ("新聞を広げる", "朝刊"),
        ("時計を見る", "柱時計"),
        ("水を飲む", "水差し"),
        ("水を汲む", "古井戸"),
        ("sips coffee", "a cup of coffee"),
        ("raises the cup", "a cup of coffee"),
        ("raises the glass", "wineglass"),
        ("raises the glass", "wine glass"),
        ("opens the book", "her diary"),
        ("lights a cigarette", "pack of cigarettes"),
        ("opens the notebook", "note-book"),
        ("opens the book", "diary with a lock"),
        ("opens the book", "two novels"),
        ("picks up the phone", "old telephone"),
    ],
)
def test_a_thing_is_there_by_any_of_its_names(action: str, scene: str) -> None:
    assert blocked(f"（{action}）", "窓", scene) == []


@pytest.mark.parametrize(
    ("action", "scene", "missing"),
    [
        ("グラスを傾ける", "サングラス", ["グラス"]),
        ("サングラスを外す", "グラス", ["サングラス"]),
        ("カップを持つ", "カップ麺", ["カップ"]),
        ("コーヒーを飲む", "コーヒーメーカー", ["コーヒー"]),
        ("本を開く", "本棚", ["本"]),
        ("picks up the ring", "string", ["ring"]),
        ("picks up the glass", "sunglasses", ["glass"]),
        ("コーヒーを飲む", "", ["コーヒー"]),
        ("眼鏡を外す", "双眼鏡", ["眼鏡"]),
        ("本を取る", "日本地図の見本", ["本"]),
        ("新聞を読む", "新聞受け", ["新聞"]),
        ("コーヒーを飲む", "コーヒー豆", ["コーヒー"]),
        ("ワインを飲む", "ワイングラス", ["ワイン"]),
        ("ノートを取る", "ノートパソコン", ["ノート"]),
        ("紅茶を飲む", "緑茶", ["紅茶"]),
        ("ペンを取る", "ペン立て", ["ペン"]),
        ("コーヒーと紅茶を飲む", "コーヒー", ["紅茶"]),
        ("raises the glass", "hourglass", ["glass"]),
        ("takes the bag", "xbackpack", ["bag"]),
        ("pours the wine", "wine glass", ["wine"]),
    ],
)
def test_a_thing_is_not_there_because_its_letters_are(action: str, scene: str, missing: list[str]) -> None:
    assert blocked(f"（{action}）", scene) == missing


@pytest.mark.parametrize(
    ("action", "props"),
    [
        ("サングラスを外す", ["サングラス"]),
        ("携帯電話をしまう", ["携帯電話"]),
        ("ノートパソコンを閉じる", ["ノートパソコン"]),
        ("ワイングラスを傾ける", ["グラス"]),
        ("傘と新聞、本を抱える", ["傘", "新聞", "本"]),
        ("本を置き、コーヒーを飲み、また本を取る", ["本", "コーヒー"]),
        ("ペン・ノートを取り出す", ["ペン", "ノート"]),
        ("takes off his sunglasses", ["sunglasses"]),
        ("two cups and a teacup", ["cup"]),
    ],
)
def test_the_longest_name_wins_and_order_is_that_of_the_text(action: str, props: list[str]) -> None:
    assert blocked(f"（{action}）") == props


# --- words that only contain a prop --------------------------------------------------------------------------------


@pytest.mark.parametrize("action", listed(OTHER_WORDS))
def test_a_piece_of_another_word_is_no_prop(action: str) -> None:
    assert (blocked(f"（{action}）"), sanitized(f"（{action}）")) == ([], f"（{action}）")


@pytest.mark.parametrize("action", listed(OTHER_ENGLISH_WORDS))
def test_an_english_word_is_read_whole(action: str) -> None:
    assert blocked(f"({action})") == []


@pytest.mark.parametrize("action", listed(JOINED))
def test_a_prop_is_found_however_it_is_joined(action: str) -> None:
    assert blocked(f"（{action}）") != []


def test_two_hundred_sentences_use_what_is_not_there() -> None:
    assert len(lines(ABSENT)) > 200
    assert [line for line in lines(ABSENT) if not blocked(line)] == []


def test_two_hundred_sentences_use_nothing_that_is_not_there() -> None:
    assert len(lines(INNOCENT)) > 200
    assert [line for line in lines(INNOCENT) if blocked(line)] == []


@cache
def other_words() -> tuple[list[str], list[str]]:
    """Nouns of the Sudachi dictionary that contain a prop of the seed and are another thing: names, and the rest."""
    contains = re.compile("|".join(map(re.escape, listed(SEED_PROPS))))
    known = {*prop_dictionary("ja").entries, *listed(KINDS_OF_THE_THING)}
    names, others = set(), set()
    for word in Dictionary().entries():
        written, kind = word.raw_surface(), word.part_of_speech()
        if contains.search(written) and kind[0] == "名詞" and written not in known:
            parts = [part.surface() for part in word.split(SplitMode.A)]
            if not parts or parts[-1] not in known:
                (names if kind[1] == "固有名詞" else others).add(written)
    return sorted(names), sorted(others)


MENTIONS = ["（{}について考える）", "（{}を思い出して笑う）「ね」", "（そういえば{}が、と呟く）", "（{}）"]


@pytest.mark.parametrize("seed", range(len(MENTIONS)))
def test_of_300_other_words_at_most_2_percent_are_taken_for_a_prop(seed: int) -> None:
    names, others = other_words()
    assert (len(names) > 20_000, len(others) > 800) == (True, True)
    for words in (names + others, others):
        drawn = Random(seed).sample(words, 300)
        taken = [word for word in drawn if blocked(MENTIONS[seed].format(word))]
        assert len(taken) <= 0.02 * 300, taken


TAKEN = {"ja": ("{}を手に取る", "テーブルの{}に手を伸ばす", "{}が見当たらない", "また{}へ目をやる"),
         "en": ("takes the {}", "reaches for her {} and waits", "has no {} left", "turns to the old {}")}  # fmt: skip


@pytest.mark.parametrize("language", TAKEN)
def test_every_prop_in_every_sentence_is_found(language: str) -> None:
    words = prop_dictionary(language)
    entries = [entry for entry in words.entries if entry not in words.only_before]
    actions = [(entry, sentence.format(entry)) for entry in entries for sentence in TAKEN[language]]
    assert len(actions) >= 100
    assert [action for entry, action in actions if blocked(f"（{action}）") != [entry]] == []


# --- the same every time, quickly, whatever comes ------------------------------------------------------------------


def python(code: str, hash_seed: str = "0") -> str:
    """What a new process prints."""
    program = f"from hakoniwa.director.sanitize import ActionSanitizer; {code}"
    env = {**os.environ, "PYTHONHASHSEED": hash_seed}
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=env).stdout


def test_no_tokenizer_is_loaded() -> None:
    loaded = python("ActionSanitizer().sanitize('（本を読む）', []); import sys; print(*sys.modules)").split()
    assert [name for name in loaded if "sudachi" in name] == []
    assert sorted(name for name in loaded if name.startswith("hakoniwa.")) == [
        "hakoniwa.director", "hakoniwa.director.props", "hakoniwa.director.sanitize",
        "hakoniwa.stage", "hakoniwa.stage.names",
    ]  # fmt: skip


def test_every_process_gives_the_same_answer() -> None:
    action = "（新聞とスマホと傘と本とコーヒーとペンを抱え、指輪と眼鏡を探す）"
    runs = [python(f"print(ActionSanitizer().sanitize('{action}', ['机', '窓', '椅子']))", seed) for seed in "012"]
    assert len(set(runs)) == 1
    assert "blocked_props=['新聞', 'スマホ', '傘', '本', 'コーヒー', 'ペン', '指輪', '眼鏡']" in runs[0]


@pytest.mark.pace
@pytest.mark.parametrize("item", ["1" * 20_000, f"a{' ' * 20_000}b", "(" * 20_000, "カップ" * 2_000, "a of " * 2_000])
def test_neither_does_a_long_name_take_long(item: str) -> None:
    assert busy(lambda: blocked("（コーヒーを飲む）", item), 0.1) < 0.1


# --- log and figures -----------------------------------------------------------------------------------------------


def test_a_log_entry_has_the_form_of_the_seed() -> None:
    entry = ActionSanitizer().sanitize("（コーヒーを飲みながら）「おはよう」", []).as_log(3, "やな")
    assert json.loads(json.dumps(entry)) == {
        "turn": 3,
        "speaker": "やな",
        "sanitizer": {
            "triggered": True,
            "action_removed": False,
            "action_replaced": True,
            "blocked_props": ["コーヒー"],
            "original_action": "コーヒーを飲みながら",
            "replacement": "一息つく",
            "actions": ["コーヒーを飲みながら"],
        },
    }


def test_the_four_figures() -> None:
    lines = ["（本を読む）", "（本と傘を持つ）", "（窓を開ける）", "「おはよう」", "「本、読んだ？」"]
    removing = ActionSanitizer("remove").sanitize("（傘を差す）「雨だ」", [])
    entries = [ActionSanitizer().sanitize(line, []).as_log(turn, "やな") for turn, line in enumerate(lines)]
    assert metrics([*entries, removing.as_log(9, "あゆ")], top=2) == {
        "action_sanitized_rate": 0.75,
        "blocked_props_topN": [("傘", 2), ("本", 2)],
        "action_removed_count": 1,
        "action_replaced_count": 2,
    }


def test_the_ten_most_frequent_props_are_told() -> None:
    entries = [ActionSanitizer().sanitize(f"（{prop}を持つ）", []).as_log(1, "やな") for prop in listed(SEED_PROPS)]
    assert len(metrics(entries)["blocked_props_topN"]) == 10
    innocent = [ActionSanitizer().sanitize("（頷く）", []).as_log(1, "やな")] * 2
    assert metrics([*entries[:1], *innocent])["action_sanitized_rate"] == 0.3333


def test_without_turns_the_figures_are_nought() -> None:
    assert metrics([]) == {
        "action_sanitized_rate": 0.0,
        "blocked_props_topN": [],
        "action_removed_count": 0,
        "action_replaced_count": 0,
    }


@pytest.mark.pace
@pytest.mark.parametrize("unit", ["(cup)", "*cup*", "（本）", "(sighs, cup)", "あ***「*********"])
def test_a_line_full_of_guilty_actions_does_not_take_long(unit: str) -> None:
    line = unit * (32_768 // len(unit.encode()))
    assert busy(lambda: ActionSanitizer().sanitize(line, ["机", "窓", "coffee maker"]), 0.5) < 0.5


def test_of_a_run_of_stars_none_stays_behind() -> None:
    assert ActionSanitizer().sanitize("******頷く***「うん」", []).sanitized_text == "（頷く）「うん」"


def test_a_line_that_shows_something_else_every_time_loses_its_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sanitize, "_MOST_READINGS", 1)
    found = ActionSanitizer().sanitize("*本「*（本「）***本」*（本）『**本", [])
    assert list(actions_in(found.sanitized_text)) == []
    assert found.blocked_props == ["本"]
