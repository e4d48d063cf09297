"""A crowd that asks over HTTP, each as soon as the answer before is there: a light client in a process of its own.

As a program it reads what to ask from its standard input and prints what came of it."""

import asyncio
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import count
from typing import Any

TURN = "@turn@"  # in a body: how many times this one has asked before
LONGEST_HEAD = 64 * 1024


@dataclass(frozen=True)
class Asker:
    """Somebody with a connection of their own: where they ask, and what, over and over."""

    port: int
    path: str
    bodies: Sequence[str]
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Heard:
    """What the crowd got: when it was over, how long each answer took, how many had which status."""

    seconds: float
    waits: list[float]
    statuses: dict[str, int]

    @property
    def per_second(self) -> float:
        return len(self.waits) / self.seconds

    def within(self, share: float) -> float:
        """How many milliseconds so many of the answers took at most."""
        ordered = sorted(self.waits)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1e3


def asked(askers: Sequence[Asker], seconds: float) -> Heard:
    """Let a crowd ask for so long; anything but success is a mistake in the benchmark."""
    plan = json.dumps({"askers": [asdict(one) for one in askers], "seconds": seconds})
    program = [sys.executable, "-m", "benchmarks.under_load.crowd"]
    told = subprocess.run(program, input=plan, capture_output=True, text=True, check=False)
    if told.returncode:
        sys.exit(told.stderr)
    heard = Heard(**json.loads(told.stdout))
    assert set(heard.statuses) == {"200"}, heard.statuses
    return heard


async def _crowd(askers: Sequence[Asker], seconds: float) -> Heard:
    begun = time.perf_counter()
    waits: list[float] = []
    statuses: Counter[str] = Counter()
    await asyncio.gather(*(_asking(one, begun + seconds, waits, statuses) for one in askers))
    return Heard(time.perf_counter() - begun, waits, dict(statuses))


async def _asking(asker: Asker, until: float, waits: list[float], statuses: Counter[str]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", asker.port, limit=LONGEST_HEAD)
    for turn in count():
        request = _request(asker, turn)
        begun = time.perf_counter()
        if begun >= until:
            break
        writer.write(request)
        statuses[await _status(reader)] += 1
        waits.append(time.perf_counter() - begun)
    writer.close()


def _request(asker: Asker, turn: int) -> bytes:
    body = asker.bodies[turn % len(asker.bodies)].replace(TURN, str(turn)).encode()
    own = {"host": f"localhost:{asker.port}", "content-type": "application/json", "accept": "application/json"}
    headers = {**own, **asker.headers, "content-length": str(len(body))}
    lines = [f"POST {asker.path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    return "\r\n".join(lines).encode() + body


async def _status(reader: asyncio.StreamReader) -> str:
    """The status of an answer that has been read to its end."""
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers: dict[str, Any] = {name.casefold(): value for name, _, value in (line.partition(": ") for line in lines)}
    await reader.readexactly(int(headers["content-length"]))
    return first.split()[1]


def main() -> None:
    plan = json.load(sys.stdin)
    heard = asyncio.run(_crowd([Asker(**one) for one in plan["askers"]], plan["seconds"]))
    json.dump(asdict(heard), sys.stdout)


if __name__ == "__main__":
    main()
