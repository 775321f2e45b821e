"""A child process that stops at a named step, what is done to it there, and a proxy before the database."""

import contextlib
import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from django.db import connections

from tests.crash.apart import BOUND, ended, forked


class DatabaseProxy:
    """Stands between a child and PostgreSQL: `cut()` ends every connection; `swallow_commit()` loses one answer.

    A COMMIT whose acknowledgement is swallowed reached the server: what it did, only reading back can tell.
    """

    def __init__(self) -> None:
        self._upstream = _address_of_the_database()
        self._live: list[socket.socket] = []
        self._swallow = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Every connection that goes through here is reset; new ones are let through."""
        live, self._live = self._live, []
        for end in live:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def swallow_commit(self) -> None:
        """The next COMMIT reaches the server, and its answer reaches nobody."""
        self._swallow.set()

    def close(self) -> None:
        """Nobody is let through any more."""
        self._listener.close()
        self.cut()

    def use(self) -> None:
        """This process (a child) speaks to the database through here from now on."""
        for one in connections.all():
            one.settings_dict.update(HOST="127.0.0.1", PORT=str(self.port))

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = _connected(self._upstream)
            self._live += [client, server]
            committing = threading.Event()
            threading.Thread(target=self._ask, args=(client, server, committing), daemon=True).start()
            threading.Thread(target=self._answer, args=(server, client, committing), daemon=True).start()

    def _ask(self, client: socket.socket, server: socket.socket, committing: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while data := client.recv(65536):
                if b"COMMIT" in data and self._swallow.is_set():
                    self._swallow.clear()
                    committing.set()
                server.sendall(data)
        _end(client, server)

    def _answer(self, server: socket.socket, client: socket.socket, committing: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while data := server.recv(65536):
                if committing.is_set():
                    break
                client.sendall(data)
        _end(client, server)


def child(
    call: Callable[[], object], *, step: str, fault: Callable[[int], None], folder: Path, proxy: DatabaseProxy
) -> int:
    """Run the call in a forked process which stops at `step`; `fault(pid)` happens there, then it goes on.

    Returns its exit status: 0, 3 where its database failed it, or minus the signal that ended it; 4 where it never
    came to that step.
    """
    place = folder / "step"
    pid = forked(_speaking(proxy, call), failpoint=f"{step}:wait={place}:once={folder}/once")
    if not _arrived(pid, place):
        os.kill(pid, signal.SIGKILL)
        ended(pid)
        return 4
    fault(pid)
    place.with_suffix(".go").touch()
    return ended(pid)


def through(proxy: DatabaseProxy, call: Callable[[], object]) -> int:
    """Run the call in a forked process that speaks to its database through the proxy; its exit status, as `child`."""
    return ended(forked(_speaking(proxy, call)))


def _speaking(proxy: DatabaseProxy, call: Callable[[], object]) -> Callable[[], object]:
    def act() -> None:
        proxy.use()
        call()

    return act


def _arrived(pid: int, place: Path) -> bool:
    ends = time.monotonic() + BOUND
    while time.monotonic() < ends:
        if place.with_suffix(".here").exists():
            return True
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            return False
        time.sleep(0.005)
    return False


def _address_of_the_database() -> str | tuple[str, int]:
    given = connections["default"].settings_dict
    parts = urlsplit(os.environ["DATABASE_URL"])
    host, port = given["HOST"] or parts.hostname or "127.0.0.1", int(given["PORT"] or parts.port or 5432)
    return f"{host}/.s.PGSQL.{port}" if str(host).startswith("/") else (str(host), port)


def _connected(address: str | tuple[str, int]) -> socket.socket:
    if isinstance(address, str):
        server = socket.socket(socket.AF_UNIX)
        server.connect(address)
        return server
    return socket.create_connection(address)


def _end(*ends: socket.socket) -> None:
    for end in ends:
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
