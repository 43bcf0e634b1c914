"""Authenticates callers and checks what they may do: scopes, collections, their own jobs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from hashlib import sha256
from hmac import compare_digest
from typing import TYPE_CHECKING, Annotated, cast

import structlog
from fastapi import Depends, Request
from fastapi.dependencies.utils import get_flat_params
from fastapi.params import Query
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from fastapi.security.utils import get_authorization_scheme_param
from redis.exceptions import RedisError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection

from hopline.errors import InvalidInput, NoDocuments, NotFound, unknown_name
from hopline.models.audit import Via
from hopline.models.documents import Document
from hopline.models.jobs import JobFilter
from hopline.models.keys import KeyScope
from hopline.principals import EVERYONE, LOCAL_CALLER
from producer.api.context import Api, ApiContext
from producer.api.principals.header import BROWSER_HEADER, WITHIN_PRINCIPALS, acting_as
from producer.api.problems import Problem
from producer.api.request_metrics import route_of
from producer.reports.outcomes import QUERY_KIND
from producer.service.job_acts.acts import wanted
from producer.service.keys import LOCAL, OPENED, STORED, ApiKey, SignedText, is_needed, key_id, opened_by
from workers.core.audit import Actor, event_of, local_actor, set_actor
from workers.core.jobs.params import QueryParams, check_collection
from workers.core.jobs.records import JobRecord, Wanted
from workers.core.jobs.work import Job

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.types import Scope as RequestScope

log = structlog.get_logger()

_CALLER = "hop_caller"  # in a request's scope: who sends its body
_SEND = "send an API key: Authorization: Bearer hop_…; `hopline keys create` makes one"
_UNKNOWN = "this API key is not valid, or was revoked"
_UNSIGNED = "the signature does not match this message and a valid API key (docs/messages.md#keys)"
_LOCKED = (
    "an API key is needed and there is none any more: `hopline keys create` makes one, "
    "`hopline keys open` lets this machine do without"
)
_BROWSER = "browser "  # what the names of browsers begin with
_bearer = HTTPBearer(
    auto_error=False,
    scheme_name="apiKey",
    description="A key from `hopline keys create`. While no key exists, none is needed, and the server "
    "listens on the loopback only.",
)


class Caller:
    """The sender of a request.

    Args:
        key: their API key.
        acting: the principals that they act for; None for themselves.
        reads_paths: they run this server, so requests may name any path and address that it can read.
        browser: the id of a browser that needs no key; "" for none.
    """

    def __init__(
        self,
        key: ApiKey,
        acting: tuple[str, ...] | None = None,
        *,
        reads_paths: bool = False,
        browser: str = "",
    ) -> None:
        self.key = key
        self.acting = acting
        self.reads_paths = reads_paths
        self._browser = browser
        self.submitted: dict[str, bool] = {}  # idempotency key → an earlier request submitted its job

    @property
    def id(self) -> str:
        """The key's id; empty for the local caller."""
        return self.key.id

    @property
    def principals(self) -> tuple[str, ...] | None:
        """The principals for whom documents are read; None for all documents."""
        return self.key.principals if self.acting is None else self.acting

    @property
    def owner(self) -> str:
        """The owner of the caller's conversations: a key, a browser without one, or this machine.

        Principals that a key acts for have their own conversations. Browsers are named by a hash, because
        their ids are secrets.
        """
        browser = f"{_BROWSER}{sha256(self._browser.encode()).hexdigest()[:32]}" if self._browser else ""
        named = self.id or browser or LOCAL_CALLER
        return named if self.acting is None else f"{named} of {','.join(sorted(set(self.acting)))}"

    @property
    def sees_all(self) -> bool:
        """Whether jobs of other keys are shown."""
        return self.key.may("admin") and self.principals is None

    @property
    def collections(self) -> frozenset[str] | None:
        """The collections that the key is limited to; None for all."""
        return None if self.key.collections is None else frozenset(self.key.collections)

    @property
    def is_limited(self) -> bool:
        """Whether the key is limited to some collections."""
        return self.key.collections is not None

    def check_unlimited(self, why: str) -> None:
        """Refuse a key that is limited to some collections; `why` says what concerns all collections.

        Raises:
            Problem: it is limited.
        """
        if self.is_limited:
            raise Problem(403, f"the key {self.key.name!r} is limited to certain collections, and {why}")

    def collection(self, name: str) -> str:
        """Return a collection's name that the caller may use.

        Raises:
            InvalidInput: it is not valid.
            Problem: the key may not use the collection.
        """
        check_collection(name)
        if not self.sees(name):
            raise Problem(403, f"the key {self.key.name!r} may not use collection {name}")
        return name

    def own(self, record: JobRecord | None, job_id: str) -> JobRecord:
        """Return a job that the caller may see; others are not found.

        Raises:
            NotFound: it does not exist, or the caller may not see it.
        """
        if record is None or not self._owns(record.job) or not self.sees_all_of(record.job):
            raise NotFound(f"no job {job_id}: it never existed, or its record has expired")
        return record

    def _owns(self, job: Job) -> bool:
        if self.sees_all:
            return True
        if job.caller != self.id or (self.principals is not None and job.kind != QUERY_KIND):
            return False
        return self.acting is None or set(self.acting) == set(job.principals or ())

    def wanted_jobs(self, job_filter: JobFilter) -> Wanted | None:
        """Return the requested jobs that the caller may list; None if there are none.

        Raises:
            InvalidInput: there is no such kind of job, or no such step.
            Problem: the key may not use the collection.
        """
        asked, within = wanted(job_filter), self.collections
        kind, collection = job_filter.get("kind"), job_filter.get("collection")
        if collection is not None:
            within = frozenset({self.collection(collection)})
        if self.principals is not None and kind not in (None, QUERY_KIND):
            return None
        return asked.model_copy(
            update={
                "caller": "" if self.sees_all else self.id,
                "kind": kind if self.principals is None else QUERY_KIND,
                "collections": within,
                "principals": None if self.acting is None else frozenset(self.acting),
            }
        )

    def saw_more(self, job: Job) -> bool:
        """Return whether a job may have read documents that the caller may no longer see."""
        if self.principals is None:
            return False
        return job.principals is None or not set(job.principals) <= {*self.principals, EVERYONE}

    def own_key(self, key: str | None) -> str | None:
        """Return an idempotency key that is unique to the caller and the principals they act for."""
        if key is None or self.acting is None:
            return key
        return f"{key} of {','.join(sorted(self.acting))}"

    def document(self, document: Document | None, document_id: str) -> Document:
        """Return a document of a collection that the caller may use.

        Raises:
            NotFound: it does not exist, or the caller may not use its collection.
        """
        if document is None or not self.sees(document.collection):
            raise NotFound(f"no document {document_id}")
        return document

    def sees(self, collection: str) -> bool:
        """Return whether the key may use a collection."""
        return self.collections is None or collection in self.collections

    def sees_all_of(self, job: Job) -> bool:
        """Return whether the key may use all collections that a job reads."""
        return all(map(self.sees, job.collections))


async def check_sender(scope: RequestScope) -> None:
    """Check that the sender may call the API, before the first byte of the body is read.

    Raises:
        HTTPException: the key is missing or unknown, or cannot be checked now. The code that reads bodies
            passes on no other error.
    """
    api = cast("Api", scope["app"].state.api)
    try:
        scope[_CALLER] = await caller_with(api, HTTPConnection(scope))
    except Problem as error:
        raise HTTPException(error.status, str(error)) from error
    except RedisError as error:
        raise HTTPException(503, "Redis is unavailable", {"Retry-After": "2"}) from error


def shown_key(headers: Headers) -> str | None:
    """Return the API key in a request; None if it has none."""
    scheme, text = get_authorization_scheme_param(headers.get("authorization"))
    return text if scheme.lower() == "bearer" and text else None


async def needs_key(api: Api) -> bool:
    """Return whether a key is required: once this process has seen a key, it always is."""
    fields, opened, _ = await _stored_key(api, "")
    api.key_needed = is_needed(fields, seen=api.key_needed, opened=opened)
    return api.key_needed


async def caller_of(
    request: Request,
    api: ApiContext,
    _shown: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],  # for the documentation
) -> Caller:
    """Return the caller.

    Raises:
        Problem: the key is missing or unknown.
    """
    known = request.scope.get(_CALLER)
    caller = known if isinstance(known, Caller) else await caller_with(api, request)
    check_route(request.scope, caller)
    return caller


async def caller_with(api: Api, connection: HTTPConnection) -> Caller:
    """Return the sender of a request.

    Raises:
        Problem: the key is missing or unknown, or may not act for these principals.
    """
    text, signed = shown_key(connection.headers), getattr(connection.state, "signed", None)
    if api.token and text and compare_digest(text.encode(), api.token.encode()):
        connection.state.trusted = True
        connection.state.via = getattr(connection.state, "via", "cli")
    if getattr(connection.state, "trusted", False):  # this machine's user, or from within this process
        return await _caller_acting(api, connection, LOCAL)
    signed = signed if isinstance(signed, SignedText) else None
    shown = signed.key_id if signed else key_id(text) if text else None
    fields, opened, stored = await _stored_key(api, shown or "")
    api.key_needed = is_needed(fields, seen=api.key_needed, opened=opened)
    # Clients of OpenAI's API always send a key; one that was never made here is no claim to be anybody.
    if shown is None and api.loopback and not api.key_needed:
        return await _caller_acting(api, connection, LOCAL)
    key = signed.signer(stored) if signed else opened_by(text, stored) if text else None
    if key is None:
        locked = api.key_needed and fields <= 1  # nothing but the mark that a key is needed
        raise Problem(401, _LOCKED if locked else _UNSIGNED if signed else _UNKNOWN if text else _SEND)
    return await _caller_acting(api, connection, key)


async def _stored_key(api: Api, key_id: str) -> tuple[int, bool, str | None]:
    """Return the number of stored keys, whether servers need none, and a key as JSON."""
    pipeline = api.waiting.pipeline(transaction=False)
    pipeline.hlen(STORED)
    pipeline.exists(OPENED)
    pipeline.hget(STORED, key_id)
    fields, opened, key = await pipeline.execute()
    return fields, bool(opened), key


async def _caller_acting(api: Api, connection: HTTPConnection, key: ApiKey) -> Caller:
    """Return the caller with the principals they act for; a refused attempt is audited.

    Raises:
        Problem: the principals are not valid, or the key may not act for them.
    """
    try:
        trusted = bool(getattr(connection.state, "trusted", False))
        acting, browser = acting_as(connection.headers, key), connection.headers.get(BROWSER_HEADER, "")
        return Caller(key, acting, reads_paths=trusted, browser=browser)
    except Problem as refusal:
        event = event_of(_actor_of(connection, Caller(key)), "act-as", "principals")
        refused = event.model_copy(update={"outcome": "refused", "error": type(refusal).__name__})
        await run_in_threadpool(api.service.services.audit.note, [refused])
        raise


def check_route(scope: RequestScope, caller: Caller) -> None:
    """Check that a route shows only what the caller's principals may see; log who acts for whom.

    Raises:
        Problem: the route reads more.
    """
    if caller.principals is None:
        return
    method, path = str(scope["method"]), route_of(scope)
    if caller.acting is not None:
        log.info("request.acted_as", key=caller.id or LOCAL_CALLER, principals=caller.acting, path=path)
    if (method, path) not in WITHIN_PRINCIPALS:
        raise Problem(
            403,
            f"{method} {path} reads all documents, but this request may see only those of "
            f"{', '.join(caller.principals)}",
        )


def require_answerable(
    api: Api,
    caller: Caller,
    collections: Sequence[str],
    params: QueryParams,
    principals: Sequence[str] | None,
) -> None:
    """Check that a question has documents to read; errors name no collection that the caller may not see.

    Args:
        api: the API's state.
        caller: the caller.
        collections: the question's collections.
        params: the question's parameters.
        principals: the principals for whom its job will read; None for all documents.

    Raises:
        NoDocuments: nothing in the collection, or in one of several, can answer.
        EmbedderMismatch: the collections cannot be searched together.
        InvalidInput: a part of the scope matches no document.
    """
    questions = api.service.questions
    if caller.principals is not None:
        questions.require_visible(collections, caller.principals)
    else:
        try:
            questions.require_documents(collections, params.strategy)
        except NoDocuments as error:
            raise NoDocuments(error.collection, filter(caller.sees, error.known)) from None
    questions.check_embedders(collections)  # after: it names what the caller may not see
    questions.require_in_scope(collections, params, principals)


def is_revoked(api: Api, owner: str) -> bool:
    """Return whether the key of an owner (see `Caller.owner`) was revoked."""
    key = owner.split(" of ", 1)[0]
    return key != LOCAL_CALLER and not key.startswith(_BROWSER) and not api.service.keys.exists(key)


def seen_document(api: Api, caller: Caller, document_id: str) -> Document:
    """Return a document that the caller may see.

    Raises:
        NotFound: it does not exist, or the caller may not see it.
    """
    documents, principals = api.service.documents, caller.principals
    if principals is None:
        return caller.document(documents.find(document_id), document_id)
    # Who may see it is asked first: how long it takes must not tell a hidden one from one that is not there.
    return caller.document(documents.seen(document_id, principals), document_id).as_live


def _actor_of(request: HTTPConnection, caller: Caller) -> Actor:
    """Return the actor of a request; a request from this process names its origin."""
    state = request.state
    address = request.client.host if request.client else ""
    via: Via = getattr(state, "via", "http")
    if getattr(state, "trusted", False):
        local = local_actor(via)
        return local.model_copy(update={"acting": caller.acting or (), "request_id": state.request_id})
    return Actor(
        via=via,
        key=caller.key.id,
        name=caller.key.name,
        acting=caller.acting or (),
        address=getattr(state, "address", address),
        request_id=getattr(state, "request_id", ""),
    )


def _check_query_parameters(request: Request) -> None:
    """Refuse a query parameter that the route does not have, without its value, which may be secret."""
    if not request.query_params:
        return
    fields = get_flat_params(request.scope["route"].dependant)
    known = {field.alias for field in fields if isinstance(field.field_info, Query)}
    for name in request.query_params.keys() - known:
        if known:
            raise unknown_name("query parameter", name, known)
        raise InvalidInput("query parameter", name, "left out: this request takes no query parameters")


def _needing(scope: KeyScope) -> Callable[[Request, Caller], Awaitable[Caller]]:
    async def check(request: Request, caller: Annotated[Caller, Depends(caller_of)]) -> Caller:
        if not caller.key.may(scope):
            raise Problem(403, f"the key {caller.key.name!r} lacks the scope {scope!r}")
        _check_query_parameters(request)
        request.state.caller = caller.id
        request.state.seen_by = caller
        set_actor(_actor_of(request, caller))
        return caller

    return check


Reader = Annotated[Caller, Depends(_needing("read"))]
Submitter = Annotated[Caller, Depends(_needing("submit"))]
Admin = Annotated[Caller, Depends(_needing("admin"))]
