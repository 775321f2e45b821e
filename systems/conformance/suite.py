"""The checks as a class of tests, for whoever writes an adapter: subclass it in a test file of pytest.

    class TestOurs(AdapterConformance):
        def connect(self, base_url): return OurAdapter(config_at(base_url))
        def order(self): return Order("open", {"n": 1}, "T-1", 7, str(uuid.uuid4()), "queue")
        def page(self, references): return reply(json.dumps([{"ref": one} for one in references]).encode())

For a configuration file nothing needs to be written: `manage.py check_system FILE --conformance` runs the same checks.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from systems.adapters.base import Adapter, Order
from systems.conformance.bench import bench
from systems.conformance.bytesserver import reply
from systems.conformance.checks import CHECKS, Check

__all__ = ["AdapterConformance", "reply"]


class AdapterConformance:
    """One test for each check; what a subclass must bring is described in `subjects.Subject`."""

    def connect(self, base_url: str) -> Adapter:
        """A new adapter that speaks to this address."""
        raise NotImplementedError

    def order(self) -> Order:
        """An order that `prepare` takes, with a new reference."""
        raise NotImplementedError

    def page(self, references: Sequence[str]) -> bytes | None:
        """The whole answer of a search, made with `reply`; None: searching is not checked beyond its faults."""
        return None

    def fields(self) -> Mapping[str, Any]:
        """Fields as a first answer would have given them, for a cancellation."""
        return {}


def _test(check: Check) -> Callable[[AdapterConformance], None]:
    def test(self: AdapterConformance) -> None:
        with bench(self) as made:
            check(made)

    test.__doc__ = check.__name__.replace("_", " ")
    return test


for _name, _check in CHECKS.items():
    setattr(AdapterConformance, f"test_{_name}", _test(_check))
