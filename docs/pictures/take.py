"""Takes the pictures of the documentation from a running demo: `python docs/pictures/take.py [DIRECTORY]`.

The demo should be a fresh one: the pictures show what this script proposes, and nothing else.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

import httpx2
from playwright.sync_api import Page, sync_playwright

HERE = Path(__file__).resolve().parent
DEMO = Path(os.environ.get("DEMO_DIR") or HERE.parent.parent / ".demo")
CHROMIUM = os.environ.get("CHROMIUM") or "/usr/bin/chromium"

PROPOSAL = {
    "tool": "ouvrir_revue_dossier",
    "contract_version": "2",
    "arguments": {"dossier_ref": "D-42", "expected_version": 7, "reason_code": "ECART_MONTANT"},
    "suggestion": "The invoice is 45.00 EUR above the order it names, and nobody has noted why. "
    "Please have a person look before it is paid.",
    "facts": [
        {"label": "Invoice F-2026-118", "value": "1,250.00 EUR", "source": "accounting, invoice register"},
        {"label": "Order C-5512", "value": "1,205.00 EUR", "source": "purchasing, order book"},
        {"label": "Note on the difference", "value": "none", "source": "file D-42, notes"},
    ],
}


def main(directory: Path) -> int:
    """Propose, sign in as approver, and take the picture of the case."""
    credentials = json.loads((DEMO / "credentials.json").read_text())
    proposal = _propose(credentials)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--hide-scrollbars"])
        context = browser.new_context(
            viewport={"width": 1280, "height": 900}, device_scale_factor=1.5, locale="en-GB", color_scheme="light"
        )
        page = context.new_page()
        _sign_in(page, credentials["base_url"], "approver", credentials["users"]["approver"]["password"])
        page.goto(f"{credentials['base_url']}/proposals/{proposal}/")
        page.wait_for_load_state("networkidle")
        page.screenshot(path=directory / "case.png", animations="disabled")
        browser.close()
    print(f"{directory / 'case.png'} shows {proposal}.")
    return 0


def _propose(credentials: dict[str, Any]) -> str:
    answer = httpx2.post(
        f"{credentials['base_url']}/api/v1/proposals",
        json=PROPOSAL,
        headers={"Authorization": f"Bearer {credentials['agents']['agent-a']['token']}"},
        trust_env=False,
    )
    answer.raise_for_status()
    return str(answer.json()["id"])


def _sign_in(page: Page, base_url: str, user: str, password: str) -> None:
    page.goto(f"{base_url}/accounts/login/")
    page.fill("input[name=login]", user)
    page.fill("input[name=password]", password)
    page.click("main button[type=submit], main button:not([type])")
    page.wait_for_url(f"{base_url}/")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if sys.argv[1:] else HERE))
