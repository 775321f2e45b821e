"""The processes of the product as the demo runs them: names, commands, and the order in which they stop."""

import signal
import sys
from dataclasses import dataclass

from demo.choices import Choices

CELERY = [sys.executable, "-m", "celery", "-A"]


@dataclass(frozen=True)
class Service:
    """One foreground process. The lower `stops`, the earlier it is stopped; equal numbers stop together.

    `ready` is what the process writes once it works, when only the process itself knows. `dies_by` ends it when the
    demo itself is killed: a worker waits for nothing then, its servers are going, too.
    """

    name: str
    command: list[str]
    stops: int
    ready: str = ""
    dies_by: signal.Signals = signal.SIGTERM


def services(choices: Choices) -> list[Service]:
    """Return every process beside the servers, in the order in which they start."""
    return [
        Service("sandbox", _sandbox(choices), stops=4),
        Service("web", _web(choices), stops=3),
        _worker("handover", queues="handover,rehearsals", processes=2),
        _worker("rest", queues="probes,sweeps", processes=1),
        Service("beat", _beat(choices), stops=1),
    ]


def _web(choices: Choices) -> list[str]:
    command = [sys.executable, "-m", "gunicorn", "config.wsgi:application"]
    command += ["--config", "python:config.serving", "--bind", f"127.0.0.1:{choices.port}"]
    command += ["--worker-class", "gthread", "--workers", "1", "--threads", "16", "--graceful-timeout", "5"]
    return [*command, "--no-control-socket", "--access-logfile", "-"]


def _worker(name: str, *, queues: str, processes: int) -> Service:
    command = [*CELERY, "demo.working", "worker", "--queues", queues]
    command += ["--concurrency", str(processes), "--hostname", f"{name}@%h"]
    command += ["--loglevel", "INFO", "--without-gossip", "--without-mingle", "--without-heartbeat"]
    return Service(f"worker-{name}", command, stops=2, ready=" ready.", dies_by=signal.SIGKILL)


def _beat(choices: Choices) -> list[str]:
    schedule = choices.directory / "beat-schedule"
    return [*CELERY, "config", "beat", "--schedule", str(schedule), "--pidfile", "", "--loglevel", "INFO"]


def _sandbox(choices: Choices) -> list[str]:
    data = choices.directory / "sandbox"
    command = [sys.executable, "-m", "sandbox", "--host", "127.0.0.1", "--port", str(choices.sandbox_port)]
    return [*command, "--data", str(data)]
