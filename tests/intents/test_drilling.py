"""A drill is what really happened: an unknown that a person took to its end, a stop that was lifted, and who did it."""

import pytest
from django.db import IntegrityError

from intents.drilling import NotRecorded, record_drill
from intents.drills import Drill, latest
from intents.models import Intent
from journal.queries import entries_of_organization
from tests.intents.desk import conclude, lost_without_effect, take
from tests.world import World

TOOL = "ouvrir_revue_dossier"


def drilled(world: World, kind: str, *people: str, by: str = "support", **more: object) -> Drill:
    """The drill is recorded."""
    given = {"tool": TOOL, "organization": world.demo, "words": "Practised; nobody was surprised.", **more}
    named = [world.people[name] for name in people or ("support",)]
    return record_drill(person=world.people[by], kind=kind, people=named, **given)  # type: ignore[arg-type]


def ended(world: World) -> Intent:
    """An unknown that support took to its end."""
    intent = lost_without_effect(world)
    take(world, intent)
    conclude(world, intent, "did_not_happen", then="close")
    return intent


def refused(world: World, kind: str, *people: str, **more: object) -> str:
    """The code it is refused with."""
    with pytest.raises(NotRecorded) as caught:
        drilled(world, kind, *people, **more)  # type: ignore[arg-type]
    return caught.value.code


def test_a_drill_names_what_happened_who_did_it_and_when(world: World) -> None:
    assert latest(organization=world.demo, tool=TOOL) == {"unknown": None, "stop": None}
    intent = lost_without_effect(world)
    assert refused(world, "unknown", intent_id=intent.pk) == "no_such_unknown", "it is not at its end"
    take(world, intent)
    conclude(world, intent, "did_not_happen", then="close")
    assert refused(world, "unknown", "support2", intent_id=intent.pk) == "others_did_it"
    first = drilled(world, "unknown", "support", "support2", intent_id=intent.pk)
    assert refused(world, "unknown", intent_id=intent.pk) == "recorded_before"
    assert refused(world, "stop") == "no_such_stop"
    world.stop("tool", TOOL)
    assert refused(world, "stop") == "no_such_stop", "it still holds"
    world.resume("tool", TOOL)
    second = drilled(world, "stop", "operator", by="operator")
    assert refused(world, "stop") == "recorded_before"
    assert latest(organization=world.demo, tool=TOOL) == {"unknown": first, "stop": second}
    assert (first.done_at, second.subject) == (intent.cases.get().closed_at, "tool")
    told = entries_of_organization(world.demo.pk, kinds=["drill.recorded"])
    assert [entry.facts["people"] for entry in told] == [["operator"], ["support", "support2"]]
    for change in (lambda: Drill.objects.update(words="x"), lambda: first.delete()):
        with pytest.raises(IntegrityError):
            change()


def test_a_drill_of_others_of_nobody_or_of_nothing_is_refused(world: World) -> None:
    intent = ended(world)
    right = {"intent_id": intent.pk}
    assert refused(world, "unknown", "stranger", **right) == "not_there"
    assert refused(world, "unknown", by="stranger", **right) == "not_yours"
    assert refused(world, "unknown", by="requester", **right) == "not_yours"
    assert refused(world, "unknown", organization=world.other, by="stranger", **right) == "not_there"
    assert refused(world, "unknown", "stranger", organization=world.other, by="stranger", **right) == "no_such_unknown"
    assert refused(world, "unknown", tool="refund_create", **right) == "no_such_unknown"
    assert refused(world, "unknown", tool="nothing", **right) == "unknown_tool"
    assert refused(world, "unknown", words="  ", **right) == "words_missing"
    assert refused(world, "feast", **right) == "unknown_kind"
    assert refused(world, "unknown", intent_id=10**17) == "no_such_unknown"
    assert Drill.objects.count() == 0
