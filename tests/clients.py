"""How agents and people come in: over real HTTP, through the same doors as everybody."""

import re
import uuid
from html import unescape
from typing import Any

import httpx2

FORM = re.compile(r'<form[^>]*id="(?P<id>[\w-]+)"[^>]*>(?P<inside>.*?)</form>', re.DOTALL)
HIDDEN = re.compile(r"<input[^>]*type=\"hidden\"[^>]*>")
ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')

REVIEW = {"dossier_ref": "D-42", "expected_version": 7, "reason_code": "DONNEE_A_VERIFIER"}


class AgentClient:
    """An agent with its bearer token."""

    def __init__(self, url: str, token: str | None) -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.http = httpx2.Client(base_url=url, headers=headers, trust_env=False, timeout=40)

    def propose(self, arguments: dict[str, Any] | None = None, **more: Any) -> httpx2.Response:
        """POST a proposal; `key=None` sends no Idempotency-Key."""
        key = more.pop("key", uuid.uuid4().hex)
        body = {"tool": "ouvrir_revue_dossier", "arguments": REVIEW if arguments is None else arguments, **more}
        return self.http.post("/api/v1/proposals", json=body, headers={"Idempotency-Key": key} if key else {})

    def get(self, proposal: str, *, wait: float | None = None) -> dict[str, Any]:
        """GET one proposal, waiting for a change of status when asked."""
        answer = self.http.get(f"/api/v1/proposals/{proposal}", params={"wait": wait} if wait else {})
        assert answer.status_code == 200, answer.text
        resource: dict[str, Any] = answer.json()
        return resource

    def wait_for(self, proposal: str, *statuses: str, seconds: float = 30) -> dict[str, Any]:
        """Long-poll until the status is one of these."""
        import time

        end = time.monotonic() + seconds
        while True:
            resource = self.get(proposal)
            if resource["status"] in statuses:
                return resource
            assert time.monotonic() < end, f"{proposal} is {resource['status']}, not {statuses}: {resource}"
            time.sleep(0.1)


class PersonClient:
    """A person with a browser's cookies, without JavaScript."""

    def __init__(self, url: str, user: str, *, password: str = "demo") -> None:
        self.http = httpx2.Client(base_url=url, trust_env=False, timeout=40, follow_redirects=True)
        page = self.http.get("/accounts/login/")
        answer = self.http.post(
            "/accounts/login/",
            data={"csrfmiddlewaretoken": self.token(page.text), "login": user, "password": password},
            headers={"Referer": f"{url}/accounts/login/"},
        )
        assert "sessionid" in self.http.cookies, f"{user} could not sign in: {answer.status_code}"
        self.url = url

    @staticmethod
    def token(page: str) -> str:
        """The CSRF token of a page."""
        found = TOKEN.search(page)
        assert found, page[:2000]
        return found.group(1)

    def page(self, path: str) -> httpx2.Response:
        """GET a page."""
        return self.http.get(path)

    def form(self, path: str, form_id: str) -> dict[str, str]:
        """The hidden fields of a form on a page, as a browser would send them."""
        text = self.page(path).text
        for match in FORM.finditer(text):
            if match.group("id") == form_id:
                fields = [dict(ATTRIBUTE.findall(tag)) for tag in HIDDEN.findall(match.group("inside"))]
                return {field["name"]: unescape(field.get("value", "")) for field in fields if "name" in field}
        raise AssertionError(f"no form {form_id} on {path}:\n{text[:3000]}")

    def post(self, path: str, data: dict[str, str], **more: Any) -> httpx2.Response:
        """POST a form; redirects are followed."""
        return self.http.post(path, data=data, headers={"Referer": self.url + path}, **more)

    def sign(self, proposal: str) -> httpx2.Response:
        """Open the check page and press the button."""
        fields = self.form(f"/proposals/{proposal}/check/", "approve-form")
        return self.post(f"/proposals/{proposal}/approvals/", fields)
