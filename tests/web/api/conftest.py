"""The agents of the world, each behind its token; and one real server for a whole module."""

import os
import re
from collections.abc import Iterator

import pytest
from django.conf import settings
from django.db import connection

from tests.processes import Process, answers, free_port, running, until
from tests.sandboxing import Sandbox
from tests.web.api.calling import Agent, Wire
from tests.world import World


@pytest.fixture
def agent(world: World) -> Agent:
    """agent-a, for requester, in scope A."""
    return Agent(world.secrets["agent-a"])


@pytest.fixture
def foreigner(world: World) -> Agent:
    """agent-other, in the other organization."""
    return Agent(world.secrets["agent-other"])


@pytest.fixture(scope="module")
def server(django_db_setup: None, sandbox_process: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a web server with two processes; between two tests it keeps nothing but its connections."""
    name = connection.settings_dict["NAME"]
    env = {
        "DATABASE_URL": re.sub(r"/[^/?]*(\?|$)", rf"/{name}\1", os.environ["DATABASE_URL"]),
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "SECRET_KEY": settings.SECRET_KEY,
    }
    port = free_port()
    command = f"gunicorn config.wsgi:application --config python:config.serving --bind 127.0.0.1:{port}"
    command += " --workers 2 --threads 8 --timeout 60"
    process = Process(*command.split(), log=tmp_path_factory.mktemp("web") / "log", env=env)
    with running(process):
        url = f"http://127.0.0.1:{port}"
        until(lambda: answers(f"{url}/api/v1/tools"), seconds=60, what=process.output[-3000:])
        yield url


@pytest.fixture
def wire(world: World, server: str) -> Wire:
    """agent-a over a real connection."""
    return Wire(server, world.secrets["agent-a"])
