"""DBOS: a workflow of one step, on a queue; an executor that starts again takes its own unfinished workflows up.

`python -m benchmarks.peers.dbos_jobs publish COUNT | work SLOT | unfinished`
"""

import os
import sys
import time

from dbos import DBOS, DBOSClient

from benchmarks.peers.posting import look_and_post

URL = os.environ["PEER_DATABASE_URL"]
VERSION = "1"


@DBOS.step()
def post_order(reference: str) -> None:
    """The order."""
    look_and_post(reference)


@DBOS.workflow()
def order(reference: str) -> None:
    """A workflow of one step."""
    post_order(reference)


def launch(slot: str) -> None:
    """This process is the executor of that name."""
    DBOS(
        config={
            "name": "bench",
            "system_database_url": URL,
            "executor_id": slot,
            "application_version": VERSION,
            "log_level": "ERROR",
        }
    )
    DBOS.launch()
    DBOS.register_queue("bench", worker_concurrency=2, polling_interval_sec=0.1)


def publish(count: str) -> None:
    """The schema is there, and so many workflows wait."""
    launch("publisher")
    DBOS.destroy()
    client = DBOSClient(system_database_url=URL)
    for number in range(int(count)):
        options = {"queue_name": "bench", "workflow_name": "order", "app_version": VERSION}
        client.enqueue({**options, "workflow_id": f"r-{number}"}, f"r-{number}")  # type: ignore[typeddict-item]  # as documented


def work(slot: str) -> None:
    """Two workflows at once, until killed."""
    launch(slot)
    while True:
        time.sleep(60)


def unfinished() -> None:
    """How many orders it knows not to be done."""
    found = DBOSClient(system_database_url=URL).list_workflows()
    print(sum(one.status != "SUCCESS" for one in found))


if __name__ == "__main__":
    {"publish": publish, "work": work, "unfinished": unfinished}[sys.argv[1]](*sys.argv[2:])
