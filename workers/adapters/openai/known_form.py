"""Keeps the form of request that is known to be taken, and shares what refusals taught of it."""

from __future__ import annotations

import threading
import time
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from workers.core.jobs.work import Json
from workers.core.models.learnt import Learnt

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Form = TypeVar("Form", bound="DataclassInstance")

_FRESH_SECONDS = 600.0  # then it is looked up again: others forget it, or find out more


class KnownForm(Generic[Form]):
    """The form of request that an endpoint takes for one model; thread-safe.

    Args:
        first: the form that is tried first, a frozen dataclass.
        learnt: what processes share.
        endpoint: the address of the endpoint.
        name: under which it is shared there.
    """

    def __init__(self, first: Form, learnt: Learnt, endpoint: str, name: str) -> None:
        self._first = self._form = first
        self._learnt = learnt
        self._endpoint = endpoint
        self._name = name
        self._fresh_until = 0.0  # monotonic seconds
        self._lock = threading.Lock()

    def get(self) -> Form:
        """Return the form that is known to be taken, or the first to try."""
        with self._lock:
            if time.monotonic() >= self._fresh_until:
                known = self._learnt.recall(self._endpoint, self._name)
                names = {field.name for field in fields(self._first)}
                changes: dict[str, Any] = {name: known[name] for name in known if name in names}
                self._form = replace(self._first, **changes)
                self._fresh_until = time.monotonic() + _FRESH_SECONDS
            return self._form

    def remember(self, form: Form, *, by_failing: bool = False) -> None:
        """Use a form from now on; one that was found because others failed may be chance: for a while."""
        with self._lock:
            self._form, self._fresh_until = form, time.monotonic() + _FRESH_SECONDS
        if not by_failing:
            self._learnt.keep(self._endpoint, self._name, self.changes())

    def changes(self) -> Json:
        """Return what refusals have changed of the first form."""
        first = vars(self._first)
        return {name: value for name, value in vars(self._form).items() if value != first[name]}
