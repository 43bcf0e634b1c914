"""A view tells of the live versions of its documents, and of nothing beside them."""

import math
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, BrokenBarrierError

import pytest
from doubles.graph_around import links_of

from workers.adapters.neo4j.rows import ELEMENTS_SCANNED, PLACES
from workers.adapters.neo4j.scoped.columns import ChunkRow, document_columns
from workers.adapters.neo4j.scoped.contents import build_contents
from workers.adapters.neo4j.scoped.keeper import joined_merges
from workers.adapters.neo4j.scoped.reads import ScopedAround, ScopedNodes, ScopedPaths
from workers.adapters.neo4j.scoped.view import NO_MERGES, View
from workers.adapters.neo4j.scoped.words import Vocabulary, WordIndex
from workers.core.answers.lexical_rank import BM25_B, BM25_K1, counted_words
from workers.core.ids import element_id

COLLECTION = "bridges"


def view_of(*facts, merges=NO_MERGES, fact="", **known):
    """Return a view of one document with a chunk for each of some facts, or for each saying of one."""
    vocabulary, rows = Vocabulary(), []
    for at, (text, names) in enumerate(facts):
        chunk = {"id": f"c{at}", "index": at, "text": text, "start": 0, "end": len(text), "tokens": 1}
        chunk |= {"content_hash": "", "place": [None, None, None]}
        rows.append(ChunkRow(chunk, [[fact or f"f{at}", text, 0, len(text), 1.0, True, names, False]]))
    document = {"id": "d", "collection": COLLECTION, "uri": "d.txt", "title": "D"} | known
    columns = document_columns(COLLECTION, "D", rows, vocabulary)
    joined = {element_id(COLLECTION, name): element_id(COLLECTION, other) for name, other in merges.items()}
    return View(build_contents([(document, columns)], vocabulary), joined)


def test_of_a_version_that_is_not_live_a_view_tells_nothing() -> None:
    coming = {"content_hash": "secret", "version": 7, "live": 3, "status": "failed", "error": "takeover"}
    view = view_of(("A bridge stands.", ["bridge"]), **coming)
    for document in (view.document("d"), view.document_of(0)):
        assert document is not None
        assert (document.content_hash, document.version) == ("", 1)
        assert (document.status, document.error) == ("indexed", None)


def test_a_merge_joins_what_documents_of_the_view_name() -> None:
    facts = (("The bridge stands.", ["bridge"]), ("The span holds.", ["span"]), ("It cost.", ["crossing"]))
    view = view_of(*facts, merges={"crossing": "span", "span": "bridge"})
    assert len({view.element(element_id(COLLECTION, name)) for name in ("bridge", "span", "crossing")}) == 1
    # It leads no further than a name that no document of the view has.
    view = view_of(facts[0], facts[2], merges={"crossing": "span", "span": "bridge"})
    homes = {view.element(element_id(COLLECTION, name)) for name in ("bridge", "crossing")}
    assert len(homes - {None}) == 2


def test_of_a_fact_that_much_says_and_that_names_much_a_part_is_told_and_what_was_asked_for() -> None:
    names = [f"name {nth}" for nth in range(ELEMENTS_SCANNED + 30)]
    rows = [("It was said.", names)] * (PLACES + 3)
    view = view_of(*rows, fact="f")
    elements = [view.contents.elements[at] for at in (0, len(names) - 2, len(names) - 1)]
    [link] = links_of(ScopedAround(view).facts_around(COLLECTION, elements, 100))
    assert link.chunks == sorted(f"c{at}" for at in range(PLACES))
    others = [element for element in view.contents.elements if element not in elements][:ELEMENTS_SCANNED]
    assert link.elements == [(element, 1) for element in sorted([*elements, *others])]
    [match] = ScopedAround(view).elements_found(COLLECTION, elements[:1])
    assert (match.degree, match.chunks) == (1, PLACES + 3)


class RecordingView(View):
    """A view that keeps which names were shown."""

    def shown_name(self, at: int) -> str:
        self.kept("shown", list[int]).append(at)
        return super().shown_name(at)


def test_of_the_neighbours_of_a_hub_only_those_told_are_spelled() -> None:
    named = view_of(*((f"It has part {nth}.", ["hub", f"part {nth}", "yard"]) for nth in range(20)))
    view = RecordingView(named.contents)
    hub = [element_id(COLLECTION, "hub")]
    told = ScopedPaths(view).neighbours_of(COLLECTION, hub, limit=3)
    assert (len(told), told[0].name, told[0].shared) == (3, "yard", 20)
    node = ScopedNodes(view).read_node(COLLECTION, hub[0], max_facts=1, max_neighbours=2)
    assert node is not None
    assert list(node.neighbours) == told[:2]
    assert len(view.kept("shown", list[int])) == 3 + 2 + 1


def homes_of(named: Mapping[str, list[str]], merges: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return what each name is known as in a view of collections, each with what its one document names."""
    vocabulary, documents = Vocabulary(), []
    for collection, names in named.items():
        chunk = {"id": f"c{collection}", "index": 0, "text": "x is y", "start": 0, "end": 6, "tokens": 1}
        chunk |= {"content_hash": "", "place": [None, None, None]}
        rows = [ChunkRow(chunk, [[f"f{collection}", "x is y", 0, 6, 1.0, True, names, False]])]
        document = {"id": collection, "collection": collection, "uri": "d.txt", "title": "D"}
        documents.append((document, document_columns("first", "D", rows, vocabulary)))
    stored = {
        collection: {
            element_id(collection, name): element_id(collection, other) for name, other in names.items()
        }
        for collection, names in merges.items()
    }
    contents = build_contents(documents, vocabulary)
    view = View(contents, joined_merges(contents, stored))
    at = {name: view.element(element_id("first", name)) for names in named.values() for name in names}
    return {name: contents.names[home] for name, home in at.items() if home is not None}


def test_collections_that_merge_the_same_names_the_other_way_round_join_them() -> None:
    named = {"a": ["x", "y", "z"], "b": ["x", "y", "z"]}
    homes = homes_of(named, {"a": {"x": "y"}, "b": {"y": "z", "z": "x"}})
    assert len(set(homes.values())) == 1


def test_a_merge_into_a_hidden_name_does_not_keep_back_that_of_another_collection() -> None:
    named = {"a": ["acme"], "b": ["acme", "acme corp"]}
    homes = homes_of(named, {"a": {"acme": "secret"}, "b": {"acme": "acme corp"}})
    assert homes == {"acme": "acme corp", "acme corp": "acme corp"}


def test_a_merge_of_names_that_are_hidden_in_its_collection_does_not_join_them_in_another() -> None:
    named = {"a": ["acme", "acme corp"], "b": ["acme"]}
    merged = {"acme": "acme corp"}
    assert homes_of(named, {"a": {}, "b": merged})["acme"] == "acme"
    assert homes_of(named, {"a": merged, "b": {}})["acme"] == "acme corp"


def test_what_two_threads_need_at_once_is_found_once() -> None:
    held, both, calls = view_of(("It was.", [])), Barrier(2), list[int]()

    def find() -> str:
        calls.append(1)
        with suppress(BrokenBarrierError):
            both.wait(0.3)  # where the other comes in, too
        return "topics"

    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda _nth: held.kept("topics", find), range(2)))
    assert (results, len(calls)) == (["topics"] * 2, 1)


DOCUMENTS = (
    ["The mill stood by the river.", "A river, a mill, a mill."],
    ["Nobody was there."],
    [],
    ["The ferry crossed the river.", "The mill burned.", "Ferry and mill and ferry."],
)
TEXTS = [text for texts in DOCUMENTS for text in texts]


def scores(question: str) -> dict[int, float]:
    counted = [counted_words(text) for text in TEXTS]
    mean = sum(counter.total() for counter in counted) / len(counted)
    totals: dict[int, float] = {}
    for word in counted_words(question):
        holding = [at for at, counter in enumerate(counted) if word in counter]
        weight = math.log(1 + (len(TEXTS) - len(holding) + 0.5) / (len(holding) + 0.5))
        for at in holding:
            often, length = counted[at][word], counted[at].total()
            damped = often + BM25_K1 * (1 - BM25_B + BM25_B * length / mean)
            totals[at] = totals.get(at, 0) + weight * often * (BM25_K1 + 1) / damped
    return totals


@pytest.mark.parametrize("question", ["mill", "ferry on the river", "who was nobody", "unheard of", ""])
def test_scores_are_those_of_the_formula_whatever_else_was_counted_before(question: str) -> None:
    vocabulary = Vocabulary()
    vocabulary.counted(["What another document said of the ferry, unheard."])
    index = WordIndex([vocabulary.counted(texts) for texts in DOCUMENTS], vocabulary)
    expected = sorted(scores(question).items(), key=lambda pair: (-pair[1], pair[0]))
    hits = index.best(question, 10)
    assert [at for at, _score in hits] == [at for at, _score in expected]
    assert [score for _at, score in hits] == pytest.approx([score for _at, score in expected])
    assert index.best(question, 1) == hits[:1]


def test_no_text_is_found_among_none() -> None:
    assert WordIndex([], Vocabulary()).best("mill", 5) == []
