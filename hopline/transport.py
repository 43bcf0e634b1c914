"""Requests and replies of any client, synchronous or not: addresses, headers, versions, when to repeat."""

from __future__ import annotations

import json
import os
import random
import time
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from importlib.metadata import version
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit

import httpx2
from pydantic import ValidationError

from hopline.certificates import distrust, named_authorities, tls_context
from hopline.errors import DependencyAway, HoplineError, InvalidInput, NotTheApi, OtherVersion, Transient
from hopline.machine import find_api, is_loopback
from hopline.operation import Operation, Sent
from hopline.principals import checked_principals
from hopline.problems import error_of
from hopline.secrets import guard
from hopline.traces import current_traceparent

VERSION_HEADER = "X-Hopline-Version"
ACT_AS_HEADER = "X-Hopline-Act-As"
TIMEOUT = 60.0  # seconds without a byte of the reply
RETRIES = 7
SILENCE = 60.0  # seconds, of an event stream; the server gives a sign of life more often
CONNECT = 5.0  # seconds
CONNECTIONS = httpx2.Limits(max_connections=512, max_keepalive_connections=64)
FIRST_ATTEMPTS = 3  # while it has never answered: then the address is wrong, or nothing runs there
PATIENCE = 20.0  # seconds until an API that is away, or has no room, is reported
_LONGEST_WAIT = 5.0  # seconds between two attempts, where the API says how long
FIRST_PAUSE, LONGEST_PAUSE, _JITTER = 0.1, 2.0, 0.2  # seconds, where it does not
# No request was sent: repeating it is safe, whatever it asks for.
_UNSENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)

Result = TypeVar("Result")


@dataclass(frozen=True)
class Raw(Generic[Result]):
    """A reply with its status and headers.

    Attributes:
        result: as the method returns it.
        status: the HTTP status.
        headers: by their names, in any case.
        request_id: what the server's log names the request.
    """

    result: Result
    status: int
    headers: Mapping[str, str]
    request_id: str


@dataclass(frozen=True)
class Options:
    """Options for sending requests.

    Attributes:
        timeout: seconds without a byte of the reply, added to those that a request waits for; None waits for
            as long as it takes.
        retries: maximum number of times that a request is sent again.
        act_as: the principals in whose name requests are made; None for oneself.
    """

    timeout: float | None = TIMEOUT
    retries: int = RETRIES
    act_as: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.timeout is not None and not self.timeout > 0:
            raise InvalidInput("timeout", self.timeout, "seconds, more than 0, or None")
        if self.retries < 0:
            raise InvalidInput("retries", self.retries, "0 or more")

    @classmethod
    def of(cls, timeout: float | None, retries: int, act_as: str | Sequence[str] | None) -> Options:
        """Return checked options.

        Raises:
            InvalidInput: a value is not valid.
        """
        return cls(timeout, retries, None if act_as is None else checked_principals("act_as", act_as))

    def timeouts(self, sent: Sent) -> httpx2.Timeout:
        """Return a request's timeouts: nobody waits for a connection for longer than five seconds."""
        connect = CONNECT if self.timeout is None else min(self.timeout, CONNECT)
        read = None if self.timeout is None else self.timeout + sent.waits
        return httpx2.Timeout(self.timeout, connect=connect, read=read)


class Endpoint:
    """The API at one address, with one key: its known properties, and how to make requests and read replies.

    Args:
        url: URL of the API; None takes it from HOPLINE_API_URL, or else that of this machine, if one runs.
        api_key: None takes it from HOPLINE_API_KEY; an API may need none.

    Raises:
        InvalidInput: there is no valid address.
    """

    def __init__(self, url: str | None, api_key: str | None) -> None:
        if url is None and not (url := os.environ.get("HOPLINE_API_URL")):
            if not (found := find_api()):
                message = (
                    "no API is named and none runs on this machine: set HOPLINE_API_URL, give its address: "
                    "Hopline(url), or start one with `hopline serve`"
                )
                raise InvalidInput("url", None, "the address of an API", message=message)
            url = found.url
            api_key = api_key or os.environ.get("HOPLINE_API_KEY") or found.token
        self.url = check_url(url)
        key = os.environ.get("HOPLINE_API_KEY", "") if api_key is None else api_key
        guard(key)
        self._authorization = f"Bearer {key}" if key else ""
        self.has_answered = False
        self._has_warned = False

    def client_options(self) -> dict[str, Any]:
        """Return what HTTP clients for this address are made with.

        Raises:
            InvalidInput: HOPLINE_CA_FILE names no certificates.
        """
        is_encrypted = urlsplit(self.url).scheme == "https"
        return {
            "base_url": self.url,
            "limits": CONNECTIONS,
            "trust_env": not is_loopback(self.url),
            "verify": not is_encrypted or tls_context(named_authorities(os.environ.get("HOPLINE_CA_FILE"))),
        }

    def request_options(self, sent: Sent, options: Options) -> dict[str, Any]:
        """Return a request as HTTP clients take it."""
        query = {name: _in_query(value) for name, value in sent.query.items() if value is not None}
        named = {
            "User-Agent": f"hopline/{own_version()}",
            VERSION_HEADER: own_version(),
            "Authorization": self._authorization,
            "traceparent": current_traceparent(),
            ACT_AS_HEADER: ",".join(options.act_as or ()),
            **sent.headers,
        }
        return {
            "method": sent.method,
            "url": sent.path,
            **({"params": query} if query else {}),  # empty ones would take those of the path away
            "headers": [(name.encode(), value.encode()) for name, value in named.items() if value],
            "timeout": options.timeouts(sent),
            **({"json": sent.body} if sent.has_body else {}),
        }

    def away(self, error: httpx2.TransportError) -> DependencyAway:
        """Return the error of a request that had no reply."""
        if why := distrust(error):
            return DependencyAway(f"the API at {self.url}: {why}")
        what = str(error) or type(error).__name__
        hint = "" if self.has_answered else "; is the address right, and does hopline run there?"
        return DependencyAway(f"the API at {self.url} does not answer: {what}{hint}")

    def check(self, response: httpx2.Response, also: Collection[int] = ()) -> None:
        """Check the server's version, then whether the request succeeded.

        Args:
            response: response of the server.
            also: statuses of failure whose reply is a result.

        Raises:
            OtherVersion: the server's major version is not ours.
            HoplineError: what the problem details say; NotTheApi.
        """
        self.has_answered = True
        self._compare(response.headers.get(VERSION_HEADER, ""))
        if not response.is_success and response.status_code not in also:
            raise error_of(response)

    def read(self, operation: Operation, response: httpx2.Response) -> Any:
        """Return the result of a reply.

        Raises:
            NotTheApi: the reply is none of this operation.
        """
        if response.status_code == HTTPStatus.NO_CONTENT:
            return None
        try:
            return operation.read(response.content)
        except ValidationError as error:
            place = f"{self.url}{response.request.url.path}"
            if any(each["type"] == "json_invalid" for each in error.errors(include_url=False)):
                raise NotTheApi(f"{place} does not answer in JSON: is it hopline's API?") from error
            first = error.errors(include_url=False)[0]
            field = ".".join(str(part) for part in first["loc"])
            raise NotTheApi(f"{place} returns an unexpected reply ({field}: {first['msg']})") from error

    def _compare(self, theirs: str) -> None:
        ours = own_version()
        if not theirs or self._has_warned or _series(theirs) == _series(ours):
            return
        theirs_major, ours_major = _series(theirs)[0], _series(ours)[0]
        advice = f"install it with: pip install 'hopline=={'.'.join(_series(theirs))}.*'"
        if theirs_major != ours_major:
            raise OtherVersion(f"the API at {self.url} is hopline {theirs}, and this is {ours}: {advice}")
        self._has_warned = True
        warnings.warn(
            f"the API at {self.url} is hopline {theirs}, and this is {ours}: {advice}", stacklevel=2
        )


class Retries:
    """Decides whether and when one request is sent again; begins with its first attempt.

    Args:
        endpoint: where it goes.
        repeatable: sending it twice does it once.
        most: how often it is sent again.
    """

    def __init__(self, endpoint: Endpoint, *, repeatable: bool, most: int) -> None:
        self._endpoint = endpoint
        self._repeatable = repeatable
        self._most = most
        self._failed = 0
        self._began = time.monotonic()

    def pause(self, error: HoplineError) -> float | None:
        """Return the seconds until the next attempt after a failure; None if there is none."""
        self._failed += 1
        cause = error.__cause__
        is_silent = isinstance(cause, httpx2.ConnectTimeout)  # packets are lost: 5 s each
        if not self._endpoint.has_answered and (is_silent or self._failed >= FIRST_ATTEMPTS):
            return None
        if not isinstance(error, Transient) or not (self._repeatable or isinstance(cause, _UNSENT)):
            return None
        if self._failed > self._most or time.monotonic() - self._began >= PATIENCE:
            return None
        if error.retry_after:
            return min(error.retry_after, _LONGEST_WAIT)
        jitter = random.uniform(0, _JITTER)  # noqa: S311 - spreads attempts
        return float(min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (self._failed - 1) + jitter))


@cache
def own_version() -> str:
    """Return the version of hopline that is installed."""
    return version("hopline")


def check_url(url: str) -> str:
    """Return the address of an API without a slash at its end.

    Raises:
        InvalidInput: it is not valid.
    """
    allowed = "an address such as https://hopline.example or http://127.0.0.1:8000"
    try:
        parts = urlsplit(url)
        known = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError as error:
        raise InvalidInput("url", url, allowed) from error
    if not known or parts.query or parts.fragment or parts.username or parts.password:
        raise InvalidInput("url", url if not parts.password else "one with a password", allowed)
    return url.rstrip("/")


def _in_query(value: Any) -> Any:
    """Return a value as a query string has it: an object as JSON without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) if isinstance(value, dict) else value


def _series(text: str) -> tuple[str, str]:
    """Return the major and minor part of a version."""
    major, _, rest = text.partition(".")
    return major, rest.partition(".")[0] or "0"
