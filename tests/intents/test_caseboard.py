"""The desk's list stays readable: one event is folded, pages are short, a search is exact, nothing foreign shows."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from intents import verifying
from intents.caseboard import PAGE, Board, board
from journal.clock import now
from journal.recording import Actor
from tests.intents.desk import lost_after_effect, lost_without_effect, take
from tests.intents.many import copies
from tests.web.people import Person
from tests.world import World


def seen(world: World, who: str = "support", **asked: object) -> Board:
    return board(world.people[who], now=now(), **asked)  # type: ignore[arg-type]  # the tests name what they ask


def test_four_hundred_unknowns_of_one_outage_are_one_banner_and_short_pages(world: World) -> None:
    intent = lost_without_effect(world)
    with copies(intent, 399):
        whole = seen(world)
        (event,) = whole.outages
        assert (event.count, event.untaken, whole.total, whole.rows) == (400, 400, 400, [])
        opened = seen(world, outage=event.key)
        assert (len(opened.rows), opened.matching, opened.next_offset) == (PAGE, 400, PAGE)
        last = seen(world, outage=event.key, offset=350)
        assert (len(last.rows), last.next_offset, last.first, last.last) == (50, None, 351, 400)
        with CaptureQueriesContext(connection) as queries:
            seen(world, outage=event.key)
        assert len(queries) <= 8
        page = Person(world, "support").text("/reconciliation/")
        assert "400 outcomes of one event" in page
        assert page.count("open for") == 0
        assert Person(world, "support").text(f"/reconciliation/?outage={event.key}").count("open for") == PAGE
        assert seen(world, "support-b").total == 0, "another scope sees nothing of it"


def test_what_a_look_proves_is_closed_and_the_others_stay(world: World) -> None:
    intent = lost_after_effect(world)
    with copies(intent, 9):
        assert seen(world).outages[0].count == 10
        verifying.probe(intent.pk, actor=Actor.worker("probe"))
        (event,) = seen(world).outages
        assert (event.count, event.since <= now()) == (9, True)


def test_a_search_is_exact_and_mine_is_mine(world: World) -> None:
    intent = lost_without_effect(world)
    with copies(intent, 12):
        assert [row.intent.pk for row in seen(world, search=intent.public_id).rows] == [intent.pk]
        assert [row.intent.pk for row in seen(world, search=str(intent.reference)).rows] == [intent.pk]
        assert [row.intent.target for row in seen(world, search="D-10000001").rows] == ["D-10000001"]
        assert seen(world, search="D-1000000").rows == [], "D-10000001 only begins alike"
        take(world, intent)
        assert [row.intent.pk for row in seen(world, mine=True).rows] == [intent.pk]
        assert (seen(world).mine, seen(world).outages[0].untaken) == (1, 12)
        text = Person(world, "support").text("/reconciliation/?q=D-1000000")
        assert "Nothing matches" in text


@pytest.mark.parametrize("asked", ["outage=silence.99", "outage=%00", "offset=-1", "offset=999999", "q=%F0%9F%92%A9"])
def test_whatever_is_asked_of_the_page_it_stands(world: World, asked: str) -> None:
    lost_without_effect(world)
    answer = Person(world, "support").client.get(f"/reconciliation/?{asked}")
    assert answer.status_code in (200, 404)
