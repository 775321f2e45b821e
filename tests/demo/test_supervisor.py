"""`make demo` as a person meets it: one command, everything works, and nothing is left when it ends."""

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from demo.choices import ROOT
from demo.home import free_port
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
            [sys.executable, "-m", "demo"], cwd=ROOT, env=self.environment, stdout=subprocess.PIPE, text=True
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


@pytest.fixture
def demo(home: Path) -> Iterator[Demo]:
    demo = Demo(home)
    yield demo
    if demo.process is not None and demo.process.poll() is None:
        demo.end(signal.SIGTERM)
    if demo.process is not None and not demo.process.stdout.closed:
        demo.process.stdout.close()


def test_the_demo_answers_the_printed_curl_keeps_its_data_and_stops_without_a_trace(demo):
    assert demo.start().curl()["id"]
    pids = demo.pids()
    busy = demo.command("reset")
    assert busy.returncode == 1
    assert "is running" in busy.stdout
    verified = demo.command("manage", "verify_journal")
    assert verified.returncode == 0, verified.stdout + verified.stderr
    assert demo.end() == 0
    assert left_alive(pids) == []

    proposals = 'from proposals.models import Proposal; print("count", Proposal.objects.count())'
    assert re.search(r"count 1\b", demo.command("manage", "shell", "-c", proposals).stdout)
    assert demo.command("reset").returncode == 0
    assert not demo.directory.exists()


def test_a_kill_of_the_supervisor_leaves_nothing_and_the_next_start_repairs(demo):
    pids = demo.start().pids()
    demo.end(signal.SIGKILL)
    assert left_alive(pids) == []
    assert demo.start().curl()["id"]
    assert demo.end(signal.SIGTERM) == 0


def test_a_kill_of_everything_at_once_is_repaired_by_the_next_start(demo):
    pids = demo.start().pids()
    demo.curl()
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    demo.ended()
    assert left_alive(pids) == []
    assert demo.start().curl()["id"]
    assert demo.end() == 0


@pytest.mark.parametrize("name", ["worker-handover", "sandbox"])
def test_a_part_that_dies_is_named_and_everything_stops(demo, name):
    pids = demo.start().pids()
    os.kill(demo.child(name), signal.SIGKILL)
    assert demo.ended() == 1
    assert f"{name} ended" in demo.said
    assert left_alive(pids) == []


def test_a_busy_port_is_told_in_one_sentence(demo):
    with socket.socket() as other:
        other.bind(("127.0.0.1", demo.port))
        other.listen()
        refused = demo.command()
    assert refused.returncode == 1
    assert f"Port {demo.port} of 127.0.0.1 is taken" in refused.stdout


def test_a_directory_with_other_things_in_it_is_neither_used_nor_cleared(demo):
    demo.directory.mkdir()
    (demo.directory / "thesis.txt").write_text("years of work")
    for command in ((), ("reset",)):
        refused = demo.command(*command)
        assert refused.returncode == 1
        assert "was not made by the demo" in refused.stdout
    assert (demo.directory / "thesis.txt").exists()
    (demo.directory / "thesis.txt").unlink()


def test_journal_verification_without_a_demo_says_what_to_run(demo):
    refused = demo.command("manage", "verify_journal")
    assert refused.returncode == 1
    assert "run `make demo` first" in refused.stdout
    assert not demo.directory.exists()
