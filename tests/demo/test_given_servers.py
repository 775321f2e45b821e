"""Servers of somebody else, named by DATABASE_URL and REDIS_URL."""

import os
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from demo.choices import Choices
from demo.embedded import EmbeddedServers
from demo.home import free_port
from demo.management.commands.seed_demo import Command
from demo.managing import manage, reset
from demo.telling import Refusal
from tenancy.models import Organization, User


def given(home: Path, **environ: str) -> EmbeddedServers:
    return EmbeddedServers(home, environ=environ, say=[].append)


def nobody_listens() -> str:
    return f"127.0.0.1:{free_port()}"


@pytest.mark.parametrize(
    ("name", "address", "told"),
    [
        ("DATABASE_URL", "mysql://somebody@127.0.0.1/db", "is not the address of a PostgreSQL"),
        ("DATABASE_URL", "nonsense", "is not the address of a PostgreSQL"),
        ("DATABASE_URL", "postgres://countersign:hush@{nobody}/none", "cannot be used"),
        ("REDIS_URL", "nonsense", "is not the address of a Redis"),
        ("REDIS_URL", "redis://:hush@{nobody}/0", "cannot be used"),
    ],
)
def test_a_given_server_that_cannot_be_used_is_told_at_once_without_its_password(
    tmp_path: Path, name: str, address: str, told: str
):
    with pytest.raises(Refusal, match=told) as refused:
        given(tmp_path / "home", **{name: address.format(nobody=nobody_listens())}).require_given()
    assert name in str(refused.value)
    assert "hush" not in str(refused.value)
    assert not (tmp_path / "home").exists()


def test_servers_that_answer_are_taken(tmp_path: Path):
    named = {name: os.environ[name] for name in ("DATABASE_URL", "REDIS_URL")}
    given(tmp_path, **named).require_given()


def test_without_the_servers_it_was_given_the_journal_of_a_demo_is_not_sought_elsewhere(tmp_path: Path, capsys):
    home = tmp_path / "home"
    with given(home, DATABASE_URL="postgres://:hush@elsewhere/db", REDIS_URL="redis://elsewhere") as servers:
        servers.note_given()
    assert b"hush" not in (home / "given.json").read_bytes()
    choices = Choices(port=1, sandbox_port=2, directory=home)
    with pytest.MonkeyPatch.context() as shell:
        shell.delenv("DATABASE_URL")
        shell.delenv("REDIS_URL")
        with pytest.raises(Refusal, match="was started with DATABASE_URL and REDIS_URL: give the same again"):
            manage(["verify_journal"], choices=choices)
    reset(choices=choices)
    assert "stays as it is" in capsys.readouterr().out
    assert not home.exists()


def test_the_demo_is_not_seeded_into_a_database_that_holds_another_house(
    database: None, settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    Organization.objects.create(slug="real", name="A real house")
    settings.DEMO = True
    monkeypatch.setenv("DEMO_DIR", str(tmp_path))
    with pytest.raises(CommandError, match="nothing was seeded"):
        call_command(Command())
    assert not User.objects.exists()
