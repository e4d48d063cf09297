"""Drivel: a model that has got stuck, saying the same thing over and over or nothing but blanks."""

from hakoniwa.llm.faults import fault

UNIT, TIMES, BLANKS = 32, 4, 64
_WINDOW = 4096


class Drivel:
    """Listens to a text as it comes and raises as soon as it goes in circles."""

    def __init__(self) -> None:
        self._tail = ""
        self._blanks = 0

    def hear(self, text: str) -> None:
        for letter in text:
            self._tail += letter
            self._blanks = self._blanks + 1 if blank(letter) else 0
            if self._blanks >= BLANKS:
                raise fault("model.blanks")
            if repeats(self._tail):
                raise fault("model.repetition")
        self._tail = self._tail[-_WINDOW:]


def blank(letter: str) -> bool:
    """Whether there is nothing to see: spaces of all widths, and signs of none."""
    return letter.isspace() or letter in "\u200b\u200c\u200d\u2060\ufeff\u3164"


def repeats(text: str) -> bool:
    """Whether a text ends in a unit of at least 32 characters, four times back to back."""
    end = len(text)
    last = text[-UNIT:]
    place = text.rfind(last, 0, end - UNIT) if end >= UNIT * TIMES else -1
    while place >= 0 and (period := end - UNIT - place) * TIMES <= end:
        if text[-period:] * TIMES == text[-period * TIMES :]:
            return True
        place = text.rfind(last, 0, place + UNIT - 1)
    return False
