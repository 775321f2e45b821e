"""The whole line for a scenario: web, worker, beat and the sandbox, each a process of its own."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from tests.clients import AgentClient, PersonClient
from tests.processes import Process
from tests.world import World


@dataclass
class Line:
    """The running product: `agent()` and `person()` come in over HTTP."""

    world: World
    url: str

    def agent(self, name: str = "agent-a") -> AgentClient:
        """An agent with its token."""
        return AgentClient(self.url, self.world.secrets[name])

    def person(self, name: str = "approver") -> PersonClient:
        """A person who signed in."""
        return PersonClient(self.url, name)


@pytest.fixture
def doors(world: World, start_web: Callable[..., str]) -> Line:
    """Web alone: whatever a worker would do, the test does."""
    return Line(world, start_web())


@pytest.fixture
def line(doors: Line, start_worker: Callable[..., Process]) -> Line:
    """Web and one worker. The beat is started by the tests that need sweeps to come by themselves."""
    start_worker()
    return doors


@pytest.fixture
def line_with_beat(line: Line, start_beat: Callable[[], Process]) -> Line:
    """Web, worker and beat: a sweep every second."""
    start_beat()
    return line
