"""Made-up documents as ingestion hands them to the graph."""

from collections.abc import Sequence

from hopline.models.documents import Chunk, Document, KeyElement
from workers.core import ids
from workers.core.graph.elements import normalise_element
from workers.core.ports import ChunkFacts, Graph, Removed
from workers.core.records import AtomicFact, NodeReading

Sentence = tuple[str, Sequence[str]]  # a fact, and the names in it

CURIE = ("Marie Curie was born in Warsaw.", ["Marie Curie", "Warsaw"])
PRIZE = ("Marie Curie won the Nobel Prize in 1903.", ["Marie Curie", "Nobel Prize", "1903"])
WARSAW = ("Warsaw lies on the Vistula.", ["Warsaw", "Vistula"])
BOHR = ("Niels Bohr was born in Copenhagen.", ["Niels Bohr", "Copenhagen"])


def made_document(
    collection: str, uri: str, *paragraphs: Sequence[Sentence], title: str | None = None
) -> tuple[Document, list[ChunkFacts]]:
    """Make a document of one chunk per paragraph and one grounded fact per sentence.

    A title that is given is an element of all its facts, as ingestion makes it.
    """
    document_id = ids.document_id(collection, uri)
    chunks: list[ChunkFacts] = []
    text = ""
    for index, paragraph in enumerate(paragraphs):
        chunk_text = " ".join(sentence for sentence, _names in paragraph)
        start = len(text)
        text += chunk_text + "\n\n"
        chunk = Chunk(
            id=ids.chunk_id(document_id, chunk_text, 0),
            index=index,
            text=chunk_text,
            start=start,
            end=start + len(chunk_text),
            tokens=len(chunk_text.split()),
            content_hash=ids.content_hash(chunk_text),
        )
        facts = tuple(_made_fact(collection, chunk, *sentence, title=title) for sentence in paragraph)
        chunks.append(ChunkFacts(chunk=chunk, facts=facts))
    document = Document(
        id=document_id,
        collection=collection,
        uri=uri,
        title=uri.title() if title is None else title,
        content_hash=ids.content_hash(text),
        status="loaded",
    )
    return document, chunks


def _made_fact(
    collection: str, chunk: Chunk, sentence: str, names: Sequence[str], *, title: str | None
) -> AtomicFact:
    start = chunk.start + chunk.text.index(sentence)
    named = [made_element(collection, name) for name in names]
    titled = [made_element(collection, title)] if title and title not in names else []
    return AtomicFact(
        id=ids.fact_id(collection, sentence),
        text=sentence,
        key_elements=(*titled, *named),
        title_id=titled[0].id if titled else None,
        start=start,
        end=start + len(sentence),
        match=1.0,
        grounded=True,
    )


def made_element(collection: str, name: str) -> KeyElement:
    normal = normalise_element(name)
    return KeyElement(id=ids.element_id(collection, normal), name=normal, aliases=(name,))


def write(
    graph: Graph, collection: str, uri: str, *paragraphs: Sequence[Sentence], title: str | None = None
) -> Removed:
    """Write a document as ingestion does, and make it live."""
    return write_made(graph, *made_document(collection, uri, *paragraphs, title=title))


def write_made(graph: Graph, document: Document, chunks: Sequence[ChunkFacts]) -> Removed:
    """Write what was made as ingestion does, and make it live."""
    opened = graph.store.open_version(document)
    graph.store.write_chunks(opened, chunks)
    return graph.store.make_live(opened)


def read(graph: Graph, collection: str, name: str, **limits: int) -> NodeReading | None:
    """Read the key element of this name."""
    element = made_element(collection, name)
    return graph.nodes.read_node(collection, element.id, **{"max_facts": 50, "max_neighbours": 50, **limits})


def facts_at(graph: Graph, collection: str, name: str) -> list[str]:
    node = read(graph, collection, name)
    return sorted(fact.fact for fact in node.facts) if node else []


def all_texts(graph: Graph, collection: str) -> list[tuple[str, str]]:
    return sorted((kind, text) for page in graph.nodes.texts(collection) for _id, kind, text in page)
