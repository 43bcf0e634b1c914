"""The client that commands use, and cancelling a job by Ctrl-C.

Commands import what they need when they run, so that `hopline --help` is quick; hence the PLC0415 exemption.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING

from hopline.commands import waiting
from hopline.commands.console import notice
from hopline.models.strategies import AUTO, names_asking_graph

if TYPE_CHECKING:
    from producer.client.hopline import Hopline
    from producer.client.watch import JobWatch
    from workers.core.jobs.work import Event
    from workers.settings import Settings

_API_SECONDS = 3.0


@contextmanager
def open_client(*, ledger: bool = True) -> Iterator[Hopline]:
    """Yield a client on the configured servers; close it at the end.

    Args:
        ledger: look whether Redis answers first. The client itself would wait out a restart, which is
            right for a job under way and wrong for someone who mistyped an address.
    """
    from hopline.commands.client import refuse_an_api
    from producer.client.hopline import Hopline
    from workers.settings import load_settings

    refuse_an_api()
    settings = load_settings()
    quiet_logs(settings)
    if ledger:
        greet_redis(settings.redis_url.get_secret_value())
    with Hopline(settings) as client:
        yield client


def require_documents(client: Hopline, collection: str | Sequence[str], strategy: str | None) -> None:
    """Check that a question has documents to use, through the local stack's API if it runs.

    Raises:
        NoDocuments: nothing in the collection, or in one of several, can answer.
    """
    from hopline.errors import NoDocuments
    from producer.service.questions import needs_documents

    settings, strategy = client.services.settings, strategy or AUTO
    names = [collection] if isinstance(collection, str) else collection
    if len(names) == 1 and not needs_documents(settings, strategy):
        return
    url, known = _ask_warm_api()
    if not url:
        client.service.questions.require_documents(names, strategy)
        return
    for name in names:
        if not known.get(name):
            raise NoDocuments(name, known)


def require_collection(client: Hopline, collection: str | None) -> None:
    """Check that a collection is there, where one is named; one without a live document is not.

    Raises:
        NoDocuments: it is not; the error names the one that may be meant.
    """
    from hopline.errors import NoDocuments

    if collection is not None and collection not in (known := client.collections()):
        raise NoDocuments(collection, known)


def tell_of_other_tools(client: Hopline, strategy: str | None) -> None:
    """Warn if the workers' tools query another graph than the one that this shell names."""
    settings = client.services.settings
    if (strategy or AUTO) not in names_asking_graph() or not settings.tools_neo4j_url:
        return
    mine = settings.digests()
    names = [name for name in mine if name.startswith("tools_neo4j_")]
    theirs = client.service.settings_of_workers().values()
    if any(other.get(name, mine[name]) != mine[name] for other in theirs for name in names):
        notice(
            "Workers were started with another HOPLINE_TOOLS_NEO4J_URL or _USER than this shell has, so "
            "their tools ask another graph: `make up` starts the local stack's with these."
        )


def tell_of_model(client: Hopline) -> None:
    """Warn if the model answered nothing when it was asked last."""
    if trouble := client.service.model_trouble():
        notice(trouble)


def _ask_warm_api() -> tuple[str, dict[str, int]]:
    """Return the address of the local stack's API and the collections that it knows.

    Both are empty unless it runs with this shell's settings and asks for no key.
    """
    import json
    from http.client import HTTPConnection, HTTPException, HTTPSConnection
    from urllib.parse import urlsplit

    from hopline.certificates import tls_context
    from infra.local.settings import is_started_with, load_local_settings, settings_fingerprint
    from workers.core.server_address import prefix_of
    from workers.settings import load_settings

    settings = load_settings()
    if not settings.api_url or not is_started_with(settings.var, settings_fingerprint(load_local_settings())):
        return "", {}
    scheme, netloc, *_ = urlsplit(settings.api_url)
    if scheme == "https":
        trust = tls_context(settings.ca_file)
        api: HTTPConnection = HTTPSConnection(netloc, timeout=_API_SECONDS, context=trust)
    else:
        api = HTTPConnection(netloc, timeout=_API_SECONDS)
    try:
        api.request("GET", f"{prefix_of(settings.api_url)}/v1/collections")
        answer = api.getresponse()
        if answer.status != HTTPStatus.OK:
            return "", {}
        rows = json.loads(answer.read())["collections"]
        return settings.api_url, {row["name"]: row["documents"] for row in rows}
    except (OSError, HTTPException, ValueError, LookupError):
        return "", {}
    finally:
        api.close()


def quiet_logs(settings: Settings) -> None:
    """Send warnings of the adapters to stderr; stdout is for requested output."""
    from workers import logs

    logs.quiet_logs(settings)


def greet_redis(url: str) -> None:
    """Raise Redis's error at once if it does not answer."""
    from producer.service.startup import greet_redis as greet

    greet(url, _API_SECONDS)


def cancelling(client: Hopline, job_id: str, *, ask_first: bool = False) -> AbstractContextManager[None]:
    """Cancel the job on Ctrl-C, after asking if requested and a person is there to answer."""
    return waiting.cancelling(client.cancel, job_id, ask_first=ask_first)


def batches(watch: JobWatch) -> Iterator[list[Event]]:
    """Yield a job's events in batches as they come, until it has ended.

    Raises:
        KeyboardInterrupt: Ctrl-C came inside `cancelling`, and its exception was dropped.
    """
    while not watch.ended:
        batch = watch.poll()
        waiting.raise_dropped_interrupt()
        yield batch
