"""Under load, over HTTP: gardens at play at once in one process, and steps of the referee, beside an empty FastAPI app.

Whoever asks, the model and every server are processes of their own: what they take of the processors is in the figures.
"""

import json
import tempfile
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.http import request
from benchmarks.under_load import servers
from benchmarks.under_load.crowd import TURN, Asker, Heard, asked
from benchmarks.under_load.servers import Serving

SCENARIO = "three_voices"
BEARABLE = 2.0  # how many times as long as alone a turn may take

Server = Callable[[Path], AbstractContextManager[Serving]]


class Size(NamedTuple):
    gardens: tuple[int, ...]  # at once
    models: dict[float, float]  # seconds of a call: seconds of a measurement
    callers: tuple[int, ...]  # with one process, with one or two
    steps: float  # seconds of a measurement
    warm: float  # seconds before it


FULL = Size((1, 2, 4, 8, 16, 32), {0.0: 8.0, 0.5: 15.0}, (1, 16), 6.0, 1.0)
SMALLEST = Size((1,), {0.0: 0.1}, (1,), 0.1, 0.1)


@contextmanager
def home() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="hakoniwa-load-") as folder:
        yield Path(folder)


def measured(name: str, serving: Sequence[Serving], askers: Sequence[Asker], lasting: float) -> Heard:
    """What a crowd got, told in a line, with what an answer cost its server."""
    before = sum(one.busy() for one in serving)
    heard = asked(askers, lasting)
    busy = (sum(one.busy() for one in serving) - before) / len(heard.waits) * 1e3
    waits = "".join(f"{heard.within(share):8.1f}" for share in (0.5, 0.95, 0.99))
    print(f"  {name:<44}{heard.per_second:8.1f}{waits}{busy:8.2f}{len(heard.waits):8}", flush=True)
    return heard


def headed(what: str) -> None:
    columns = "".join(f"{name:>8}" for name in ("per s", "p50 ms", "p95 ms", "p99 ms", "CPU ms", "number"))
    print(f"  {what:<44}{columns}")


# --- gardens ----------------------------------------------------------------------------------------------------------


def gardens(size: Size, seconds: float) -> None:
    """Turns of more and more gardens at once, until one takes too long."""
    headed(f"turns with a model that takes {seconds * 1e3:.0f} ms")
    with servers.model(seconds) as model, home() as folder, servers.everything(folder, model) as serving:
        asked(players(serving, 1), size.warm)  # what is loaded once is no part of a turn
        p95 = {}
        for many in size.gardens:
            heard = measured(f"gardens: {many}", [serving], players(serving, many), size.models[seconds])
            p95[many] = heard.within(0.95)
            if p95[many] > BEARABLE * p95[1]:
                break
    borne = [many for many, slow in p95.items() if slow <= BEARABLE * p95[1]]
    print(
        f"  with up to {borne[-1]} gardens at once, 95% of the turns take at most {BEARABLE:.0f} times as long as alone"
    )


def players(serving: Serving, many: int) -> list[Asker]:
    """Those who ask for one turn after the other, each in a new garden."""
    key = {"authorization": f"Bearer {servers.TOKEN}"}
    names = [begun(serving.port) for _ in range(many)]
    return [Asker(serving.port, f"/v1/gardens/{name}/turn", ["{}"], key) for name in names]


def begun(port: int) -> str:
    """The name of a new garden."""
    headers = {"authorization": f"Bearer {servers.TOKEN}", "content-type": "application/json"}
    body = json.dumps({"scenario": SCENARIO}).encode()
    wanted = urllib.request.Request(f"http://127.0.0.1:{port}/v1/gardens", body, headers)
    with urllib.request.urlopen(wanted) as answer:
        return str(json.load(answer)["id"])


# --- the referee ------------------------------------------------------------------------------------------------------


def steps(size: Size, name: str, server: Server) -> None:
    """Steps with one and with two processes of a server, which share a journal; a session stays with one of them."""
    headed(name)
    for processes in range(1, len(size.callers) + 1):
        with home() as folder, ExitStack() as stack:
            serving = [stack.enter_context(server(folder)) for _ in range(processes)]
            asked(callers(serving, 2, "warm"), size.warm)
            for many in size.callers[processes - 1 :]:  # one caller has no use for two
                name = f"processes: {processes}, callers: {many}"
                measured(name, serving, callers(serving, many, f"measured-{many}"), size.steps)


def callers(serving: Sequence[Serving], many: int, session: str) -> list[Asker]:
    """Those who have one step judged after the other, each in a session of their own."""

    def caller(number: int) -> Asker:
        bodies = [{**request(turn), "session_id": f"{session}-{number}", "turn_number": TURN} for turn in range(5)]
        texts = [json.dumps(body).replace(f'"{TURN}"', TURN) for body in bodies]
        return Asker(serving[number % len(serving)].port, "/v1/gm/step", texts)

    return [caller(number) for number in range(many)]


def main(size: Size) -> None:
    steps(size, "an empty FastAPI app", servers.empty)
    steps(size, "POST /v1/gm/step", servers.referee)
    for seconds in size.models:
        gardens(size, seconds)
