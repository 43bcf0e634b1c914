"""Turns the operations that the client declares into routes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

from fastapi import APIRouter, Body, Header, Path, Query, Request, Response
from pydantic import BaseModel, Field

from hopline.operation import Operation, Parameter, Right, operation_of, python_name
from producer.api.access import Admin, Caller, Reader, Submitter
from producer.api.context import Api, ApiContext
from producer.api.etags import ETAG
from producer.api.paging import LINK, linked, opened
from producer.api.problems import documented
from producer.api.shown_uris import told_uris
from producer.api.submission import REPLAY

Handler = TypeVar("Handler", bound=Callable[..., Any])

_CALLERS: Mapping[Right, Any] = {"read": Reader, "submit": Submitter, "admin": Admin}
_FROM_FASTAPI = (Request, Response)
_BODY = "hopline_body"  # no parameter of an operation is called so
_CALLER = "hopline_caller"
_REQUEST, _RESPONSE = "hopline_request", "hopline_response"  # of a list in pages


def serves(
    router: APIRouter,
    method: Callable[..., Any],
    *problems: int,
    status: int = 200,
    returned: Any = None,
    responses: Mapping[int | str, dict[str, Any]] | None = None,
    tagged: bool = False,
    **options: Any,
) -> Callable[[Handler], Handler]:
    """Register a handler as the route of a declared operation.

    The handler receives the arguments that it names: `api`, `caller` with the declared right, request and
    response by their types, and the operation's parameters. A group of parameters is passed under its own
    name, as a dict of those that were sent.

    Args:
        router: router that gets the route.
        method: the declaration, such as `AsyncWeights.list`.
        *problems: statuses of problems that the operation may return besides those of every route.
        status: status of a successful response.
        returned: type of a reply with this status, if the operation returns one of several types.
        responses: other responses to document, as for FastAPI.
        tagged: whether the reply has an ETag.
        **options: options of the route, as for FastAPI.
    """
    operation = operation_of(method)

    headers = (LINK if _is_paged(operation) else {}) | (ETAG if tagged else {})
    headers |= REPLAY if {"key", "wait"} <= operation.parameters.keys() else {}
    told: dict[int | str, dict[str, Any]] = {
        code: {**(responses or {}).get(code, {}), "headers": headers} for code in {200, status} if headers
    }

    def register(handler: Handler) -> Handler:
        router.add_api_route(
            operation.path,
            _endpoint(operation, handler),
            methods=[operation.method],
            status_code=status,
            operation_id=operation.id,
            name=operation.id,
            summary=operation.summary,
            description=operation.description or None,
            tags=[operation.noun.replace("_", " ")],
            responses={**(responses or {}), **_documented(operation, problems), **told},
            response_model=returned or _model(operation),
            **options,
        )
        return handler

    return register


def _documented(operation: Operation, problems: tuple[int, ...]) -> dict[int | str, dict[str, Any]]:
    """Return the problems of an operation; one without key and parameters has only its own."""
    if "if_match" in operation.parameters:
        problems = (*problems, 412)
    if operation.placed("body", "whole body"):
        problems = (*problems, 413, 415)
    return documented(*problems) if problems or operation.right != "none" or operation.parameters else {}


def _is_paged(operation: Operation) -> bool:
    return "cursor" in operation.parameters


def _model(operation: Operation) -> Any:
    is_json = not operation.streams and operation.returned not in (type(None), bytes)
    return operation.returned if is_json else None


def _endpoint(operation: Operation, handler: Callable[..., Any]) -> Callable[..., Any]:
    """Return a handler with the signature from which FastAPI makes the route."""
    named = _named(operation, handler)
    fields = [(each, python_name(each.name)) for each in operation.placed("body")]
    groups = {
        group: [each for each in operation.parameters.values() if each.group == group]
        for group in {each.group for each in operation.parameters.values()} & set(named)
    }
    is_paged = _is_paged(operation)
    as_pairs = {each.name: each.pairs for each in operation.placed("query") if each.pairs}

    def arguments(received: dict[str, Any]) -> dict[str, Any]:
        if is_paged:
            received["cursor"] = opened(operation.id, received["cursor"])
        if fields:
            body: BaseModel = received[_BODY]
            sent = body.model_fields_set
            received |= {
                each.name: getattr(body, name)
                for each, name in fields
                if name in sent or not _is_left_out(each)
            }
        for name, pairs in as_pairs.items():
            received[name] = None if received[name] is None else pairs.read(received[name])
        given = {name: received[name] for name in named if name in received}
        for group, parameters in groups.items():
            given[group] = {
                each.name: received[each.name] for each in parameters if received.get(each.name) is not None
            }
        return given

    def told(received: dict[str, Any], result: Any) -> Any:
        caller = received.get("caller") or received.get(_CALLER)
        api = received.get("api")
        return told_uris(result, caller, api) if api and caller else result

    async def awaited(**received: Any) -> Any:
        return told(received, await handler(**arguments(received)))

    def called(**received: Any) -> Any:  # in FastAPI's pool of threads
        result = told(received, handler(**arguments(received)))
        return linked(operation.id, result, received[_REQUEST], received[_RESPONSE]) if is_paged else result

    endpoint: Callable[..., Any] = awaited if inspect.iscoroutinefunction(handler) else called
    endpoint.__name__ = operation.id
    endpoint.__signature__ = inspect.Signature(_received(operation, handler))  # type: ignore[attr-defined]
    return endpoint


def _named(operation: Operation, handler: Callable[..., Any]) -> tuple[str, ...]:
    """Return the arguments that a handler names.

    Raises:
        TypeError: it names an unknown argument, or leaves out a parameter of the operation.
    """
    names, hints = tuple(inspect.signature(handler).parameters), get_type_hints(handler)
    groups = {each.group for each in operation.parameters.values() if each.group}
    said = {each.group if each.group in names else each.name for each in operation.parameters.values()}
    from_fastapi = {name for name in names if hints.get(name) in _FROM_FASTAPI}
    unknown = set(names) - said - groups - from_fastapi - {"api", "caller"}
    if unknown or (forgotten := said - set(names)):
        what = f"names {', '.join(sorted(unknown))}" if unknown else f"lacks {', '.join(sorted(forgotten))}"
        raise TypeError(f"the handler of {operation.id} {what}, which its declaration does not")
    return names


def _received(operation: Operation, handler: Callable[..., Any]) -> list[inspect.Parameter]:
    """Return the parameters that FastAPI passes to a route: of the process, the caller and the request."""
    hints = get_type_hints(handler)
    made: dict[str, tuple[Any, Any]] = {}
    for name in inspect.signature(handler).parameters:
        if hints.get(name) in _FROM_FASTAPI:
            made[name] = hints[name], inspect.Parameter.empty
        elif hints.get(name) is Api:
            made[name] = ApiContext, inspect.Parameter.empty
    if operation.right != "none":
        caller = "caller" if hints.get("caller") is Caller else _CALLER
        made[caller] = _CALLERS[operation.right], inspect.Parameter.empty
    for each in operation.placed("path", "query", "header", "whole body"):
        made[each.name] = _annotated(each)
    if _is_paged(operation):
        made |= {_REQUEST: (Request, inspect.Parameter.empty), _RESPONSE: (Response, inspect.Parameter.empty)}
    if operation.placed("body"):
        made[_BODY] = Annotated[operation.body, Body()], inspect.Parameter.empty
    return [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=hint, default=default)
        for name, (hint, default) in made.items()
    ]


def _annotated(parameter: Parameter) -> tuple[Any, Any]:
    """Return a parameter's annotation and default for FastAPI."""
    hint = parameter.hint
    if parameter.pairs:
        hint = Annotated[list[parameter.pairs.text], Field(max_length=parameter.pairs.most)]  # type: ignore[name-defined]
    if _is_left_out(parameter) and not _may_be_none(hint):
        hint = hint | None
    default = None if _is_left_out(parameter) else parameter.default
    named = {} if parameter.sent_as == parameter.name else {"alias": parameter.sent_as}
    described: dict[str, Any] = {"description": parameter.description, **named}
    match parameter.place:
        case "path":
            return Annotated[hint, Path(description=parameter.description)], inspect.Parameter.empty
        case "query":
            return Annotated[hint, Query(**described)], default
        case "header":
            return Annotated[hint, Header(**described)], default
        case _:
            return Annotated[hint, Body(description=parameter.description)], default


def _may_be_none(hint: Any) -> bool:
    kind = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    return type(None) in get_args(kind)


def _is_left_out(parameter: Parameter) -> bool:
    """Return whether a parameter that was not sent is left out, because it belongs to a group."""
    return not parameter.required and parameter.default is inspect.Parameter.empty
