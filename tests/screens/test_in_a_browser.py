"""The screens in a real browser: readable by everybody, in both languages and themes, from 320 pixels on."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from approvals.models import Act, Signature
from intents import notifying
from intents.models import Webhook
from journal.clock import now
from proposals.models import ContractVersion
from rehearsals import running
from tenancy.models import User
from tests.screens.conftest import Browser
from tests.world import World

pytestmark = pytest.mark.browser

LOOKS = [("en", "light", 1280), ("fr", "dark", 1280), ("fr", "light", 390), ("en", "dark", 320)]


def test_every_screen_is_accessible_and_fits(
    world: World, screens: Browser, picture: Callable[[Any, str], Any]
) -> None:
    for person, addresses in screens_with_something_on_each(world).items():
        page = screens.signed_in(world.people[person])
        for (language, theme, width), address in itertools.product(LOOKS, addresses):
            User.objects.filter(username=person).update(language=language, theme=theme)
            page.set_viewport_size({"width": width, "height": 844})
            page.goto(address)
            name = f"{address.strip('/').replace('/', '-') or 'inbox'}-{language}-{theme}-{width}"
            picture(page, name)
            assert violations(page) == [], name
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name
            assert page.locator("html").get_attribute("lang") == language


def screens_with_something_on_each(world: World) -> dict[str, list[str]]:
    """The addresses by who looks at them, in a world where each page has something to show."""
    told = {"agent": world.caller().agent, "url": "https://hooks.example/countersign/status", "salt": b"salt"}
    Webhook.objects.create(**told, added_at=now(), added_by=world.people["operator"])
    refund = world.refund(arguments={"memo": "Goodwill\u202e for the delay"}, suggestion="Late.\u200b Sorry.")
    world.sign(refund)
    confirmed = world.done("D-44", arguments=review_of("D-44", 3))
    world.sandbox.fault("drop_after_effect")
    unknown = world.done("D-42")
    notifying.write_notices()
    return {
        "approver": ["/", f"/proposals/{refund.public_id}/", "/receipts/A-1/", f"/proposals/{proposal_of(confirmed)}/"],
        "approver2": [
            f"/proposals/{refund.public_id}/check/",
            f"/proposals/{refund.public_id}/preview/",
            "/accounts/reauthenticate/",
        ],
        "stranger": ["/agents/"],  # holds every role in another organization
        "support": ["/reconciliation/", f"/reconciliation/{unknown.public_id}/"],
        "operator": ["/operations/", "/operations/webhooks/", "/operations/webhooks/1/"],
        "auditor": ["/journal/"],
        "owner": ["/contracts/", "/contracts/refund_create/2/", f"/rehearsals/{rehearsed(world)}/", "/figures/"],
    }


def rehearsed(world: World) -> str:
    """`R-1`: a rehearsal with steps that passed, failed, were not tried and were not played."""
    version = ContractVersion.objects.get(organization=world.demo, name="ouvrir_revue_dossier", state="active")
    world.sandbox.capabilities(lookup=False)
    row = running.ask(version=version, against="reviews", by=world.people["owner"])
    return running.run(row, only=("role_removed", "lookup", "idempotency_key")).public_id


def proposal_of(intent: Any) -> str:
    """`P-7`."""
    return str(intent.revision.proposal.public_id)


def review_of(target: str, version: int) -> dict[str, object]:
    """The arguments of a review."""
    return {"dossier_ref": target, "expected_version": version, "reason_code": "ECART_MONTANT"}


def violations(page: Any) -> list[tuple[str, Any]]:
    """What axe finds."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [(one["id"], [node["target"] for node in one["nodes"]]) for one in found]


def test_target_reason_and_consequence_come_before_anything_else(world: World, screens: Browser) -> None:
    proposal = world.propose("D-42")
    for width in (1280, 390):
        page = screens.sign_in("approver", width=width)
        page.goto(f"/proposals/{proposal.public_id}/")
        for heading in ("Target", "Reason", "Consequence"):
            box = page.get_by_role("heading", name=heading, exact=True).bounding_box()
            assert 0 < box["y"] < 844
        assert page.locator("main details[open]").count() == 0
        decide = page.get_by_role("link", name="Check and sign…").bounding_box()
        assert decide["y"] + decide["height"] <= 844


def test_a_proposal_is_signed_in_a_browser_and_confirmed_with_its_reference(
    world: World,
    screens: Browser,
    start_worker: Callable[..., Any],
    picture: Callable[[Any, str], Any],
) -> None:
    from playwright.sync_api import expect

    proposal = world.propose("D-42")
    start_worker()
    page = screens.sign_in("approver")
    page.get_by_role("link", name="Open an internal review of D-42").click()
    page.get_by_role("link", name="Check and sign…").click()
    expect(page.locator("#preview")).to_contain_text("A review may be opened", timeout=15_000)
    picture(page, "story-1-check")
    page.get_by_role("button", name="Approve: open an internal review of D-42").click()
    page.wait_for_url("**/receipts/A-1/")
    picture(page, "story-2-receipt")
    page.get_by_role("link", name="Back to the case").click()
    # The page refreshes by itself: nobody reloads it.
    expect(page.locator("#live")).to_contain_text("was created on D-42", timeout=30_000)
    picture(page, "story-3-confirmed")
    assert world.status(proposal) == "confirmed"


def test_everything_works_without_javascript(world: World, screens: Browser) -> None:
    proposal = world.propose("D-42")
    page = screens.sign_in("approver", javascript=False)
    page.goto(f"/proposals/{proposal.public_id}/")
    page.locator("summary", has_text="Refuse").click()
    page.locator("#refuse-form input[value=NOT_JUSTIFIED]").check()
    page.locator("#refuse-form button").click()
    assert world.status(proposal) == "rejected"


def test_no_key_decides(world: World, screens: Browser) -> None:
    proposal = world.propose("D-42")
    page = screens.sign_in("approver")
    for address in ("/", f"/proposals/{proposal.public_id}/", f"/proposals/{proposal.public_id}/check/"):
        page.goto(address)
        for key in "abdefghijklmnopqrstuvwxyz0123456789/?":
            page.keyboard.press(key)
            page.keyboard.press("Escape")
    assert (Signature.objects.count(), Act.objects.count()) == (0, 0)
    assert world.status(proposal) == "awaiting_approval"


def test_keys_walk_the_list(world: World, screens: Browser) -> None:
    world.propose("D-42")
    world.refund()
    page = screens.sign_in("approver")
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert "D-42" in page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Enter")
    page.wait_for_url("**/proposals/P-*/")


def test_errors_land_in_a_focused_summary_that_links_to_the_field(world: World, screens: Browser) -> None:
    proposal = world.propose("D-42")
    page = screens.sign_in("approver")
    page.goto(f"/proposals/{proposal.public_id}/")
    page.locator("summary", has_text="Refuse").click()
    page.locator("#refuse-form input[value=OTHER]").check()
    page.locator("#refuse-form button").click()
    assert page.evaluate("document.activeElement.id") == "errors"
    page.locator("#errors a").click()
    assert page.url.endswith("#refuse-words")


def test_a_part_that_was_swapped_equals_the_page_reloaded(world: World, screens: Browser) -> None:
    from playwright.sync_api import expect

    proposal = world.propose("D-42")
    page = screens.sign_in("approver")
    page.goto(f"/proposals/{proposal.public_id}/")
    world.sign(proposal, by="approver2")
    expect(page.locator("#live")).to_contain_text("Approved, not sent yet", timeout=15_000)
    swapped = [page.locator(part).inner_text() for part in ("#live", "#panel", "#case-journal")]
    page.reload()
    assert [page.locator(part).inner_text() for part in ("#live", "#panel", "#case-journal")] == swapped


def test_nothing_is_asked_of_the_outside_whatever_an_agent_writes(world: World, screens: Browser) -> None:
    said = '![x](https://collector.example/p) <img src="https://collector.example/i"> <script>fetch("/x")</script>'
    proposal = world.propose("D-42", suggestion=said)
    page, asked = screens.sign_in("approver"), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"/proposals/{proposal.public_id}/")
    assert {url.split("/")[2] for url in asked} == {screens.url.split("/")[2]}
