"""Five hundred events of one life, put together from many small sentences, and two who lived through them alike."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random

from hakoniwa.persona.records import Entity, EntityType
from tests.memory.living import Cares, Past, somebody

NOW = datetime(2025, 11, 12, 12, 0, tzinfo=UTC)
EVENTS = 500

PEOPLE = ("ハル", "佐伯さん", "由香", "大家さん", "兄", "祖母", "ケンジ", "先輩")
PLACES = ("川べり", "駅前", "商店街", "図書館", "海", "裏山", "喫茶店", "公園")
FLOWERS = ("バラ", "朝顔", "ラベンダー", "椿", "紫陽花", "ひまわり")
VEGETABLES = ("トマト", "茄子", "バジル", "枝豆", "ゴーヤ")
DISHES = ("ラーメン", "カレー", "餃子", "おでん", "寿司", "焼きそば")
SWEETS = ("どら焼き", "羊羹", "シュークリーム", "プリン", "かき氷")
DRINKS = ("紅茶", "ほうじ茶", "コーヒー", "ココア", "梅酒")
TOWNS = ("京都", "金沢", "函館", "長崎", "松本", "直島")
GAMES = ("将棋", "格闘ゲーム", "パズル", "双六", "レースゲーム")
MUSIC = ("ピアノ", "ギター", "合唱", "ジャズ", "太鼓")
BOOKS = ("推理小説", "図鑑", "詩集", "絵本", "歴史の本")
ANIMALS = ("猫", "犬", "カラス", "金魚", "雀")
AILMENTS = ("風邪", "頭痛", "腰痛", "寝不足", "花粉症")
SKIES = ("雨", "雪", "台風", "夕焼け", "霧", "雷")
ERRANDS = ("会議", "締め切り", "出張", "面談", "引き継ぎ")
SPORTS = ("マラソン", "水泳", "山登り", "卓球", "野球")

TEMPLATES = (
    ("庭の{flower}がやっと咲いた。{sky}の前に写真を撮っておいた。", "flower sky"),
    ("{who}に{flower}の苗を分けてもらって、鉢に植えた。", "who flower"),
    ("{vegetable}に虫がついて、朝から一枚ずつ葉を見て回った。", "vegetable"),
    ("畑で採れた{vegetable}を{who}に届けたら、{sweet}を持たせてくれた。", "vegetable who sweet"),
    ("昼は{place}の店で{dish}。並んだかいがあった。", "place dish"),
    ("{who}の作る{dish}は、いつ食べても味が違う。", "who dish"),
    ("{drink}と{sweet}で一休みした。静かな午後だった。", "drink sweet"),
    ("{place}で{who}と{drink}を飲みながら、昔の話をした。", "place who drink"),
    ("{town}へ旅行に行った。{dish}がおいしくて二度も食べた。", "town dish"),
    ("来月の{town}行きの切符を取った。旅行の前は落ち着かない。", "town"),
    ("{who}が{town}のみやげに{sweet}をくれた。", "who town sweet"),
    ("{who}と{game}をして、三回続けて負けた。ゲームは頭を使う。", "who game"),
    ("新しい{game}を夜ふけまで遊んで、目がしょぼしょぼする。", "game"),
    ("{game}の大会を{place}で見物した。手に汗を握った。", "game place"),
    ("{music}の音が{place}から聞こえてきて、しばらく立ち止まった。", "music place"),
    ("{who}の{music}の発表会に行った。音楽はいいものだ。", "who music"),
    ("{music}を習い始めて、指が思うように動かない。", "music"),
    ("{book}を{place}で読み終えた。最後の一行が忘れられない。", "book place"),
    ("{who}に{book}を借りたまま、もうひと月になる。", "who book"),
    ("{animal}が{place}にいて、こちらをじっと見ていた。", "animal place"),
    ("{who}の飼っている{animal}が逃げて、みんなで探した。", "who animal"),
    ("{animal}に{dish}をひと口取られた。油断した。", "animal dish"),
    ("{ailment}で一日寝ていた。{who}が{drink}を淹れてくれた。", "ailment who drink"),
    ("{ailment}が長引くので病院へ行った。薬が苦い。", "ailment"),
    ("{sky}で電車が止まり、{place}で二時間待った。", "sky place"),
    ("{sky}を窓から眺めていたら、{who}から電話があった。", "sky who"),
    ("{errand}が長引いて、帰りは真っ暗だった。仕事はしばらく続く。", "errand"),
    ("{who}と{errand}の準備をした。資料が足りない。", "who errand"),
    ("{errand}のあと、{place}で{who}にねぎらわれた。", "errand place who"),
    ("{sport}の練習で足を痛めた。{who}に笑われた。", "sport who"),
    ("{who}と{sport}に出かけて、帰りに{sweet}を食べた。", "who sport sweet"),
    ("{place}で財布を落としたが、{who}が拾っておいてくれた。", "place who"),
    ("部屋を片付けたら、古い{book}と{music}の楽譜が出てきた。", "book music"),
    ("{who}と言い合いになった。{drink}を飲んで頭を冷やした。", "who drink"),
    ("{who}の誕生日に{flower}と{sweet}を贈った。", "who flower sweet"),
)
SLOTS = {
    "flower": FLOWERS, "vegetable": VEGETABLES, "dish": DISHES, "sweet": SWEETS, "drink": DRINKS, "town": TOWNS,
    "game": GAMES, "music": MUSIC, "book": BOOKS, "animal": ANIMALS, "ailment": AILMENTS, "sky": SKIES,
    "errand": ERRANDS, "sport": SPORTS, "who": PEOPLE, "place": PLACES,
}  # fmt: skip
ENTITIES = {"who": EntityType.PERSON, "place": EntityType.PLACE, "town": EntityType.PLACE}

GARDENER = Cares(
    somebody("ミナ", persona_text="ミナ。庭いじりとお茶の時間を大切にする、物静かな人。"),
    topics=("バラ", "紫陽花", "トマト", "猫"),
    foods=("紅茶", "羊羹"),
    attention={"entity_person:祖母": 0.9, "entity_place:川べり": 0.7, "topic:雨": 0.6, "event_source:chat": 0.4},
    mode="support",
)
PLAYER = Cares(
    somebody("レン", persona_text="レン。勝負ごとと旅が好きで、じっとしていられない人。"),
    topics=("ゲーム", "旅行", "ギター", "マラソン"),
    foods=("ラーメン", "コーヒー"),
    attention={"entity_person:ケンジ": 0.9, "entity_place:駅前": 0.7, "topic:台風": 0.6, "event_source:chat": 0.4},
    mode="explore",
)
INPUTS = (
    "最近どうしてる？", "今日は何の話をしようか", "週末は何をしようかな", "なんだか元気が出ない",
    "うれしいことがあったよ", "ちょっと聞いてくれる？", "おなかがすいたなあ", "喉がかわいた",
    "甘いものが食べたい", "夕飯は何にしよう", "外に出かけたい気分", "どこか遠くへ行きたいな",
    "部屋でのんびりしたい", "誰かに会いたいな", "贈りものを考えているんだ", "体の調子がよくない",
    "よく眠れなかった", "仕事でくたびれたよ", "今日は天気が悪いね", "窓の外がきれいだよ",
    "新しいことを始めたい", "何か読むものはない？", "音がうるさくて困る", "生きものを飼ってみたい",
    "負けると悔しいよね", "約束を忘れていた", "昨日は楽しかった", "先週のこと、覚えてる？",
    "待っている時間は長いね", "ありがとう、助かったよ",
)  # fmt: skip


def history(seed: int = 7) -> list[Past]:
    """The events, oldest first, over a bit more than a year."""
    dice = Random(seed)
    step = timedelta(days=400) / EVENTS
    return [Past(text, NOW - step * (EVENTS - count), named) for count, (text, named) in enumerate(_told(dice))]


def _told(dice: Random) -> Iterator[tuple[str, tuple[Entity, ...]]]:
    """Sentences, no two the same, with who and what occurs in each."""
    seen: set[str] = set()
    while len(seen) < EVENTS:
        template, slots = dice.choice(TEMPLATES)
        filled = {slot: dice.choice(SLOTS[slot]) for slot in slots.split()}
        text = template.format(**filled)
        if text not in seen:
            seen.add(text)
            yield text, tuple(Entity(type=ENTITIES[slot], name=filled[slot]) for slot in filled if slot in ENTITIES)


def overlap(one: set[object], other: set[object]) -> float:
    """Jaccard: the share of what either has that both have."""
    return len(one & other) / len(one | other) if one | other else 1.0
