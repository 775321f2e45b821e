"""The compose file says what its specification allows, and each of its commands runs, here without containers."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from demo.children import Child, spawn
from demo.embedded import EmbeddedServers
from demo.home import free_port
from tests.deployment.reading import ROOT, build_context, compose, dockerfile, schema

HOST = "countersign.example"
OURS = ("migrate", "web", "worker", "worker-probes", "beat")
BIN = Path(sys.executable).parent


@pytest.fixture
def servers(private_servers: Callable[..., EmbeddedServers]) -> EmbeddedServers:
    return private_servers(durable=False)


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """The directory /app of the image, with the secrets and the business systems a deployer brings."""
    app = build_context(tmp_path / "app")
    (tmp_path / "systems").mkdir()
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "secret_key").write_text("a-deployer-s-own-key-of-more-than-fifty-characters-0123456789")
    return app


@pytest.fixture
def deployment(servers: EmbeddedServers, image: Path) -> Iterator["Deployment"]:
    deployment = Deployment(servers, image)
    yield deployment
    for child in deployment.children:
        child.stop()


class Deployment:
    """Runs the services of the file as ordinary processes on embedded servers."""

    def __init__(self, servers: EmbeddedServers, image: Path) -> None:
        self.services: dict[str, Any] = compose(PUBLIC_HOST=HOST)["services"]
        self.image = image
        self.port = free_port()
        self.children: list[Child] = []
        (image.parent / "secrets" / "database_url").write_text(servers.database_url)
        self._redis_url = servers.redis_url

    def environment(self, service: str) -> dict[str, str]:
        """The service's own environment and nothing of ours, with the places of this test instead of a container's."""
        given = {name: self._here(value) for name, value in self.services[service]["environment"].items()}
        paths = {"PATH": f"{BIN}:/usr/bin:/bin", "HOSTNAME": os.uname().nodename, "HOME": str(self.image.parent)}
        image = dict(word.split("=", 1) for words in dockerfile() if words[0] == "ENV" for word in words[1:])
        return {**image, **paths, **given, "REDIS_URL": self._redis_url}

    def run(self, service: str, command: list[str] | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self._here(word) for word in command or self.services[service]["command"]],
            cwd=self.image,
            env=self.environment(service),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def start(self, service: str, *, says: str) -> Child:
        child = spawn(
            [str(BIN / self.services[service]["command"][0]), *map(self._here, self.services[service]["command"][1:])],
            name=service,
            log=self.image.parent / f"{service}.log",
            env=self.environment(service),
            cwd=self.image,
        )
        self.children.append(child)
        deadline = time.monotonic() + 30
        while says not in child.last_words(lines=200):
            assert child.running, child.last_words()
            assert time.monotonic() < deadline, child.last_words()
            time.sleep(0.1)
        return child

    def health(self, service: str) -> subprocess.CompletedProcess[str]:
        kind, *words = self.services[service]["healthcheck"]["test"]
        return self.run(service, words if kind == "CMD" else ["sh", "-c", words[0].replace("$$", "$")])

    def _here(self, text: str) -> str:
        here = str(self.image.parent)
        return (
            text.replace("/tmp/", f"{here}/")
            .replace("/run/secrets", f"{here}/secrets")
            .replace("/etc/countersign/systems", f"{here}/systems")
            .replace("/var/lib/countersign", here)
            .replace("0.0.0.0:8000", f"127.0.0.1:{self.port}")
            .replace("127.0.0.1:8000", f"127.0.0.1:{self.port}")
        )


def test_the_file_keeps_to_the_compose_specification():
    jsonschema.Draft202012Validator(schema()).validate(compose(PUBLIC_HOST=HOST))


def test_every_secret_network_volume_and_dependency_named_exists():
    whole = compose(PUBLIC_HOST=HOST)
    for service in whole["services"].values():
        assert set(service["networks"]) <= whole["networks"].keys()
        assert set(service.get("secrets", [])) <= whole["secrets"].keys()
        assert service.get("depends_on", {}).keys() <= whole["services"].keys()
        named = {volume.partition(":")[0] for volume in service.get("volumes", [])}
        assert {name for name in named if not name.startswith(".")} <= whole["volumes"].keys()


def test_nothing_starts_before_the_migration_is_done():
    services = compose(PUBLIC_HOST=HOST)["services"]
    for name in OURS[1:]:
        assert services[name]["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}


def test_database_and_broker_are_on_a_network_without_a_way_out():
    whole = compose(PUBLIC_HOST=HOST)
    assert whole["networks"]["data"] == {"internal": True}
    for name in ("postgres", "redis"):
        assert whole["services"][name]["networks"] == ["data"]
        assert "ports" not in whole["services"][name]


def test_no_secret_stands_in_the_file_and_debug_and_demo_are_off():
    for name in OURS:
        environment = compose(PUBLIC_HOST=HOST)["services"][name]["environment"]
        assert not {"SECRET_KEY", "DATABASE_URL", "DEBUG", "DEMO"} & environment.keys()


def test_every_queue_has_a_worker():
    from django.conf import settings

    commands = [
        " ".join(compose(PUBLIC_HOST=HOST)["services"][name]["command"]) for name in ("worker", "worker-probes")
    ]
    listened = {queue for line in commands for queue in line.partition("--queues=")[2].split()[0].split(",")}
    assert listened == {route["queue"] for route in settings.CELERY_TASK_ROUTES.values()}


def test_the_image_is_not_root_and_installs_only_hashed_requirements():
    words = dockerfile()
    assert words[-3:][0] == ["USER", "10001"]
    installs = [line for line in words if "pip" in line]
    assert installs
    assert all("--require-hashes" in line for line in installs)


def test_the_image_collects_its_static_files(deployment):
    line = next(words for words in dockerfile() if "collectstatic" in words)
    key = dict([line[1].split("=", 1)])
    done = subprocess.run(line[2:], cwd=deployment.image, env={"PATH": str(BIN), **key}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert any((deployment.image / "staticfiles").iterdir())


def test_the_deployment_check_is_clean(deployment):
    done = deployment.run("web", ["python", "manage.py", "check", "--deploy", "--fail-level", "WARNING"])
    assert done.returncode == 0, done.stderr


def test_the_whole_deployment_starts_reports_health_and_stops(deployment):
    migrated = deployment.run("migrate")
    assert migrated.returncode == 0, migrated.stderr
    deployment.start("web", says="Listening at")
    deployment.start("worker", says=" ready.")
    deployment.start("worker-probes", says=" ready.")
    deployment.start("beat", says="beat: Starting")
    for name in ("web", "worker", "worker-probes"):
        health = deployment.health(name)
        assert health.returncode == 0, f"{name}: {health.stdout}{health.stderr}"
    for child in reversed(deployment.children):
        child.stop(seconds=20)
        assert child.process.returncode == 0, child.last_words()


def test_the_names_of_the_file_are_those_of_the_documentation():
    text = (ROOT / "docs" / "deploying.md").read_text()
    whole = compose(PUBLIC_HOST=HOST)
    assert all(f"secrets/{name}" in text for name in whole["secrets"])
    assert "PUBLIC_HOST" in text
