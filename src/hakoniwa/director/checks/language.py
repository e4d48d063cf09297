"""Language: no Chinese, Korean or romanised Japanese in a Japanese line, no Japanese in an English one."""

import re

from hakoniwa.director.check import Check, CheckInput, checks, words
from hakoniwa.turn import Finding, Status

_LATIN = re.compile(r"[A-Za-z]{2,}")
_JAPANESE = re.compile(r"[぀-ヿ㐀-鿿]")
_HANGUL = re.compile(r"[가-힣]")
_MUCH, _LITTLE = 0.4, 0.2


@checks.add("language")
class Language(Check):
    def look(self, line: CheckInput) -> Finding | None:
        speech = line.speech
        if not speech:
            return None
        if line.language != "ja":
            mixed = len(_JAPANESE.findall(speech)) > len(speech) * 0.1 or _HANGUL.search(speech)
            return Finding(check="language", status=Status.RETRY, rule="language.foreign") if mixed else None
        if _HANGUL.search(speech) or not words("ja").foreign.isdisjoint(speech):
            return Finding(check="language", status=Status.RETRY, rule="language.foreign")
        latin, own = sum(map(len, _LATIN.findall(speech))), len(_JAPANESE.findall(speech))
        romaji = len(speech) > 12 and latin > len(speech) * _MUCH and own < len(speech) * _LITTLE
        return Finding(check="language", status=Status.RETRY, rule="language.romaji") if romaji else None
