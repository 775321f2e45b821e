"""Speaks to the sandbox's control interface: the only way a test arranges faults or counts effects."""

import json
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode


@dataclass(frozen=True)
class Sandbox:
    """The pretend business system at `url`, a process of its own."""

    url: str
    data: Path

    def call(self, method: str, path: str, body: object = None) -> Any:
        """Make one HTTP call and return the JSON answered."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.url + path, data=data, method=method, headers={"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def reset(self) -> None:
        """Forget every effect, request and fault; seed the objects anew."""
        self.call("POST", "/_control/reset")

    def fault(self, mode: str, *, route: str = "POST /review-requests", times: int | None = 1, **more: Any) -> None:
        """Arrange a fault on a route, for so many requests (None: for ever)."""
        self.call("POST", "/_control/faults", {"route": route, "mode": mode, "times": times, **more})

    def clear_faults(self) -> None:
        """Answer honestly again."""
        self.call("DELETE", "/_control/faults")

    def put(self, kind: str, ref: str, **fields: Any) -> None:
        """Make or change an object: `put("dossiers", "D-42", version=8)`."""
        self.call("PUT", f"/_control/{kind}/{ref}", fields)

    def capabilities(self, **values: Any) -> None:
        """Switch capabilities: idempotency, conditional, lookup, echo, visibility_seconds."""
        self.call("PUT", "/_control/capabilities", values)

    def effects(self, **filters: Any) -> list[dict[str, Any]]:
        """Every effect ever made: the ground truth."""
        items: list[dict[str, Any]] = self.call("GET", f"/_control/effects?{urlencode(filters)}")["items"]
        return items

    def requests(self, **filters: Any) -> list[dict[str, Any]]:
        """Every request seen, control calls left out."""
        items: list[dict[str, Any]] = self.call("GET", f"/_control/requests?{urlencode(filters)}")["items"]
        return items

    def submissions(self) -> list[dict[str, Any]]:
        """Every request that reached a submit route."""
        return [request for request in self.requests(method="POST") if not request["path"].startswith("/_control")]
