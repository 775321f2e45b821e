"""procrastinate: a worker, and the retry of stalled jobs as its documentation has it (a periodic task, heartbeats).

`python -m benchmarks.peers.procrastinating publish COUNT | work SLOT | unfinished`
"""

import asyncio
import os
import sys

import procrastinate

from benchmarks.peers.posting import look_and_post

HEARTBEAT, STALLED = 1.0, 4.0  # seconds
app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=os.environ["PEER_DATABASE_URL"]))


@app.task(name="post", queue="bench", retry=5)
def post_order(reference: str) -> None:
    """The order."""
    look_and_post(reference)


@app.periodic(cron="* * * * * */2")
@app.task(name="retry_stalled", queue="bench", queueing_lock="retry_stalled")
async def retry_stalled(timestamp: int) -> None:
    """A job whose worker's heart stopped is tried again."""
    for job in await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=STALLED):
        await app.job_manager.retry_job(job)


async def publish(count: int) -> None:
    """The schema is there, and so many jobs wait."""
    async with app.open_async():
        await app.schema_manager.apply_schema_async()
        await post_order.batch_defer_async(*({"reference": f"r-{number}"} for number in range(count)))


async def work() -> None:
    """Two jobs at once, until killed."""
    async with app.open_async():
        await app.run_worker_async(
            concurrency=2,
            fetch_job_polling_interval=0.5,
            update_heartbeat_interval=HEARTBEAT,
            stalled_worker_timeout=STALLED,
        )


async def unfinished() -> None:
    """How many orders it knows not to be done."""
    async with app.open_async():
        jobs = await app.job_manager.list_jobs_async(task="post")
        print(sum(job.status != "succeeded" for job in jobs))


def main(name: str, *words: str) -> None:
    """What the command line asks for."""
    asyncio.run({"publish": lambda: publish(int(words[0])), "work": work, "unfinished": unfinished}[name]())


if __name__ == "__main__":
    from benchmarks.peers import procrastinating  # a worker finds its tasks in a module with a name, not in __main__

    procrastinating.main(*sys.argv[1:])
