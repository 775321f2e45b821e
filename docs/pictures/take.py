"""Takes the pictures of the documentation from a running demo: `python docs/pictures/take.py [DIRECTORY]`.

The demo should be a fresh one: the pictures show what this script proposes, and nothing else.
"""

import json
import os
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
from playwright.sync_api import Browser, Page, sync_playwright

HERE = Path(__file__).resolve().parent
DEMO = Path(os.environ.get("DEMO_DIR") or HERE.parent.parent / ".demo")
CHROMIUM = os.environ.get("CHROMIUM") or "/usr/bin/chromium"


class House:
    """The running demo, as its credentials describe it."""

    def __init__(self) -> None:
        """Read the credentials."""
        self.known: dict[str, Any] = json.loads((DEMO / "credentials.json").read_text())
        self.url: str = self.known["base_url"]
        headers = {"Authorization": f"Bearer {self.known['agents']['agent-a']['token']}"}
        self.agent = httpx2.Client(base_url=self.url, headers=headers, trust_env=False, timeout=40)

    def propose(self, dossier: str, version: int, reason: str, suggestion: str, *facts: tuple[str, str, str]) -> str:
        """An agent proposes a review; return `P-…`."""
        read = (datetime.now(UTC) - timedelta(minutes=12)).isoformat()
        answer = self.agent.post(
            "/api/v1/proposals",
            headers={"Idempotency-Key": uuid.uuid4().hex},
            json={
                "tool": "ouvrir_revue_dossier",
                "arguments": {"dossier_ref": dossier, "expected_version": version, "reason_code": reason},
                "suggestion": suggestion,
                "facts": [{"label": a, "value": b, "source": c, "observed_at": read} for a, b, c in facts],
            },
        )
        answer.raise_for_status()
        return str(answer.json()["id"])

    def lose_the_next_answer(self) -> None:
        """The business system does what it is asked next, answers nothing, and no search shows it for a day."""
        fault = {"route": "POST /review-requests", "mode": "invisible", "seconds": 86_400}
        httpx2.post(f"{self.known['sandbox_url']}/_control/faults", json=fault, trust_env=False).raise_for_status()

    def wait_for(self, proposal: str, status: str) -> dict[str, Any]:
        """Wait until the proposal has the status, and return it."""
        for _ in range(60):
            told: dict[str, Any] = self.agent.get(f"/api/v1/proposals/{proposal}").json()
            if told["status"] == status:
                return told
            time.sleep(1)
        raise SystemExit(f"{proposal} is {told['status']}, not {status}")

    @contextmanager
    def signed_in(self, browser: Browser, user: str) -> Iterator[Page]:
        """A page of a browser in which this person has signed in."""
        context = browser.new_context(
            viewport={"width": 1280, "height": 900}, device_scale_factor=1.5, locale="en-GB", color_scheme="light"
        )
        page = context.new_page()
        page.goto(f"{self.url}/accounts/login/")
        page.fill("input[name=login]", user)
        page.fill("input[name=password]", self.known["users"][user]["password"])
        page.click("main button[type=submit], main button:not([type])")
        page.wait_for_url(f"{self.url}/")
        yield page
        context.close()


def main(directory: Path) -> int:
    """Write `case.png` and `unknown.png`."""
    house = House()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--hide-scrollbars"])
        _unknown(house, browser, directory / "unknown.png")
        _case(house, browser, directory / "case.png")
        browser.close()
    return 0


def _case(house: House, browser: Browser, to: Path) -> None:
    proposal = house.propose(
        "D-42",
        7,
        "ECART_MONTANT",
        "The invoice is 45.00 EUR above the order it names, and nobody has noted why. "
        "Please have a person look before it is paid.",
        ("Invoice F-2026-118", "1,250.00 EUR", "accounting, invoice register"),
        ("Order C-5512", "1,205.00 EUR", "purchasing, order book"),
        ("Note on the difference", "none", "file D-42, notes"),
    )
    with house.signed_in(browser, "approver") as page:
        _shoot(page, f"{house.url}/proposals/{proposal}/", to)


def _unknown(house: House, browser: Browser, to: Path) -> None:
    proposal = house.propose("D-51", 3, "PIECE_MANQUANTE", "The inspection report of the cold room is not in the file.")
    house.lose_the_next_answer()
    with house.signed_in(browser, "approver") as page:
        page.goto(f"{house.url}/proposals/{proposal}/check/")
        page.click("#approve-form button")
    intent = house.wait_for(proposal, "outcome_unknown")["intent"]
    with house.signed_in(browser, "support") as page:
        page.goto(f"{house.url}/reconciliation/{intent}/")
        page.click("#take-form button")
        _shoot(page, f"{house.url}/reconciliation/{intent}/", to)


def _shoot(page: Page, url: str, to: Path) -> None:
    page.goto(url)
    page.wait_for_load_state("networkidle")
    page.screenshot(path=to, animations="disabled")
    print(f"{to.name} shows {url}")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if sys.argv[1:] else HERE))
