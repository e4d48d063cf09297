"""Reading replies: every form real models write, any text at all, and in time that grows no faster than the text."""

import pytest

from hakoniwa.gm.history import History, PastTurn
from hakoniwa.gm.read import led_by, read
from hakoniwa.gm.request import MAX_REPLY
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import ActionIntent, IntentKind, ParsedOutput
from tests.pace import busy
from tests.worlds import lighthouse, tiny

HERE = {"location": "茶室"}
ROOM = tiny({"茶碗": HERE, "棚": {**HERE, "fixed": True}, "茶": {**HERE, "edible": True}})


def taken_apart(text: str, who: str = "楓", history: History | None = None) -> ParsedOutput:
    return read(text, ROOM, who, history)


def intents(parsed: ParsedOutput) -> list[str]:
    """The intents in short: `GET 茶碗`, `PUT 茶碗 > 棚`, `SAY`."""
    physical = [one for one in parsed.action_intents if one.verb]
    spoken = [one for one in parsed.action_intents if not one.verb]
    return [
        *(f"{one.verb} {one.target or '-'}" + (f" > {one.destination}" if one.destination else "") for one in physical),
        *(str(one.intent) for one in spoken),
    ]


GET_CUP = ["GET 茶碗", "SAY"]


@pytest.mark.parametrize(
    ("text", "thought", "speech", "found"),
    [
        ("「いい朝だね」", None, "いい朝だね", ["SAY"]),
        ("いい朝だね", None, "いい朝だね", ["SAY"]),
        ("(GET: 茶碗) 「熱い」", None, "熱い", GET_CUP),
        ("「熱い」 (GET: 茶碗)", None, "熱い", GET_CUP),
        ("「熱」 (GET: 茶碗) 「い」", None, "熱 い", GET_CUP),
        ("（GET：茶碗）「熱い」", None, "熱い", GET_CUP),
        ("*GET: 茶碗* 「熱い」", None, "熱い", GET_CUP),
        ("( *GET: 茶碗* ) 「熱い」", None, "熱い", GET_CUP),
        ("(get: 茶碗) 「熱い」", None, "熱い", GET_CUP),
        ("(手に取る: 茶碗) 「熱い」", None, "熱い", GET_CUP),
        ("(GET: 茶碗) (PUT: 茶碗 -> 棚)", None, None, ["GET 茶碗", "PUT 茶碗 > 棚"]),
        ("(PUT: 茶碗 → 棚)", None, None, ["PUT 茶碗 > 棚"]),
        ("(PUT: 茶碗 => 棚)", None, None, ["PUT 茶碗 > 棚"]),
        ("(GET: 茶) (DRINK)", None, None, ["GET 茶", "DRINK 茶"]),
        ("(GET: 茶碗", None, None, ["GET 茶碗"]),
        ("Thought: 喉が渇いた。\nOutput: (GET: 茶碗) 「熱い」", "喉が渇いた。", "熱い", GET_CUP),
        ("Ｔhought：", None, "Ｔhought：", ["SAY"]),
        ("Thought：喉が渇いた。\nOutput：「熱い」", "喉が渇いた。", "熱い", ["SAY"]),
        ("**Thought**: 渇いた\n**Output**: 「熱い」", "渇いた", "熱い", ["SAY"]),
        ("思考: 渇いた\n発話: 「熱い」", "渇いた", "熱い", ["SAY"]),
        ("Thought: 渇いた\n「熱い」", "渇いた", "熱い", ["SAY"]),
        ("Output: 「熱い」\nThought: 渇いた", "渇いた", "熱い", ["SAY"]),
        ("<think>渇いた</think>「熱い」", "渇いた", "熱い", ["SAY"]),
        ("<thought>渇いた</thought>「熱い」", "渇いた", "熱い", ["SAY"]),
        ("<THINK>渇いた</THINK>「熱い」", "渇いた", "熱い", ["SAY"]),
        ("＜think＞渇いた＜／think＞「熱い」", "渇いた", "熱い", ["SAY"]),
        ("<think><think>渇いた</think></think>「熱い」", "渇いた", "熱い", ["SAY"]),
        ("<think>渇いた「熱い」", "渇いた", "熱い", ["SAY"]),
        ("<think>渇いた\n「熱い」", "渇いた", "熱い", ["SAY"]),
        ("渇いた</think>「熱い」", "渇いた", "熱い", ["SAY"]),
        ("「熱い」<think>渇いた", "渇いた", "熱い", ["SAY"]),
        ("<think>(GET: 茶碗)</think>「熱い」", "(GET: 茶碗)", "熱い", ["SAY"]),
        ("「熱い」[Next: 蓬]", None, "熱い", ["SAY"]),
        ("「熱い」［Next：蓬］", None, "熱い", ["SAY"]),
        ("「熱い」<end_of_turn>", None, "熱い", ["SAY"]),
        ("「熱い」<|im_end|>", None, "熱い", ["SAY"]),
        ("「熱い」</s>", None, "熱い", ["SAY"]),
        ("楓「熱い」", None, "熱い", ["SAY"]),
        ("楓: 「熱い」", None, "熱い", ["SAY"]),
        ("「熱い」\n蓬「そう？」\n「うん」", None, "熱い", ["SAY"]),
        ("「熱い」\n蓬: そう？", None, "熱い", ["SAY"]),
        ("「熱いね？」", None, "熱いね？", ["ASK"]),
        ("「熱いですか」", None, "熱いですか", ["ASK"]),
        ("「どうして「いい」と言うの？」", None, "どうして「いい」と言うの？", ["ASK"]),
        ("『熱い』", None, "熱い", ["SAY"]),
        ("“hot”", None, "hot", ["SAY"]),
        ('"hot" (GET: 茶碗)', None, "hot", GET_CUP),
        ("（微笑む）「熱い」", None, "熱い", ["SAY"]),
        ("「（GET: 茶碗）」", None, "（GET: 茶碗）", ["SAY"]),
        ("", None, None, []),
        ("   \n ", None, None, []),
        ("()", None, None, []),
        ("（……）", None, None, []),
    ],
)
def test_a_reply_is_taken_apart(text: str, thought: str | None, speech: str | None, found: list[str]) -> None:
    parsed = taken_apart(text)

    assert (parsed.thought, parsed.speech) == (thought, speech)
    assert [one for one in intents(parsed) if one != "EMOTE"] == found


def test_a_direction_without_an_act_is_a_gesture() -> None:
    parsed = taken_apart("（静かに微笑む）")

    assert parsed.action_intents == (ActionIntent(intent=IntentKind.EMOTE, detail="静かに微笑む"),)
    assert parsed.directions == ("静かに微笑む",)


def test_words_are_for_whoever_is_named_or_asked_or_the_only_one_here() -> None:
    house = lighthouse("ja")
    asked = History([PastTurn(turn=1, speaker="鉄平", asked="汐里")])

    assert read("「鉄平、寒くない」", house, "汐里").addressee == "鉄平"
    assert read("「オウムか鉄平か」", house, "汐里").addressee == "オウム"
    assert read("「寒い」", house, "汐里").addressee is None
    assert read("「寒い」", house, "汐里", asked).addressee == "鉄平"
    assert taken_apart("「寒い」").addressee == "蓬"
    assert read("「音羽、寒くない」", house, "汐里").addressee is None


def test_words_to_whoever_asked_are_an_answer() -> None:
    asked = History([PastTurn(turn=1, speaker="蓬", asked="楓")])

    assert intents(taken_apart("「二つだよ」", history=asked)) == ["ANSWER"]
    assert intents(taken_apart("「いくつ？」", history=asked)) == ["ASK"]
    assert intents(taken_apart("「二つだよ」", who="蓬", history=asked)) == ["SAY"]


@pytest.mark.parametrize(
    "text",
    [
        "（うなずく）「そうだね。灯りはまだいらない？」", "「何もしないよ」", "うん、行こうか。", '(smiles) "Not yet."',
        "（遠くを見る）（小さく笑う）「待とう」『もう少しだけ』", "",
    ],
)  # fmt: skip
def test_behind_the_tag_of_an_act_a_reply_reads_as_if_both_had_been_read(text: str) -> None:
    assert led_by("(GET: 茶碗)", taken_apart(text), ROOM) == taken_apart(f"(GET: 茶碗) {text}".strip())


def test_a_reply_with_an_act_of_its_own_is_read_behind_a_tag_like_any_other() -> None:
    assert led_by("(GET: 茶碗)", taken_apart("（茶を飲む）"), ROOM) is None
    assert led_by("(ふわり: 茶碗)", taken_apart("「さあ」"), ROOM) is None


@pytest.mark.pace
@pytest.mark.parametrize(
    ("unit", "frame", "seconds"),
    [
        ("a?b!", "{}", 1.5),
        ("looks at it, ", "({})", 1.5),
        ("茶碗を見て、飲んで、", "（{}）", 2.0),
        ("思考：", "{}", 0.1),
    ],
    ids=["questions and answers", "what `it` is", "what is drunk", "markers"],
)
def test_a_reply_four_times_too_long_is_read_in_time(unit: str, frame: str, seconds: float) -> None:
    text = frame.format(unit * (4 * MAX_REPLY // len(unit.encode())))
    assert busy(lambda: taken_apart(text), seconds) < seconds


def test_of_several_markers_in_a_row_the_last_counts() -> None:
    assert taken_apart("Output: Thought: **思考：** 寒い。\n出力: Output: 「寒いね」").thought == "寒い。"
    assert taken_apart("思考: Output: 「寒いね」").thought is None


SHED = WorldState.model_validate(
    {
        "version": "0.2",
        "location": {"current": "shed"},
        "locations": {"shed": {"exits": {"yard": {"via": "gate"}}}, "yard": {"exits": {"shed": {"via": "gate"}}}},
        "characters": {"Mara": {"location": "shed", "holding": ["oilcan"]}, "Finn": {"location": "shed"}},
        "props": {
            "oilcan": {"location": "shed", "held_by": "Mara"},
            "bench": {"location": "shed", "fixed": True},
            "gate": {"location": "shed", "fixed": True, "state": ["open"]},
            "cabinet": {
                "location": "shed",
                "fixed": True,
                "container": True,
                "state": ["locked"],
                "affordances": ["unlock(needs: token)", "open", "close"],
            },
            "token": {"location": "shed", "on": "bench"},
            "hatch": {"location": "shed", "fixed": True, "state": ["closed"]},
            "heater": {"location": "shed", "fixed": True, "state": ["off"]},
            "brooch": {"location": "shed", "worn_by": "Mara"},
            "smock": {"location": "shed", "worn_by": "Mara"},
            "cider": {"location": "shed", "on": "bench", "edible": "drink"},
            "terrier": {"location": "shed", "alive": True},
        },
    }
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("*Her fingers closed on the token.*", ["HOLD token"]),
        ("*Her fingers drum on the bench.*", []),
        ("*pushes the oilcan into Finn's empty hand*", ["PUT oilcan > Finn"]),
        ("*Without waiting for an answer she grabs the token*", ["GET token"]),
        ("*picks up the token and presses it against the cabinet*", ["GET token", "UNLOCK cabinet"]),
        ("*holds the oilcan against her chest*", []),
        ("*leans the oilcan against the wall*", ["PUT oilcan"]),
        ("*bends to the terrier, lifts him gently and sets him on the bench*", ["GET terrier", "PUT terrier > bench"]),
        ("*unpins the brooch*", ["REMOVE brooch"]),
        ("*pops the hatch*", ["OPEN hatch"]),
        ("*clicks on the heater*", ["TURN_ON heater"]),
        ("*carries the oilcan through to the yard*", ["MOVE yard"]),
        ("*crosses to the cabinet and gets down on one knee*", []),
        ("*works the token loose*", ["GET token"]),
        ("*draws a warrant out of her coat*", ["GET warrant"]),
        ("The old woman picked up the token.", ["GET token"]),
        ("*whittles at the token*", ["CUT token"]),
        ("*throws the token overboard*", ["THROW token"]),
        ("*peels the foil off the token*", ["CUT token"]),
        ("*rests the oilcan on the floor by her feet*", ["PUT oilcan"]),
        ("*drives the oilcan into the straw*", ["PUT oilcan"]),
        ("*When he had gone she followed him into the yard*", ["MOVE yard"]),
        ("*climbs into the yard*", ["MOVE yard"]),
        ("*presses her lips to the brooch*", ["TOUCH brooch"]),
        ("*lets go of the oilcan long enough to cough*", ["PUT oilcan"]),
        ("*shoves at the hatch until it gives. The hatch swings open.*", ["PUSH hatch", "OPEN hatch"]),
        ("*The hatch swings open.*", []),
        ("*shrugs out of the smock and drapes it over the bench*", ["REMOVE smock", "PUT smock > bench"]),
        ("*tosses her smock onto the bench*", ["REMOVE smock", "PUT smock > bench"]),
        ("*lays the oilcan face down on the bench*", ["PUT oilcan > bench"]),
        ("*turns the oilcan back and forth*", ["ADJUST oilcan"]),
        ("*passes the oilcan across to him*", ["GIVE oilcan"]),
        ("*She stoops to the bench and presses the oilcan into his palm*", ["GIVE oilcan"]),
        ("*takes the cider and tosses it back*", ["GET cider", "DRINK cider"]),
        ("*downs the cider in one swallow*", ["DRINK cider"]),
        ("*ducks behind the bench and hides behind it*", []),
        ("*coaxes the terrier onto her lap*", ["HOLD terrier"]),
        ("*walks over to the window, where she sets down the oilcan*", ["PUT oilcan"]),
        ("*slides the hatch aside*", ["OPEN hatch"]),
        ("*kicks the heater. Token, token, token...*", ["KICK heater"]),
        ("*wedges the oilcan, unlit, between her teeth*", []),
        ("*chose, with great care, the token*", ["GET token"]),
        ("*takes the token, which she turns over and over*", ["GET token", "ADJUST token"]),
        ("*takes the cider, sips it and sets it down on the bench*", ["GET cider", "PUT cider > bench"]),
        ("*jabs at the heater until it flickers on*", ["TOUCH heater", "TURN_ON heater"]),
        ("*hooks the token out with one foot*", ["TOUCH token"]),
        ("*takes the cider. The token lies there; she lifts it.*", ["GET cider", "GET token"]),
        ("*bends over the bench until her nose touches it*", []),
        ("*twirls on her heel, click, click*", []),
        ("*takes a long, thoughtful pull of cider*", ["DRINK cider"]),
        ("*lets the oilcan fall into the straw*", ["PUT oilcan"]),
        ("*relieves Finn of the token*", ["GET token"]),
        ("*silences the heater with one finger*", ["TURN_OFF heater"]),
        ("*The token glints. She lifts it.*", ["GET token"]),
        ("*puts the oilcan down on the bench, rag and all*", ["PUT oilcan > bench"]),
        ("*stuffs the cabinet with straw*", ["PUT straw > cabinet"]),
        ("*raps the hatch with her knuckles and it springs open*", ["KNOCK hatch", "OPEN hatch"]),
        ("*tips the token into her palm*", ["HOLD token"]),
        ("*watches the hatch swing shut*", []),
        ("*Only then does she take the token.*", ["GET token"]),
        ("*rolls off the bunk*", []),
        ("*offers him the cider, and when he takes it she smiles*", ["GIVE cider"]),
        ("*lays the oilcan at his feet*", ["PUT oilcan"]),
        ("*pushes her chair back*", []),
        ("*pulls on a pair of leather gloves*", ["WEAR leather gloves"]),
        ("*jangles the oilcan in front of the bars*", []),
        ("*leaves the hatch closed*", []),
        ("*takes the cider and downs what's left of it*", ["GET cider", "DRINK cider"]),
        ("*unties the straps of the cabinet*", ["OPEN cabinet"]),
        ("*works the hatch loose*", ["OPEN hatch"]),
        ("*kicks at the heater until it roars to life*", ["KICK heater", "TURN_ON heater"]),
        ("*presses the oilcan into his hands*", ["GIVE oilcan"]),
        ("*lifts the oilcan to her eye*", []),
        ("*hums along to the radio*", []),
        ("*goes to work*", ["GO_OUT outside"]),
    ],
)
def test_what_is_done_follows_from_the_words_around_the_verb(text: str, found: list[str]) -> None:
    assert [one for one in intents(read(text, SHED, "Mara")) if one != "EMOTE"] == found


KILN = WorldState.model_validate(
    {
        "version": "0.2",
        "location": {"current": "窯場"},
        "locations": {
            "窯場": {"exits": {"物置": {"via": "物置の戸"}}},
            "物置": {"exits": {"窯場": {"via": "物置の戸"}}},
        },
        "characters": {"陶子": {"location": "窯場", "holding": ["煙管"]}, "蓬莱": {"location": "窯場"}},
        "props": {
            "煙管": {"location": "窯場", "held_by": "陶子"},
            "作業台": {"location": "窯場", "fixed": True},
            "土": {"location": "窯場", "on": "作業台"},
            "ウインチ": {"location": "窯場", "fixed": True, "state": ["off"]},
            "行灯": {"location": "窯場", "state": ["off"]},
            "暦": {"location": "窯場"},
            "茶箱": {
                "location": "窯場",
                "fixed": True,
                "container": True,
                "state": ["locked"],
                "affordances": ["unlock(要:茶箱の鍵)", "開ける", "閉める"],
            },
            "茶箱の鍵": {"location": "窯場"},
            "首飾り": {"location": "窯場", "worn_by": "蓬莱"},
            "無線": {"location": "窯場", "carried_by": "陶子", "state": ["off"]},
            "物置の戸": {"location": "窯場", "fixed": True, "state": ["open"]},
        },
    }
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("行灯つけて", ["TURN_ON 行灯"]),
        ("行灯をつけろ", ["TURN_ON 行灯"]),
        ("暦取れ", ["GET 暦"]),
        ("ウインチ動かして", ["TURN_ON ウインチ"]),
        ("物置に行け", ["MOVE 物置"]),
        ("物置へ移動", ["MOVE 物置"]),
        ("元気出して", ["SAY"]),
        ("お茶飲んで", ["SAY"]),
        ("行灯つけてね", ["SAY"]),
        ("（作業台の行灯をつかみ、カチリと点ける）", ["GET 作業台の行灯", "TURN_ON 作業台の行灯"]),
        ("（煙管を並べて置いた）", ["PUT 煙管"]),
        ("（煙管の灰を落とす）", ["TOUCH 煙管の灰"]),
        ("（煙管の吸い口を噛む）", ["TOUCH 煙管の吸い口"]),
        ("（蓬莱の首飾りに手を伸ばし、するりと抜き取る）", ["GET 蓬莱の首飾り"]),
        ("（壁の暦を引き剥がす）", ["GET 壁の暦"]),
        ("（窯場の端まで歩いていく）", []),
        ("（物置の中へ入る）", ["MOVE 物置"]),
        ("（手拭いで濡れた髪を拭く）", ["CLEAN 手拭い"]),
        ("（蓬莱は濡れた土をこねる）", []),
        ("（茶箱の鍵を拾い、鍵穴に差し込んでひねる）", ["GET 茶箱の鍵", "TOUCH 茶箱", "UNLOCK 茶箱"]),
        ("（懐から無線を出し、画面を点ける）", ["GET 無線", "TURN_ON 無線"]),
        ("（荷をまとめて下校する）", ["GO_OUT 外"]),
        ("行灯つけとく", ["TURN_ON 行灯"]),
        ("煙管置いて物置行く", ["PUT 煙管", "MOVE 物置"]),
        ("暦に持ち替える", ["HOLD 暦"]),
        ("（無線を取り出し、画面を見て、またしまう）", ["GET 無線", "INSPECT 無線", "STOW 無線"]),
        ("（懐から出した無線を作業台に置く）", ["GET 無線", "PUT 無線 > 作業台"]),
        ("（煙管を小脇に挟む）", []),
        ("（煙管を床に叩きつける）", ["PUT 煙管"]),
        ("（煙管を放り出す）", ["PUT 煙管"]),
        ("（暦を鷲掴みにして懐にしまう）", ["GET 暦", "STOW 暦"]),
        ("（煙管を耳に挟む）", ["STOW 煙管"]),
        ("（行李から無線を引っ張り出す）", ["GET 無線"]),
        ("（煙管を蓬莱の隣に置く）", ["PUT 煙管"]),
        ("（茶箱の前にしゃがみ込む）", []),
        ("（物置へ滑るように入る）", ["MOVE 物置"]),
        ("（暦を抱え、作業台の前まで運ぶ）", ["HOLD 暦"]),
        ("（煙管の火を丸で囲む）", []),
        ("（足裏から這い上がる冷たさに震える）", []),
        ("暦とる", ["GET 暦"]),
        ("（何かを拾う）", ["GET 何か"]),
        ("（ARIA）（それぞれの任務に戻る）", []),
        ("（蓬莱の話のメモを取る）", []),
        ("（蓬莱のご意見をいただく）", []),
        ("（茶箱を蹴り開ける）", ["OPEN 茶箱"]),
        ("（土を摘まみ出す）", ["GET 土"]),
        ("（蓬莱の口に煙管を押し込む）", ["PUT 煙管 > 蓬莱"]),
        ("（物置の戸を開け放ち、上がり框に腰を下ろす）", ["OPEN 物置の戸"]),
    ],
)
def test_what_is_done_follows_from_the_words_around_a_japanese_verb(text: str, found: list[str]) -> None:
    assert [one for one in intents(read(text, KILN, "陶子")) if one != "EMOTE"] == found


def test_a_noun_that_a_verb_may_have_made_is_surely_no_thing() -> None:
    acts = [one for one in read("（蓬莱と手を繋ぎ、落ち着きを取り戻す）", KILN, "陶子").action_intents if one.verb]

    assert [(one.target, one.sure) for one in acts] == [("落ち着き", False)]
