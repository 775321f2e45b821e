"""Where a hand-over's time goes: statements counted, functions profiled, in this process.

python -m benchmarks profile --count 100 --sort tottime
"""

import cProfile
import pstats
import time
from collections.abc import Callable

from benchmarks.goals import Line
from benchmarks.stage import stage


def measure(*, count: int, sort: str, say: Callable[[str], None]) -> list[Line]:
    """Statements and milliseconds of processor time of one hand-over, and the profile, printed."""
    with stage(delay_ms=0) as scene:
        from django.db import connection
        from django.test.utils import CaptureQueriesContext

        from intents.dispatching import hand_over

        ids = scene.orders(2 * count + 21)
        for pk in ids[:20]:
            hand_over(pk, worker="bench")
        with CaptureQueriesContext(connection) as captured:
            hand_over(ids[20], worker="bench")
        for query in captured.captured_queries:
            say(query["sql"][:160])
        began = time.process_time()
        for pk in ids[21 : 21 + count]:
            hand_over(pk, worker="bench")
        spent = 1000 * (time.process_time() - began) / count
        profile = cProfile.Profile()
        profile.enable()
        for pk in ids[21 + count :]:
            hand_over(pk, worker="bench")
        profile.disable()
        pstats.Stats(profile).sort_stats(sort).print_stats(70)
        return [
            Line("statements of one hand-over", len(captured.captured_queries)),
            Line("processor time of one hand-over, in this process", spent, unit="ms"),
        ]
