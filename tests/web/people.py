"""A person at a browser, without the browser: signs in, opens pages, sends the forms that the pages hold."""

import re
from dataclasses import dataclass, field
from html import unescape
from typing import Any

from django.test import Client

from journal.clock import now as database_now
from tests.world import World

_FORM = re.compile(r'<form[^>]*\bid="{}"[^>]*>(.*?)</form>', re.S)
_HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)"')


@dataclass
class Person:
    """A signed-in person; CSRF is enforced as in a real browser. Addresses and forms are those of the pages."""

    world: World
    name: str
    present: bool = True  # has just signed in
    client: Client = field(init=False)

    def __post_init__(self) -> None:
        self.client = Client(enforce_csrf_checks=True, HTTP_HOST="localhost")
        self.client.force_login(self.world.people[self.name], backend="django.contrib.auth.backends.ModelBackend")
        if self.present:
            session = self.client.session
            session["present"] = [self.world.people[self.name].pk, database_now().isoformat()]
            session.save()

    def open(self, address: str, **headers: str) -> Any:
        """GET a page."""
        return self.client.get(address, **headers)

    def text(self, address: str) -> str:
        """The page's HTML."""
        return str(self.open(address).content.decode())

    def form(self, address: str, form_id: str) -> dict[str, str]:
        """The hidden fields of a form on a page, CSRF token included."""
        html = self.text(address)
        found = re.search(_FORM.pattern.replace("{}", form_id), html, re.S)
        assert found, f"{address} holds no form {form_id}"
        return {name: unescape(value) for name, value in _HIDDEN.findall(found.group(1))}

    def send(self, action: str, *, form: dict[str, str], **fields: str) -> Any:
        """POST a form with what was typed."""
        return self.client.post(action, {**form, **fields})

    def sign(self, public_id: str) -> Any:
        """From the check page, sign what it shows."""
        form = self.form(f"/proposals/{public_id}/check/", "approve-form")
        return self.send(f"/proposals/{public_id}/approvals/", form=form)
