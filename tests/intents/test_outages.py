"""What looks like one event is told as one: the same trouble, close together in time. Pure."""

from datetime import UTC, datetime, timedelta

from intents.outages import EVENT, TOGETHER, Doubtful, outages, trouble_of

BEGAN = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


def doubt(
    case: int, cause: str = "deadline", *, system: str = "reviews", after: float = 0, taken: bool = False
) -> Doubtful:
    return Doubtful(case, system, cause, BEGAN + timedelta(minutes=after), taken)


def test_four_hundred_lost_answers_in_two_systems_are_one_event_however_each_was_lost() -> None:
    causes = ("deadline", "reset", "closed", "truncated")
    cases = [doubt(n, causes[n % 4], system="refunds" if n % 5 == 0 else "reviews", after=n / 10) for n in range(400)]
    (event,) = outages(cases)
    assert (event.count, event.systems, event.untaken) == (400, {"reviews": 320, "refunds": 80}, 400)
    assert event.since == BEGAN


def test_a_pause_makes_two_events_and_few_cases_make_none() -> None:
    later = TOGETHER.total_seconds() / 60 + 5
    cases = [doubt(n, after=n) for n in range(EVENT)] + [doubt(10 + n, after=later + EVENT + n) for n in range(EVENT)]
    assert [event.count for event in outages(cases)] == [EVENT, EVENT]
    assert outages(cases[: EVENT - 1]) == []


def test_another_trouble_is_another_event() -> None:
    assert trouble_of("foreign_reference") == "foreign_reference"
    cases = [doubt(n) for n in range(5)] + [doubt(10 + n, "foreign_reference") for n in range(4)]
    assert [(event.trouble, event.count) for event in outages(cases)] == [("silence", 5), ("foreign_reference", 4)]


def test_its_name_goes_on_naming_it_while_cases_of_it_are_closed_and_names_no_other() -> None:
    cases = [doubt(n, after=n) for n in range(8)]
    (event,) = outages(cases)
    (rest,) = outages(cases[3:])
    assert rest.is_named(event.key)
    assert not rest.is_named("silence.0")
    assert not any(rest.is_named(name) for name in ("", "silence", "silence.x", f"reset.{event.key.split('.')[1]}"))
