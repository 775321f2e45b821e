"""Somebody who wants to be told: a real server of HTTP that keeps what it heard and answers as it is told to."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Ear:
    """`heard` holds headers (lower case) and body of each request; `answers` the next statuses, then always 204."""

    url: str
    heard: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)


@contextmanager
def ear() -> Iterator[Ear]:
    """An address that listens while it is open."""

    class Listens(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            listening.heard.append(({name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(listening.answers.pop(0) if listening.answers else 204)
            self.send_header("Location", f"{listening.url}/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_said: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Listens)
    listening = Ear(f"http://127.0.0.1:{server.server_port}/hook")
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield listening
    finally:
        server.shutdown()
        server.server_close()
