"""The pilot's figures: everything asked is in the denominator, and what must never happen is counted apart."""

import itertools
from datetime import timedelta

import pytest

from approvals.models import Authorization
from approvals.refusals import Refusal
from intents.models import Evidence
from journal.clock import now as database_now
from proposals.models import Proposal
from tests.web.people import Person
from tests.world import World
from web.figures.bars import WIDTH, parts
from web.figures.queries import ENDS, Figures, blocking, by_tool, by_version
from web.figures.thresholds import ENOUGH, THRESHOLDS


def asked(world: World) -> dict[str, Figures]:
    since = database_now() - timedelta(days=1)
    return {one.tool: one for one in by_tool(world.demo, since=since)}


def review(target: str, version: int) -> dict[str, object]:
    return {"dossier_ref": target, "expected_version": version, "reason_code": "DONNEE_A_VERIFIER"}


@pytest.fixture
def busy(world: World) -> World:
    """One order proven, one unknown, one undecided; two reads; refusals and a replay."""
    world.done()
    world.sandbox.fault("drop_after_effect")
    world.done("D-44", arguments=review("D-44", 3))
    world.sandbox.put("dossiers", "D-45", version=1, state="active", establishment="A")
    world.propose("D-45", arguments=review("D-45", 1))
    world.propose(tool="chercher_dossier", arguments={"numero": "A-4417"})
    world.propose(tool="chercher_dossier", arguments={"numero": "A-4417"})
    for arguments in ({"dossier_ref": "x"}, {"dossier_ref": "D-42"}, review("D-77", 1)):
        with pytest.raises(Refusal):
            world.propose(arguments=arguments)
    with pytest.raises(Refusal):
        world.propose(tool="no_such_tool")
    return world


def test_unknown_and_undecided_stay_in_the_denominator(busy: World) -> None:
    tools = asked(busy)
    figures = tools["ouvrir_revue_dossier"]
    assert {name: n for name, n in figures.ends.items() if n} == {"proven": 1, "unknown": 1, "open": 1}
    assert figures.success == pytest.approx(1 / 3)
    assert (figures.handed_over, figures.doubted, figures.doubt) == (2, 1, 0.5)
    assert figures.oldest_unknown is not None
    assert figures.refused == {"invalid_arguments": 2, "target_not_available": 1}
    assert figures.invalid == pytest.approx(2 / 6)
    assert figures.denied == pytest.approx(1 / 6)
    assert figures.acts == 2
    assert figures.to_decide.half is not None
    assert figures.to_prove.nearly_all is not None
    assert tools["chercher_dossier"].success == 1.0
    assert tools[""].refused == {"unknown_tool": 1}


def test_a_replay_is_counted_for_the_tool_it_repeats(world: World) -> None:
    world.propose(key="K1")
    world.propose(key="K1")
    figures = asked(world)["ouvrir_revue_dossier"]
    assert (figures.replays, figures.repeated) == (1, 0.5)


def test_versions_of_a_contract_are_told_apart(busy: World) -> None:
    busy.publish("ouvrir_revue_dossier-2", version="3")
    busy.propose("D-1", arguments=review("D-42", 7))
    since = database_now() - timedelta(days=1)
    told = [(one.tool, one.version, one.asked) for one in by_version(busy.demo, since=since)]
    assert told == [
        ("chercher_dossier", "1", 2),
        ("ouvrir_revue_dossier", "2", 3),
        ("ouvrir_revue_dossier", "3", 1),
    ]
    assert by_version(busy.demo, since=database_now()) == []


def test_what_must_never_happen_is_found_and_named(world: World) -> None:
    intent = world.done()
    assert blocking(world.demo).none
    granted = Authorization.objects.get()
    Authorization.objects.update(expires_at=granted.granted_at)
    Proposal.objects.update(scope=world.scopes["B"])
    about = {
        "attempt": 1,
        "source": "probe",
        "verdict": "contradicts",
        "because": "duplicate",
        "at": granted.granted_at,
    }
    Evidence.objects.create(intent=intent, **about)
    found = blocking(world.demo)
    assert [found.outside_scope, found.invalid_approval, found.duplicated] == [(intent.public_id,)] * 3
    assert blocking(world.other).none
    Authorization.objects.update(expires_at=granted.expires_at)  # the invariants hold again
    Proposal.objects.update(scope=world.scopes["A"])


def test_the_page_is_for_owners_operators_and_auditors_and_shows_nothing_foreign(busy: World) -> None:
    for name in ("owner", "operator", "auditor"):
        text = Person(busy, name).text("/figures/")
        assert "ouvrir_revue_dossier" in text
        assert "33.3\u00a0%" in text
    foreign = Person(busy, "stranger").text("/figures/")
    assert "chercher_dossier" not in foreign
    assert Person(busy, "stranger").open("/figures/?organization=demo").status_code == 404
    assert Person(busy, "approver").open("/figures/").status_code == 404
    assert Person(busy, "owner").open("/figures/?days=x&organization=%00").status_code == 404


def test_few_are_not_judged_and_many_are() -> None:
    success = THRESHOLDS[0]
    few, good, bad = Figures("t"), Figures("t"), Figures("t")
    few.ends["proven"], good.ends["proven"], bad.ends["unknown"] = ENOUGH - 1, ENOUGH, ENOUGH
    assert [success.verdict(one) for one in (few, good, bad)] == ["too_few", "kept", "missed"]


def test_a_bar_is_filled_by_its_parts_and_hides_none() -> None:
    ends = {**dict.fromkeys(ENDS, 0), "proven": 100_000, "unknown": 1, "stopped": 1}
    drawn = parts(ends)
    assert [part.name for part in drawn] == ["proven", "unknown", "stopped"]
    assert all(part.width >= 4 for part in drawn)
    assert drawn[0].x == 0
    assert all(one.x + one.width == other.x for one, other in itertools.pairwise(drawn))
    assert parts({**dict.fromkeys(ENDS, 0), "open": 3})[0].width == WIDTH
