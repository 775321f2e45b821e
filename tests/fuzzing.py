"""Makes the locked versions of schemathesis and of what makes its values understand each other."""

from collections.abc import Iterator
from types import SimpleNamespace

import hypothesis_jsonschema._from_schema as values
import pytest
from hypothesis.internal.conjecture import utils
from schemathesis.specs.openapi import _hypothesis


class Many(utils.many):
    """Hypothesis counts the parts of a collection in a loop now; hypothesis-jsonschema still asks for each of them."""

    _counting: Iterator[None] | None = None

    def more(self) -> bool:
        """Whether there is one more part."""
        if self._counting is None:
            self.__enter__()
            self._counting = iter(self)
        return next(self._counting, self) is None


def agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """For the length of one test: values are made, whatever the other versions call things."""
    monkeypatch.setattr(values, "cu", SimpleNamespace(**{**vars(utils), "many": Many}))
    # schemathesis asks jsonschema-rs for a method that is called otherwise now; None leaves the value to the other.
    monkeypatch.setattr(_hypothesis, "_canonical_strategy_or_none", lambda *_about: None)
