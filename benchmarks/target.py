"""A business system as quick as one process can be: it shows a case file, opens a review, and counts.

Run as `python -m benchmarks.target PORT DELAY_MS`. It speaks the part of the sandbox's interface that hand-overs and
probes use, and makes an effect of every order it receives, at once; its answer comes after the delay. `GET /_count`
answers `{"posts", "references", "span"}`: orders received, how many different references they carried, and the seconds
between the first and the last of them; `GET /_arrivals` each order's monotonic instant and reference; `POST /_reset`
forgets them all.
"""

import asyncio
import json
import sys
import time


class Target(asyncio.Protocol):
    """One connection, one request: the answer closes it, as hand-overs use a fresh connection each."""

    seen: list[tuple[float, dict[str, object]]] = []
    delay = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to read."""
        self.transport, self.heard = transport, b""

    def data_received(self, data: bytes) -> None:
        """Answer once the whole request is here."""
        self.heard += data
        head, found, body = self.heard.partition(b"\r\n\r\n")
        if not found or len(body) < _length(head):
            return
        method, path, *_ = head.decode().split(" ", 2)
        if method == "POST" and path == "/review-requests":
            self._order(json.loads(body))
        elif path.startswith("/dossiers/"):
            self._later(b"200 OK", _file(path[10:]))
        elif path.startswith("/review-requests?client_ref="):
            self._later(b"200 OK", {"items": self._found(path.partition("=")[2])})
        elif path in _CONTROLS:
            self._say(b"200 OK", _CONTROLS[path](self.seen))
        else:
            self._say(b"404 Not Found", {"error": "not_found"})

    def _order(self, asked: dict[str, object]) -> None:
        self.seen.append((time.monotonic(), asked))
        self._later(b"201 Created", _opened(asked))

    def _found(self, reference: str) -> list[dict[str, object]]:
        return [_opened(asked) for _, asked in self.seen if asked["client_ref"] == reference]

    def _later(self, status: bytes, body: dict[str, object]) -> None:
        if not self.delay:
            self._say(status, body)
        else:
            asyncio.get_running_loop().call_later(self.delay, self._say, status, body)

    def _say(self, status: bytes, body: dict[str, object]) -> None:
        content = json.dumps(body).encode()
        head = b"HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
        self.transport.write(head % (status, len(content)) + content)  # type: ignore[attr-defined]
        self.transport.close()


def _counted(seen: list[tuple[float, dict[str, object]]]) -> dict[str, object]:
    times = [at for at, _ in seen]
    return {
        "posts": len(times),
        "references": len({asked["client_ref"] for _, asked in seen}),
        "span": max(times) - min(times) if times else 0.0,
    }


def _arrivals(seen: list[tuple[float, dict[str, object]]]) -> dict[str, object]:
    return {"arrivals": [[at, asked["client_ref"]] for at, asked in seen]}


def _forgotten(seen: list[tuple[float, dict[str, object]]]) -> dict[str, object]:
    seen.clear()
    return {}


_CONTROLS = {"/_count": _counted, "/_arrivals": _arrivals, "/_reset": _forgotten}


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0


def _file(reference: str) -> dict[str, object]:
    return {"dossier_ref": reference, "label": "A file", "state": "active", "version": 1, "establishment": "A"}


def _opened(asked: dict[str, object]) -> dict[str, object]:
    return {**asked, "request_ref": f"RR-{str(asked['client_ref'])[:8]}", "status": "open"}


async def _serve(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(Target, "127.0.0.1", port, backlog=512)
    print("ready", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    Target.delay = float(sys.argv[2]) / 1000
    asyncio.run(_serve(int(sys.argv[1])))
