# Written from hopline/aio by `python -m infra.client_code`: edit it there.
"""Sends a client's requests: keeps connections, repeats requests that may be repeated, follows events."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2

from hopline.errors import HoplineError
from hopline.operation import Operation, Sent
from hopline.transport import Endpoint, Options, Raw, Retries


class Connection:
    """The connections to one API, opened by the first request, and by the next one after they were closed.

    Args:
        endpoint: the API.
        transport: carries the requests, if they do not go over a socket.
    """

    def __init__(self, endpoint: Endpoint, transport: httpx2.BaseTransport | None) -> None:
        self.endpoint = endpoint
        self._transport = transport
        self._lock = threading.Lock()
        self._opened: httpx2.Client | None = None

    @property
    def client(self) -> httpx2.Client:
        """The HTTP client."""
        with self._lock:
            if self._opened is None:
                self._opened = httpx2.Client(transport=self._transport, **self.endpoint.client_options())
            return self._opened

    def close(self) -> None:
        """Close the connections."""
        with self._lock:
            opened, self._opened = self._opened, None
        if opened is not None:
            opened.close()


@dataclass(frozen=True)
class Session:
    """A client's connection, and the options of its requests.

    Attributes:
        connection: the connection to the API, which sessions with other options share.
        options: options of all its requests.
    """

    connection: Connection
    options: Options

    def send(self, operation: Operation, given: Mapping[str, Any]) -> Any:
        """Return an operation's result.

        Raises:
            HoplineError: as `exchange`; InvalidInput for an argument, before anything is sent.
        """
        reply = self.exchange(operation.request(given))
        return self.connection.endpoint.read(operation, reply)

    def send_raw(self, operation: Operation, given: Mapping[str, Any]) -> Raw[Any]:
        """Return an operation's result with status and headers; raises the same errors as `send`."""
        reply = self.exchange(operation.request(given))
        result = self.connection.endpoint.read(operation, reply)
        return Raw(result, reply.status_code, reply.headers, reply.headers.get("X-Request-ID", ""))

    def exchange(self, sent: Sent, **content: Any) -> httpx2.Response:
        """Return the reply to a request, which is sent again while that may help.

        Args:
            sent: the request.
            **content: a body that is not JSON, as HTTP clients accept it: data, files, content.

        Raises:
            HoplineError: the error that the API's problem describes; OtherVersion, NotTheApi.
            DependencyAway: the API does not answer. If it never has, this is raised within a second when
                connections are refused, and after one attempt of five seconds when nothing comes back; if
                it has answered before, after at most 20 seconds (it may be restarting).
        """
        endpoint, most = self.connection.endpoint, self.options.retries
        request = endpoint.request_options(sent, self.options) | content
        retries = Retries(endpoint, repeatable=sent.repeatable, most=most)
        while True:
            try:
                return self._once(request, sent.also)
            except HoplineError as error:
                pause = retries.pause(error)
                if pause is None:
                    raise
            time.sleep(pause)

    def _once(self, request: dict[str, Any], also: tuple[int, ...]) -> httpx2.Response:
        endpoint = self.connection.endpoint
        try:
            response = self.connection.client.request(**request)
        except httpx2.TransportError as error:
            raise endpoint.away(error) from error
        endpoint.check(response, also)
        return response

    @contextmanager
    def open(self, sent: Sent, timeout: httpx2.Timeout | None = None) -> Iterator[httpx2.Response]:
        """Send a request once and yield its reply, whose body is read as it arrives.

        Args:
            sent: the request.
            timeout: replaces that of the options.

        Raises:
            HoplineError: as `exchange`, also while the body is read.
        """
        endpoint = self.connection.endpoint
        request = endpoint.request_options(sent, self.options)
        if timeout is not None:
            request["timeout"] = timeout
        try:
            with self.connection.client.stream(**request) as response:
                if not response.is_success:
                    response.read()
                endpoint.check(response)
                yield response
        except httpx2.TransportError as error:
            raise endpoint.away(error) from error
