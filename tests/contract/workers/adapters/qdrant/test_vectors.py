"""What every vector store keeps: the double, the local endpoint, and a Qdrant server where one is given."""

import math
import os
import random
import secrets
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from doubles.keys import KEY, SHOWN
from doubles.vectors import MemoryVectors
from qdrant_client import QdrantClient

from hopline.models.census import EmbedderFigure
from workers.adapters.qdrant.vectors import QdrantVectors
from workers.core.errors import EmbedderMismatch
from workers.core.graph.vectors import Embedder, Kind, Point, Vectors

DIMENSION = 8
EMBEDDER = Embedder(name="made-up", dimension=DIMENSION)
SERVERS = ("endpoint", "server")


@pytest.fixture(params=("double", *SERVERS))
def vectors(request: pytest.FixtureRequest) -> Vectors:
    return MemoryVectors() if request.param == "double" else QdrantVectors(server_url(request), KEY)


@pytest.fixture(params=SERVERS)
def qdrant(request: pytest.FixtureRequest) -> QdrantVectors:
    return QdrantVectors(server_url(request), KEY)


def server_url(request: pytest.FixtureRequest) -> str:
    if request.param == "endpoint":
        return str(request.getfixturevalue("qdrant_url"))
    if "HOPLINE_TEST_QDRANT_URL" not in os.environ:
        pytest.skip("no HOPLINE_TEST_QDRANT_URL")
    return os.environ["HOPLINE_TEST_QDRANT_URL"]


@pytest.fixture
def name(vectors: Vectors) -> Iterator[str]:
    name = f"test-{secrets.token_hex(6)}"
    vectors.prepare(name, EMBEDDER)
    yield name
    vectors.drop(name)


def at(angle: float, *, dimension: int = DIMENSION) -> tuple[float, ...]:
    """A unit vector at this angle to the first axis, in degrees."""
    radians = math.radians(angle)
    return (math.cos(radians), math.sin(radians), *([0.0] * (dimension - 2)))


def point(graph_id: str, angle: float = 0, kind: Kind = "fact") -> Point:
    return Point(graph_id=graph_id, kind=kind, vector=at(angle))


FIGURE = EmbedderFigure(vectors=0.8, words=0.6, pairs=128, chunks=500)


def test_what_was_measured_of_an_embedder_is_kept_until_the_collection_is_dropped(vectors, name):
    assert (vectors.figure("of-nobody"), vectors.weight("of-nobody")) == (None, 1.0)
    assert (vectors.figure(name), vectors.weight(name)) == (None, 1.0)
    vectors.keep_figure(name, Embedder(name="other", dimension=3), FIGURE)
    assert vectors.figure(name) is None, "it is of another embedder"
    vectors.keep_figure(name, EMBEDDER, FIGURE)
    vectors.check(name, EMBEDDER)
    assert (vectors.figure(name), vectors.weight(name)) == (FIGURE, FIGURE.weight)
    if isinstance(vectors, QdrantVectors):  # another process sees it, and a weight that is set goes first
        assert QdrantVectors(vectors.url, KEY).weight(name) == FIGURE.weight
        assert QdrantVectors(vectors.url, KEY, weight=0.5).weight(name) == 0.5
    vectors.keep_figure(name, EMBEDDER, FIGURE.model_copy(update={"chunks": 900}))
    assert vectors.figure(name) == FIGURE.model_copy(update={"chunks": 900})
    vectors.drop(name)
    vectors.prepare(name, EMBEDDER)
    assert (vectors.figure(name), vectors.count(name)) == (None, 0)


def test_the_nearest_come_first_and_no_more_than_the_limit(vectors, name):
    vectors.upsert(name, [point(f"f{angle}", angle) for angle in (80, 20, 50, 0)])
    [hits] = vectors.search(name, [at(0)], "fact", 3)
    assert [(hit.id, hit.kind) for hit in hits] == [("f0", "fact"), ("f20", "fact"), ("f50", "fact")]
    cosines = [math.cos(math.radians(angle)) for angle in (0, 20, 50)]
    assert [hit.score for hit in hits] == pytest.approx(cosines, abs=1e-5)
    [hits] = vectors.search(name, [at(0)], "fact", 2, exact=True)
    [near] = vectors.nearest_among(name, [at(0)], ["f80", "f50", "f20"], 2, exact=True)
    assert ([hit.id for hit in hits], list(near)) == (["f0", "f20"], ["f20", "f50"])
    rankings = vectors.search(name, [at(80), at(5), at(79)], "fact", 1)
    assert [[hit.id for hit in hits] for hits in rankings] == [["f80"], ["f0"], ["f80"]]


def test_only_points_of_the_kind_asked_for_are_found(vectors, name):
    vectors.upsert(name, [point("f1", 0, "fact"), point("c1", 0, "chunk"), point("k1", 0, "element")])

    assert [hit.id for hit in vectors.search(name, [at(0)], "chunk", 9)[0]] == ["c1"]
    assert [vectors.count(name), vectors.count(name, "element")] == [3, 1]


def test_the_same_graph_id_overwrites(vectors, name):
    vectors.upsert(name, [point("f1", 0), point("f1", 30)])
    vectors.upsert(name, [point("f1", 60)])

    assert vectors.count(name) == 1
    assert vectors.search(name, [at(60)], "fact", 1)[0][0].score == pytest.approx(1, abs=1e-5)


def test_collections_do_not_see_each_other(vectors, name):
    other = f"{name}-other"
    vectors.prepare(other, EMBEDDER)
    vectors.upsert(name, [point("f1", 0)])
    vectors.upsert(other, [point("f1", 90), point("f2", 90)])

    vectors.delete(other, ["f2"])

    assert vectors.search(name, [at(0)], "fact", 9)[0][0].score == pytest.approx(1, abs=1e-5)
    assert (vectors.count(name), vectors.count(other)) == (1, 1)
    vectors.drop(other)
    assert (vectors.count(name), vectors.count(other)) == (1, 0)


def test_given_points_are_ranked_and_missing_ones_left_out(vectors, name):
    vectors.upsert(
        name, [point("c60", 60, "chunk"), point("c20", 20, "chunk"), point("f0", 0), point("f1", 1)]
    )
    [scores] = vectors.nearest_among(name, [at(0)], ["c60", "nothing", "c20", "f0", "f0"])
    assert list(scores) == ["f0", "c20", "c60"]
    assert list(scores.values()) == pytest.approx([1, math.cos(math.radians(20)), 0.5], abs=1e-5)
    [best] = vectors.nearest_among(name, [at(0)], ["c60", "c20", "f0"], limit=2)
    assert list(best) == ["f0", "c20"]
    assert vectors.nearest_among(name, [at(0)], []) == [{}]
    vectors.upsert(name, [point(f"c{n}", n / 10, "chunk") for n in range(300)])  # more than a page
    [scores] = vectors.nearest_among(name, [at(0)], [f"c{n}" for n in range(300)])
    assert list(scores) == [f"c{n}" for n in range(300)]


def test_ids_without_a_point_are_missing(vectors, name):
    vectors.upsert(name, [point("f0"), point("f2"), point("f8999")])
    assert vectors.missing(name, ["f0", "f2", "f7", "f8"]) == {"f7", "f8"}
    assert vectors.missing(name, ["f0"]) == vectors.missing(name, []) == set()
    assert len(vectors.missing(name, [f"f{nth}" for nth in range(9000)])) == 8997  # more than a page
    vectors.delete(name, ["f0", "never stored"])
    vectors.delete(name, [])
    assert vectors.missing(name, ["f0", "f2"]) == {"f0"}
    assert {hit.id for hit in vectors.search(name, [at(0)], "fact", 9)[0]} == {"f2", "f8999"}
    vectors.drop(name)
    assert vectors.missing(name, ["f0", "f2"]) == {"f0", "f2"}
    assert vectors.missing(f"{name}-never", ["f1"]) == {"f1"}


def test_nothing_asked_is_nothing_found(vectors, name):
    vectors.upsert(name, [])

    assert vectors.search(name, [], "fact", 5) == []
    assert vectors.search(name, [at(0), at(1)], "fact", 5) == [[], []]


def test_an_unknown_collection_is_empty_and_nothing_in_it_can_fail(vectors):
    unknown = f"test-{secrets.token_hex(6)}"

    assert vectors.search(unknown, [at(0)], "fact", 5) == [[]]
    assert vectors.search(unknown, [at(0, dimension=13)], "fact", 5) == [[]]
    assert vectors.nearest_among(unknown, [at(0)], ["f1"]) == [{}]
    assert vectors.count(unknown) == 0
    vectors.delete(unknown, ["f1"])
    vectors.drop(unknown)
    vectors.check(unknown, EMBEDDER)


def test_a_text_without_words_is_stored_and_never_in_the_way(vectors, name):
    empty = Point(graph_id="f0", kind="fact", vector=(0.0,) * DIMENSION)
    vectors.upsert(name, [empty, point("f1", 30)])

    [hits] = vectors.search(name, [at(0)], "fact", 9)

    assert [hit.id for hit in hits] == ["f1", "f0"]
    assert hits[1].score == 0


@pytest.mark.parametrize("other", [
    Embedder(name="another", dimension=DIMENSION), Embedder(name="made-up", dimension=DIMENSION + 1),
])  # fmt: skip
def test_another_embedder_than_the_collection_was_built_with_is_refused(vectors, name, other):
    vectors.upsert(name, [point("f1")])
    with pytest.raises(EmbedderMismatch, match=name):
        vectors.prepare(name, other)
    with pytest.raises(EmbedderMismatch, match=name):
        vectors.check(name, other)
    vectors.prepare(name, EMBEDDER)
    assert vectors.count(name) == 1


def test_searching_with_a_vector_of_another_length_is_refused(vectors, name):
    vectors.upsert(name, [point("f1")])

    with pytest.raises(EmbedderMismatch, match=name):
        vectors.search(name, [at(0, dimension=DIMENSION + 1)], "fact", 5)


def test_a_dropped_collection_may_be_built_with_another_embedder(vectors, name):
    wider = Embedder(name="wider", dimension=DIMENSION + 4)
    vectors.upsert(name, [point("f1")])

    vectors.drop(name)
    vectors.prepare(name, wider)
    vectors.upsert(name, [Point(graph_id="f1", kind="fact", vector=at(0, dimension=wider.dimension))])

    assert vectors.count(name) == 1
    assert vectors.search(name, [at(0, dimension=wider.dimension)], "fact", 5)[0][0].id == "f1"


def test_another_process_finds_the_embedder_that_built_a_collection(qdrant, collection):
    elsewhere = QdrantVectors(qdrant.url, KEY)
    qdrant.prepare(collection, EMBEDDER)

    with pytest.raises(EmbedderMismatch):
        elsewhere.prepare(collection, Embedder(name="another", dimension=DIMENSION))

    qdrant.drop(collection)
    elsewhere.prepare(collection, Embedder(name="another", dimension=DIMENSION))
    elsewhere.drop(collection)


def test_of_many_that_prepare_at_once_one_embedder_wins(qdrant):
    dimension = random.randrange(10_000, 20_000)  # a space that is not there yet
    name = f"test-{secrets.token_hex(6)}"
    start = threading.Barrier(8)

    def prepare(number: int) -> str:
        embedder = Embedder(name=f"embedder-{number % 2}", dimension=dimension)
        store = QdrantVectors(qdrant.url, KEY)
        start.wait(timeout=60)
        try:
            store.prepare(name, embedder)
        except EmbedderMismatch:
            return "refused"
        return embedder.name

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(prepare, range(8)))

    assert sorted(outcomes)[:4] in (["embedder-0"] * 4, ["embedder-1"] * 4)
    assert outcomes.count("refused") == 4
    qdrant.drop(name)
    QdrantClient(url=qdrant.url, headers=SHOWN, timeout=60, check_compatibility=False).delete_collection(
        f"hopline-{dimension}"
    )


def test_a_write_larger_than_one_request_is_cut_up(qdrant, collection):
    small = QdrantVectors(qdrant.url, KEY, numbers_per_call=10 * DIMENSION)
    small.prepare(collection, EMBEDDER)

    small.upsert(collection, [point(f"f{n}", n) for n in range(95)])

    assert small.count(collection) == 95
    small.drop(collection)


def test_points_of_many_threads_are_all_there_and_readable_at_once(vectors, name):
    def store(nth: int) -> list[str]:
        ids = [f"own-{nth}", "common"]
        vectors.upsert(
            name, [Point(graph_id=graph_id, kind="element", vector=(1.0,) * DIMENSION) for graph_id in ids]
        )
        return sorted(vectors.missing(name, ids))

    with ThreadPoolExecutor(12) as pool:
        assert list(pool.map(store, range(60))) == [[]] * 60
    assert vectors.count(name, "element") == 61
