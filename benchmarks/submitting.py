"""Submissions beside a bare DRF view that stores the same JSON, on the same server in the same run.

    python -m benchmarks submitting --count 200 --pairs 7 --clients 4

Interleaved batches in changing order, over connections that stay open; the first of each is dropped. Three sides:
`bare` stores the JSON alone; `ours` authenticates, validates, decides and journals a tool that has no target; `ours and
a look` observes a target over HTTP besides, on a fresh connection, as every such submission does (nothing is cached).
Counted are requests a second, the 95th percentile, and the processor time of the server.
"""

import http.client
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count as numbers
from statistics import median
from typing import Any
from urllib.parse import urlsplit

import yaml

from benchmarks import processors
from benchmarks.goals import Line
from benchmarks.ratios import percentile, ratio
from benchmarks.stage import Stage, stage
from tests.processes import answers, free_port, until

SIDES = ("bare", "ours", "ours and a look")
GOAL, FLOOR = 0.90, 0.50
MOST_QUERIES, MOST_VALIDATION = 8, 0.05
TOOL = "noter_une_revue"


@dataclass(frozen=True)
class Batch:
    """Requests a second, the seconds of each, and processor milliseconds of the server for one."""

    rate: float
    each: Sequence[float]
    server_ms: float


def measure(*, count: int, pairs: int, clients: int, say: Callable[[str], None]) -> list[Line]:
    """Ratios of throughput to the bare view; statements and the share of validation of one submission."""
    with stage(delay_ms=0) as scene:
        return run(scene, count=count, pairs=pairs, clients=clients, say=say)


def run(scene: Stage, *, count: int, pairs: int, clients: int, say: Callable[[str], None]) -> list[Line]:
    """The same on a stage that is set."""
    publish(scene)
    url, server = serve(scene)
    secret = scene.world.secrets["agent-a"]
    fresh = numbers()
    batches: dict[str, Callable[[], Batch]] = {
        name: lambda name=name: _batch(url, server, secret, name, [next(fresh) for _ in range(count)], clients)
        for name in SIDES
    }
    for batch in batches.values():
        batch()
    seen: dict[str, list[Batch]] = {name: [] for name in SIDES}
    for pair in range(pairs):
        for name in SIDES if pair % 2 == 0 else reversed(SIDES):
            seen[name].append(batches[name]())
        say("  ".join(f"{name} {seen[name][-1].rate:.0f}/s" for name in SIDES))
    return [*told(seen), *_inside(scene)]


def told(seen: Mapping[str, Sequence[Batch]]) -> list[Line]:
    """The lines of the table."""
    lines = []
    for name, aim in (("ours", (GOAL, FLOOR)), ("ours and a look", (None, None))):
        one = ratio(*([batch.rate for batch in seen[side]] for side in (name, "bare")))
        lines.append(Line(f"submissions a second, {name}, to a bare view", one.median, one.low, *aim))
        cost = ratio(*([batch.server_ms for batch in seen[side]] for side in (name, "bare")))
        lines.append(Line(f"server's processor time, {name}, to a bare view", cost.median, cost.high, more=False))
    for name, runs in seen.items():
        each = [1000 * one for batch in runs for one in batch.each]
        lines.append(Line(f"{name}", median(batch.rate for batch in runs), unit="/s"))
        lines.append(Line(f"{name}, 95th percentile", percentile(each, 0.95), unit="ms"))
        lines.append(Line(f"{name}, server", median(batch.server_ms for batch in runs), unit="ms"))
    return lines


def publish(scene: Stage) -> None:
    """A tool without target is active, and no budget ends the measurement; so is the ordinary one."""
    from proposals import publishing
    from tests.world import contract_text

    plenty = {"per_agent": "999999/min", "per_session": "999999/min"}
    scene.world.publish("ouvrir_revue_dossier-2", version="90", policy={"budget": plenty})
    document = yaml.safe_load(contract_text("ouvrir_revue_dossier-2", policy={"budget": plenty}))
    document |= {"name": TOOL, "version": "1", "rules": [], "roles_of_arguments": {"reason": "reason_code"}}
    document["headline"] = {"en": "Note a review", "fr": "Noter une revue"}
    document["policy"]["version_change"] = "ignore"
    del document["words"]["target"], document["execution"]["compensation"]
    people = scene.world.people
    version = publishing.publish(
        text=json.dumps(document),
        file_name=f"{TOOL}.yaml",
        by=people["owner"],
        organization=scene.world.demo,
    )
    publishing.activate(organization=scene.world.demo, name=version.name, version=version.version, by=people["owner2"])


def serve(scene: Stage) -> tuple[str, int]:
    """The product's server with the bare view beside it: its address and its process."""
    from django.db import connection

    from benchmarks.bare_door import TABLE

    with connection.cursor() as cursor:
        cursor.execute(TABLE)
    port = free_port()
    command = f"gunicorn config.wsgi:application --config python:config.serving --bind 127.0.0.1:{port}"
    command += " --workers 2 --threads 4 --worker-class gthread --keep-alive 60 --log-level error"
    process = scene.start(*command.split(), DJANGO_SETTINGS_MODULE="benchmarks.served")
    until(lambda: answers(f"http://127.0.0.1:{port}/healthz/live"), what="the web server")
    return f"http://127.0.0.1:{port}", process.pid


def body_of(name: str, number: int) -> bytes:
    """The same JSON on every side, of a session of its own: nobody repeats anybody."""
    told: dict[str, Any] = {
        "tool": "ouvrir_revue_dossier" if name == "ours and a look" else TOOL,
        "arguments": {"dossier_ref": "D-1", "expected_version": 1, "reason_code": "ECART_MONTANT"},
        "suggestion": "The amount on the last invoice does not match the order.",
        "session": f"bench-{number}",
    }
    return json.dumps({"body": told} if name == "bare" else told).encode()


def _batch(url: str, server: int, secret: str, name: str, fresh: Sequence[int], clients: int) -> Batch:
    path = "/bare" if name == "bare" else "/api/v1/proposals"
    left, each, lock = iter([(number, body_of(name, number)) for number in fresh]), [], threading.Lock()
    before, began = processors.seconds(server), time.monotonic()
    workers = [threading.Thread(target=_send, args=(url, path, secret, left, each, lock)) for _ in range(clients)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    spent, took = processors.seconds(server) - before, time.monotonic() - began
    assert len(each) == len(fresh), f"{name}: {len(each)} of {len(fresh)} were created"
    return Batch(len(fresh) / took, each, 1000 * spent / len(fresh))


def _send(
    url: str, path: str, secret: str, left: Iterator[tuple[int, bytes]], each: list[float], lock: threading.Lock
) -> None:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)
    while True:
        with lock:
            taken = next(left, None)
        if taken is None:
            break
        headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
        headers["Idempotency-Key"] = f"bench-{taken[0]}"
        began = time.monotonic()
        connection.request("POST", path, taken[1], headers)
        answer = connection.getresponse()
        answer.read()
        if answer.status == 201:
            each.append(time.monotonic() - began)
    connection.close()


def _inside(scene: Stage) -> list[Line]:
    """Statements of one submission, and how much of its time goes into judging its arguments; in this process."""
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    from proposals.arguments import check
    from proposals.contracts import contract_of
    from proposals.queries import active_version

    secret = scene.world.secrets["agent-a"]
    client = Client(headers={"Authorization": f"Bearer {secret}", "Host": "localhost"})

    def submit(number: int) -> None:
        answer = client.post("/api/v1/proposals", body_of("ours", number), content_type="application/json")
        assert answer.status_code == 201, answer.content

    for number in range(10):
        submit(1_000_000 + number)
    with CaptureQueriesContext(connection) as queries:
        submit(1_000_100)
    statements = len(queries)  # read now: the next request clears the log
    whole = _mean(lambda number: submit(1_000_200 + number), 100)
    version = active_version(scene.world.demo, TOOL)
    assert version is not None
    contract, arguments = contract_of(version), json.loads(body_of("ours", 0))["arguments"]
    judged = _mean(lambda _number: check(contract, arguments), 1000)
    return [
        Line("statements of one submission", statements, goal=MOST_QUERIES, more=False),
        Line("share of judging arguments", judged / whole, goal=MOST_VALIDATION, more=False),
    ]


def _mean(act: Callable[[int], object], times: int) -> float:
    began = time.process_time()
    for number in range(times):
        act(number)
    return (time.process_time() - began) / times
