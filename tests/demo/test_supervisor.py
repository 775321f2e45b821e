"""`make demo` as a person meets it: one command, everything works, and nothing is left when it ends."""

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from demo.children import dying_with
from demo.choices import ROOT
from demo.embedded import EmbeddedServers
from demo.home import Home, free_port
from demo.postgres import pid_is_taken


class Demo:
    """One `python -m demo` in a directory and on ports of its own."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.port, self.sandbox_port = free_port(), free_port()
        self.process: subprocess.Popen[str] | None = None
        self.said = ""

    @property
    def environment(self) -> dict[str, str]:
        replaced = {"DATABASE_URL", "REDIS_URL", "SECRET_KEY", "DJANGO_SETTINGS_MODULE", "SYSTEMS_DIR", "SANDBOX_URL"}
        ours = {"PORT": self.port, "SANDBOX_PORT": self.sandbox_port, "DEMO_DIR": self.directory}
        kept = {name: value for name, value in os.environ.items() if name not in replaced}
        return {**kept, **{name: str(value) for name, value in ours.items()}}

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "demo", *arguments],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def start(self) -> "Demo":
        self.process = subprocess.Popen(
            [sys.executable, "-m", "demo"],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=dying_with(os.getpid(), signal.SIGTERM),
        )
        self.said = ""
        for line in self.process.stdout:
            self.said += line
            if line.startswith("Ctrl-C stops everything"):
                return self
        raise AssertionError(f"the demo ended before it was ready:\n{self.said}")

    def pids(self) -> list[int]:
        return [self.process.pid, *(child.pid for child in psutil.Process(self.process.pid).children(recursive=True))]

    def end(self, how: signal.Signals = signal.SIGINT) -> int:
        self.process.send_signal(how)
        return self.ended()

    def ended(self) -> int:
        self.said += self.process.stdout.read()
        self.process.stdout.close()
        return self.process.wait(60)

    def end_whatever_happened(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.end(signal.SIGTERM)
        if self.process is not None and not self.process.stdout.closed:
            self.process.stdout.close()

    def curl(self) -> dict[str, object]:
        line = next(line for line in self.said.splitlines() if line.startswith("curl "))
        done = subprocess.run(shlex.split(line), capture_output=True, text=True, timeout=30, check=True)
        return json.loads(done.stdout)

    def child(self, name: str) -> int:
        noted = json.loads((self.directory / "processes.json").read_text())
        return next(row["pid"] for row in noted if row["name"] == name)


def left_alive(pids: list[int], *, seconds: float = 15) -> list[str]:
    deadline = time.monotonic() + seconds
    while True:
        alive = []
        for pid in filter(pid_is_taken, pids):
            try:
                process = psutil.Process(pid)
                if process.status() != psutil.STATUS_ZOMBIE:
                    alive.append(" ".join(process.cmdline()))
            except psutil.NoSuchProcess:
                continue
        if not alive or time.monotonic() > deadline:
            return alive
        time.sleep(0.1)


@pytest.fixture(scope="module")
def lasting_home() -> Iterator[Path]:
    """One home for this file: a first start migrates and seeds for long, the others find their data."""
    with tempfile.TemporaryDirectory(prefix="countersign-home-") as made:
        Path(made).chmod(0o755)
        yield Path(made) / "demo"
        Home(Path(made) / "demo").erase()


@pytest.fixture
def demo(lasting_home: Path) -> Iterator[Demo]:
    demo = Demo(lasting_home)
    yield demo
    demo.end_whatever_happened()


@pytest.fixture
def fresh(home: Path) -> Demo:
    """A demo that was never started."""
    return Demo(home)


def test_the_demo_answers_the_printed_curl_and_stops_without_a_trace(demo):
    assert re.match(r"P-\d+", demo.start().curl()["id"])
    pids = demo.pids()
    assert len(pids) > 8
    busy = demo.command("reset")
    assert busy.returncode == 1
    assert "is running" in busy.stdout
    verified = demo.command("manage", "verify_journal")
    assert verified.returncode == 0, verified.stdout + verified.stderr
    assert demo.end() == 0
    assert left_alive(pids) == []


def test_data_is_kept_and_the_start_after_any_kill_repairs(demo):
    pids = demo.start().pids()
    proposal = demo.curl()["id"]
    demo.end(signal.SIGKILL)
    assert left_alive(pids) == []

    pids = demo.start().pids()
    assert demo.curl()["id"] != proposal
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    demo.ended()
    assert left_alive(pids) == []

    verified = demo.command("manage", "verify_journal")
    assert verified.returncode == 0, verified.stdout + verified.stderr


def test_a_part_that_dies_is_named_and_everything_stops(demo):
    pids = demo.start().pids()
    os.kill(demo.child("worker-handover"), signal.SIGKILL)
    assert demo.ended() == 1
    assert "worker-handover ended" in demo.said
    assert left_alive(pids) == []


def test_reset_clears_the_directory(fresh):
    servers = EmbeddedServers(fresh.directory, environ={}, say=[].append)
    servers.start()
    servers.stop()
    assert fresh.command("reset").returncode == 0
    assert not fresh.directory.exists()


def test_a_busy_port_is_told_in_one_sentence(fresh):
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", fresh.port))
        other.listen()
        refused = fresh.command()
    assert refused.returncode == 1
    assert f"Port {fresh.port} of 127.0.0.1 is taken" in refused.stdout


def test_a_directory_with_other_things_in_it_is_neither_used_nor_cleared(fresh):
    fresh.directory.mkdir()
    (fresh.directory / "thesis.txt").write_text("years of work")
    for command in ((), ("reset",)):
        refused = fresh.command(*command)
        assert refused.returncode == 1
        assert "was not made by the demo" in refused.stdout
    assert (fresh.directory / "thesis.txt").exists()
    (fresh.directory / "thesis.txt").unlink()


def test_journal_verification_without_a_demo_says_what_to_run(fresh):
    refused = fresh.command("manage", "verify_journal")
    assert refused.returncode == 1
    assert "run `make demo` first" in refused.stdout
    assert not fresh.directory.exists()
