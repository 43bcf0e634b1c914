"""A made graph whose walk is known: 5 seeds, branching 2, depth 3: 35 visits, and so many facts to score."""

from __future__ import annotations

from collections.abc import Iterator

from hopline.models.documents import Chunk, Document, KeyElement
from workers.core import ids
from workers.core.ports import ChunkFacts, Graph
from workers.core.records import AtomicFact

HALLS = ("Alba Hall", "Brio Hall", "Coda Hall", "Dune Hall", "Echo Hall")
QUESTION = f"Which lamps hang in {', '.join(HALLS[:-1])} and {HALLS[-1]}?"
VISITS = 35
_SIDES = ("East", "West")
_METALS = ("brass", "copper", "silver", "iron", "golden", "bronze", "pewter", "nickel")


def load_tree(graph: Graph, collection: str, facts: int) -> None:
    """Write a graph in which a question about five halls leads to all of their rooms.

    Args:
        graph: where to.
        collection: a new one.
        facts: how many statements about lamps, the only ones that answer, are spread over its 35 nodes.
    """
    sentences = sorted([*_passages(), *_lamps(facts)], key=lambda pair: pair[1][0][:4])  # hall by hall
    text = "\n".join(sentence for sentence, _names in sentences)
    name = ids.document_id(collection, "tree")
    opened = graph.store.open_version(
        Document(
            id=name,
            collection=collection,
            uri="made:tree",
            title="Halls",
            content_hash=ids.content_hash(text),
        )
    )
    written = []
    for index, hall in enumerate(HALLS):
        own = [pair for pair in sentences if pair[1][0].startswith(hall)]
        chunk = _chunk(name, index, text, [sentence for sentence, _names in own])
        hall_facts = tuple(_fact(collection, text, sentence, names) for sentence, names in own)
        written.append(ChunkFacts(chunk=chunk, facts=hall_facts))
    graph.store.write_chunks(opened, written)
    graph.store.make_live(opened)


def _chunk(document: str, index: int, text: str, sentences: list[str]) -> Chunk:
    start = text.index(sentences[0])
    end = text.index(sentences[-1]) + len(sentences[-1])
    own = text[start:end]
    return Chunk(
        id=ids.chunk_id(document, own, 0),
        index=index,
        text=own,
        start=start,
        end=end,
        tokens=len(own) // 4,
        content_hash=ids.content_hash(own),
    )


def _rooms() -> Iterator[tuple[str, str | None]]:
    """Yield every node's name with its parent's: 5 halls, 10 sides, 20 corners."""
    for hall in HALLS:
        yield hall, None
        for side in _SIDES:
            yield f"{hall} {side}", hall
            for corner in _SIDES:
                yield f"{hall} {side} {corner}", f"{hall} {side}"


def _passages() -> list[tuple[str, tuple[str, ...]]]:
    doors = [
        (f"A door leads from {parent} to {name}.", (parent, name)) for name, parent in _rooms() if parent
    ]
    # A room without a fact of its own would not be visited.
    return [*doors, *((f"The floor of {name} is made of oak.", (name,)) for name, _parent in _rooms())]


def _lamps(count: int) -> list[tuple[str, tuple[str, ...]]]:
    rooms = [name for name, _parent in _rooms()]
    return [
        (f"A {_METALS[n // len(rooms)]} lamp hangs in {rooms[n % len(rooms)]}.", (rooms[n % len(rooms)],))
        for n in range(count)
    ]


def _fact(collection: str, text: str, sentence: str, names: tuple[str, ...]) -> AtomicFact:
    start = text.index(sentence)
    elements = [
        KeyElement(id=ids.element_id(collection, name.casefold()), name=name.casefold()) for name in names
    ]
    return AtomicFact(
        id=ids.fact_id(collection, sentence),
        text=sentence,
        key_elements=tuple(elements),
        start=start,
        end=start + len(sentence),
        match=1.0,
        grounded=True,
    )
