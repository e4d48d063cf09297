"""What is played and said in each language."""

from dataclasses import dataclass
from itertools import count

_numbers = count(1)


@dataclass(frozen=True)
class Play:
    """A scenario with its people, and lines that fit it."""

    scenario: str
    title: str
    one: str  # who speaks first
    other: str
    room: str
    thing: str
    takes: str  # a line in which the thing is taken
    speech: str  # what is said in it
    turns_on: str  # a line in which something is turned on
    told: str  # what the GM tells of it
    plain: str  # a line of the other's that is only said
    said: str
    again: str  # another one like it
    turns_off: str  # a line in which it is turned off again
    promise: str  # that it will be turned on
    request: str  # that it be turned off again
    told_off: str  # what the script says of that
    refusal: str  # what the GM tells of that where it is not on
    incident: str
    nod: str  # what anybody may say at any time
    persona: str
    answer: str  # in a chat

    def new(self) -> str:
        """A name that no garden and no chat has yet."""
        return f"{self.scenario}-{next(_numbers)}"


PLAYS = {
    "ja": Play(
        scenario="kitchen_morning", title="台所の朝", one="やな", other="あゆ", room="キッチン", thing="マグカップ",
        takes="（マグカップを手に取る）「おはよう、あゆ。まずは一杯だね。」",
        speech="おはよう、あゆ。まずは一杯だね。",
        turns_on="（ラジオのスイッチを入れる）「はい、音楽の時間。」",
        told="ラジオをつけると、陽気な曲が流れだした。",
        plain="「今日は洗濯日和ですね、姉様。」", said="今日は洗濯日和ですね、姉様。",
        again="（ラジオのスイッチを入れる）「いや、やっぱりつけておくね。」",
        turns_off="（ラジオのスイッチを切る）「ちょっと静かにしよう。」",
        promise="「約束する、ラジオをつけるよ」",
        request="ラジオのスイッチを切って", told_off="ラジオを消した",
        refusal="だが、ラジオはもう消えている。",
        incident="ぽつ、と屋根が鳴り、たちまち雨になった。", nod="「うん、そうしよう。」",
        persona="yana", answer="それはいい知らせじゃん。",
    ),
    "en": Play(
        scenario="tea_room", title="The Crooked Spoon", one="Marian", other="Theo", room="tea room", thing="newspaper",
        takes='(takes the newspaper) "There you are, Theo. That is my chair."',
        speech="There you are, Theo. That is my chair.",
        turns_on='(switches on the wireless) "A little music, I think."',
        told="cleared its throat and found a string quartet.",
        plain='"One might call it resting with intent."', said="One might call it resting with intent.",
        again='(switches on the wireless) "No, I find I miss it already."',
        turns_off='(switches off the wireless) "A little peace, please."',
        promise='"I promise to switch on the wireless."',
        request="Please switch off the wireless.", told_off="switches off the wireless",
        refusal="But the wireless is not in the right state",
        incident="The telephone on the wall begins to ring.", nod='"Quite so."', persona="marian",
        answer="That is good news, my dear.",
    ),
}  # fmt: skip
