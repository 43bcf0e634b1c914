"""A declared operation is the same request in the client and the same route in the server."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Annotated, Any

import httpx2
import pytest
import uvicorn
from fakeredis import FakeAsyncRedis
from fastapi import APIRouter, FastAPI, Request, Response
from pydantic import AwareDatetime, Field
from typing_extensions import TypedDict, Unpack

from hopline import AsyncHopline
from hopline.aio.noun import AsyncNoun
from hopline.aio.paging import each
from hopline.errors import InvalidInput, KeyReused, NotFound
from hopline.models.base import Frozen, Page
from hopline.operation import Body, Cursor, Header, IdempotencyKey, Query, operation, operation_of
from producer.api.access import Caller
from producer.api.context import Api
from producer.api.problems import handle_errors
from producer.api.serving import serves


class Boat(Frozen):
    name: str
    length: float = 1.0


class BoatPage(Page):
    boats: tuple[Boat, ...]


class BoatFilter(TypedDict, total=False):
    """Which boats."""

    flag: Annotated[str, Field(min_length=2, max_length=2, description="Only boats under this flag.")]
    since: Annotated[AwareDatetime, Field(description="Built at or after this time.")]
    tag: Annotated[tuple[str, ...], Field(description="Only boats with these tags.")]


class AsyncBoats(AsyncNoun):
    """Boats."""

    @operation("GET", "/v1/boats", right="read")
    async def list(
        self,
        *,
        limit: Annotated[int, Field(ge=1, le=10, description="How many to list.")] = 2,
        cursor: Cursor = "",
        **where: Unpack[BoatFilter],
    ) -> BoatPage:
        """List boats, the oldest first.

        Of each, its name and length.

        Raises:
            InvalidInput: a value is not valid.
        """
        raise NotImplementedError

    def iterate(self, **where: Unpack[BoatFilter]) -> AsyncIterator[Boat]:
        """Yield all boats."""
        return each(lambda cursor: self.list(cursor=cursor, **where), lambda page: page.boats)

    @operation("POST", "/v1/harbours/{harbour}/boats", right="submit")
    async def build(
        self,
        harbour: str,
        name: Annotated[str, Field(min_length=1)],
        *,
        copy: Annotated[bool, Field(description="Of the last one.")] = False,
        length: float | None = None,
        key: IdempotencyKey = None,
        wait: Annotated[float, Query(), Field(ge=0)] = 0,
    ) -> Boat:
        """Build a boat."""
        raise NotImplementedError

    @operation("PUT", "/v1/boats/{name}", right="submit")
    async def put(
        self,
        name: str,
        boat: Annotated[Boat, Body()],
        *,
        seen: Annotated[str | None, Header("If-Match")] = None,
    ) -> None:
        """Replace a boat."""
        raise NotImplementedError


class AsyncHarbourMasters(AsyncNoun):
    @operation("GET", "/v1/masters", right="none")
    async def list(self) -> tuple[str, ...]:
        """List harbour masters."""
        raise NotImplementedError


router, noted = APIRouter(), list[Any]()


@serves(router, AsyncBoats.list)
def list_boats(limit: int, cursor: str, where: BoatFilter) -> BoatPage:
    noted.append((limit, cursor, where))
    at = int(cursor or 0)
    boats = tuple(Boat(name=f"b{n}") for n in range(at, min(at + limit, 5)))
    return BoatPage(boats=boats, next=str(at + limit) if at + limit < 5 else None)


@serves(router, AsyncBoats.build, 404, 409, status=202)
async def build_boat(  # noqa: PLR0913, PLR0917 - what it is declared with
    api: Api,
    caller: Caller,
    response: Response,
    harbour: str,
    name: str,
    copy: bool,  # noqa: FBT001
    length: float | None,
    key: str | None,
    wait: float,
) -> Boat:
    noted.append((caller.id, api.loopback, harbour, name, copy, length, key, wait))
    response.headers["Location"] = f"/v1/boats/{name}"
    if name == "old":
        raise KeyReused(key or "")
    return Boat(name=name, length=length or 3.0)


@serves(router, AsyncBoats.put, status=204)
def put_boat(request: Request, name: str, boat: Boat, seen: str | None) -> None:
    noted.append((request.method, name, boat, seen))


@serves(router, AsyncHarbourMasters.list)
def list_masters() -> tuple[str, ...]:
    return ("Ann",)


@pytest.fixture(scope="module")
def app() -> FastAPI:
    app = FastAPI()
    handle_errors(app)
    app.state.api = api = Api(service=None, loopback=True)  # type: ignore[arg-type]
    api.__dict__["waiting"] = FakeAsyncRedis(decode_responses=True)  # it holds no keys
    app.include_router(router)
    return app


@contextmanager
def serving(app: FastAPI) -> Iterator[str]:
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


@pytest.fixture(scope="module")
def url(app: FastAPI) -> Iterator[str]:
    with serving(app) as url:
        yield url


def boats_at(url: str) -> AsyncBoats:
    return AsyncBoats(AsyncHopline(url)._session)


def test_parameters_arrive_from_the_query_string_and_a_group_holds_what_was_sent(url: str) -> None:
    noted.clear()
    since = datetime(2026, 1, 2, tzinfo=UTC)
    page = asyncio.run(boats_at(url).list(limit=3, flag="NO", since=since, tag=("a", "b")))
    assert [boat.name for boat in page.boats] == ["b0", "b1", "b2"]
    assert noted == [(3, "", {"flag": "NO", "since": since, "tag": ("a", "b")})]
    asyncio.run(boats_at(url).list())
    assert noted[-1] == (2, "", {})


def test_an_iterator_fetches_the_next_page_when_the_one_before_was_read(url: str) -> None:
    noted.clear()

    async def read() -> None:
        names = []
        async for boat in boats_at(url).iterate(flag="NO"):
            names.append(boat.name)
            assert len(noted) == (len(names) + 1) // 2
        assert names == ["b0", "b1", "b2", "b3", "b4"]

    asyncio.run(read())
    assert [(cursor, where) for _, cursor, where in noted] == [
        ("", {"flag": "NO"}), ("2", {"flag": "NO"}), ("4", {"flag": "NO"}),
    ]  # fmt: skip


def test_a_page_links_to_the_one_that_follows_by_a_cursor_of_this_list_alone(url: str) -> None:
    with httpx2.Client(base_url=url) as client:
        addresses, address = list[str](), "/v1/boats?limit=3&flag=NO"
        while address:
            reply = client.get(address)
            addresses.append(address)
            assert ("next" in reply.links) == bool(reply.json()["next"])
            address = str(reply.url.join(reply.links["next"]["url"])) if reply.links else ""
        assert len(addresses) == 2
        assert addresses[1].startswith(f"{url}/v1/boats?limit=3&flag=NO&cursor=")
        for wrong in ("2", "b2F0c19saXN0OjI", "=", "é"):
            refused = client.get("/v1/boats", params={"cursor": wrong})
            assert refused.status_code == 422
            assert refused.json()["errors"][0]["allowed"] == "the `next` of a page of the same list"


def test_path_body_header_and_query_of_a_post_arrive_by_name(url: str) -> None:
    noted.clear()
    boat = asyncio.run(boats_at(url).build("Ål 1?", "Ægir", copy=True, key="a key, 熵%", wait=1.5))
    assert boat == Boat(name="Ægir", length=3.0)
    assert noted == [("", True, "Ål 1?", "Ægir", True, None, "a%20key,%20%E7%86%B5%25", 1.5)]
    asyncio.run(boats_at(url).build("a", "b"))
    asyncio.run(boats_at(url).build("a", "b"))
    keys = [key for *_, key, _ in noted[1:]]
    assert all(keys)
    assert len(set(keys)) == 2


def test_a_whole_body_arrives_as_its_model(url: str) -> None:
    noted.clear()
    asyncio.run(boats_at(url).put("b", Boat(name="b"), seen='"v3"'))
    assert noted == [("PUT", "b", Boat(name="b"), '"v3"')]


def test_a_key_of_another_request_is_told_as_the_caller_wrote_it(url: str) -> None:
    with pytest.raises(KeyReused) as caught:
        asyncio.run(boats_at(url).build("a", "old", key="a key"))
    assert caught.value.value == "a key"


@pytest.mark.parametrize(("arguments", "field", "allowed"), [
    ({"harbour": "a", "name": "b", "key": "k" * 201}, "key", "1 to 200 letters"),
    ({"harbour": "a", "name": ""}, "name", "at least 1 character"),
    ({"harbour": "a", "name": "b", "wait": -1}, "wait", "greater than or equal to 0"),
    ({"harbour": "a", "name": "b", "colour": "red"}, "colour", "one of: copy, harbour, key"),
])  # fmt: skip
def test_arguments_are_checked_before_a_request_is_made(
    arguments: dict[str, Any], field: str, allowed: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        operation_of(AsyncBoats.build).request(arguments)
    assert caught.value.field == field
    assert caught.value.allowed.startswith(allowed)


@pytest.mark.parametrize("dots", ["", ".", ".."])
def test_a_name_that_an_address_reads_otherwise_is_found_nowhere(dots: str) -> None:
    with pytest.raises(NotFound):
        operation_of(AsyncBoats.put).request({"name": dots, "boat": Boat(name="b")})


def test_only_what_is_given_is_sent() -> None:
    build = operation_of(AsyncBoats.build)
    sent = build.request({"harbour": "a/b?c#d", "name": "x"})
    assert (sent.path, sent.query, sent.body) == ("/v1/harbours/a%2Fb%3Fc%23d/boats", {}, {"name": "x"})
    assert sent.repeatable
    put = operation_of(AsyncBoats.put).request({"name": "b", "boat": {"name": "b"}, "seen": None})
    assert (put.body, put.headers) == ({"name": "b"}, {})


def test_a_route_refuses_what_its_declaration_refuses(url: str) -> None:
    with httpx2.Client(base_url=url) as client:
        many = client.get("/v1/boats", params={"limit": 11})
        unknown = client.get("/v1/boats", params={"colour": "red"})
        field = client.post("/v1/harbours/a/boats", json={"name": "b", "colour": "red"})
        empty = client.post("/v1/harbours/a/boats")
    assert [reply.status_code for reply in (many, unknown, field, empty)] == [422] * 4
    assert many.json()["errors"][0]["field"] == "limit"
    assert "there is no query parameter 'colour'" in unknown.json()["detail"]
    assert (field.json()["errors"][0]["field"], empty.json()["errors"][0]["field"]) == ("colour", "body")


def test_the_document_says_what_the_declaration_says(app: FastAPI) -> None:
    paths = app.openapi()["paths"]
    listed, built = paths["/v1/boats"]["get"], paths["/v1/harbours/{harbour}/boats"]["post"]
    assert (listed["operationId"], listed["tags"]) == ("boats_list", ["boats"])
    assert (listed["summary"], listed["description"]) == (
        "List boats, the oldest first.", "Of each, its name and length.",
    )  # fmt: skip
    limit, cursor, *group = listed["parameters"]
    assert limit["description"] == "How many to list."
    assert set(listed["responses"]["200"]["headers"]) == {"Link"}
    bounds = {"type": "integer", "minimum": 1, "maximum": 10, "default": 2}
    assert {name: limit["schema"][name] for name in bounds} == bounds
    assert (cursor["required"], [parameter["name"] for parameter in group]) == (
        False,
        ["flag", "since", "tag"],
    )
    assert group[0]["description"] == "Only boats under this flag."
    assert {(each["name"], each["in"]) for each in built["parameters"]} == {
        ("harbour", "path"), ("Idempotency-Key", "header"), ("wait", "query"),
    }  # fmt: skip
    reference = built["requestBody"]["content"]["application/json"]["schema"]["$ref"]
    body = app.openapi()["components"]["schemas"][reference.rpartition("/")[2]]
    assert (set(body["properties"]), body["required"]) == ({"name", "copy", "length"}, ["name"])
    assert {"202", "404", "409", "422"} <= set(built["responses"])
    masters = paths["/v1/masters"]["get"]
    assert (masters["operationId"], masters["tags"]) == ("harbour_masters_list", ["harbour masters"])
    assert "security" not in masters
    assert "security" in listed


def test_a_handler_that_does_not_fit_its_declaration_is_refused_when_it_is_made() -> None:
    with pytest.raises(TypeError, match="boats_put lacks seen"):

        @serves(APIRouter(), AsyncBoats.put)
        def put(name: str, boat: Boat) -> None: ...

    with pytest.raises(TypeError, match="harbour_masters_list names colour"):

        @serves(APIRouter(), AsyncHarbourMasters.list)
        def masters(colour: str) -> tuple[str, ...]: ...

    with pytest.raises(TypeError, match="declares no operation"):
        operation_of(AsyncBoats.iterate)
