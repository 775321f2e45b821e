"""`make demo`: start everything in order, watch it, and stop everything in order."""

import os
import signal
import sys
import time
from itertools import groupby
from types import FrameType

from demo.children import Child, clear_leftovers, die_with_parent, remember, spawn
from demo.choices import ROOT, Choices
from demo.embedded import EmbeddedServers
from demo.greeting import greeting
from demo.home import port_is_free
from demo.readiness import is_ready
from demo.services import Service, services
from demo.telling import Refusal, say, step

_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StopRequested(BaseException):
    """The person, or the machine, asked us to stop."""


class Supervisor:
    """Runs one demo in the foreground."""

    def __init__(self, choices: Choices) -> None:
        """Choose; nothing is started yet."""
        self.choices = choices
        self.servers = EmbeddedServers(choices.directory)
        self._running: list[tuple[Service, Child]] = []

    def run(self) -> int:
        """Run until asked to stop (0), or until something refuses or dies (1); nothing is left running either way."""
        _listen_for_stop()
        outcome = 1
        try:
            self._start()
            say(greeting(self.choices))
            self._watch()
        except StopRequested:
            say("\nStopping …")
            outcome = 0
        except Refusal as refusal:
            say(f"\n{refusal}")
        finally:
            self._stop()
        return outcome

    def _start(self) -> None:
        with step("Starting PostgreSQL and Valkey"):
            self.servers.require_given()
            self.servers.start()
            self.servers.note_given()
        clear_leftovers(self.servers.home.processes, say=say)
        self._require_free_ports()
        with step("Migrating the database"):
            self._run_once("migrate", "migrate", "--noinput", "--skip-checks")  # the seed checks
        with step("Seeding the demo"):
            self._run_once("seed", "seed_demo")
        for schedule in self.choices.directory.glob("beat-schedule*"):  # a kill -9 may have cut it short
            schedule.unlink()
        with step("Starting web, workers, beat and the pretend business system"):
            for service in services(self.choices):
                self._spawn(service)
            self._wait_until_ready()

    def _watch(self) -> None:
        servers = [child for child in (self.servers.postgres, self.servers.valkey) if child is not None]
        while True:
            self._require_alive(*servers, *(child for _, child in self._running))
            time.sleep(0.5)

    def _stop(self) -> None:
        for each in _STOP_SIGNALS:
            signal.signal(each, signal.SIG_IGN)
        in_order = sorted(self._running, key=lambda pair: pair[0].stops)
        for _, together in groupby(in_order, key=lambda pair: pair[0].stops):
            children = [child for _, child in together]
            for child in children:
                child.ask_to_stop()
            for child in children:
                child.stop()
        if self._running:  # else they may be those of another supervisor, which holds the home
            self.servers.home.processes.unlink(missing_ok=True)
        self.servers.stop()
        say("Stopped.")

    def _require_free_ports(self) -> None:
        for name, port in (("PORT", self.choices.port), ("SANDBOX_PORT", self.choices.sandbox_port)):
            if not port_is_free(port):
                raise Refusal(
                    f"Port {port} of 127.0.0.1 is taken by another program. Choose another: make demo {name}={port + 1}"
                )

    def _run_once(self, name: str, *arguments: str) -> None:
        """Run one management command to its end; raise Refusal, with its last words, when it fails."""
        service = Service(name, [sys.executable, "manage.py", *arguments], stops=0)
        child = self._spawn(service)
        code = child.process.wait()
        self._running.remove((service, child))
        if code:
            raise Refusal(f"`manage.py {arguments[0]}` failed; the end of {child.log}:\n{child.last_words()}")

    def _spawn(self, service: Service) -> Child:
        child = spawn(
            service.command,
            name=service.name,
            log=self.choices.directory / "logs" / f"{service.name}.log",
            env=self.choices.environment(self.servers),
            cwd=ROOT,
            dies_by=service.dies_by,
        )
        self._running.append((service, child))
        remember([each for _, each in self._running], self.servers.home.processes)
        return child

    def _wait_until_ready(self, *, seconds: float = 180.0) -> None:
        deadline = time.monotonic() + seconds
        while True:
            self._require_alive(*(child for _, child in self._running))
            silent = [child.name for service, child in self._running if not child.has_said(service.ready)]
            ready, told = is_ready(self.choices.base_url)
            if ready and not silent:
                return
            if time.monotonic() > deadline:
                raise Refusal(
                    f"Not ready after {seconds:.0f} s. Silent: {', '.join(silent) or 'none'}. Readiness: {told}"
                )
            time.sleep(0.25)

    def _require_alive(self, *children: Child) -> None:
        for child in children:
            if not child.running:
                code = child.process.returncode
                raise Refusal(f"{child.name} ended ({code}); the end of {child.log}:\n{child.last_words()}")


def _listen_for_stop() -> None:
    def asked(_number: int, _frame: FrameType | None) -> None:
        for each in _STOP_SIGNALS:
            signal.signal(each, signal.SIG_IGN)
        raise StopRequested

    for each in _STOP_SIGNALS:
        signal.signal(each, asked)
    if "MAKELEVEL" in os.environ:  # started by make: when make is killed, nobody is left to stop us
        die_with_parent(signal.SIGTERM)
