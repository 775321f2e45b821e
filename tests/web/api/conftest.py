"""The agents of the world, each behind its token."""

import pytest

from tests.web.api.calling import Agent
from tests.world import World


@pytest.fixture
def agent(world: World) -> Agent:
    """agent-a, for requester, in scope A."""
    return Agent(world.secrets["agent-a"])


@pytest.fixture
def foreigner(world: World) -> Agent:
    """agent-other, in the other organization."""
    return Agent(world.secrets["agent-other"])
