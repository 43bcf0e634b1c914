"""Declares operations: a method of the client says all that a route and a command need to know."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    ParamSpec,
    Required,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)
from urllib.parse import quote
from uuid import uuid4

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    TypeAdapter,
    ValidationError,
    create_model,
)
from pydantic.fields import FieldInfo

from hopline.allowed_values import InWords, allowed_in_words
from hopline.errors import InvalidInput, NotFound
from hopline.problems import PARAMETERS

Right = Literal["none", "read", "submit", "admin"]
Method = Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
Place = Literal["path", "query", "header", "body", "whole body"]

P = ParamSpec("P")
Result = TypeVar("Result")
Declared = TypeVar("Declared", bound=Callable[..., Any])

_IN_QUERY = frozenset(("GET", "HEAD", "DELETE"))  # methods whose parameters stand in the address
_REPEATABLE = frozenset(("GET", "HEAD", "PUT", "DELETE"))
_WAIT = "wait"  # the parameter for how many seconds a reply may be held back
_FAILURES = tuple(range(400, 600))  # statuses
KEPT_IN_KEYS = "!#$&'()*+,/:;=?@[]^`{|}"  # characters of an idempotency key that a header can hold


@dataclass(frozen=True)
class Header:
    """Marks a parameter that is sent as a header.

    Args:
        name: of the header.
        quoted: characters that a header cannot hold are percent-encoded.
        generated: a client that is given no value sends a new one. It makes the request safe to repeat.
    """

    name: str
    quoted: bool = False
    generated: bool = False


@dataclass(frozen=True)
class Query:
    """Marks a parameter in the query string, of a method whose parameters are the body's fields.

    Args:
        name: in the query string, where it differs from the parameter's.
    """

    name: str = ""


@dataclass(frozen=True)
class Pairs:
    """Marks a mapping that a query string holds as texts NAME=VALUE; in a body it is an object.

    Args:
        name: of each of these parameters in the query string.
        text: the type of one text.
        read: returns the mapping that the texts mean.
        most: how many texts there may be.
    """

    name: str
    text: Any
    read: Callable[[Sequence[str]], Mapping[str, str]]
    most: int


@dataclass(frozen=True)
class Body:
    """Marks the parameter that is the whole body."""


IdempotencyKey = Annotated[
    Annotated[
        str,
        StringConstraints(min_length=1, max_length=200, pattern=r"^[\x21-\x7e]+$"),
        InWords("1 to 200 letters, digits and signs, without blanks"),
    ]
    | None,
    Header("Idempotency-Key", quoted=True, generated=True),
    Field(
        description="Idempotency key: repeating a request with the same key and body returns the same job."
    ),
]

IfMatch = Annotated[
    Annotated[str, StringConstraints(min_length=1, max_length=1000)] | None,
    Header("If-Match"),
    Field(
        description="The ETag of the object as it was read; if it has changed since, the reply is 412. * "
        "matches any existing object."
    ),
]

Cursor = Annotated[
    str,
    StringConstraints(max_length=3000, pattern=r"^[A-Za-z0-9_-]*$"),
    InWords("the `next` of a page of the same list"),
    Field(description="The `next` of the previous page."),
]

Wait = Annotated[
    float,
    Query(),
    Field(ge=0, description="Seconds to wait for the job's end, up to the server's limit."),
]


@dataclass(frozen=True)
class Parameter:
    """One parameter of an operation.

    Attributes:
        name: in Python.
        hint: its type with everything that annotates it.
        default: inspect.Parameter.empty where it is required, or where its group only holds what is given.
        required: whether it must be given.
        place: where it is in a request.
        sent_as: its name there.
        group: the name of the keyword arguments that it belongs to; "" for a parameter of its own.
    """

    name: str
    hint: Any
    default: Any
    required: bool
    place: Place
    sent_as: str
    group: str = ""

    @cached_property
    def marks(self) -> tuple[Any, ...]:
        """All that annotates the type, an optional type's too; the outermost last."""
        return tuple(_marks(self.hint))

    @property
    def description(self) -> str | None:
        """Its description; None if it has none."""
        texts = [mark.description for mark in self.marks if isinstance(mark, FieldInfo) and mark.description]
        return texts[-1] if texts else None

    @property
    def header(self) -> Header | None:
        """The header that it is; None if it is none."""
        return next((mark for mark in self.marks if isinstance(mark, Header)), None)

    @property
    def pairs(self) -> Pairs | None:
        """Return its pairs in a query string, if it belongs there."""
        if self.place != "query":
            return None
        return next((mark for mark in self.marks if isinstance(mark, Pairs)), None)

    @property
    def field(self) -> tuple[Any, Any]:
        """Type and default, as a model takes them; one without a default may be left out of its group."""
        options: dict[str, Any] = {}
        if hasattr(BaseModel, self.name):  # schema, copy …: a field may not have a method's name
            options["alias"] = self.name
        if not self.required and self.default is inspect.Parameter.empty:
            options["default_factory"] = lambda: None
        elif not self.required:
            options["default"] = self.default
        return self.hint, Field(**options)


@dataclass(frozen=True)
class Sent:
    """A request of an operation, not yet bound to a server.

    Attributes:
        method: of HTTP.
        path: with its parameters, quoted.
        query: values as JSON has them; a list is sent as several parameters of one name.
        headers: of this operation alone.
        body: JSON, where there is one.
        has_body: whether there is.
        repeatable: sending it twice does it once.
        waits: seconds for which the API may take its time, because it was asked to.
        also: statuses of failure whose reply is a result.
    """

    method: str
    path: str
    query: Mapping[str, Any]
    headers: Mapping[str, str]
    body: Any
    has_body: bool
    repeatable: bool
    waits: float = 0.0
    also: tuple[int, ...] = ()

    @classmethod
    def of(cls, method: Method, path: str, query: Mapping[str, Any], body: Any) -> Sent:
        """Return a request of no declared operation, whose reply is a result whatever its status.

        Args:
            method: of HTTP.
            path: below the API's address, with or without a slash before it.
            query: values by name; a list is sent as several parameters.
            body: JSON; None is none.
        """
        return cls(
            method=method,
            path=f"/{path.lstrip('/')}",
            query=query,
            headers={},
            body=body,
            has_body=body is not None,
            repeatable=method in _REPEATABLE,
            waits=_seconds(query.get(_WAIT)),
            also=_FAILURES,
        )


@dataclass(frozen=True)
class Operation:
    """An operation: its route, and its parameters and result from the method's signature.

    Attributes:
        function: the declared method; its body never runs.
        method: of HTTP.
        path: with the names of parameters between braces.
        right: what an API key needs.
        safe: doing it twice is doing it once.
        streams: it gives events, one after another.
        also: statuses of failure whose reply is a result, too.
    """

    function: Callable[..., Any] = field(repr=False)
    method: Method
    path: str
    right: Right
    safe: bool
    streams: bool = False
    also: tuple[int, ...] = ()

    @property
    def noun(self) -> str:
        """The attribute of a client that has it, in lower case: weights."""
        return self._names[0]

    @property
    def id(self) -> str:
        """Its name in the OpenAPI document: weights_list."""
        return "_".join(self._names)

    @property
    def _names(self) -> tuple[str, str]:
        owner, _, name = self.function.__qualname__.rpartition(".")
        words = "".join(
            f"_{c.lower()}" if c.isupper() else c for c in owner.rpartition(".")[2].removeprefix("Async")
        )
        return words.lstrip("_"), name.rstrip("_")

    @property
    def summary(self) -> str:
        """The first line of its documentation."""
        return inspect.cleandoc(self.function.__doc__ or "").partition("\n")[0]

    @property
    def description(self) -> str:
        """The documentation below the first line, without sections for readers of Python."""
        text = inspect.cleandoc(self.function.__doc__ or "").partition("\n")[2].strip("\n")
        for section in ("Args:", "Returns:", "Raises:", "Yields:"):
            text = f"\n{text}".partition(f"\n{section}\n")[0].strip("\n")
        return text

    @cached_property
    def signature(self) -> inspect.Signature:
        """The method's signature without `self`."""
        signature = inspect.signature(self.function)
        return signature.replace(parameters=list(signature.parameters.values())[1:])

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """All parameters by their names in Python, those of a group in its place."""
        hints = get_type_hints(self.function, include_extras=True)
        found: dict[str, Parameter] = {}
        for name, parameter in self.signature.parameters.items():
            hint = hints[name]
            if parameter.kind is inspect.Parameter.VAR_KEYWORD:
                group = get_args(hint)[0]  # of Unpack
                for each, kind in get_type_hints(group, include_extras=True).items():
                    required = each in group.__required_keys__
                    found[each] = self._placed(each, _bare(kind), inspect.Parameter.empty, required, name)
            else:
                required = parameter.default is inspect.Parameter.empty
                found[name] = self._placed(name, hint, parameter.default, required)
        return found

    def _placed(self, name: str, hint: Any, default: Any, required: bool, group: str = "") -> Parameter:  # noqa: FBT001
        place: Place = "query" if self.method in _IN_QUERY else "body"
        sent_as = name
        if f"{{{name}}}" in self.path:
            place = "path"
        for mark in _marks(hint):
            match mark:
                case Header():
                    place, sent_as = "header", mark.name
                case Query():
                    place, sent_as = "query", mark.name or name
                case Pairs() if place == "query":
                    sent_as = mark.name
                case Body():
                    place = "whole body"
        return Parameter(name, hint, default, required, place, sent_as, group)

    def placed(self, *places: Place) -> list[Parameter]:
        """Return the parameters of some places, in the order of their declaration."""
        return [each for each in self.parameters.values() if each.place in places]

    @property
    def has_body(self) -> bool:
        """Whether a request has a JSON body."""
        return bool(self.placed("body", "whole body"))

    @cached_property
    def arguments(self) -> type[BaseModel]:
        """The model of all parameters."""
        return self._model("Arguments", list(self.parameters.values()))

    @cached_property
    def body(self) -> type[BaseModel]:
        """The model of a body that consists of parameters: refuses unknown fields."""
        return self._model("Request", self.placed("body"))

    def _model(self, suffix: str, parameters: list[Parameter]) -> type[BaseModel]:
        fields: dict[str, Any] = {python_name(each.name): each.field for each in parameters}
        name = "".join(word.capitalize() for word in self.id.split("_")) + suffix
        config = ConfigDict(extra="forbid", frozen=True, protected_namespaces=())
        made: type[BaseModel] = create_model(
            name, __config__=config, __module__=self.function.__module__, **fields
        )
        return made

    @cached_property
    def returned(self) -> Any:
        """The type of the result; of a stream, of one event."""
        returned = get_type_hints(self.function, include_extras=True)["return"]
        return get_args(returned)[0] if self.streams else returned

    @cached_property
    def _result(self) -> TypeAdapter[Any]:
        return TypeAdapter(self.returned)

    def read(self, reply: bytes | str) -> Any:
        """Return the result that a reply holds as JSON, or as bytes; fields of newer servers are left out.

        Raises:
            ValidationError: it is no such result.
        """
        if self.returned is bytes:
            return reply
        return self._result.validate_json(reply, extra="ignore")

    def bind(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of a call by the names of the parameters; only those that are given.

        Raises:
            InvalidInput: the operation has no parameter of this name, or one is missing.
        """
        positional = [
            name
            for name, parameter in self.signature.parameters.items()
            if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        ]
        if len(args) > len(positional):
            raise TypeError(f"{self.id} takes {len(positional)} positional arguments; {len(args)} were given")
        given = dict(zip(positional, args, strict=False))
        if twice := given.keys() & kwargs.keys():
            raise TypeError(f"{self.id} got several values for {min(twice)}")
        return given | dict(kwargs)

    def request(self, given: Mapping[str, Any]) -> Sent:
        """Return the request for these arguments.

        Raises:
            InvalidInput: names the first argument that is not valid, its value and what is allowed.
            NotFound: nothing can have the name in the path.
        """
        values = self._checked(given)
        path, body = self.path, None
        query: dict[str, Any] = {}
        headers: dict[str, str] = {}
        fields: dict[str, Any] = {}
        for name, value in values.items():
            each = self.parameters[name]
            match each.place:
                case "path":
                    path = path.replace(f"{{{name}}}", quoted(str(value)))
                case "query":
                    query[each.sent_as] = _as_pairs(value) if each.pairs else value
                case "header":
                    headers[each.sent_as] = str(value)
                case "body":
                    fields[each.sent_as] = value
                case "whole body":
                    body = value
        is_keyed = any(each.header and each.header.generated for each in self.placed("header"))
        return Sent(
            method=self.method,
            path=path,
            query=query,
            headers=headers,
            body=body if self.placed("whole body") else fields,
            has_body=self.has_body,
            repeatable=self.safe or is_keyed,
            waits=float(query.get(_WAIT) or 0.0),
            also=self.also,
        )

    def _checked(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return valid arguments as JSON has them."""
        values: dict[str, Any] = {}
        for name, value in given.items():
            parameter = self.parameters.get(name)
            if parameter is not None and parameter.place in ("query", "header") and value is None:
                continue  # it is not given
            header = parameter.header if parameter else None
            values[name] = quote(value, safe=KEPT_IN_KEYS) if header and header.quoted else value
        for each in self.placed("header"):
            if each.header and each.header.generated and each.name not in values:
                values[each.name] = uuid4().hex
        try:
            checked = self.arguments.model_validate(values)
        except ValidationError as error:
            raise self._invalid(error) from error
        dumped = checked.model_dump(mode="json", by_alias=True, exclude_unset=True)
        return {name: dumped[name] for name in self.parameters if name in dumped}

    def _invalid(self, error: ValidationError) -> InvalidInput:
        first = error.errors(include_url=False)[0]
        name = ".".join(str(part) for part in first["loc"]).removeprefix(PARAMETERS) or "input"
        if first["type"] == "extra_forbidden" and len(first["loc"]) == 1:
            return InvalidInput(name, first["input"], "one of: " + ", ".join(sorted(self.parameters)))
        value = None if first["type"] == "missing" else first["input"]
        return InvalidInput(name, value, allowed_in_words(first))


def operation(
    method: Method, path: str, *, right: Right, safe: bool | None = None, also: tuple[int, ...] = ()
) -> Callable[[Callable[P, Result]], Callable[P, Result]]:
    """Declare an operation: its method of a client's noun sends the request.

    Parameters named in the path stand there. The others are the query string of GET, HEAD and DELETE, and the
    fields of a JSON body of other methods, unless `Header`, `Query` or `Body` annotates them.

    Args:
        method: of HTTP.
        path: with the names of parameters between braces.
        right: what an API key needs.
        safe: doing it twice is doing it once; without it, all methods but POST and PATCH are.
        also: statuses of failure whose reply is a result, too.
    """

    def declare(function: Callable[P, Result]) -> Callable[P, Result]:
        is_safe = method in _REPEATABLE if safe is None else safe
        return _called(function, Operation(function, method, path, right, is_safe, also=also), "_send")

    return declare


def stream(
    method: Method, path: str, *, right: Right
) -> Callable[[Callable[P, Result]], Callable[P, Result]]:
    """Declare a stream of server-sent events, each given once, across reconnects; see `operation`."""

    def declare(function: Callable[P, Result]) -> Callable[P, Result]:
        return _called(function, Operation(function, method, path, right, safe=True, streams=True), "_follow")

    return declare


def _called(function: Callable[P, Result], declared: Operation, sender: str) -> Callable[P, Result]:
    def call(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        return getattr(self, sender)(declared, declared.bind(args, kwargs))

    for name in ("__name__", "__qualname__", "__doc__", "__module__", "__annotations__"):
        setattr(call, name, getattr(function, name))
    call.__wrapped__ = function  # type: ignore[attr-defined]  # inspect.signature follows it
    call.operation = declared  # type: ignore[attr-defined]
    return call  # type: ignore[return-value]  # its declaration's signature


def operation_of(method: Callable[..., Any]) -> Operation:
    """Return the operation that a method of a noun declares.

    Raises:
        TypeError: it declares none.
    """
    declared = getattr(method, "operation", None)
    if not isinstance(declared, Operation):
        raise TypeError(f"{method!r} declares no operation")
    return declared


def _seconds(value: Any) -> float:
    """Return a number of seconds as given; 0 if the API will refuse it."""
    try:
        return max(0.0, float(value or 0.0))
    except (TypeError, ValueError):
        return 0.0


def python_name(name: str) -> str:
    """Return a parameter's name as a field of a model."""
    return f"{name}_" if hasattr(BaseModel, name) else name


def quoted(part: str) -> str:
    """Return a path segment, quoted so that it stays one segment.

    Raises:
        NotFound: nothing can have this name: an address has another meaning for it.
    """
    if part.strip(".") == "":
        raise NotFound(f"nothing is called {part!r}")
    return quote(part, safe="")


def _as_pairs(mapping: Mapping[str, str]) -> list[str]:
    return [f"{name}={value}" for name, value in mapping.items()]


def _bare(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) in (Required, NotRequired) else hint


def _marks(hint: Any) -> list[Any]:
    """Return what annotates a type, the outermost last; of an optional one, of its alternatives, too."""
    if get_origin(hint) is Annotated:
        kind, *marks = get_args(hint)
        return [*_marks(kind), *marks]
    return [mark for part in get_args(hint) if get_origin(part) is Annotated for mark in _marks(part)]
