"""A small TCP proxy of the tests, which can stop listening at an exact moment."""

import contextlib
import socket
import threading
from urllib.parse import urlsplit


class Proxy:
    """Forwards loopback connections to `upstream`; `only(n)` lets n more through and then refuses at the socket."""

    def __init__(self, upstream: str) -> None:
        parts = urlsplit(upstream)
        self._upstream = (parts.hostname or "127.0.0.1", parts.port or 80)
        self._left: int | None = None
        self._live: list[socket.socket] = []
        self._listener = self._listen(0)
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._serve()

    def only(self, connections: int) -> None:
        """After so many more connections nobody listens any more."""
        self._left = connections

    def cut(self) -> None:
        """Nobody listens any more, and every connection is reset."""
        self.close()
        live, self._live = self._live, []
        for end in live:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def listen_again(self) -> None:
        """Listen on the same port, without a limit."""
        self._left = None
        self.close()
        self._listener = self._listen(self.port)
        self._serve()

    def close(self) -> None:
        """Stop listening."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    @staticmethod
    def _listen(port: int) -> socket.socket:
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen(64)
        return listener

    def _serve(self) -> None:
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            if self._left is not None:
                self._left -= 1
                if self._left <= 0:
                    self.close()
            server = socket.create_connection(self._upstream)
            self._live += [client, server]
            for source, target in ((client, server), (server, client)):
                threading.Thread(target=self._pump, args=(source, target), daemon=True).start()

    @staticmethod
    def _pump(source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
