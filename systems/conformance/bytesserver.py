"""A server that speaks bytes: it does exactly what a check says with each connection, and counts what reached it."""

import contextlib
import socket
import ssl
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

Behaviour = Callable[[socket.socket], None]


@dataclass
class RawServer:
    """Listens on a free loopback port; `requests` holds every request's bytes, in order of arrival."""

    behaviour: Behaviour
    tls: ssl.SSLContext | None = None
    connections: int = 0
    requests: list[bytes] = field(default_factory=list)
    stopping: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def url(self, host: str = "127.0.0.1") -> str:
        return f"{'https' if self.tls else 'http'}://{host}:{self.port}"

    def close(self) -> None:
        self.stopping.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, plain: socket.socket) -> None:
        with contextlib.suppress(OSError), plain:
            connection = self.tls.wrap_socket(plain, server_side=True) if self.tls else plain
            with connection:
                if getattr(self.behaviour, "reads", True):
                    self.requests.append(read_request(connection))
                self.behaviour(connection)


def read_request(connection: socket.socket) -> bytes:
    """The bytes of one whole request."""
    content = b""
    while b"\r\n\r\n" not in content:
        piece = connection.recv(65536)
        if not piece:
            return content
        content += piece
    head, _, body = content.partition(b"\r\n\r\n")
    lengths = [line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    while lengths and len(body) < int(lengths[0]):
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


def reply(body: bytes = b"", *, status: int = 200, kind: str = "application/json", more: str = "") -> bytes:
    """A whole answer with its length."""
    head = f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{more}\r\n"
    return head.encode("latin-1") + body


def says(content: bytes) -> Behaviour:
    """Answer with these bytes, then close."""
    return lambda connection: connection.sendall(content)


def reset(connection: socket.socket) -> None:
    """Cut the connection with RST."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def before_reading(behaviour: Behaviour) -> Behaviour:
    """The same, without a request being read first."""

    def act(connection: socket.socket) -> None:
        behaviour(connection)

    act.reads = False  # type: ignore[attr-defined]  # a mark on the function, which the server looks for
    return act


def close_silently(connection: socket.socket) -> None:
    """Close without a byte."""


def silence(connection: socket.socket) -> None:
    """Say nothing until the other side leaves."""
    with contextlib.suppress(OSError):
        connection.recv(1)
