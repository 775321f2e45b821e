"""An agent's client: over Django's test client, or over a real connection where bytes and headers matter."""

import http.client
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.test import Client

GOOD = {"dossier_ref": "D-42", "expected_version": 7, "reason_code": "DONNEE_A_VERIFIER"}
REFUND = {"order_id": "ORD-000123", "amount_minor": 1250, "currency": "EUR"}


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.raw)

    @property
    def code(self) -> str:
        assert self.headers["content-type"] == "application/problem+json"
        return str(self.body["code"])

    @property
    def pointers(self) -> list[str]:
        return [error["pointer"] for error in self.body["errors"]]


class Agent:
    """Calls in this process."""

    def __init__(self, secret: str | None) -> None:
        self.client = Client(headers={"Authorization": f"Bearer {secret}"} if secret else {})

    def call(self, method: str, path: str, body: Any = None, *, raw: bytes | None = None, **headers: str) -> Answer:
        data = raw if raw is not None else b"" if body is None else json.dumps(body).encode()
        kind = headers.pop("Content_Type", "application/json")
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        answer = self.client.generic(method, f"/api/v1{path}", data, content_type=kind, headers=named)
        return Answer(answer.status_code, {k.lower(): v for k, v in answer.headers.items()}, answer.content)

    def get(self, path: str, **headers: str) -> Answer:
        return self.call("GET", path, **headers)

    def post(self, path: str, body: Any = None, **more: Any) -> Answer:
        return self.call("POST", path, body, **more)

    def propose(self, arguments: Any = None, *, tool: str = "ouvrir_revue_dossier", **more: Any) -> Answer:
        envelope = {"tool": tool, "arguments": GOOD if arguments is None else arguments}
        return self.post("/proposals", {**envelope, **more.pop("envelope", {})}, **more)


class Wire(Agent):
    """Calls over a real connection, header by header."""

    def __init__(self, url: str, secret: str) -> None:
        self.address, self.secret = urlsplit(url).netloc, secret

    def call(self, method: str, path: str, body: Any = None, *, raw: bytes | None = None, **headers: str) -> Answer:
        pairs = [(name.replace("_", "-"), value) for name, value in headers.items()]
        return self.send(method, path, raw if raw is not None else json.dumps(body).encode(), *pairs)

    def send(self, method: str, path: str, raw: bytes, *headers: tuple[str, str]) -> Answer:
        connection = http.client.HTTPConnection(self.address, timeout=40)
        connection.putrequest(method, f"/api/v1{path}")
        connection.putheader("Authorization", f"Bearer {self.secret}")
        connection.putheader("Content-Length", str(len(raw)))
        if not any(name == "Content-Type" for name, _ in headers):
            connection.putheader("Content-Type", "application/json")
        for name, value in headers:
            connection.putheader(name, value)
        connection.endheaders(raw)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, content)
