"""Where a hand-over's time goes: statements counted, functions profiled, in this process.

python -m benchmarks profile --count 100 --sort tottime
"""

import cProfile
import io
import pstats
import time
from collections.abc import Callable

from benchmarks.goals import Line
from benchmarks.stage import Stage, stage

WARM_UP = 20


def measure(*, count: int, sort: str, say: Callable[[str], None]) -> list[Line]:
    """Statements and milliseconds of processor time of one hand-over, and the profile, printed."""
    with stage(delay_ms=0) as scene:
        return run(scene, count=count, sort=sort, say=say)


def run(scene: Stage, *, count: int, sort: str, say: Callable[[str], None]) -> list[Line]:
    """The same on a stage that is set."""
    from intents.dispatching import hand_over

    ids = scene.orders(2 * count + WARM_UP + 1)
    for pk in ids[:WARM_UP]:
        hand_over(pk, worker="bench")
    statements = _statements(ids[WARM_UP])
    for statement in statements:
        say(statement[:160])
    began = time.process_time()
    for pk in ids[WARM_UP + 1 : WARM_UP + 1 + count]:
        hand_over(pk, worker="bench")
    spent = 1000 * (time.process_time() - began) / count
    say(_profiled(ids[-count:], sort))
    return [
        Line("statements of one hand-over", len(statements)),
        Line("processor time of one hand-over, in this process", spent, unit="ms"),
    ]


def _statements(intent_id: int) -> list[str]:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from intents.dispatching import hand_over

    with CaptureQueriesContext(connection) as captured:
        hand_over(intent_id, worker="bench")
    return [query["sql"] for query in captured.captured_queries]


def _profiled(ids: list[int], sort: str) -> str:
    from intents.dispatching import hand_over

    told = io.StringIO()
    with cProfile.Profile() as profile:
        for pk in ids:
            hand_over(pk, worker="bench")
    pstats.Stats(profile, stream=told).sort_stats(sort).print_stats(70)
    return told.getvalue()
