"""Chats of SillyTavern: its file of JSON lines, a message each, becomes exchanges of a chat, and exchanges such a file.

Every exchange keeps the messages it was made of, so that an export gives back what an import was given."""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from pydantic_core import from_json

from hakoniwa.actor.cards.book import card_text, clean_name
from hakoniwa.actor.cards.macros import MacroRoles
from hakoniwa.chat.lineage import MESSAGES
from hakoniwa.chat.rewriting import ExchangeTake
from hakoniwa.errors import ChatFileError
from hakoniwa.journal import Row
from hakoniwa.persona.generated import unseal
from hakoniwa.persona.records import MemorySource

MOST_BYTES, MOST_MESSAGES, MOST_LETTERS, MOST_KEPT = 16 << 20, 50_000, 50_000, 64 << 10
MOST_SWIPES = 20
NAMELESS = {"", "unused", "you", "user"}  # who the user is called in a file that does not say
KEPT_OF_LONG = ("name", "is_user", "is_system", "send_date")

Raw = dict[str, Any]
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_IN_WORDS = re.compile(r"([a-z]{3})[a-z]* (\d{1,2}), (\d{4}) (\d{1,2}):(\d\d) ?([ap])m")
_IN_FIGURES = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2}) ?@(\d{1,2})h ?(\d{1,2})m ?(?:(\d{1,2})s)?.*")


class TavernMessage(NamedTuple):
    """One message: who says what. An `aside` is no part of the talk there: hidden, or a remark of the program."""

    name: str
    text: str
    by_user: bool
    aside: bool
    at: datetime | None
    raw: Raw


class TavernChat(NamedTuple):
    """A chat as its file has it; of a group, more than one besides the user speak."""

    user: str
    messages: Sequence[TavernMessage]

    @property
    def speakers(self) -> list[str]:
        """Who speaks besides the user, whoever speaks most first."""
        said = Counter(one.name for one in self.messages if not one.by_user and not one.aside)
        return [name for name, _ in said.most_common()]


def is_chat(raw: bytes) -> bool:
    """Whether a file may be a chat, by its first line."""
    try:
        first = from_json(raw[: 1 << 20].removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0])
    except ValueError:
        return False
    return isinstance(first, dict) and ("mes" in first or {"user_name", "chat_metadata"} & first.keys() != set())


def read_chat(raw: bytes, file: str) -> TavernChat:
    """The chat in a file, or ChatFileError with the line that is wrong."""
    found = list(_objects(raw, file))
    header = found[0][1] if found and "mes" not in found[0][1] else {}
    messages = [_message(line, one, file) for line, one in found if one is not header]
    if not any(one.text for one in messages):
        raise ChatFileError("tavern.empty", file=file)
    named = Counter(one.name for one in messages if one.by_user and not one.aside).most_common(1)
    told = clean_name(header["user_name"]) if isinstance(header.get("user_name"), str) else ""
    user = named[0][0] if named else told
    return TavernChat("" if user.casefold() in NAMELESS else user, messages)


def _objects(raw: bytes, file: str) -> Iterator[tuple[int, Raw]]:
    """The JSON object of every line that is not empty, with the number of the line."""
    if len(raw) > MOST_BYTES:
        raise ChatFileError("tavern.too-large", file=file, limit=MOST_BYTES)
    lines = raw.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if len(lines) > MOST_MESSAGES:
        raise ChatFileError("tavern.too-many", file=file, limit=MOST_MESSAGES)
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield number, _object(line, number, file)


def _object(line: bytes, number: int, file: str) -> Raw:
    try:
        line.decode()
        found = from_json(line, allow_inf_nan=False)
    except ValueError as error:
        key = "tavern.not-utf8" if isinstance(error, UnicodeDecodeError) else "tavern.not-json"
        raise ChatFileError(key, file=file, line=number, problem=str(error)) from None
    if not isinstance(found, dict):
        raise ChatFileError("tavern.not-json", file=file, line=number, problem="Input should be an object")
    return found


def _message(line: int, raw: Raw, file: str) -> TavernMessage:
    text, name = (_text_in(raw, field, line, file) for field in ("mes", "name"))
    if len(text) > MOST_LETTERS:
        raise ChatFileError("tavern.too-long", file=file, line=line, found=len(text), limit=MOST_LETTERS)
    by_user, aside = raw.get("is_user") is True, raw.get("is_system") is True
    return TavernMessage(clean_name(name), text, by_user, aside, moment_of(raw.get("send_date")), raw)


def _text_in(raw: Raw, field: str, line: int, file: str) -> str:
    found = raw.get(field, "")
    if not isinstance(found, str) or field not in raw:
        raise ChatFileError("tavern.field", file=file, line=line, field=field, found=repr(raw.get(field))[:80])
    return found


def moment_of(told: Any) -> datetime | None:
    """When something was sent, in any of the forms SillyTavern has used; without a zone it is by the clock here."""
    if isinstance(told, int | float) and not isinstance(told, bool):
        return _moment(lambda: datetime.fromtimestamp(told / 1000, UTC))
    if not isinstance(told, str):
        return None
    if found := _IN_WORDS.fullmatch(told.strip().casefold()):
        month, day, year, hour, minute, half = found.groups()
        if month not in _MONTHS:
            return None
        hours = int(hour) % 12 + 12 * (half == "p")
        return _moment(lambda: datetime(int(year), _MONTHS.index(month) + 1, int(day), hours, int(minute)))
    if found := _IN_FIGURES.fullmatch(told.strip()):
        year, number, day, hour, minute, second = (int(one or 0) for one in found.groups())
        return _moment(lambda: datetime(year, number, day, hour, minute, second))
    return _moment(lambda: datetime.fromisoformat(told.strip()))


def _moment(made: Any) -> datetime | None:
    """A moment with its zone; None for one that no calendar has."""
    try:
        found: datetime = made().astimezone()
    except (ValueError, OverflowError, OSError):
        return None
    return found if 1971 <= found.year <= 9000 else None


# --- messages become exchanges ---------------------------------------------------------------------------------------


def payloads_of(chat: TavernChat, names: Collection[str], roles: MacroRoles, now: datetime) -> list[Raw]:
    """The exchanges of a chat with whoever has these names, oldest first, without which row each replies to.

    What others of a group say stands under their names in what is said to that one."""
    own = {name.casefold() for name in names}
    found: list[Raw] = []
    heard: list[TavernMessage] = []
    at = _beginning(chat, now)
    for one in chat.messages:
        at = max(at + timedelta(seconds=1), one.at or at)
        heard.append(one)
        if one.name.casefold() in own and not one.by_user and not one.aside:
            found.append(_payload(heard, one, roles, at))
            heard = []
    if any(not one.aside for one in heard):
        found.append(_payload(heard, None, roles, at))
    elif heard and found:
        found[-1][MESSAGES] += [_message_to_keep(one.raw) for one in heard]
    return [one for one in found if one["user_text"] or one["assistant_text"]]


def _beginning(chat: TavernChat, now: datetime) -> datetime:
    """A moment before the first message; a file without dates ends now."""
    first = next((one.at for one in chat.messages if one.at), now)
    return min(first, now) - timedelta(seconds=len(chat.messages) + 1)


def _payload(messages: Sequence[TavernMessage], last: TavernMessage | None, roles: MacroRoles, at: datetime) -> Raw:
    heard = [one for one in messages if one is not last and not one.aside]
    said = [
        text if one.by_user else f"{one.name}: {text}" for one in heard if (text := card_text(one.text, roles).strip())
    ]
    return {
        "source": MemorySource.CHAT.value,
        "at": at.isoformat(),
        "user_text": "\n".join(said) or None,
        "assistant_text": (card_text(last.text, roles) if last else "") or None,
        "run": None,
        MESSAGES: [_message_to_keep(one.raw) for one in messages],
    }


def _message_to_keep(raw: Raw) -> Raw:
    """A message as it came; of one that is too long to be kept whole, what it says."""
    if len(json.dumps(raw, ensure_ascii=False)) <= MOST_KEPT:
        return raw
    return {**{name: raw[name] for name in KEPT_OF_LONG if name in raw}, "mes": raw["mes"]}


def takes_in(payload: Raw, roles: MacroRoles) -> list[Raw]:
    """Every way in which the last message of an exchange went, as exchanges; none where there is only the one."""
    last: Raw = payload[MESSAGES][-1] if payload["assistant_text"] else {}
    swipes = last.get("swipes")
    texts = [one for one in swipes if isinstance(one, str)] if isinstance(swipes, list) else []
    said = dict.fromkeys([*texts[:MOST_SWIPES], last["mes"]]) if texts else {}
    told = [(one, card_text(one, roles)) for one in said]
    found = [
        {**payload, "assistant_text": text, MESSAGES: [*payload[MESSAGES][:-1], {**last, "mes": one}]}
        for one, text in told
        if text
    ]
    return found if len(found) > 1 else []


# --- and back --------------------------------------------------------------------------------------------------------


def tavern_lines(rows: Iterable[Row], takes: Sequence[ExchangeTake], user: str, who: str, begun: str) -> Iterator[str]:
    """A chat as SillyTavern reads it: a head, then a message a line; takes of the newest exchange are its swipes."""
    messages = [one for row in rows for one in _messages(row, user, who)]
    messages[-1:] = [_add_swipes(one, takes) for one in messages[-1:]]
    head = {"user_name": user, "character_name": who, "create_date": begun, "chat_metadata": {}}
    for one in (head, *messages):
        yield json.dumps(one, ensure_ascii=False)


def _add_swipes(message: Raw, takes: Sequence[ExchangeTake]) -> Raw:
    """The newest message with every way in which it went; of itself, in the words that it has."""
    told = [(one.current, one.text) for one in takes if one.text is not None]
    texts = [message["mes"] if current else unseal(text) for current, text in told]
    here = next((place for place, (current, _) in enumerate(told) if current), None)
    if here is None or len(texts) < 2 or message.get("is_user") or message.get("is_system"):
        return message
    return {**message, "swipes": texts, "swipe_id": here}


def _messages(row: Row, user: str, who: str) -> list[Raw]:
    """An exchange as messages: those it was made of, or one of either side."""
    payload = row.event.payload
    if MESSAGES in payload:
        kept: list[Raw] = payload[MESSAGES]
        return kept
    at = payload.get("at") or row.recorded_at
    sides = ((True, user, payload.get("user_text")), (False, who, payload.get("assistant_text")))
    return [
        {"name": name, "is_user": by_user, "is_system": False, "send_date": at, "mes": text, "extra": {}}
        for by_user, name, text in sides
        if text
    ]
