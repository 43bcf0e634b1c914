"""Entity resolution of family names: a text names a person in full before it uses the short form."""

from __future__ import annotations

import re

from hopline.models.documents import Chunk, Document
from workers.core.graph.merges import ElementProfile
from workers.core.ports import Ports
from workers.core.records import FactSource


def is_named_in_full_first(short: ElementProfile, full: ElementProfile, ports: Ports) -> bool:
    """Return whether each document with the short form has the full name before it.

    "The sitcom Seinfeld, written by Jerry Seinfeld" is of two things: the shorter one cannot refer to what
    was not named yet. Three to five reads; where the text has a name in other letters, it is no objection.
    """
    shorts, fulls = _first_places(short, ports), _first_places(full, ports)
    full_places = {
        place.chunk_id: fulls.get(document)
        for document, place in shorts.items()
        if not _is_earlier(fulls.get(document), place.chunk_id, place.start)
    }
    chunks = ports.graph.nodes.chunks(ports.job.collection, list(full_places)) if full_places else []
    return all(_in_order(document, chunk, short, full, full_places[chunk.id]) for chunk, document in chunks)


def _first_places(element: ElementProfile, ports: Ports) -> dict[str, FactSource]:
    """Return per document the first place that carries one of the element's facts."""
    collection = ports.job.collection
    node = ports.graph.nodes.read_node(collection, element.id, max_facts=element.facts, max_neighbours=0)
    if node is None:
        return {}
    first: dict[str, FactSource] = {}
    for place in ports.graph.nodes.fact_sources(collection, [fact.fact_id for fact in node.facts]):
        known = first.get(place.document_id)
        if known is None or place.start < known.start:
            first[place.document_id] = place
    return first


def _is_earlier(full: FactSource | None, chunk_id: str, start: int) -> bool:
    return full is not None and full.chunk_id != chunk_id and full.start < start


def _in_order(
    document: Document, chunk: Chunk, short: ElementProfile, full: ElementProfile, place: FactSource | None
) -> bool:
    """Check the document's first chunk with the short form; place is the full name's first."""
    whole = _spelled(full.aliases)
    if whole.search(_on_one_line(document.title)):
        return True
    text = _on_one_line(chunk.text)
    if document.title not in short.aliases:  # "Tarski's problem was posed by Alfred Tarski" names the problem
        text = _spelled((document.title,)).sub("", text)
    named = whole.search(text)
    if named is None:
        return place is None or place.chunk_id == chunk.id
    alone = _spelled(short.aliases).search(whole.sub(_blank, text))
    return alone is None or named.start() < alone.start()


def _spelled(names: tuple[str, ...]) -> re.Pattern[str]:
    """Return what finds any of the names as whole words, the longest first."""
    ordered = sorted((_on_one_line(name) for name in names if name.strip()), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, ordered))})(?!\w)") if ordered else _NOTHING


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


_NOTHING = re.compile(r"(?!)")
