"""The whole promise in one go: clone, `make demo`, the printed curl, a signature in a browser, `confirmed`.

The clone uses the environment of this checkout, which is made from the same locked files; installing it from
nothing is what the first step of every run in a fresh place does.
"""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from demo.children import dying_with
from demo.home import Home, free_port
from tests.chromium import find_chromium
from tests.demo.test_supervisor import left_alive
from tests.processes import ROOT, until

pytestmark = pytest.mark.browser
PICTURES = Path(os.environ.get("TEST_ARTIFACTS", ROOT / "test-artifacts")) / "demo"


@pytest.fixture
def clone() -> Iterator[Path]:
    """A clean clone of what is committed, with this checkout's environment beside it, where every account may pass."""
    with tempfile.TemporaryDirectory(prefix="countersign-clone-") as made:
        Path(made).chmod(0o755)
        place = Path(made) / "countersign"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(place)], check=True)
        (place / ".venv").symlink_to(Path(sys.prefix))
        yield place
        Home(place / ".demo").erase()  # data may lie elsewhere


@pytest.fixture
def running_demo(clone: Path) -> Iterator[str]:
    """`make demo` in the clone, until it says how to stop it; what it printed."""
    replaced = {"DATABASE_URL", "REDIS_URL", "SECRET_KEY", "DJANGO_SETTINGS_MODULE", "SYSTEMS_DIR", "SANDBOX_URL"}
    env = {name: value for name, value in os.environ.items() if name not in replaced}
    env |= {"PORT": str(free_port()), "SANDBOX_PORT": str(free_port())}
    demo = subprocess.Popen(
        ["make", "-o", ".venv/.locked", "demo"],
        cwd=clone,
        env=env,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=dying_with(os.getpid(), signal.SIGTERM),
    )
    assert demo.stdout is not None
    printed = ""
    for line in demo.stdout:
        printed += line
        if line.startswith("Ctrl-C stops everything"):
            break
    else:
        raise AssertionError(f"the demo ended before it was ready:\n{printed}")
    noted = json.loads((clone / ".demo" / "processes.json").read_text())
    yield printed
    os.killpg(demo.pid, signal.SIGINT)  # what Ctrl-C in a terminal sends
    demo.stdout.read()
    demo.stdout.close()
    demo.wait(60)
    assert left_alive([row["pid"] for row in noted]) == [], "Ctrl-C leaves nothing running"


@pytest.fixture
def page() -> Iterator[Page]:
    """A page of a real browser, in English."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium())
        context = browser.new_context(locale="en-GB", viewport={"width": 1280, "height": 900})
        yield context.new_page()
        browser.close()


def get(url: str, token: str | None = None) -> tuple[int, Any]:
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"} if token else {})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.status, json.load(answer)


def picture(page: Page, name: str) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=PICTURES / f"{name}.png", full_page=True)


def test_a_clean_clone_reaches_confirmed_with_the_printed_curl_and_one_signature(
    running_demo: str, clone: Path, page: Page
) -> None:
    credentials = json.loads((clone / ".demo" / "credentials.json").read_text())
    url, token = credentials["base_url"], credentials["agents"]["agent-a"]["token"]
    assert get(f"{url}/healthz/ready")[0] == 200

    curl = next(line for line in running_demo.splitlines() if line.startswith("curl "))
    made = json.loads(subprocess.run(shlex.split(curl), capture_output=True, text=True, check=True, timeout=30).stdout)
    assert (made["id"][:2], made["status"]) == ("P-", "awaiting_approval")

    page.goto(f"{url}/")
    page.locator("input[name=login]").fill("approver")
    page.locator("input[name=password]").fill(credentials["users"]["approver"]["password"])
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page).to_have_url(re.compile(rf"^{re.escape(url)}/(\?.*)?$"))
    picture(page, "1-inbox")

    page.goto(f"{url}/proposals/{made['id']}/")
    for words in ("Target", "Reason", "Consequence"):
        expect(page.get_by_role("heading", name=words, exact=True)).to_be_in_viewport()
    picture(page, "2-case")
    page.goto(f"{url}/proposals/{made['id']}/check/")
    picture(page, "3-check")
    page.locator("#approve-form button").click()
    expect(page).to_have_url(re.compile(r"/receipts/A-\d+/$"))
    picture(page, "4-receipt")

    def confirmed() -> Any:
        resource = get(f"{url}/api/v1/proposals/{made['id']}", token)[1]
        return resource if resource["status"] == "confirmed" else None

    resource: Any = until(confirmed, seconds=30, what="confirmed")
    assert re.fullmatch(r"R-\d+", resource["evidence"]["request_ref"])
    assert resource["evidence"]["dossier_ref"] == "D-42"
    assert resource["evidence"]["request_ref"] in resource["statement"]
    page.goto(f"{url}/proposals/{made['id']}/")
    expect(page.get_by_text(resource["evidence"]["request_ref"]).first).to_be_visible()
    picture(page, "5-confirmed")
    effects = get(f"{credentials['sandbox_url']}/_control/effects")[1]["items"]
    assert [effect["ref"] for effect in effects] == [resource["evidence"]["request_ref"]]
