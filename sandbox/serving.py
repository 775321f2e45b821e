"""Connections are accepted, one thread each, and every request is answered: honestly, or as a fault in force says."""

import socket
import sys
import threading
import traceback
from contextlib import suppress
from dataclasses import replace

from sandbox import ledgers, losing, lying, routing
from sandbox.control import Control, concerns
from sandbox.deferring import Deferred
from sandbox.exchange import Crossroads, Exchange
from sandbox.faults import FaultBook
from sandbox.storing import Store
from sandbox.wire import Connection, MalformedRequest, Reply, Request

FAULT_MODES = (losing, lying)  # importing them is what registers their modes


class Sandbox:
    """The running system: `start` listens, `stop` ends every connection and thread it began."""

    def __init__(self, store: Store, host: str, port: int) -> None:
        self._store = store
        self._faults = FaultBook()
        self._deferred = Deferred(store)
        self._crossroads = Crossroads()
        self._control = Control(store, self._faults, self._gauges, self._release)
        self._lock = threading.Lock()
        self._open: dict[Connection, threading.Thread] = {}
        self._held: set[Connection] = set()
        self._listener = socket.create_server((host, port), backlog=512)
        self._acceptor = threading.Thread(target=self._accept, name="acceptor", daemon=True)
        self._stopping = threading.Event()

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    def start(self) -> None:
        self._deferred.start()
        self._acceptor.start()

    def stop(self) -> None:
        """Nothing is listening or running any more, within half a second or so."""
        self._stopping.set()
        with suppress(OSError):  # not every platform lets a listening socket be shut down; closing it is enough there
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            running = dict(self._open)
        for connection in running:
            connection.let_go()
        for thread in running.values():
            thread.join(0.1)
        self._deferred.stop()

    def _gauges(self) -> dict[str, int]:
        with self._lock:
            return {"connections": len(self._open), "held": len(self._held), "threads": threading.active_count()}

    def _release(self) -> None:
        with self._lock:
            for connection in self._held:
                connection.let_go()

    def _hold(self, connection: Connection, seconds: float) -> bool:
        with self._lock:
            self._held.add(connection)
        try:
            return connection.hold(seconds)
        finally:
            with self._lock:
                self._held.discard(connection)

    def _accept(self) -> None:
        while not self._stopping.is_set():
            try:
                sock, _ = self._listener.accept()
                self._begin(Connection(sock))
            except OSError:
                self._stopping.wait(0.01)  # stopping, or out of descriptors for a moment

    def _begin(self, connection: Connection) -> None:
        thread = threading.Thread(target=self._converse, args=(connection,), name="connection", daemon=True)
        with self._lock:
            self._open[connection] = thread
        thread.start()

    def _converse(self, connection: Connection) -> None:
        try:
            while not self._stopping.is_set() and not connection.closed and (request := connection.read_request()):
                self._answer(connection, request)
        except MalformedRequest as error:
            with suppress(OSError):
                connection.write(Reply(error.status, {"error": "malformed", "detail": str(error)}).wire(closing=True))
        except OSError:
            pass  # the client left, was idle for too long, or was let go: nobody is there to be told
        except Exception:  # noqa: BLE001 - a defect must show as one 500 and a trace, not as a lost connection
            traceback.print_exc(file=sys.stderr)
            with suppress(OSError):
                connection.write(Reply(500, {"error": "internal"}).wire(closing=True))
        finally:
            connection.close()
            with self._lock:
                self._open.pop(connection, None)

    def _answer(self, connection: Connection, request: Request) -> None:
        if concerns(request):
            return connection.write(self._control.handle(request).wire())
        if request.path == "/healthz":
            return connection.write(Reply(200, {"ok": True}).wire())
        route = routing.find(request)
        template = route.template if route else None
        fault = self._faults.take(request, template)
        seq = ledgers.record_request(self._store, request, route=template, fault=fault.mode.name if fault else None)
        exchange = Exchange(
            request=replace(request, seq=seq),
            route=route,
            connection=connection,
            store=self._store,
            deferred=self._deferred,
            crossroads=self._crossroads,
            hold=self._hold,
            values=fault.values if fault else {},
        )
        return fault.mode.act(exchange) if fault else exchange.send(exchange.perform())
