"""Builds a client from parts with its calls, and wraps these as methods.

A method of a part that returns at once is wrapped by `call`. One that waits for jobs returns what is
`Pending`, and its wrapper waits (`call_to_end`). The asynchronous client has wrappers of its own. All keep
the method's name, docstring and signature, and say that they are the client's.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar

from producer.client.address import service_of

if TYPE_CHECKING:
    from producer.client.link import Link
    from producer.service.service import Service
    from workers.ledger.records import JobRecord

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Method = Callable[Concatenate[Any, Arguments], Result]
_HOPLINE = "producer.client.hopline.Hopline"


class Part:
    """Some of a client's calls.

    Args:
        link: the way to hopline.
    """

    def __init__(self, link: Link) -> None:
        self._link = link

    @property
    def _service(self) -> Service:
        """The service; only where the client does not work over HTTP."""
        return service_of(self._link)


@dataclass(frozen=True)
class Pending(Generic[Result]):
    """What is left to do of a call that has handed jobs over: wait for them, and make its result of them."""

    job_ids: tuple[str, ...]
    finish: Callable[[Sequence[JobRecord]], Result]
    timeout: float | None = None  # seconds to wait for each job; None waits until it has ended
    wait: bool = True  # for their end; else the result is made of the jobs as they stand

    @classmethod
    def job(
        cls,
        job_id: str,
        finish: Callable[[JobRecord], Result],
        timeout: float | None = None,
        *,
        wait: bool = True,
    ) -> Pending[Result]:
        """Return the same of one job."""
        return cls((job_id,), lambda records: finish(records[0]), timeout, wait)


def call(method: Method[Arguments, Result]) -> Method[Arguments, Result]:
    """Make a client's method of a part's method."""

    @wraps(method)
    def called(self: Any, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        return method(self._part(method), *args, **kwargs)

    return owned_by(_HOPLINE, called)


def call_to_end(method: Method[Arguments, Pending[Result]]) -> Method[Arguments, Result]:
    """Make a client's method of a part's method, which returns when the jobs have ended."""

    @wraps(method)
    def called(self: Any, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        pending = method(self._part(method), *args, **kwargs)
        for job_id in pending.job_ids if pending.wait else ():
            for _ in self.watch(job_id, timeout=pending.timeout):
                pass
        return pending.finish([self.job(job_id) for job_id in pending.job_ids])

    return owned_by(_HOPLINE, returning(called, method, "Pending[", ""))


Wrapper = TypeVar("Wrapper", bound=Callable[..., Any])


def owned_by(client: str, wrapper: Wrapper) -> Wrapper:
    """Name a wrapper as a method of a client.

    Args:
        client: the dotted name of its class.
        wrapper: that is named.
    """
    wrapper.__module__, _, kind = client.rpartition(".")
    wrapper.__qualname__ = f"{kind}.{wrapper.__name__}"
    return wrapper


def returning(wrapper: Wrapper, method: Callable[..., Any], before: str, after: str) -> Wrapper:
    """Write into a wrapper's signature and annotations what it returns, in place of what the method's does.

    Args:
        wrapper: whose signature is set.
        method: that it wraps, with annotations that are text.
        before: what the return annotation begins with, up to its "[".
        after: what stands there instead; "" for nothing, and then no bracket at the end either.
    """
    signature = inspect.signature(method)
    inner = str(signature.return_annotation).removeprefix(before)
    returns = after + inner if after else inner.removesuffix("]")
    wrapper.__signature__ = signature.replace(return_annotation=returns)  # type: ignore[attr-defined]
    wrapper.__annotations__ = {**method.__annotations__, "return": returns}  # wraps shares the method's own
    return wrapper
