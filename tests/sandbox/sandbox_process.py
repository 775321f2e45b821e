"""The sandbox business system as a real process, and the plainest client for it."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from demo.children import dying_with

ROOT = Path(__file__).resolve().parents[2]
REVIEW = {"dossier_ref": "D-42", "reason_code": "DONNEE_A_VERIFIER", "queue": "internal_review", "client_ref": "ref-1"}
REFUND = {"order_id": "ORD-000123", "amount_minor": 1250, "currency": "EUR", "client_ref": "ref-1"}


@dataclass(frozen=True)
class Answer:
    """What came back: status, headers by lower-case name, and the document or the bytes."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class SandboxProcess:
    """`python -m sandbox` on a free loopback port with its storage in `data`."""

    def __init__(self, data: Path, *extra: str) -> None:
        command = [sys.executable, "-m", "sandbox", "--port", "0", "--data", str(data), *extra]
        bind = dying_with(os.getpid(), signal.SIGTERM)  # a killed test run leaves nothing
        self.process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, preexec_fn=bind)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"http://(\S+):(\d+)", line)
        assert found, f"the sandbox said {line!r}"
        self.host, self.port = found[1], int(found[2])
        self.url = f"http://{self.host}:{self.port}"

    def stop(self, number: int = signal.SIGTERM) -> float:
        """Send the signal; returns the seconds until the process was gone."""
        began = time.monotonic()
        os.kill(self.process.pid, number)
        self.process.wait(5)
        if self.process.stdout:
            self.process.stdout.close()
        return time.monotonic() - began

    def call(self, method: str, target: str, body: Any = None, /, timeout: float = 5, **headers: str) -> Answer:
        """One request on a connection of its own; `If_Match="…"` names a header."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=timeout)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        try:
            connection.request(method, target, data, {"Content-Type": "application/json", **named})
            response = connection.getresponse()
            return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        finally:
            connection.close()

    def get(self, target: str, **headers: str) -> Answer:
        return self.call("GET", target, **headers)

    def post(self, target: str, body: Any = None, **headers: str) -> Answer:
        return self.call("POST", target, {} if body is None else body, **headers)

    def review(self, **changes: Any) -> Answer:
        return self.post("/review-requests", {**REVIEW, **changes})

    def raw(self, method: str, target: str, body: Any = None) -> socket.socket:
        """Send a request and return the socket, its answer unread."""
        data = b"" if body is None else json.dumps(body).encode()
        sock = socket.create_connection((self.host, self.port), timeout=5)
        head = f"{method} {target} HTTP/1.1\r\nHost: sandbox\r\nContent-Length: {len(data)}\r\n\r\n"
        sock.sendall(head.encode() + data)
        return sock

    def fault(self, mode: str, route: str = "POST /review-requests", **parameters: Any) -> Answer:
        answer = self.post("/_control/faults", {"route": route, "mode": mode, **parameters})
        assert answer.status == 201, answer.body
        return answer

    def items(self, target: str) -> list[dict[str, Any]]:
        return self.get(target).json["items"]

    def effects(self) -> list[dict[str, Any]]:
        return self.items("/_control/effects")

    def counts(self) -> dict[str, Any]:
        return self.get("/_control/counts").json

    def capabilities(self, **switches: Any) -> None:
        assert self.call("PUT", "/_control/capabilities", switches).status == 200

    def until(self, holds: Callable[[], bool], seconds: float = 3) -> bool:
        """Wait until the condition holds; False when it never does."""
        end = time.monotonic() + seconds
        while not (held := holds()) and time.monotonic() < end:
            time.sleep(0.02)
        return held


def read_to_end(sock: socket.socket) -> bytes:
    """Everything until the other side closes; a reset is raised."""
    pieces = []
    with sock:
        while piece := sock.recv(65536):
            pieces.append(piece)
    return b"".join(pieces)
