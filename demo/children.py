"""Processes that live and die with us: each has its own log and session, and none outlives a kill -9 of its parent."""

import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from demo.accounts import Account

_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
_PR_SET_PDEATHSIG = 1
_LOG_LIMIT = 5_000_000


@dataclass
class Child:
    """A running child: its name, its process, its log from `log_start` (bytes) on, and the signal on which it ends."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path
    log_start: int
    stop_signal: signal.Signals

    @property
    def running(self) -> bool:
        """Whether the process has not ended."""
        return self.process.poll() is None

    def ask_to_stop(self) -> None:
        """Send the signal on which this child ends in order."""
        if self.running:
            self.process.send_signal(self.stop_signal)

    def stop(self, *, seconds: float = 10.0) -> None:
        """Ask, wait, and after `seconds` kill; nothing of its session is left."""
        self.ask_to_stop()
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        _kill_session(self.process.pid)

    def kill(self) -> None:
        """End the child as a power cut would."""
        self.process.kill()
        self.process.wait()
        _kill_session(self.process.pid)

    def freeze(self) -> None:
        """Stop the process in its tracks: it keeps its connections and answers nothing."""
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let a frozen process go on."""
        self.process.send_signal(signal.SIGCONT)

    def has_said(self, words: str) -> bool:
        """Whether these words are in what this process wrote (not an earlier one)."""
        with self.log.open("rb") as log:
            log.seek(self.log_start)
            return words.encode() in log.read()

    def last_words(self, *, lines: int = 15) -> str:
        """Return the end of the log, for a person who must know why it ended."""
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        return "\n".join(f"    {line}" for line in text.splitlines()[-lines:])


def spawn(
    command: Sequence[str | Path],
    *,
    name: str,
    log: Path,
    account: Account | None = None,
    env: Mapping[str, str] | None = None,
    cwd: Path | str = "/",
    stop_signal: signal.Signals = signal.SIGTERM,
    dies_by: signal.Signals | None = None,
) -> Child:
    """Start a child in its own session, so that the terminal's Ctrl-C reaches only us. Call from the main thread.

    The kernel sends `dies_by` (or `stop_signal`) to the child when the *thread* that started it ends (Linux).
    """
    _turn_log_over(log)
    with log.open("ab") as out:
        log_start = out.tell()
        process = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=dying_with(os.getpid(), dies_by or stop_signal),
            env=dict(env) if env is not None else None,
            cwd=cwd,
            **(account.popen_arguments() if account else {}),
        )
    return Child(name=name, process=process, log=log, log_start=log_start, stop_signal=stop_signal)


def remember(children: Sequence[Child], path: Path) -> None:
    """Write down which processes are ours, for a next start that must clear what a kill -9 left."""
    rows = [
        {"name": child.name, "pid": pid, "born": _born(pid), "signal": int(child.stop_signal)}
        for child in children
        for pid in [child.process.pid]
    ]
    draft = path.with_suffix(".draft")
    draft.write_text(json.dumps(rows))
    draft.replace(path)


def clear_leftovers(path: Path, *, say: Callable[[str], None]) -> None:
    """End every process of an earlier run that still lives; a process that merely has its number is left alone."""
    for row in reversed(_rows(path)):
        if not row["born"] or _born(row["pid"]) != row["born"]:
            continue
        say(f"  Stopping {row['name']} (process {row['pid']}), left over from an earlier run.")
        end_process(row["pid"], signal.Signals(row["signal"]))
    path.unlink(missing_ok=True)


def end_process(pid: int, how: signal.Signals, *, seconds: float = 10.0) -> None:
    """Ask a process that is not our child to end, and kill it when it does not."""
    try:
        os.kill(pid, how)
        deadline = time.monotonic() + seconds
        while lives(pid) and time.monotonic() < deadline:
            time.sleep(0.05)
        if lives(pid):
            os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    _kill_session(pid)


def lives(pid: int) -> bool:
    """Say whether a process runs; one that has ended and was never collected does not."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _born(pid: int) -> float:
    try:
        return float(psutil.Process(pid).create_time()) if lives(pid) else 0.0
    except psutil.NoSuchProcess:
        return 0.0


def _rows(path: Path) -> list[dict[str, Any]]:
    try:
        rows = json.loads(path.read_text())
    except (OSError, ValueError):  # absent, or cut short by the same power cut
        return []
    return rows if isinstance(rows, list) else []


def dying_with(parent: int, how: signal.Signals) -> Callable[[], None]:
    """Return what a child does between fork and exec (`preexec_fn`): ask the kernel to end it with its parent."""

    def bind() -> None:
        if _LIBC is not None:
            _LIBC.prctl(_PR_SET_PDEATHSIG, int(how))
        if os.getppid() != parent:  # the parent died between the fork and the line above
            os._exit(1)

    return bind


def die_with_parent(how: signal.Signals) -> None:
    """Ask the kernel to signal *us* when the process that started us ends (Linux)."""
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, int(how))


def _kill_session(leader: int) -> None:
    """Kill what a dead session leader left in its process group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):  # macOS answers EPERM for a group of zombies
        os.killpg(leader, signal.SIGKILL)


def _turn_log_over(log: Path) -> None:
    log.parent.mkdir(parents=True, exist_ok=True)
    if log.exists() and log.stat().st_size > _LOG_LIMIT:
        log.replace(log.with_suffix(".old.log"))
