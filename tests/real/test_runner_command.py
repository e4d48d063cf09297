"""`hakoniwa runner` as a process: it takes what is configured, has forgotten its secrets, and ends when interrupted."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hakoniwa.app.autonomy import delegate_of
from hakoniwa.capabilities.agent_delegate import AgentDelegate
from hakoniwa.capabilities.means import CapabilityMeans
from hakoniwa.persona.action import ActionResult
from hakoniwa.settings import config_file, load
from tests.capabilities.orders import order

PATIENCE = 120.0
CONFIGURATION = '[delegate.sh]\nargv = ["sh", "-c"]\ndashes = false\nenvironment = { OWN_KEY = "its own" }\n'


@pytest.fixture
def runner() -> Iterator["subprocess.Popen[str]"]:
    config_file().parent.mkdir(parents=True, exist_ok=True)
    config_file().write_text(CONFIGURATION, encoding="utf-8")
    environment = {**os.environ, "HAKONIWA_API_KEY": "canary-of-the-house", "HAKONIWA_LANG": "en"}
    command = [str(Path(sys.executable).with_name("hakoniwa")), "runner"]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    yield process
    process.kill()
    process.communicate()


def given(instruction: str) -> ActionResult:
    payload = {"backend": "cli_agent", "task_instruction": instruction}
    means = CapabilityMeans(delegate=delegate_of(load({})[0]))
    return asyncio.run(AgentDelegate().run(order("agent_delegate", payload, instruction), means))


def heard_until(process: "subprocess.Popen[str]", words: str) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if words in line:
            return
    pytest.fail(f"it never said {words!r}")


def test_it_does_what_is_delegated_and_knows_no_secrets(runner: "subprocess.Popen[str]") -> None:
    result = given("env; echo done > mine; cat mine")
    assert result.result_status == "success"
    said = result.details_json["raw_output_text"]
    assert "OWN_KEY=its own" in said
    assert said.endswith("done\n")
    assert "canary" not in Path(f"/proc/{runner.pid}/environ").read_text() + said


@pytest.mark.parametrize(("after", "number"), [(0.05, signal.SIGINT), (0.05, signal.SIGTERM), (1.0, signal.SIGINT)])
def test_it_ends_without_a_complaint_whenever_it_is_told_to(
    after: float, number: int, runner: "subprocess.Popen[str]"
) -> None:
    """Also while it is still becoming a runner."""
    heard_until(runner, "Waiting for tasks")
    time.sleep(after)
    runner.send_signal(number)
    out, _ = runner.communicate(timeout=PATIENCE)
    assert (runner.returncode, out) == (0, "")


def test_a_task_under_way_ends_with_it(runner: "subprocess.Popen[str]") -> None:
    async def interrupted() -> ActionResult:
        waiting = asyncio.create_task(asyncio.to_thread(given, "echo begun; sleep 300"))
        spool = delegate_of(load({})[0]).spool
        assert spool is not None
        while not list((spool / "work").glob("*")):
            await asyncio.sleep(0.05)
        runner.send_signal(signal.SIGINT)
        return await waiting

    assert asyncio.run(asyncio.wait_for(interrupted(), PATIENCE)).result_payload == {"fault": "cancelled"}
    assert runner.wait(PATIENCE) == 0
