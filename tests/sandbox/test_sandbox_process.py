"""The process: its storage outlives it, it ends when told, and it lives on loopback."""

import re
import signal
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox.modes import MODES
from sandbox.serving import FAULT_MODES
from tests.sandbox.sandbox_process import REVIEW, ROOT, SandboxProcess


def test_ledgers_outlive_a_killed_process_and_what_was_promised_still_comes(tmp_path: Path) -> None:
    first = SandboxProcess(tmp_path)
    first.review()
    first.fault("accept_202_then_effect", seconds=0.2)
    first.review(client_ref="ref-2")
    first.stop(signal.SIGKILL)
    second = SandboxProcess(tmp_path, "--durable")
    assert second.until(lambda: len(second.effects()) == 2)
    assert [effect["client_ref"] for effect in second.effects()] == ["ref-1", "ref-2"]
    assert second.counts()["requests"] == 2
    assert second.review(client_ref="ref-3").json["request_ref"] == "R-100"
    second.stop()


def test_the_ledgers_only_grow(tmp_path: Path) -> None:
    process = SandboxProcess(tmp_path)
    process.review()
    process.stop()
    database = sqlite3.connect(tmp_path / "sandbox.sqlite3")
    for statement in ("DELETE FROM effects", "UPDATE requests SET method = 'GET'"):
        with pytest.raises(sqlite3.IntegrityError, match="only grows"):
            database.execute(statement)
    database.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_within_a_second_whoever_is_held(tmp_path: Path, number: int) -> None:
    process = SandboxProcess(tmp_path)
    process.fault("silence_after_effect", times=None)
    socks = [process.raw("POST", "/review-requests", REVIEW) for _ in range(5)]
    assert process.until(lambda: process.counts()["held"] == 5)
    assert process.stop(number) < 1
    assert process.process.returncode == 0
    for sock in socks:
        sock.close()


def test_it_listens_on_loopback_unless_told_otherwise(sandbox: SandboxProcess) -> None:
    assert sandbox.host == "127.0.0.1"
    address = socket.gethostbyname(socket.gethostname())
    if not address.startswith("127."):
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((address, sandbox.port), timeout=1)


def test_a_busy_port_is_said_in_words(sandbox: SandboxProcess, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sandbox", "--port", str(sandbox.port), "--data", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=10, check=False)
    assert done.returncode == 1
    assert "cannot listen" in done.stdout


def test_connections_that_end_leave_no_threads(sandbox: SandboxProcess) -> None:
    before = sandbox.counts()["threads"]
    for _ in range(100):
        sandbox.get("/ledger/ping")
    assert sandbox.until(lambda: sandbox.counts()["threads"] <= before)


def test_the_page_about_the_sandbox_names_every_mode_and_parameter() -> None:
    assert FAULT_MODES
    page = (ROOT / "sandbox" / "README.md").read_text()
    rows = {row[1]: set(re.findall(r"`(\w+)`", row[2])) for row in re.finditer(r"^\| `(\w+)` \| (.*?) \|", page, re.M)}
    assert rows == {name: set(mode.parameters) - {"headers"} for name, mode in MODES.items()}
