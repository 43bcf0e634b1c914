"""An extractor that follows a script, and a runner of flows in one thread: for tests of ingestion."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from doubles.blobs import MemoryBlobs
from doubles.graph import MemoryGraph
from doubles.vectors import MemoryVectors
from hopline.errors import HoplineError, Transient
from hopline.models.documents import Document
from hopline.models.jobs import Usage
from workers.core import ids
from workers.core.graph.vectors import Embedder
from workers.core.jobs.flow import Flow
from workers.core.jobs.work import Done, End, Event, Job, as_json
from workers.core.language.text import sentences
from workers.core.metadata.schema import NoSchemas
from workers.core.models.replies import NoReplies
from workers.core.models.tool_calls import ToolCalls
from workers.core.originals import NoOriginals, Originals
from workers.core.ports import Answered, Limits, Ports
from workers.flows.one_step import DELETE, REINDEX
from workers.ingest.flow import DOCUMENT
from workers.ingest.schema import ExtractedFact, ExtractedFacts, ProfiledFacts, TranscribedPage

Extract = Callable[[Mapping[str, Any]], ExtractedFacts]


def sentences_as_facts(material: Mapping[str, Any]) -> ExtractedFacts:
    """Every sentence a fact, its capitalised words and numbers the key elements."""
    text = material["text"]
    facts = []
    for start, end in sentences(text):
        sentence = text[start:end]
        names = [word.strip(".,;!?") for word in sentence.split() if word[0].isupper() or word[0].isdigit()]
        facts.append(ExtractedFact(text=sentence[:2000], key_elements=names[:40]))
    return ExtractedFacts(facts=facts[:200])


class ExtractingModel:
    """Replies with what `extract` makes of the material; embeds a text as its length and its vowels."""

    embedder = Embedder(name="counting", dimension=2)
    name = "extracting"

    def __init__(self, extract: Extract = sentences_as_facts) -> None:
        self.extract = extract
        self.asked: list[Mapping[str, Any]] = []
        self.prompts: list[str] = []
        self.embedded: list[str] = []
        self.looks = ""  # the model for pictures
        self.on_pictures: Sequence[str] = ()  # lines that it reads on each
        self.pictures: list[bytes] = []

    def metered(self, _meter: object, _turns: object = None) -> ExtractingModel:
        return self

    def name_of(self, tier: str) -> str:
        return self.name if tier != "vision" else self.looks

    def ask(
        self,
        prompt: Any,
        material: Mapping[str, Any],
        reply: type[Any],
        *,
        tier: str = "fast",
        max_tokens: int = 1024,
        pictures: Sequence[bytes] = (),
    ) -> Answered[Any]:
        if reply is TranscribedPage:
            assert tier == "vision"
            self.pictures += pictures
            return Answered[reply](value=reply(lines=self.on_pictures), usage=Usage(model_calls=1))  # type: ignore[valid-type]
        assert reply in {ExtractedFacts, ProfiledFacts}
        assert tier == "fast"
        assert max_tokens > 0
        self.asked.append(dict(material))
        self.prompts.append(prompt.text)
        return Answered[reply](value=self.extract(material), usage=Usage(model_calls=1))  # type: ignore[valid-type]

    def choose_tools(self, *_: Any, **__: Any) -> Answered[ToolCalls]:
        raise AssertionError("ingestion chooses no tools")

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.embedded.extend(texts)
        return [[float(len(text)), float(sum(letter in "aeiou" for letter in text))] for text in texts]


class FlowRunner:
    """Runs a flow's phases one after another; a step that fails becomes a dead letter at once."""

    def __init__(self, flow: Flow, ports: Ports, *, twice: bool = False) -> None:
        self.flow = flow
        self.ports = ports
        self.twice = twice  # every step runs two times, as after a lost lease
        self.results: dict[int, list[Done]] = {}
        self.events: list[str] = []
        self.told: list[Event] = []  # the same, whole

    def run(self) -> End:
        return self._from(0, self.flow.first(self.ports.job).items)

    def retry(self) -> End:
        """Do the dead letters of the first phase that has some again, and all later phases."""
        phase = min(at for at, dones in self.results.items() if any(done.error for done in dones))
        before = self._items(phase)
        dead = {done.item_id for done in self.results[phase] if done.error}
        kept = [done for done in self.results[phase] if not done.error]
        self.results = {at: dones for at, dones in self.results.items() if at < phase}
        return self._from(phase, [item for item in before if item.id in dead], kept)

    def _items(self, phase: int) -> Sequence[Any]:
        if phase == 0:
            return self.flow.first(self.ports.job).items
        return self.flow.advance(phase - 1, self.results, self.ports.job).items  # type: ignore[union-attr]

    def _from(self, phase: int, items: Sequence[Any], kept: Sequence[Done] = ()) -> End:
        while True:
            self.results[phase] = [*kept, *(self._done(item) for item in items)]
            following = self.flow.advance(phase, self.results, self.ports.job)
            if isinstance(following, End):
                return following
            items, kept, phase = following.items, (), phase + 1

    def _done(self, item: Any) -> Done:
        run = self.flow.steps[item.step].do
        try:
            outcome = run(item.input, self.ports)
            if self.twice:
                outcome = run(item.input, self.ports)
        except Transient as error:
            return Done(item_id=item.id, step=item.step, result={}, error=f"given up: {error}")
        except HoplineError as error:
            return Done(item_id=item.id, step=item.step, result={}, error=str(error))
        self.events += [event.name for event in outcome.events]
        self.told += outcome.events
        return Done(item_id=item.id, step=item.step, result=as_json(outcome.result))


def ingest_ports(graph: Any, vectors: Any, model: Any, blobs: Any, **more: Any) -> Ports:
    """Ports of a job; `kind`, `collection`, `params` and `limits` may be given."""
    job = Job(
        id="j1",
        kind=more.get("kind", "document"),
        collection=more.get("collection", "default"),
        params=more.get("params", {}),
    )
    limits = more.get("limits", Limits())
    kept = more.get("replies", NoReplies())
    return Ports(job=job, graph=graph, vectors=vectors, model=model, blobs=blobs, limits=limits, replies=kept)


BERN = (
    "Anna Keller was born in Bern. She built the Aare bridge in 1843.\n\n"
    "The old Aare bridge of wood was replaced in 1883.\n\nBern lies on the Aare."
)  # three chunks of 19 tokens, four facts
SMALL_CHUNKS = Limits(chunk_tokens=19, chunk_overlap=0)


class Ingestion:
    """A graph, vectors, blobs and a model that documents are ingested into.

    Args:
        folder: where the files of documents are put.
        limits: of the jobs.
        extract: what the model makes of a chunk.
        replies: of the model, where they are kept.
    """

    def __init__(
        self,
        folder: Path,
        *,
        limits: Limits = SMALL_CHUNKS,
        extract: Extract = sentences_as_facts,
        replies: Any = None,
    ) -> None:
        self.folder, self.limits = folder, limits
        self.graph, self.vectors, self.blobs = MemoryGraph(), MemoryVectors(), MemoryBlobs()
        self.model, self.replies = ExtractingModel(extract), replies or NoReplies()
        self.schemas: Any = NoSchemas()
        self.originals: Originals = NoOriginals()
        self.runner: FlowRunner

    def ports(self, **more: Any) -> Ports:
        fields = {"limits": self.limits, "replies": self.replies, **more}
        made = ingest_ports(self.graph, self.vectors, self.model, self.blobs, **fields)
        return replace(made, schemas=self.schemas, originals=self.originals)

    def ingest(
        self,
        text: str | bytes = BERN,
        name: str = "bern.txt",
        *,
        collection: str = "default",
        twice: bool = False,
        **params: Any,
    ) -> End:
        """Run the job of one document; `params` are those of the document."""
        file = self.folder / name
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        fields = {"uri": name, "source": str(file), "format": "txt", **params}
        self.runner = FlowRunner(DOCUMENT, self.ports(params=fields, collection=collection), twice=twice)
        return self.runner.run()

    def delete(self, name: str = "bern.txt", collection: str = "default") -> End:
        fields = {"document_id": ids.document_id("default", name)}
        return FlowRunner(DELETE, self.ports(kind="delete", collection=collection, params=fields)).run()

    def reindex(self) -> End:
        return FlowRunner(REINDEX, self.ports(kind="reindex")).run()

    def document(self, name: str = "bern.txt") -> Document | None:
        return self.graph.store.document(ids.document_id("default", name))

    def held(self) -> set[str]:
        """Return the ids that readers can see."""
        return {graph_id for page in self.graph.nodes.texts("default") for graph_id, _kind, _text in page}

    def embedded(self) -> set[str]:
        """Return the ids that have a vector."""
        return set(self.vectors.points.get("default", {}))

    def calls(self) -> tuple[int, int]:
        """Return how often the model was asked, and how many texts it embedded."""
        return len(self.model.asked), len(self.model.embedded)
