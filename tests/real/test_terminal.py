"""A garden in a real terminal: the prompt stays, typing is heard, Ctrl-C pauses and then leaves, nothing is lost."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

PATIENCE = 120.0
WHERE, CURSOR_AT = b"\x1b[6n", b"\x1b[10;1R"
ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|\][^\x07]*\x07|[=>])")


def _takes_its_terminal() -> None:
    """Only a program's own terminal sends it a signal for Ctrl-C."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class Screen:
    """A program in a terminal of its own, with everything it has written there."""

    def __init__(self, *argv: str, home: Path) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        environment = {**os.environ, "HAKONIWA_HOME": str(home), "HAKONIWA_LANG": "ja", "TERM": "xterm"}
        command = [sys.executable, "-c", "from hakoniwa.cli import main; main()", *argv]
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True,
            preexec_fn=_takes_its_terminal,
        )  # fmt: skip
        os.close(slave)
        self.written = ""

    def wait_for(self, text: str) -> str:
        """Everything up to and including this text, which is then forgotten."""
        deadline = time.monotonic() + PATIENCE
        while text not in self.plain:
            assert time.monotonic() < deadline, f"{text!r} did not come: {self.plain}"
            self._read()
        before, _, after = self.plain.partition(text)
        self.written = after
        return before + text

    def _read(self) -> None:
        """What has come; a program that asks where the cursor is gets an answer, as from any terminal."""
        if select.select([self.master], [], [], 0.2)[0]:
            try:
                came = os.read(self.master, 65_536)
            except OSError:
                time.sleep(0.05)
                return
            self.written += came.decode("utf-8", "replace")
            os.write(self.master, CURSOR_AT * came.count(WHERE))

    @property
    def plain(self) -> str:
        return ESCAPES.sub("", self.written)

    def type(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def ended(self) -> int:
        deadline = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < deadline:
            self._read()
        return self.process.wait(timeout=1)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.master)


@pytest.fixture
def screens(tmp_path: Path) -> Iterator[list[Screen]]:
    opened: list[Screen] = []
    yield opened
    for screen in opened:
        screen.close()


def test_a_garden_is_watched_talked_to_left_and_taken_up_again(screens: list[Screen], tmp_path: Path) -> None:
    screen = Screen("play", "kitchen_morning", "--speed", "0.3", home=tmp_path)
    screens.append(screen)
    assert screen.wait_for("台所の朝").strip().startswith("台所の朝")
    screen.wait_for("組み込みの規則と台詞集")
    screen.wait_for("秒ごと")
    screen.type("ラジオをつけて\r")
    screen.wait_for("聞いた人に伝わったこと: ラジオのスイッチを入れるよう頼まれた")
    screen.type("\x03")
    screen.wait_for("もう一度 Ctrl-C で終わります")
    screen.type("/who\r")
    screen.wait_for("あゆ")
    screen.type("\x03")
    screen.wait_for("箱庭を閉じます。")
    assert screen.ended() == 0
    again = Screen("play", "kitchen_morning", "--speed", "0.3", home=tmp_path)
    screens.append(again)
    again.wait_for("前回の続きから: kitchen_morning-")
    again.type("/quit\r")
    again.wait_for("ここまでは記録に残っています。")
    assert again.ended() == 0
