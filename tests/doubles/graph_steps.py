"""Steps of ingestion and merging that many tests of a graph take."""

import contextlib
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from doubles.documents import Sentence, made_document, made_element
from hopline.errors import Transient
from hopline.models.documents import Document
from hopline.models.merges import Proposal
from workers.core import ids
from workers.core.graph.merges import Undone
from workers.core.ports import ChunkFacts, Graph

Found = TypeVar("Found")


def element_id(collection: str, name: str) -> str:
    return made_element(collection, name).id


def write_hidden(
    graph: Graph, collection: str, uri: str, *paragraphs: Sequence[Sentence], title: str | None = None
) -> tuple[Document, list[ChunkFacts]]:
    """Write a version of a document as ingestion does, and stop before it is shown."""
    document, chunks = made_document(collection, uri, *paragraphs, title=title)
    opened = graph.store.open_version(document)
    graph.store.write_chunks(opened, chunks)
    return opened, chunks


def proposal(collection: str, source: str, target: str, **more: Any) -> Proposal:
    """Propose to merge one name into another."""
    alias, home = made_element(collection, source), made_element(collection, target)
    ends = {"source": alias.id, "source_name": alias.name, "target": home.id, "target_name": home.name}
    return Proposal(**{**ends, "rule": "surname", "evidence": "1 of 1 documents", **more})


def merge(graph: Graph, collection: str, source: str, target: str, job: str = "j1") -> str:
    """Merge one name into another; return the merge's id."""
    proposed = proposal(collection, source, target)
    assert graph.merging.merge_elements(collection, proposed, job)
    return ids.merge_id(collection, proposed.source, proposed.target)


def undo(graph: Graph, collection: str, source: str, target: str) -> Undone | None:
    """Undo the merge of one name into another."""
    name = ids.merge_id(collection, element_id(collection, source), element_id(collection, target))
    return graph.merging.undo_merge(collection, name)


def at_once(tasks: Sequence[Callable[[], object]]) -> list[object]:
    """Run all of them side by side, beginning together; the first error is raised."""
    gate = threading.Barrier(len(tasks))

    def run(task: Callable[[], object]) -> object:
        gate.wait(120)
        return task()

    with ThreadPoolExecutor(len(tasks)) as pool:
        return [future.result() for future in [pool.submit(run, task) for task in tasks]]


def repeated(step: Callable[..., Found], /, *given: Any) -> Found:
    """Do a step as the ledger does: where deadlocks outlast the adapter's patience, once more."""
    for _ in range(20):
        with contextlib.suppress(Transient):
            return step(*given)
    raise AssertionError("deadlocks never end")
