"""Runs the synchronous client's calls in threads for the asynchronous one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from producer.client.hopline import Hopline

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class InThreads(ABC):
    """A client whose calls are those of the synchronous one."""

    _client: Hopline

    @abstractmethod
    async def _run(
        self, call: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Result:
        """Return what a call returns, done in a thread."""
