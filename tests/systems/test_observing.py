"""Observing: what is foreign does not exist, it costs the same as what is missing, and no transaction waits for it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import transaction

from systems.adapters import registry
from systems.adapters.base import Observation, UnknownSystem, Unreachable
from systems.observing import NotAvailable, observe
from tests.sandboxing import Sandbox


@pytest.fixture
def desk(sandbox: Sandbox) -> Iterator[Sandbox]:
    yield sandbox
    sandbox.clear_faults()


def look(target: str | None, *scopes: str, operation: str = "open_review", system: str = "reviews"):
    return observe(system=system, operation=operation, target=target, scopes=frozenset(scopes))


@pytest.mark.parametrize("target", ["D-42", "D-77", "D-900", "D-404404"])
def test_every_look_is_exactly_one_call_and_only_the_own_is_seen(desk: Sandbox, target: str) -> None:
    seen = look(target, "A")
    assert isinstance(seen, Observation if target == "D-42" else NotAvailable)
    assert [(each["method"], each["path"]) for each in desk.requests()] == [("GET", f"/dossiers/{target}")]


def test_no_scope_sees_nothing(desk: Sandbox) -> None:
    assert isinstance(look("D-42"), NotAvailable)


@pytest.mark.parametrize(("mode", "more"), [("status", {"status": 500, "effect": False}), ("html_login", {})])
def test_a_system_that_does_not_answer_readably_is_unreachable(desk: Sandbox, mode: str, more: dict) -> None:
    desk.fault(mode, route="GET /dossiers", **more)
    assert isinstance(look("D-42", "A"), Unreachable)


def test_a_read_without_target_belongs_to_no_scope(desk: Sandbox) -> None:
    seen = look(None, operation="ledger_ping", system="payments")
    assert isinstance(seen, Observation)
    assert seen.answer == {"ok": True}


@pytest.mark.parametrize(("system", "operation"), [("nowhere", "x"), ("reviews", "nothing")])
def test_what_no_file_configures_is_unknown(desk: Sandbox, system: str, operation: str) -> None:
    with pytest.raises(UnknownSystem):
        look("D-42", "A", operation=operation, system=system)


def test_a_look_inside_a_transaction_is_a_mistake_and_calls_nobody(desk: Sandbox, database: None) -> None:
    with transaction.atomic(), pytest.raises(RuntimeError, match="transaction"):
        look("D-42", "A")
    assert desk.requests() == []


def test_the_demos_systems_are_read_from_the_directories_of_the_settings(desk: Sandbox, systems_dir: Path) -> None:
    assert {"reviews", "payments", "directory"} <= set(registry.systems())
    assert {Path(systems_dir / config.source_file).is_file() for config in registry.systems().values()} == {True}
