"""Everything a user does with secrets in their settings, in a process of its own and with every logger at DEBUG.

As a program it is given a folder, in which whatever it writes and prints is left to be searched."""

import asyncio
import io
import json
import logging
import os
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2

from hakoniwa.app import journal_of
from hakoniwa.cli import run
from hakoniwa.cli import verify as verify_command
from hakoniwa.llm import openai
from hakoniwa.service.app import hakoniwa_app
from hakoniwa.settings import load
from tests.trust.promise import Patch

MUTANT = "TRUST_MUTANT"
TOKEN, API_KEY, OPENAI_KEY = "CANARY-TOKEN-40f1", "CANARY-APIKEY-7c2e", "CANARY-OPENAI-93bd"
HEADER, VARIABLE, TASK, SEARCH = "CANARY-HEADER-a6", "CANARY-VARIABLE-b7", "CANARY-TASK-c8", "CANARY-SEARCH-d9"
PASSWORD, BROUGHT, COOKIE = "CANARY-PASSWORD-e1", "CANARY-BROUGHT-f2", "CANARY-COOKIE-03"
ADDRESS = "CANARY-ADDRESS-14"  # of somebody, in the address of their model server
CANARIES = (TOKEN, API_KEY, OPENAI_KEY, HEADER, VARIABLE, TASK, SEARCH, PASSWORD, BROUGHT, COOKIE, ADDRESS)
CONFIG = f"""
api_key = "{API_KEY}"
search_url = "https://search.example/?key={SEARCH}"
[delegate.tidy]
argv = ["/bin/true"]
environment = {{ KEY = "{TASK}" }}
[servers.files]
url = "https://tools.example/mcp"
headers = {{ Authorization = "Bearer {HEADER}" }}
tools = ["read"]
[servers.shell]
command = ["/bin/true"]
environment = {{ KEY = "{VARIABLE}" }}
tools = ["run"]
"""
NEVER_THERE = f"postgresql://somebody:{PASSWORD}@127.0.0.1:1/nowhere"


class Gossip(BaseHTTPRequestHandler):
    """A model server that repeats whatever it is told, keys too, in everything it complains of."""

    def do_GET(self) -> None:
        self._say(200, {"object": "list", "data": [{"id": "gossip", "object": "model"}]})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        told = f"Incorrect API key provided: {self.headers.get('authorization')} {dict(self.headers)}"
        self._say(self.server.status, {"error": {"message": told}})  # type: ignore[attr-defined]

    def _say(self, status: int, body: Any) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def gossip() -> Iterator[ThreadingHTTPServer]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Gossip) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def commands(address: str, garden: str) -> list[list[str]]:
    with_model = ["--base-url", address, "--model", "gossip"]
    return [
        ["config", "show", "--origin"], ["config", "show", "--json"], ["doctor", "--json", *with_model],
        ["play", "kitchen_morning", "--turns", "1", "--json", "--new", "--garden", garden, *with_model], ["gardens"],
        ["calls", "g", "--json"], ["replay", "g"], ["verify", "g"], ["export", "g"],
        ["export", "g", "--format", "html"],
        ["export", "g", "--format", "jsonl"], ["backup", "{home}/copy.db"], ["gardens", "--journal", NEVER_THERE],
        ["gardens", "--journal", NEVER_THERE.replace("postgresql", "nonsense")], ["autonomy", "status"],
        ["config", "show", "--lang", "xx"], ["card", "show", "{home}/nothing.png"],
    ]  # fmt: skip


# --- what is done -----------------------------------------------------------------------------------------------------


def at_the_terminal(folder: Path, only: Sequence[str] = ()) -> None:
    """Every command while the server refuses the key; those that talk to it while it is out of order, too."""
    with gossip() as server:
        for status in (401,) if only else (401, 500):
            server.status = status  # type: ignore[attr-defined]
            address = f"http://me:{ADDRESS}@127.0.0.1:{server.server_address[1]}/v1"
            for number, argv in enumerate(commands(address, "g" if status == 401 else f"g{status}")):
                words = [word.replace("{home}", str(folder / "home")) for word in argv]
                wanted = only or (words[:1] if status == 401 else ("play", "doctor"))
                if words[0] in wanted:
                    _printed(folder / f"{status}-{number}.txt", lambda words=words: run(words))


def a_crash(folder: Path) -> None:
    """A mistake of ours, whose traceback is kept; settings with secrets are at hand where it happens."""

    def broken(*_: Any, **__: Any) -> None:
        settings, origins = load({})
        raise RuntimeError(f"{settings!r} {settings.delegate!r} {settings.servers!r} {len(origins)}")

    honest, verify_command.problems_of = verify_command.problems_of, broken
    _printed(folder / "crash.txt", lambda: run(["verify", "g"]))
    verify_command.problems_of = honest


def over_http(folder: Path) -> None:
    """Every route that can be asked, by somebody with the token and by somebody with a wrong one."""
    settings = load({})[0]
    journal = journal_of(settings)
    app = hakoniwa_app(journal, settings, TOKEN)
    paths = [path.replace("{id}", "g").replace("{name}", "g") for path in app.openapi()["paths"]]
    with_token = {"authorization": f"Bearer {TOKEN}", "x-secret": BROUGHT, "cookie": f"hakoniwa={COOKIE}"}
    without = {**with_token, "authorization": f"Bearer {BROUGHT}"}

    async def ask() -> None:
        transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost", timeout=5) as client:
            for path in (path for path in paths if "events" not in path and "{" not in path):
                for headers in (with_token, without):
                    for method in ("GET", "POST"):
                        content = json.dumps({"text": "x"}) if method == "POST" else None
                        kind = {"content-type": "application/json"} if content else {}
                        answer = await client.request(method, path, headers={**headers, **kind}, content=content)
                        told = f"{method} {path} {answer.status_code} {answer.headers}\n{answer.text}\n"
                        _kept(folder / "http.txt", told)

    asyncio.run(ask())
    journal.close()


def _printed(file: Path, act: Callable[[], object]) -> None:
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        try:
            act()
        except BaseException:
            out.write(traceback.format_exc())
    _kept(file, out.getvalue())


def _kept(file: Path, text: str) -> None:
    with file.open("a", encoding="utf-8", errors="backslashreplace") as kept:
        kept.write(text)


# --- mutants ----------------------------------------------------------------------------------------------------------


class _Plain:
    """Patches that nobody takes back: the process ends soon."""

    def setattr(self, target: Any, name: str, value: Any) -> None:
        setattr(target, name, value)

    def setenv(self, name: str, value: str) -> None:
        os.environ[name] = value


def _logged(patch: Patch) -> None:
    """Whoever makes a client says with what key."""
    honest = openai.OpenAIChat._new_client

    def talkative(self: Any) -> Any:
        logging.getLogger("hakoniwa.llm").debug("asking %s with %s", self._url, self._key)
        return honest(self)

    patch.setattr(openai.OpenAIChat, "_new_client", talkative)


MUTANTS: dict[str, Callable[[Patch], None]] = {"the key is logged": _logged}


def main() -> None:
    folder = Path(sys.argv[1])
    logging.basicConfig(filename=folder / "debug.log", level=logging.DEBUG, encoding="utf-8", force=True)
    if name := os.environ.get(MUTANT):
        MUTANTS[name](_Plain())
        at_the_terminal(folder, ["play"])
        return
    for deed in (at_the_terminal, a_crash, over_http):
        deed(folder)


if __name__ == "__main__":
    main()
