"""The demo's three configuration files against the real pretend business system."""

import dataclasses
import uuid
from datetime import UTC, datetime, timedelta

import pytest

from systems.adapters import registry
from systems.adapters.base import Adapter, Delivery, Observation, Order, Preview
from tests.sandboxing import Sandbox


def placed(operation: str, target: str, version: int, **arguments: object) -> Order:
    return Order(operation, arguments, target, version, str(uuid.uuid4()), "internal_review")


ORDERS = {
    "reviews": placed("open_review", "D-42", 7, reason_code="DONNEE_A_VERIFIER"),
    "payments": placed("refund", "ORD-000123", 3, amount_minor=500, currency="EUR", ledger_ref=10**30),
    "directory": placed("archive_user", "U-2041", 1, reason="left"),
}


@pytest.fixture(params=sorted(ORDERS))
def line(request: pytest.FixtureRequest, sandbox: Sandbox) -> tuple[Adapter, Order]:
    """An adapter, and an order at the version its target has now."""
    adapter, order = registry.adapter(request.param), ORDERS[request.param]
    seen = adapter.resolve(order.operation, order.target)
    assert isinstance(seen, Observation)
    return adapter, dataclasses.replace(order, observed_version=seen.version)


def test_an_order_has_one_effect_that_is_found_again_and_can_be_cancelled(
    line: tuple[Adapter, Order], sandbox: Sandbox
) -> None:
    adapter, order = line
    got = adapter.submit(adapter.prepare(order), seconds_left=2)
    assert (got.delivery, got.success, got.reference) == (Delivery.ANSWERED, True, order.reference)
    found = adapter.lookup(order)
    assert [each.fields for each in found.found] == [got.fields]
    assert found.complete
    assert len(sandbox.effects(client_ref=order.reference)) == 1
    assert adapter.cancel(order, got.fields).success


def test_an_order_is_shown_beforehand_and_listed_afterwards(line: tuple[Adapter, Order], sandbox: Sandbox) -> None:
    adapter, order = line
    shown = adapter.preview(order)
    assert isinstance(shown, Preview)
    assert (shown.fields["possible"], shown.fields["already"]) == (True, 0)
    assert sandbox.submissions() == []
    began = datetime.now(UTC)
    got = adapter.submit(adapter.prepare(order), seconds_left=2)
    listed = adapter.list(order.operation, since=began, until=began + timedelta(minutes=1))
    assert [(one.reference, one.fields) for one in listed.found] == [(order.reference, got.fields)]
    assert listed.complete
    assert adapter.list(order.operation, since=began - timedelta(minutes=1), until=began).found == ()


def test_a_version_that_has_moved_on_is_a_definitive_refusal_without_effect(
    line: tuple[Adapter, Order], sandbox: Sandbox
) -> None:
    adapter, order = line
    moved = dataclasses.replace(order, observed_version=99)
    got = adapter.submit(adapter.prepare(moved), seconds_left=2)
    assert (got.status, got.refused, got.success) == (412, True, False)
    assert sandbox.effects() == []


def test_an_effect_whose_answer_is_lost_is_in_doubt_and_found_by_reference(
    line: tuple[Adapter, Order], sandbox: Sandbox
) -> None:
    adapter, order = line
    sandbox.fault("drop_after_effect", route="*")
    got = adapter.submit(adapter.prepare(order), seconds_left=2)
    assert (got.delivery, got.fault) == (Delivery.MAYBE_SENT, "closed")
    assert len(adapter.lookup(order).found) == 1


def test_the_bytes_received_are_the_bytes_prepared(line: tuple[Adapter, Order], sandbox: Sandbox) -> None:
    adapter, order = line
    prepared = adapter.prepare(order)
    adapter.submit(prepared, seconds_left=2)
    (received,) = sandbox.submissions()
    assert received["body"] == prepared.body.decode()
