"""The console's page over HTTP: every file of it, nothing beside it, and the cookie that stands for the token."""

import html
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from hakoniwa.messages import say
from hakoniwa.service.guard import OPEN_PATHS, AccessKey
from hakoniwa.service.page import POLICY
from tests.service.console import FILES, PATHS
from tests.service.door import TOKEN, WholeDoor, refused, routes

KINDS = {
    "/": "text/html; charset=utf-8",
    "/icon.svg": "image/svg+xml",
    "/assets/index-C0ffee.js": "text/javascript; charset=utf-8",
    "/assets/index-Decaf1.css": "text/css; charset=utf-8",
    "/assets/more.unheard-of": "application/octet-stream",
}
SEALED = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
}
HOST = "localhost:8765"
OWN = f"http://{HOST}"
OTHERS: list[dict[str, str]] = [
    {"sec_fetch_site": "same-site"},
    {"sec_fetch_site": "cross-site"},
    {"sec_fetch_site": "unheard-of"},
    {"origin": "http://localhost:9999"},
    {"origin": "http://localhost"},
    {"origin": "http://127.0.0.1:8765"},
    {"origin": "http://user@localhost:8765"},
    {"origin": OWN, "sec_fetch_site": "same-site"},
    {"origin": "http://localhost:9999", "sec_fetch_site": "same-origin"},
]
COOKIE = AccessKey(TOKEN).cookie(HOST).partition(";")[0]
ROUTES = routes(WholeDoor())
API = [(method, path) for method, path in ROUTES if path not in {*OPEN_PATHS, *PATHS}]


@pytest.fixture(scope="module")
def door() -> Iterator[WholeDoor]:
    with WholeDoor() as opened:
        yield opened


def asked(door: WholeDoor, path: str, method: str = "GET", **headers: str) -> httpx.Response:
    """An answer to somebody without a token, who keeps no cookie unless they send one."""
    door.client.cookies.clear()
    return door.send(b"{}" if method == "POST" else b"", path, method, **{"authorization": "", **headers})


def of(response: httpx.Response, names: Any) -> dict[str, str | None]:
    return {name: response.headers.get(name) for name in names}


# --- the files -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(PATHS))
def test_anyone_gets_every_file_as_it_is(door: WholeDoor, path: str) -> None:
    response = asked(door, path)
    assert response.status_code == 200
    assert response.text == FILES[path.lstrip("/") or "index.html"]
    assert response.headers["content-type"] == KINDS[path]


@pytest.mark.parametrize("path", sorted(PATHS))
def test_a_file_may_do_only_what_the_page_needs(door: WholeDoor, path: str) -> None:
    assert of(asked(door, path), [*SEALED, "content-security-policy", "cross-origin-opener-policy"]) == {
        **SEALED,
        "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        "cross-origin-opener-policy": "same-origin",
    }


@pytest.mark.parametrize("path", sorted(PATHS))
def test_only_what_has_a_hash_in_its_name_is_kept(door: WholeDoor, path: str) -> None:
    kept = "public, max-age=31536000, immutable" if path.startswith("/assets/") else "no-cache"
    assert asked(door, path).headers["cache-control"] == kept


@pytest.mark.parametrize("path", sorted(PATHS))
def test_one_may_ask_for_the_headers_alone(door: WholeDoor, path: str) -> None:
    whole, head = asked(door, path), asked(door, path, "HEAD")
    assert (head.status_code, head.content, head.headers) == (200, b"", whole.headers)


@pytest.mark.parametrize("path", sorted(PATHS))
def test_there_is_nothing_else_to_do_with_a_file(door: WholeDoor, path: str) -> None:
    for method in ("POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"):
        response = asked(door, path, method)
        refused(response, 405)
        assert set(response.headers["allow"].split(", ")) == {"GET", "HEAD"}


@pytest.mark.parametrize(
    "path",
    ["/index.html", "/assets", "/assets/", "/assets/index-C0ffee.js/", "/Assets/index-C0ffee.js", "//icon.svg",
     "/./icon.svg", "/../settings.py", "/assets/../icon.svg", "/assets/../../app.py", "/..\\app.py",
     "/console/icon.svg", "/assets/%2e%2e/icon.svg", "/icon.svg\0", "/icon.svg%00.js", "/etc/passwd", "//etc/passwd",
     "/%2fetc/passwd"],
)  # fmt: skip
def test_nothing_beside_the_files_can_be_reached(door: WholeDoor, path: str) -> None:
    assert door.wait_for(_straight(door, path, {"authorization": f"Bearer {TOKEN}"})) == (404, "Not found")
    assert door.wait_for(_straight(door, path, {})) == (401, "Token needed")


def test_a_file_that_comes_later_is_not_served(tmp_path: Path) -> None:
    with WholeDoor(page=tmp_path) as door:
        (tmp_path / "later.js").write_text("1")
        refused(asked(door, "/later.js", authorization=f"Bearer {TOKEN}"), 404)


def test_before_the_page_is_built_it_says_so_in_both_languages(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with WholeDoor(page=tmp_path / "nowhere") as door:
        response = asked(door, "/")
        assert (response.status_code, response.headers["content-type"]) == (503, KINDS["/"])
        assert all(html.escape(say("serve.no-page", lang)) in response.text for lang in ("ja", "en"))
        assert "make page" in response.text
        assert "GET /: 503" in caplog.text
        assert response.headers["content-security-policy"] == POLICY
        assert door.get("/health")["status"] == "ok"


async def _straight(door: WholeDoor, path: str, headers: dict[str, str]) -> tuple[int, str]:
    """Ask for a path that an HTTP client would tidy up."""
    given = {"host": "localhost", **headers}
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "path": path,
        "raw_path": path.encode(), "query_string": b"", "root_path": "", "scheme": "http",
        "headers": [(name.encode(), value.encode()) for name, value in given.items()],
    }  # fmt: skip
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    await door.app(scope, receive, send)
    return sent[0]["status"], json.loads(sent[1]["body"])["title"]


# --- the answers of the API ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", ["", f"Bearer {TOKEN}"])
def test_an_answer_is_for_the_asker_alone_and_just_what_it_says(door: WholeDoor, given: str) -> None:
    for method, path in API:
        response = asked(door, path, method, authorization=given)
        assert of(response, SEALED) == SEALED, path
        assert response.headers["cache-control"] == "no-store", path
        assert "default-src 'none'" in response.headers["content-security-policy"], path


# --- the cookie ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_the_token_leaves_the_address_at_once_for_a_cookie(door: WholeDoor, method: str) -> None:
    response = asked(door, f"/?token={TOKEN}", method, host=HOST)
    assert (response.status_code, response.headers["location"]) == (303, "./")
    name, *rules = response.headers["set-cookie"].split("; ")
    assert (name, sorted(rules)) == (COOKIE, ["HttpOnly", "SameSite=Strict"])
    assert name.startswith("hakoniwa-8765=")
    assert TOKEN not in str(response.headers)
    assert response.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("query", ["token=wrong", "token=", "token=S3CRET", "token=s3cret2", "token=wrong&token=é"])
def test_the_wrong_token_is_told_and_gets_no_cookie(door: WholeDoor, query: str) -> None:
    response = asked(door, f"/?{query}", host=HOST)
    assert (response.status_code, response.headers["location"]) == (303, "./?refused")
    assert "set-cookie" not in response.headers


def test_a_token_is_taken_in_the_address_of_the_page_alone(door: WholeDoor) -> None:
    refused(asked(door, f"/v1/gardens?token={TOKEN}"), 401)
    assert "set-cookie" not in asked(door, f"/icon.svg?token={TOKEN}").headers


@pytest.mark.parametrize(
    ("host", "name"),
    [("localhost:8765", "hakoniwa-8765"), ("[::1]:9", "hakoniwa-9"), ("[::1]", "hakoniwa"), ("localhost", "hakoniwa")],
)
def test_every_port_has_a_cookie_of_its_own(door: WholeDoor, host: str, name: str) -> None:
    cookie = asked(door, f"/?token={TOKEN}", host=host).headers["set-cookie"]
    assert cookie.partition("=")[0] == name
    assert len(cookie.split("; ")) == 3


def test_a_host_with_more_than_a_port_gets_no_cookie(door: WholeDoor) -> None:
    refused(asked(door, f"/?token={TOKEN}", host="localhost:1;Domain=x"), 421)


def test_the_cookie_opens_every_route_to_the_page_itself(door: WholeDoor) -> None:
    for method, path in API:
        at = path.replace("{", "").replace("}", "")
        told = {
            asked(door, at, method, host=HOST, cookie=COOKIE, sec_fetch_site="same-origin").status_code,
            asked(door, at, method, host=HOST, cookie=COOKIE, origin=OWN).status_code,
        }
        assert not told & {401, 403, 421}, path


@pytest.mark.parametrize(
    "cookie",
    ["", f"hakoniwa-8765={TOKEN}", AccessKey("another").cookie(HOST), AccessKey(TOKEN).cookie("localhost:9999"),
     AccessKey(TOKEN).cookie("localhost"), COOKIE[:-1], f"{COOKIE}0", COOKIE.upper(), f"x{COOKIE}", f"x={COOKIE}",
     AccessKey(TOKEN).cookie("localhost:9999").replace("9999", "8765"), "hakoniwa-8765"],
)  # fmt: skip
def test_no_other_cookie_will_do(door: WholeDoor, cookie: str) -> None:
    refused(asked(door, "/v1/gardens", host=HOST, cookie=cookie.partition(";")[0], sec_fetch_site="same-origin"), 401)


@pytest.mark.parametrize("beside", ['theme={"dark": 1}', "a=b; =; ;;", f"hakoniwa-8765={'0' * 64}", 'x="1\\073"'])
def test_cookies_of_other_servers_do_no_harm(door: WholeDoor, beside: str) -> None:
    for cookies in (f"{beside}; {COOKIE}", f"{COOKIE}; {beside}"):
        assert asked(door, "/v1/gardens", host=HOST, cookie=cookies).status_code == 200


def test_whoever_brings_a_token_is_judged_by_it(door: WholeDoor) -> None:
    refused(asked(door, "/v1/gardens", host=HOST, cookie=COOKIE, authorization="Bearer wrong"), 401)
    programs = {"host": HOST, "cookie": COOKIE, "authorization": f"Bearer {TOKEN}"}
    assert asked(door, "/v1/gm/step", "POST", **programs).status_code == 422
