"""A business system as quick as one process can be: it shows a case file, opens a review, and counts.

Run as `python -m benchmarks.target PORT DELAY_MS`. It speaks the part of the sandbox's interface that a hand-over
uses. `GET /_count` answers `{"posts", "references", "span"}`: requests to open a review, how many different
references they carried, and the seconds between the first and the last of them; `POST /_reset` forgets them.
"""

import asyncio
import json
import sys
import time


class Target(asyncio.Protocol):
    """One connection, one request: the answer closes it, as hand-overs use a fresh connection each."""

    seen: list[tuple[float, str]] = []
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
        method, path, *_ = head.split(b" ", 2)
        if method == b"POST" and path == b"/review-requests":
            asked = json.loads(body)
            self.seen.append((time.monotonic(), asked["client_ref"]))
            asyncio.get_running_loop().call_later(self.delay, self._say, b"201 Created", _opened(asked))
        elif path.startswith(b"/dossiers/"):
            asyncio.get_running_loop().call_later(self.delay, self._say, b"200 OK", _file(path[10:].decode()))
        elif path == b"/_count":
            self._say(b"200 OK", self._counted())
        elif path == b"/_reset":
            self.seen.clear()
            self._say(b"200 OK", {})
        else:
            self._say(b"404 Not Found", {"error": "not_found"})

    def _say(self, status: bytes, body: dict[str, object]) -> None:
        content = json.dumps(body).encode()
        head = b"HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
        self.transport.write(head % (status, len(content)) + content)  # type: ignore[attr-defined]
        self.transport.close()

    def _counted(self) -> dict[str, object]:
        times = [at for at, _ in self.seen]
        return {
            "posts": len(times),
            "references": len({reference for _, reference in self.seen}),
            "span": max(times) - min(times) if times else 0.0,
            "arrivals": [[at, reference] for at, reference in self.seen],
        }


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
