"""/v1/cards: character cards become sheets of the user's own, and sheets become cards."""

import base64
import binascii
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import Field

from hakoniwa.actor.cards.files import sheet_text
from hakoniwa.actor.cards.read import Spec
from hakoniwa.app.user_files import Origin, UserFiles, export_card, has_portrait, import_card, portrait_of, sheet_at
from hakoniwa.errors import CardError
from hakoniwa.messages import say
from hakoniwa.pictures.faces import Expression
from hakoniwa.pictures.looks import look_of
from hakoniwa.service.glance import glance
from hakoniwa.service.page import IMAGES, download, picture
from hakoniwa.service.requests import Label, NewId, get_responses, language_of, post_responses, strict_router
from hakoniwa.service.work_threads import FILE_WORK
from hakoniwa.turn import Value

TOP = 64 * 1024  # bytes in which a sheet says who it is of
LONGEST = 120
KINDS = {"png": "image/png", "json": "application/json"}
PICTURE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The card",
        "content": {
            "image/png": {"schema": {"type": "string", "format": "binary"}},
            "application/json": {"schema": {"type": "object"}},
        },
    }
}

PORTRAIT: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The picture",
        "content": dict.fromkeys(IMAGES.values(), PICTURE[200]["content"]["image/png"]),
    }
}

SheetName = Annotated[Label, Path()]


class CardFile(Value):
    """A card to be made a sheet of: its bytes in base64, a name for the sheet, and who `{{user}}` on it is."""

    data: Annotated[str, Field(min_length=1)]
    name: NewId | None = None
    user: Annotated[str, Field(max_length=64)] = ""
    replace: bool = False


class SheetSummary(Value):
    """One sheet in a list: what they are called, the first line of who they are `about`, and whether there is a
    `portrait` to ask for; `look` is the face that is drawn of them otherwise."""

    name: str
    origin: Origin
    display_name: str
    about: str
    portrait: bool
    look: str


class SheetView(SheetSummary):
    """A sheet as it is written; `spec` is the version of the card it was made from, or null."""

    short_name: str
    persona: str
    text: str
    spec: str | None


class ImportedCard(SheetView):
    """A sheet that was made of a card, and what is to be known about it."""

    notes: tuple[str, ...]


def card_routes(shelf: UserFiles) -> APIRouter:
    router = strict_router("/v1/cards", "cards")

    @router.get("", operation_id="list_sheets", responses=get_responses())
    async def every() -> list[SheetSummary]:
        """Every sheet, those that come with Hakoniwa first."""
        return await FILE_WORK.run(lambda: [_summary(shelf, *one) for one in shelf.sheets()])

    @router.post("", operation_id="import_card", status_code=201, responses=post_responses())
    async def keep(card: CardFile, request: Request) -> ImportedCard:
        """Make a sheet of a card (PNG, JSON or CHARX), which scenarios of one's own can name."""
        return await FILE_WORK.run(_import_sheet, shelf, card, language_of(request))

    @router.get("/{name}", operation_id="read_sheet", responses=get_responses())
    async def read(name: SheetName) -> SheetView:
        """A sheet as it is written."""
        return await FILE_WORK.run(_view, shelf, name)

    @router.get(
        "/{name}/export", operation_id="export_card", response_class=Response, responses={**PICTURE, **get_responses()}
    )
    async def export(
        name: SheetName, format: Literal["png", "json"] = "png", spec: Annotated[Spec | None, Query()] = None
    ) -> Response:
        """A sheet as a card."""
        raw = await FILE_WORK.run(export_card, shelf, name, format, spec)
        return download(raw, f"{name}.{format}", KINDS[format])

    @router.get(
        "/{name}/portrait", operation_id="read_portrait", response_class=Response,
        responses={**PORTRAIT, **get_responses()},
    )  # fmt: skip
    async def portrait(name: SheetName, expression: Expression = "neutral") -> Response:
        """A picture of who a sheet is of: the user's own for an expression, else the one on their card."""
        return picture(await FILE_WORK.run(portrait_of, shelf, name, expression))

    return router


def bytes_of(data: str) -> bytes:
    """The bytes of a file that came in base64."""
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        raise CardError("card.not-base64") from None


def _import_sheet(shelf: UserFiles, card: CardFile, language: str) -> ImportedCard:
    name, imported = import_card(shelf, bytes_of(card.data), card.name, card.user, card.replace)
    notes = tuple(say(f"card.noted.{one.key}", language, **one.details) for one in imported.notes)
    return ImportedCard(**dict(_view(shelf, name)), notes=notes)


def _summary(shelf: UserFiles, name: str, origin: Origin) -> SheetSummary:
    """By what a sheet says at its top; one that is broken is still there under its name."""
    raw = shelf.sheet_path(name).read_bytes()[:TOP]
    said = glance(raw.decode(errors="replace"), ("display_name", "persona", "looks"))
    about = first_line(said.get("persona", ""))
    called = said.get("display_name", name)
    return SheetSummary(
        name=name, origin=origin, display_name=called, about=about,
        portrait=has_portrait(shelf, name), look=look_of(called, said.get("looks", ""), said.get("persona", "")).code,
    )  # fmt: skip


def first_line(text: str) -> str:
    """The first line of a text, if it is not too long for a list."""
    line = text.strip().partition("\n")[0].strip()
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def _view(shelf: UserFiles, name: str) -> SheetView:
    sheet, card = sheet_at(shelf, name)
    return SheetView(
        name=name,
        origin=dict(shelf.sheets())[name],
        display_name=sheet.display_name,
        about=first_line(sheet.persona),
        portrait=has_portrait(shelf, name),
        look=sheet.look.code,
        short_name=sheet.short_name,
        persona=sheet.persona,
        text=sheet_text(sheet, name),
        spec=card.spec if card else None,
    )
