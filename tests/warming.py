"""Workers and beats from a warm start: a process that has imported everything once, and forks for each of them.

What is forked runs the same command in a session of its own, with its own arguments, environment and log; only its
imports were done before. Starting one from nothing takes two seconds of processor time, and the suite starts a hundred.
"""

import json
import os
import runpy
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from demo.children import dying_with

ROOT = Path(__file__).resolve().parent.parent


class Forked:
    """A process forked by the warm one, with as much of Popen's manners as its users need."""

    def __init__(self, warm: "Warm", pid: int) -> None:
        self.warm, self.pid = warm, pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Its exit code (minus the signal that ended it), or None while it runs."""
        if self.returncode is None:
            self.returncode = self.warm.ask({"poll": self.pid})
        return self.returncode

    def wait(self, seconds: float) -> int:
        """Its exit code when it ends; TimeoutExpired (of subprocess) when it does not."""
        end = time.monotonic() + seconds
        while self.poll() is None:
            if time.monotonic() > end:
                raise subprocess.TimeoutExpired(f"process {self.pid}", seconds)
            time.sleep(0.02)
        return self.returncode or 0


class Warm:
    """The process that forks, for one environment. It ends with whoever started it."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self.env = dict(env)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.warming"],
            cwd=ROOT,
            env={**os.environ, **env},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=dying_with(os.getpid(), signal.SIGTERM),
        )

    def fits(self, env: Mapping[str, str]) -> bool:
        """Whether nothing in this environment would be read while importing: only a failpoint may differ."""
        return {name: value for name, value in env.items() if name != "COUNTERSIGN_FAILPOINT"} == self.env

    def start(self, command: list[str], *, log: Path, env: Mapping[str, str]) -> Forked:
        """Run `python -m command` in a fork."""
        return Forked(self, self.ask({"run": command, "log": str(log), "env": dict(env)}) or 0)

    def ask(self, question: dict[str, object]) -> int | None:
        """One question, one answer: a number or null, as JSON on a line."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        answer: int | None = json.loads(self.process.stdout.readline())
        return answer

    def end(self) -> None:
        """No more questions: it ends."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()


def _import_everything() -> None:
    import celery.bin.celery
    import django

    django.setup()
    from config.celery import app

    app.loader.import_default_modules()
    assert celery.bin.celery


def _become(command: list[str], *, log: str, env: Mapping[str, str], parent: int) -> None:
    os.setsid()
    dying_with(parent, signal.SIGTERM)()
    nothing, output = os.open(os.devnull, os.O_RDONLY), os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    for made, wanted in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(made, wanted)
    os.environ.update(env)
    sys.argv = list(command)
    code: object = 1
    try:
        runpy.run_module(command[0], run_name="__main__", alter_sys=True)
        code = 0
    except SystemExit as ended:
        code = ended.code
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else int(code is not None))


def _ended(pid: int) -> int | None:
    found, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if found else None


def main() -> None:
    """Answer questions until there are no more."""
    _import_everything()
    parent = os.getpid()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever is printed here is not an answer
    for line in sys.stdin:
        question = json.loads(line)
        if "poll" in question:
            answer = _ended(question["poll"])
        else:
            answer = os.fork()
            if answer == 0:
                _become(question["run"], log=question["log"], env=question["env"], parent=parent)
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
