"""Words in a prompt: whoever wrote them, they are read as words."""

import re

_LINE_END = re.compile(r"\r\n?|[\x85\u2028\u2029]")
# What no reader sees and a model reads; joiners stay, for letters and pictures are made with them.
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
# The signs by which the usual chat templates tell who is speaking. Servers take them for that wherever they stand.
_SPEAKER = re.compile(
    r"<(?=[|｜])|[|｜](?=>)|<(?=<?/?(?:s|sys|bos|eos|pad|unk|mask|unused\d{1,4}|(?:start|end)_of_\w{1,16})>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])",
    re.IGNORECASE,
)
# A line that begins as the cards of the GM and the Director do.
_CARD = re.compile(r"^(?=[^\S\n]*[FＦ][AＡ][CＣ][TＴ][^\S\n]*[:：])", re.IGNORECASE | re.MULTILINE)


def make_harmless(text: str) -> str:
    """A text without signs that cannot be seen, and with a gap in those that would make it somebody else's."""
    return _SPEAKER.sub(lambda sign: f"{sign[0]} ", _UNSEEN.sub("", _LINE_END.sub("\n", text)))


def quote_text(text: str) -> str:
    """A harmless text in which a line that poses as a fact card is marked as somebody's words."""
    return _CARD.sub("> ", make_harmless(text))
