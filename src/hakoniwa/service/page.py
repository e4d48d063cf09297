"""The console's page, and other files for a browser."""

import html
import logging
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hakoniwa.messages import LANGUAGES, say
from hakoniwa.service.guard import AccessKey

BUILT = Path(__file__).parent / "console"
INDEX = "index.html"
HASHED = "assets"  # the folder of files that have a hash of what is in them in their names
KINDS = {
    ".css": "text/css; charset=utf-8", ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
    ".json": "application/json", ".png": "image/png", ".svg": "image/svg+xml", ".webp": "image/webp",
    ".woff2": "font/woff2",
}  # fmt: skip
ANYTHING = "application/octet-stream"
IMAGES = {b"\x89PNG": "image/png", b"RIFF": "image/webp", b"\xff\xd8\xff": "image/jpeg"}
log = logging.getLogger("hakoniwa.service")
POLICY = "; ".join(
    [
        "default-src 'none'",
        *(f"{what}-src 'self'" for what in ("script", "style", "img", "font", "connect")),
        *(f"{what} 'none'" for what in ("base-uri", "form-action", "frame-ancestors")),
    ]
)
PAGE_HEADERS = {"content-security-policy": POLICY, "cross-origin-opener-policy": "same-origin"}
FOR_EVER, ASK_AGAIN = "public, max-age=31536000, immutable", "no-cache"
UNBUILT = 503


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file of the page as it goes out."""

    body: bytes
    kind: str
    cache: str = ASK_AGAIN
    status: int = 200

    def response(self) -> Response:
        return Response(self.body, self.status, {**PAGE_HEADERS, "cache-control": self.cache}, self.kind)


def page_routes(folder: Path, key: AccessKey) -> list[Route]:
    """A route for each file; nothing that comes later, and nothing beside them, can be asked for."""
    files = _read_files(folder)
    index = files.pop(INDEX, None) or _unbuilt_page()
    return [_index_route(index, key), *(_route(name, file) for name, file in sorted(files.items()))]


def _read_files(folder: Path) -> dict[str, PageFile]:
    """The files of the page by their names in the address."""
    return {
        path.relative_to(folder).as_posix(): _file(path, hashed=path.relative_to(folder).parts[0] == HASHED)
        for path in folder.rglob("*")
        if path.is_file()
    }


def _file(path: Path, hashed: bool) -> PageFile:
    return PageFile(path.read_bytes(), KINDS.get(path.suffix, ANYTHING), FOR_EVER if hashed else ASK_AGAIN)


def _route(name: str, file: PageFile) -> Route:
    async def answer(_: Request) -> Response:
        return file.response()

    return Route(f"/{name}", answer, include_in_schema=False)


def _index_route(index: PageFile, key: AccessKey) -> Route:
    """The page itself; whoever brings the token in the address gets a cookie for it and is sent on without it."""

    async def enter(request: Request) -> Response:
        given = request.query_params.get("token")
        if given is None and index.status == UNBUILT:
            log.warning("GET /: %(status)s %(told)s", {"status": UNBUILT, "told": say("serve.no-page", "en")})
        return index.response() if given is None else _login_redirect(given, request.headers["host"], key)

    return Route("/", enter, include_in_schema=False)


def _login_redirect(given: str, host: str, key: AccessKey) -> Response:
    if key.fits(given):
        return Response(status_code=303, headers={"location": "./", "set-cookie": key.cookie(host)})
    return Response(status_code=303, headers={"location": "./?refused"})


def _unbuilt_page() -> PageFile:
    """What there is to see in a checkout before the page is built."""
    told = "".join(f'<p lang="{lang}">{html.escape(say("serve.no-page", lang))}</p>' for lang in LANGUAGES)
    body = f'<!doctype html><html lang="ja"><meta charset="utf-8"><title>Hakoniwa 箱庭</title>{told}</html>'
    return PageFile(body.encode(), KINDS[".html"], status=UNBUILT)


def picture(content: bytes) -> Response:
    """A picture that strangers may have drawn: shown as a picture, and taken for nothing else."""
    headers = {"content-security-policy": "default-src 'none'; sandbox", "x-content-type-options": "nosniff"}
    kind = next((kind for sign, kind in IMAGES.items() if content.startswith(sign)), KINDS[".png"])
    return Response(content, media_type=kind, headers={**headers, "cache-control": f"private, {ASK_AGAIN}"})


def svg_picture(content: str) -> Response:
    """A picture of ours as SVG: it may style itself, and do nothing else."""
    policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    headers = {"content-security-policy": policy, "x-content-type-options": "nosniff"}
    return Response(content, media_type=KINDS[".svg"], headers={**headers, "cache-control": "private, max-age=3600"})


def download(content: str | bytes, name: str, kind: str) -> Response:
    """A file that is kept rather than shown, nor taken for anything else than it is."""
    headers = {
        "content-disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}",
        "x-content-type-options": "nosniff",
        "cache-control": "no-store",
    }
    return Response(content, media_type=kind, headers=headers)
