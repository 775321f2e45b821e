"""A submission is written once: content, chain, keys, races."""

import json
import threading
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, connections, transaction
from django.test.utils import CaptureQueriesContext

from journal.clock import now
from journal.digests import canonical, sha256
from journal.queries import verify
from journal.reads import ask
from journal.statements import together
from proposals import keys, submitting
from proposals.contracts import contract_of
from proposals.models import Proposal, Revision, SubmissionKey
from proposals.queries import NotFound, active_version, load
from proposals.reads import NEXT_NUMBER
from proposals.revisions import Asked
from systems.adapters.base import Observation
from tests.world import World

ARGUMENTS = {"dossier_ref": "D-42", "expected_version": 7, "reason_code": "DONNEE_A_VERIFIER"}
SEEN = Observation("D-42", "Ateliers\x00 du Port", "active", 7, "A", {"huge": 2**60, "bad": "\ud800"}, "sha256:0")


def write(world: World, claim: keys.Claim, **more: Any) -> Revision:
    """One proposal of agent-a, written in a transaction of its own."""
    caller = world.caller()
    version = active_version(world.demo, "ouvrir_revue_dossier")
    assert version is not None
    with transaction.atomic(durable=True), together():
        return submitting.create(
            caller=caller,
            number=ask(number=NEXT_NUMBER)["number"],
            version=version,
            contract=contract_of(version),
            scope=world.scopes["A"],
            asked=Asked({**ARGUMENTS, **more}, suggestion="The amounts differ.", facts=({"label": "x", "value": 1},)),
            observation=SEEN,
            decision={"code": "allowed", "policy_version": "x+1", "reasons": []},
            now=now(),
            claim=claim,
        )


def header(world: World, key: str = "K1", body: str = "one") -> keys.Claim:
    return keys.from_header(world.caller(), key, body_fingerprint=body)


def test_a_revision_holds_the_exact_content_that_a_signature_binds(world: World) -> None:
    revision = Revision.objects.get(pk=write(world, header(world)).pk)
    content = json.loads(bytes(revision.content))
    assert revision.digest == sha256(bytes(revision.content))
    assert bytes(revision.content) == canonical(content)
    assert content["arguments"] == ARGUMENTS
    assert content["contract"]["digest"] == revision.contract.digest
    assert content["facts"] == [{"label": "x", "value": 1}]
    assert (content["target"], content["target_version"], content["scope"]) == ("D-42", "7", "A")
    assert content["observation"]["attributes"] == {"huge": str(2**60), "bad": "?"}
    assert verify().ok


def test_a_submission_is_written_in_few_statements(world: World) -> None:
    claim = header(world)
    write(world, header(world, "warm"))
    with CaptureQueriesContext(connection) as queries:
        revision = write(world, claim)
    messages = [query["sql"] for query in queries]
    writing = messages[messages.index(next(sql for sql in messages if claim.key in sql)) :]
    assert len(writing) == 3, "the key, then everything else, then the commit"
    assert revision.proposal.chain_length == 1


def test_a_key_is_found_again_and_another_person_or_agent_has_a_key_space_apart(world: World) -> None:
    claim = header(world)
    revision = write(world, claim)
    found = keys.find(world.caller(), claim)
    assert found is not None
    assert (found.proposal_id, found.revision, found.fingerprint) == (revision.proposal_id, 1, claim.fingerprint)
    assert header(world, body="two").fingerprint != claim.fingerprint
    assert keys.find(world.caller("agent-b"), claim) is None
    assert keys.find(world.caller("agent-other"), claim) is None


def test_a_derived_key_depends_on_meaning_and_session_only(world: World) -> None:
    caller = world.caller()
    one = keys.derived(caller, tool="t", arguments={"a": 1, "b": 2.0}, session="s")
    assert one == keys.derived(caller, tool="t", arguments={"b": 2, "a": 1}, session="s")
    others = {
        keys.derived(caller, tool="u", arguments={"a": 1, "b": 2}, session="s").key,
        keys.derived(caller, tool="t", arguments={"a": 2, "b": 2}, session="s").key,
        keys.derived(caller, tool="t", arguments={"a": 1, "b": 2}, session="z").key,
        keys.derived(world.caller("agent-b"), tool="t", arguments={"a": 1, "b": 2}, session="s").key,
    }
    assert len(others | {one.key}) == 5


@pytest.mark.parametrize(
    ("state", "free"),
    [
        ("awaiting_approval", False),
        ("changes_requested", False),
        ("authorized", False),
        ("rejected", True),
        ("expired", True),
        ("answered", True),
    ],
)
def test_a_key_lapses_with_its_window_but_never_while_its_proposal_is_open(
    world: World, state: str, free: bool
) -> None:
    claim = header(world)
    first = write(world, claim)
    later = now() + timedelta(days=400)
    Proposal.objects.filter(pk=first.proposal_id).update(state=state)
    assert (keys.find(world.caller(), claim, now=later) is None) is free
    SubmissionKey.objects.update(expires_at=now())
    if free:
        assert write(world, claim).proposal_id != first.proposal_id
        assert SubmissionKey.objects.filter(released_at__isnull=True).count() == 1
    else:
        with pytest.raises(keys.KeyTaken):
            write(world, claim)


def test_only_a_derived_key_is_given_back(world: World) -> None:
    derived = keys.derived(world.caller(), tool="t", arguments=ARGUMENTS, session="s")
    first, second = write(world, derived), write(world, header(world))
    for revision in (first, second):
        keys.release_derived(revision.proposal)
    assert keys.find(world.caller(), derived) is None
    assert keys.find(world.caller(), header(world)) is not None
    assert write(world, derived).proposal_id != first.proposal_id


def race(world: World, claims: list[keys.Claim]) -> list[int | None]:
    """Every claim is submitted at the same instant; the proposals that were found or made."""
    gate, results = threading.Barrier(len(claims)), [None] * len(claims)

    def submit(index: int) -> None:
        try:
            gate.wait()
            results[index] = write(world, claims[index]).proposal_id
        except keys.KeyTaken as taken:
            if taken.held.fingerprint == claims[index].fingerprint:
                results[index] = taken.held.proposal_id
        finally:
            connections.close_all()

    threads = [threading.Thread(target=submit, args=(index,)) for index in range(len(claims))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_twelve_at_the_same_instant_make_one_proposal_and_all_read_it(world: World) -> None:
    results = race(world, [header(world)] * 12)
    assert results == [results[0]] * 12
    assert Proposal.objects.count() == 1
    assert Revision.objects.count() == 1
    assert verify().ok


def test_two_bodies_under_one_key_at_the_same_instant_have_one_winner(world: World) -> None:
    results = race(world, [header(world, body=str(index % 2)) for index in range(10)])
    assert sorted(str(result) for result in results).count("None") == 5
    assert len(set(results) - {None}) == 1
    assert Proposal.objects.count() == 1


def test_a_submission_that_fails_late_leaves_its_key_free(world: World) -> None:
    claim = header(world)
    with pytest.raises(ValueError):
        write(world, claim, expected_version=2**60)
    assert (Proposal.objects.count(), SubmissionKey.objects.count()) == (0, 0)
    write(world, claim)


def test_what_is_foreign_is_missing(world: World) -> None:
    public_id = write(world, header(world)).proposal.public_id
    assert load(world.caller(), public_id).public_id == public_id
    assert load(world.people["approver"], public_id)
    assert load(world.people["auditor"], public_id)
    for who in (
        world.caller("agent-b"),
        world.caller("agent-other"),
        world.people["approver-b"],
        world.people["stranger"],
    ):
        with pytest.raises(NotFound):
            load(who, public_id)
    for bad in ("P-0", "P-999999", "42", "P-042", "P-4\u0662", "P-" + "9" * 40, "P-1\n", ""):
        with pytest.raises(NotFound):
            load(world.caller(), bad)
