"""The table of outcomes, row by row, observed through the real business system; docs/outcomes.md says the same."""

import re
from dataclasses import dataclass
from typing import Any

from intents.models import Evidence, Intent
from tests.processes import ROOT
from tests.world import World

READS = "GET /review-requests"
BLIND: dict[str, Any] = {"mode": "status", "route": READS, "times": None, "status": 503, "effect": False}


@dataclass(frozen=True)
class Row:
    """One row of the page: the fault arranged, and where the order stands then, with and without a look after it."""

    observed: str
    fault: str
    status: str
    cause: str
    effects: int
    read_back: str
    more: dict[str, Any]


def row(
    observed: str, fault: str, status: str, cause: str, /, *, effects: int, read_back: str = "", **more: Any
) -> Row:
    """`status` is what the answer alone means; `read_back` what the look after it makes of it (the same if absent)."""
    return Row(observed, fault, status, cause, effects, read_back or status, more)


UNKNOWN, CONFIRMED = "outcome_unknown", "confirmed"
ROWS = (
    row("no answer in time", "silence_after_effect", UNKNOWN, "deadline", effects=1, seconds=6),
    row("connection reset after the effect", "reset_after_effect", UNKNOWN, "reset", effects=1),
    row("connection closed, effect made", "drop_after_effect", UNKNOWN, "closed", effects=1),
    row("connection closed, no effect", "drop_before_effect", UNKNOWN, "closed", effects=0),
    row("body cut short", "truncated", UNKNOWN, "truncated", effects=1),
    row(
        "body longer than said",
        "short_content_length",
        UNKNOWN,
        "unreadable_answer",
        effects=1,
        read_back=CONFIRMED,
    ),
    row("201 without a body", "empty_body", UNKNOWN, "unreadable_answer", effects=1, read_back=CONFIRMED),
    row("204 without a body", "empty_body", UNKNOWN, "unreadable_answer", effects=1, read_back=CONFIRMED, status=204),
    row("a page to sign in", "html_login", UNKNOWN, "unreadable_answer", effects=0),
    row("the same key twice", "duplicate_keys", UNKNOWN, "unreadable_answer", effects=1, read_back=CONFIRMED),
    row("errors in a 200", "errors_in_200", UNKNOWN, "no_success", effects=0),
    row(
        "errors in a 201 beside the effect",
        "errors_in_200",
        UNKNOWN,
        "no_success",
        effects=1,
        read_back=CONFIRMED,
        status=201,
        effect=True,
    ),
    row("compressed", "gzip_bomb", UNKNOWN, "encoding", effects=1, megabytes=1),
    row("another's reference", "other_reference", UNKNOWN, "foreign_reference", effects=1, read_back=CONFIRMED),
    row("another target", "wrong_target", "diverged", "differs", effects=1),
    row("another reason", "wrong_reason", "diverged", "differs", effects=1),
    row("two effects", "duplicate_effect", CONFIRMED, "", effects=2),
    row("202, and the effect later", "accept_202_then_effect", "accepted_by_target", "", effects=0, seconds=30),
    row(
        "202, and the effect at once",
        "accept_202_then_effect",
        "accepted_by_target",
        "",
        effects=1,
        read_back=CONFIRMED,
        seconds=0,
    ),
    row("202, and nothing", "accept_202_never", "accepted_by_target", "", effects=0),
    row("307 to another address", "redirect", UNKNOWN, "redirect", effects=0),
    row(
        "303 after the effect", "redirect", UNKNOWN, "redirect", effects=1, read_back=CONFIRMED, status=303, effect=True
    ),
    *(
        row(f"{code} without effect", "status", UNKNOWN, cause, effects=0, status=code, effect=False)
        for code, cause in (
            (400, "undocumented_refusal"),
            (403, "undocumented_refusal"),
            (404, "undocumented_refusal"),
            (408, "temporary_fault"),
            (409, "conflict"),
            (425, "temporary_fault"),
            (429, "temporary_fault"),
            (500, "temporary_fault"),
            (503, "temporary_fault"),
            (504, "temporary_fault"),
        )
    ),
    *(
        row(f"{code} with effect", "status", UNKNOWN, cause, effects=1, read_back=CONFIRMED, status=code, effect=True)
        for code, cause in (
            (408, "temporary_fault"),
            (409, "conflict"),
            (425, "temporary_fault"),
            (429, "temporary_fault"),
            (500, "temporary_fault"),
            (502, "temporary_fault"),
            (504, "temporary_fault"),
        )
    ),
    row(
        "422 in the documented shape",
        "status",
        "refused_by_target",
        "status_422",
        effects=0,
        status=422,
        effect=False,
        body={"error": "invalid", "fields": ["reason_code"]},
    ),
)


def handed_over(world: World, said: Row, number: int) -> Intent:
    """An order on a file of its own meets this answer; it is sent once, whatever is swept afterwards."""
    ref = f"D-{1000 + number}"
    world.sandbox.put("dossiers", ref, version=7, state="active", establishment="A")
    world.sandbox.fault(said.fault, **said.more)
    intent = world.done(ref)
    ours = [sent for sent in world.sandbox.submissions() if sent["path"] == "/review-requests"]
    assert len(ours) == number + 1, said.observed
    return intent


def test_an_answer_means_what_the_table_says_and_nothing_is_sent_twice(world: World) -> None:
    world.business_system_duplicates = True  # one of the rows
    for number, said in enumerate(ROWS):
        world.sandbox.fault(**BLIND)
        intent = handed_over(world, said, number)
        assert (said.observed, world.status(intent)) == (said.observed, said.status)
        assert not said.cause or (said.observed, intent.cause) == (said.observed, said.cause)
        if said.fault != "accept_202_then_effect":  # its effect comes in its own time
            made = world.sandbox.effects(client_ref=str(intent.reference))
            assert (said.observed, len(made)) == (said.observed, said.effects)
        world.sandbox.clear_faults()
    world.sweep()
    assert len(world.sandbox.submissions()) == len(ROWS)


def test_an_answer_that_proves_nothing_is_read_back_where_it_can_be(world: World) -> None:
    for number, said in enumerate(one for one in ROWS if one.read_back != one.status):
        intent = handed_over(world, said, number)
        assert (said.observed, world.status(intent)) == (said.observed, said.read_back)
        found = Evidence.objects.get(intent=intent, source="confirmation")
        assert (said.observed, found.verdict, intent.confirmed_by) == (said.observed, "proves", "confirmation")
        world.sandbox.clear_faults()


def test_the_page_has_every_row_of_the_table() -> None:
    page = (ROOT / "docs" / "outcomes.md").read_text()
    shown = re.findall(r"^\| ([^|]+) \| `(\w+)` \| `?([\w–]+)`? \| `(\w+)` \|$", page, re.MULTILINE)
    assert shown == [(one.observed, one.status, one.cause or "–", one.read_back) for one in ROWS]
