"""A real Chromium on a real server; pictures of every screen are kept in test-artifacts/."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from tests.chromium import find_chromium
from tests.processes import ROOT
from tests.world import World

PICTURES = ROOT / "test-artifacts"


@dataclass
class Browser:
    """One Chromium; each person gets a window of their own. `complaints` are what the pages broke of the policy."""

    chromium: Any
    url: str
    complaints: list[str] = field(default_factory=list)

    def page(self, *, width: int = 1280, javascript: bool = True) -> Any:
        """A page in a window of its own, of nobody yet."""
        context = self.chromium.new_context(
            base_url=self.url, viewport={"width": width, "height": 844}, java_script_enabled=javascript
        )
        page = context.new_page()
        page.on("console", lambda said: "Content Security Policy" in said.text and self.complaints.append(said.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        return page

    def signed_in(self, user: Any) -> Any:
        """A page of the person whose session was opened beside the browser, not through the form."""
        client = Client()
        client.force_login(user)
        page = self.page()
        named = {"name": settings.SESSION_COOKIE_NAME, "value": client.cookies[settings.SESSION_COOKIE_NAME].value}
        page.context.add_cookies([{**named, "url": self.url}])
        return page

    def sign_in(self, name: str, *, width: int = 1280, javascript: bool = True) -> Any:
        """A page of the person, signed in through the form."""
        page = self.page(width=width, javascript=javascript)
        page.goto("/accounts/login/")
        page.fill("#id_login", name)
        page.fill("#id_password", "demo")
        page.locator("form[action='/accounts/login/'] button").click()
        page.wait_for_url("**/")
        return page


@pytest.fixture
def screens(world: World, start_web: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Browser]:
    """Chromium beside a web server on this test's database."""
    # Playwright keeps a loop of its own running in this thread; the database is asked between its calls, never inside.
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
    from playwright.sync_api import sync_playwright

    url = start_web()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_chromium())
        screens = Browser(chromium, url)
        yield screens
        chromium.close()
    assert screens.complaints == []


@pytest.fixture
def picture() -> Callable[[Any, str], Path]:
    """Keep a picture of a page: `picture(page, "case-fr-dark")`."""
    PICTURES.mkdir(exist_ok=True)

    def keep(page: Any, name: str) -> Path:
        path = PICTURES / f"{name}.png"
        page.screenshot(path=str(path), full_page=True)
        return path

    return keep
