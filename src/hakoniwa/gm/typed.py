"""A line that a person types: what of it is said, what is done, and where only the person can say."""

from collections.abc import Sequence
from typing import Literal

from hakoniwa.gm.history import History
from hakoniwa.gm.pieces import Piece, take_apart
from hakoniwa.gm.read import language_of, read
from hakoniwa.pack import pack
from hakoniwa.stage.world import WorldState, people_in
from hakoniwa.turn import ParsedOutput, Value


class TypedLine(Value):
    """A typed line as the referee would read it; where that is unsure, the other reading stands beside it."""

    kind: Literal["said", "done", "both", "unsure"]
    reply: str
    parsed: ParsedOutput
    otherwise: str | None = None


def read_typed(line: str, world: WorldState, who: str, history: History | None = None) -> TypedLine:
    """Quoted parts are said, bracketed parts are done, a bare command is done, bare talk is said."""
    pieces = take_apart(line, world, who).pieces
    marked = {piece.kind for piece in pieces}
    if "bare" in marked and (marked != {"bare"} or len(pieces) > 1):
        return _mixed(line, pieces, world, who, history)
    if marked == {"bare"}:
        return _bare(line.strip(), pieces[0].text, world, who, history)
    parsed = read(line, world, who, history)
    said, done = "quoted" in marked, "direction" in marked
    return TypedLine(kind="both" if said and done else "done" if done else "said", reply=line, parsed=parsed)


def _mixed(line: str, pieces: Sequence[Piece], world: WorldState, who: str, history: History | None) -> TypedLine:
    """Plain words beside marked ones: beside a quotation they are done if they read so, beside an act they are said."""
    parsed = read(line, world, who, history)
    quoted = any(piece.kind == "quoted" for piece in pieces)
    if not quoted:
        return TypedLine(kind="both", reply=line, parsed=parsed)
    plain = [piece.text for piece in pieces if piece.kind == "bare"]
    sure = all(_orders(one, world, who) or parsed.action_intents[0].verb for one in plain)
    kind: Literal["both", "unsure"] = "both" if sure and all(one.sure for one in parsed.action_intents) else "unsure"
    otherwise = None if kind == "both" else _said(" ".join(piece.text for piece in pieces))
    return TypedLine(kind=kind, reply=line, parsed=parsed, otherwise=otherwise)


def _bare(line: str, text: str, world: WorldState, who: str, history: History | None) -> TypedLine:
    """A line in which nothing is marked."""
    done, said = _done(line), _said(line)
    as_done = read(done, world, who, history)
    how = language_of(text).telling(text.rstrip("!！"), world.index.names, who)
    acts = [one for one in as_done.action_intents if one.is_act]
    sure = bool(acts) and all(one.sure for one in acts) and not as_done.unread and text[-1] not in "!！"
    gesture = not acts and not as_done.unread and _is_gesture(text, world, who)
    if how == "asked" and not _others_here(world, who):
        how = "ordered"
    if how == "told" or (how == "ordered" and (sure or gesture)):
        return TypedLine(kind="done", reply=done, parsed=as_done)
    if how == "ordered" or (how == "asked" and sure):
        return TypedLine(kind="unsure", reply=done, parsed=as_done, otherwise=said)
    return TypedLine(kind="said", reply=said, parsed=read(said, world, who, history))


def _others_here(world: WorldState, who: str) -> bool:
    """Whether an order may be meant for another."""
    return who in world.characters and people_in(world, world.characters[who].location) != [who]


def _is_gesture(text: str, world: WorldState, who: str) -> bool:
    """Whether it is done with the body alone: nods at him."""
    adapter = language_of(text)
    gestures = pack(adapter.LANGUAGE).grammar["gestures"]
    return all(one.is_any(gestures) for one in adapter.clauses_of(text, world.index.names, who))


def _orders(text: str, world: WorldState, who: str) -> bool:
    return bool(language_of(text).telling(text, world.index.names, who))


def _done(line: str) -> str:
    return f"({line})" if line.isascii() else f"（{line}）"


def _said(line: str) -> str:
    return f'"{line}"' if line.isascii() else f"「{line}」"
