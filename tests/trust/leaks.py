"""Everything a user does with secrets in their settings, in a process of its own and with every logger at DEBUG.

As a program it loads everything once and is then given lives, one a line: a folder, in which whatever is written and
printed is left to be searched, and perhaps the mutant that is in. Each is lived in a process forked from this one."""

import asyncio
import io
import json
import logging
import os
import re
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from fastapi import FastAPI

from hakoniwa import settings as knobs
from hakoniwa.app import journal_of
from hakoniwa.app.autonomy import delegate_of
from hakoniwa.capabilities import fetch
from hakoniwa.capabilities.agent_delegate import AgentDelegate
from hakoniwa.capabilities.capability import Capability
from hakoniwa.capabilities.means import CapabilityMeans, WebMeans
from hakoniwa.capabilities.tools import McpTools
from hakoniwa.capabilities.web_access import WebAccess
from hakoniwa.cli import journal as journal_commands
from hakoniwa.cli import run
from hakoniwa.llm import openai
from hakoniwa.service import guard, requests
from hakoniwa.service.app import hakoniwa_app
from hakoniwa.settings import Settings, load
from tests.capabilities.orders import order
from tests.trust.house import Asked, answered

ASKED = ("GET", "POST")
OUTSIDE: tuple[tuple[type[Capability], str, dict[str, str]], ...] = (
    (WebAccess, "web_research", {"query": "月"}),
    (AgentDelegate, "agent_delegate", {"backend": "cli_agent", "task_instruction": "片づけて"}),
    (McpTools, "mcp:files/read", {"path": "x"}),
)
ENOUGH = 600  # seconds for everything a user does
TOKEN, API_KEY, OPENAI_KEY = "CANARY-TOKEN-40f1", "CANARY-APIKEY-7c2e", "CANARY-OPENAI-93bd"
HEADER, VARIABLE, TASK, SEARCH = "CANARY-HEADER-a6", "CANARY-VARIABLE-b7", "CANARY-TASK-c8", "CANARY-SEARCH-d9"
PASSWORD, BROUGHT, COOKIE = "CANARY-PASSWORD-e1", "CANARY-BROUGHT-f2", "CANARY-COOKIE-03"
ADDRESS = "CANARY-ADDRESS-14"  # of somebody, in the address of their model server
ODD, QUERIED = "CANARY-ODD-25", "CANARY-QUERY-36"  # in passwords with any sign in them, and in what is asked
CANARIES = (
    TOKEN, API_KEY, OPENAI_KEY, HEADER, VARIABLE, TASK, SEARCH, PASSWORD, BROUGHT, COOKIE, ADDRESS, ODD, QUERIED,
)  # fmt: skip
ENTRANCE = f"/?token={TOKEN}"  # as a browser is sent there
SETTINGS = "config.toml"
CONFIG = f"""
api_key = "{API_KEY}"
base_url = "http://me:a/{ODD}@127.0.0.1:1/v1?key={QUERIED}"
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
NOWHERE = (
    f"postgresql://somebody:a:b/{ODD}@127.0.0.1:1/nowhere", f"postgresql://somebody:a@{ODD}@127.0.0.1:1/nowhere",
    f"postgresql://somebody:a@b:{ODD}@127.0.0.1:1/nowhere", f"postgresql://127.0.0.1:1/nowhere?password={QUERIED}",
)  # fmt: skip


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
        self.send_header("retry-after", "0.01")  # whoever asks again need not wait for long
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
        *(["gardens", "--journal", url] for url in NOWHERE),
    ]  # fmt: skip


# --- what is done -----------------------------------------------------------------------------------------------------


def at_the_terminal(folder: Path) -> None:
    """Every command, while the server refuses the key."""
    _commanded(folder, 401, "g")


def told_the_settings(folder: Path) -> None:
    """The one command that shows the settings."""
    _commanded(folder, 401, "g", "config")


def out_of_order(folder: Path) -> None:
    """The commands that talk to the server, while it can do nothing."""
    _commanded(folder, 500, "g500", "play", "doctor")


def one_play(folder: Path) -> None:
    """The one command that talks to the server most."""
    _commanded(folder, 401, "g", "play")


def _commanded(folder: Path, status: int, garden: str, *only: str) -> None:
    with gossip() as server:
        server.status = status  # type: ignore[attr-defined]
        address = f"http://me:{ADDRESS}@127.0.0.1:{server.server_address[1]}/v1?key={QUERIED}"
        for number, argv in enumerate(commands(address, garden)):
            words = [word.replace("{home}", str(folder / "home")) for word in argv]
            if not only or words[0] in only:
                _printed(folder / f"{status}-{number}.txt", lambda words=words: run(words))


def a_crash(folder: Path) -> None:
    """A mistake of ours, whose traceback is kept; settings with secrets are at hand where it happens."""

    def broken(*_: Any, **__: Any) -> None:
        settings, origins = load({})
        raise RuntimeError(f"{settings!r} {settings.delegate!r} {settings.servers!r} {len(origins)}")

    honest, journal_commands.problems_of = journal_commands.problems_of, broken
    _printed(folder / "crash.txt", lambda: run(["verify", "g"]))
    journal_commands.problems_of = honest


def over_http(folder: Path) -> None:
    """Every route that can be asked, by somebody with the token and by somebody with a wrong one."""
    _asked(folder, lambda app: [path for path in app.openapi()["paths"] if "events" not in path])


def at_the_gate(folder: Path) -> None:
    """One route, by the same two."""
    _asked(folder, lambda _: ["/v1/gardens"])


def reaching_out(folder: Path) -> None:
    """What a persona may do outside, with secrets on the way: a search, a task for a program, a tool."""
    with gossip() as server:
        server.status = 401  # type: ignore[attr-defined]
        here = f"http://127.0.0.1:{server.server_address[1]}"
        config = folder / SETTINGS
        config.write_text(re.sub(r"https://\w+\.example", here, CONFIG), encoding="utf-8")
        asyncio.run(_reached_out(folder, load({})[0]))


async def _reached_out(folder: Path, settings: Settings) -> None:
    delegate = replace(delegate_of(settings), patience=0.0)
    means = CapabilityMeans(web=WebMeans(search_url=settings.search_url), delegate=delegate, servers=settings.servers)
    for capability, action, payload in OUTSIDE:
        result = await capability().run(order(action, payload), means)
        _kept(folder / "outside.txt", f"{action} {result!r} {result.model_dump_json()}\n")


def researching(folder: Path) -> None:
    """The search alone."""
    with patch.object(sys.modules[__name__], "OUTSIDE", OUTSIDE[:1]):
        reaching_out(folder)


def _asked(folder: Path, paths: Callable[[FastAPI], Iterable[str]]) -> None:
    settings = load({})[0]
    journal = journal_of(settings)
    app = hakoniwa_app(journal, settings, TOKEN)
    filled = [path.replace("{id}", "g").replace("{name}", "g") for path in paths(app)]
    askable = [ENTRANCE, *(path for path in filled if "{" not in path)]
    given = (("host", "localhost"), ("x-secret", BROUGHT), ("cookie", f"hakoniwa={COOKIE}"))
    tokens = (("authorization", f"Bearer {TOKEN}"), ("authorization", f"Bearer {BROUGHT}"))

    async def ask() -> None:
        for path, token, method in product(askable, tokens, ASKED):
            where, _, query = path.partition("?")
            body = (b"", ()) if method == "GET" else (b'{"text": "x"}', (("content-type", "application/json"),))
            asked = Asked(method, where, (*given, token, *body[1]), (body[0],), query.encode())
            answer = await answered(app, asked)
            told = f"{answer.status} {answer.headers} {answer.fault}\n{answer.body.decode(errors='replace')}"
            _kept(folder / "http.txt", f"{method} {where} {told}\n")

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


def _key_in_the_log() -> None:
    """Whoever makes a client says with what key."""
    honest = openai.OpenAIChat._new_client

    def talkative(self: Any) -> Any:
        logging.getLogger("hakoniwa.llm").debug("asking %s with %s", self._url, self._key)
        return honest(self)

    openai.OpenAIChat._new_client = talkative  # type: ignore[method-assign]


def _headers_in_the_log() -> None:
    """The gate notes down whatever it is sent."""
    honest = guard.Guard.__call__

    async def talkative(self: Any, scope: Any, receive: Any, send: Any) -> None:
        logging.getLogger("hakoniwa.service").debug("asked for %s with %s", scope["path"], scope["headers"])
        await honest(self, scope, receive, send)

    guard.Guard.__call__ = talkative  # type: ignore[method-assign]


def _token_in_a_problem() -> None:
    """Whoever comes with a wrong token is told the right one."""
    honest = requests.status_text
    requests.status_text = lambda *status, **details: f"{honest(*status, **details)} expected {load({})[0].token}"


def _address_in_the_log() -> None:
    """Whoever fetches something says from where."""
    honest = fetch._hop

    async def talkative(where: Any, *details: Any) -> Any:
        logging.getLogger("hakoniwa.memory").debug("asking %s", where.url)
        return await honest(where, *details)

    fetch._hop = talkative


def _address_as_it_is() -> None:
    """An address is shown as it was given."""
    knobs.bare_address = lambda url: url


Deed = Callable[[Path], None]
EVERYTHING: tuple[Deed, ...] = (at_the_terminal, out_of_order, a_crash, over_http, reaching_out)


class Breach(NamedTuple):
    """What a mutant does, and the deed in which it must show."""

    put_in: Callable[[], None]
    deed: Deed


MUTANTS = {
    "the key is logged": Breach(_key_in_the_log, one_play),
    "the server logs the headers it is sent": Breach(_headers_in_the_log, at_the_gate),
    "a problem names the token": Breach(_token_in_a_problem, at_the_gate),
    "the address of a search is logged": Breach(_address_in_the_log, researching),
    "an address is shown whole": Breach(_address_as_it_is, told_the_settings),
}


# --- as a program -----------------------------------------------------------------------------------------------------


def environment(folder: Path) -> dict[str, str]:
    """The settings of somebody whose every secret is marked."""
    return {
        "HOME": str(folder), "HAKONIWA_HOME": str(folder / "home"), "HAKONIWA_CONFIG": str(folder / SETTINGS),
        "HAKONIWA_LANG": "en", "HAKONIWA_TOKEN": TOKEN, "OPENAI_API_KEY": OPENAI_KEY, "HAKONIWA_EMBEDDER": "none",
        "HAKONIWA_SPEED": "0", "HAKONIWA_LOG": str(folder / "own.log"), "HAKONIWA_LOG_LEVEL": "debug",
    }  # fmt: skip


def live(folder: Path, mutant: str | None) -> None:
    """Do everything, or with a mutant in what shows it, in a process that ends with it."""
    signal.alarm(ENOUGH)
    out = os.open(folder / "printed.txt", os.O_WRONLY | os.O_CREAT)
    os.dup2(out, 1)
    os.dup2(out, 2)
    (folder / SETTINGS).write_text(CONFIG, encoding="utf-8")
    os.environ |= environment(folder)
    logging.basicConfig(filename=folder / "debug.log", level=logging.DEBUG, encoding="utf-8", force=True)
    if mutant:
        MUTANTS[mutant].put_in()
    for deed in (MUTANTS[mutant].deed,) if mutant else EVERYTHING:
        deed(folder)


def main() -> None:
    for line in sys.stdin:
        folder, mutant = json.loads(line)
        pid = os.fork()
        if not pid:
            try:
                live(Path(folder), mutant)
                os._exit(0)
            except BaseException:
                traceback.print_exc()
                os._exit(1)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


if __name__ == "__main__":
    main()
