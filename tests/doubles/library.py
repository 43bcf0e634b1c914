# ruff: noqa: ARG002 - doubles take what the ports take
"""A read-only graph made from sentences, and a model that follows a script: for tests of a query's steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel

from doubles.blobs import MemoryBlobs
from doubles.graph_neighbourhood import MemoryNeighbourhood
from hopline.models.documents import Chunk, Document, KeyElement
from hopline.models.jobs import Json, Usage
from hopline.models.metadata import Value
from workers.adapters.openai.partial_reply import Growing
from workers.core import ids
from workers.core.graph.elements import element_spellings, normalise_element, spelled
from workers.core.graph.surroundings import NamedElement
from workers.core.graph.vectors import Embedder
from workers.core.jobs.work import Job
from workers.core.language.index_words import name_words
from workers.core.models.tool_calls import RefusedCall, ToolCall, ToolCalls
from workers.core.ports import Answered, FollowUp, Limits, Partial, Ports
from workers.core.prompts import Prompt
from workers.core.records import FactSource, Hit, Neighbour, NodeReading
from workers.critic.schema import FactScore, FactScores

C = "default"
Reply = TypeVar("Reply", bound=BaseModel)
Script = BaseModel | Exception | Callable[[Mapping[str, Any]], BaseModel]


def k(name: str) -> str:
    return ids.element_id(C, normalise_element(name))


def f(text: str) -> str:
    return ids.fact_id(C, text)


class Library(MemoryNeighbourhood):
    """Documents whose sentences each are one atomic fact with the key elements given."""

    def __init__(self) -> None:
        self.documents: dict[str, tuple[Document, Chunk]] = {}
        self.held: dict[str, tuple[FactSource, list[str]]] = {}
        self.names: dict[str, str] = {}
        self.aliases: dict[str, set[str]] = {}
        self.calls: list[str] = []
        self.metadata: dict[str, dict[str, Value]] = {}  # of documents by title
        self.properties: dict[str, dict[str, str | int | float | bool]] = {}  # by node, of others' making

    def add(
        self, title: str, *sentences: tuple[str, list[str]] | tuple[str, list[str], str], index: int = 0
    ) -> Library:
        """Add a document of (sentence, key elements[, fact as extracted]), separated by a space.

        The same title with another index adds a chunk to it, its offsets begin at 1,000 times the index.
        """
        text = " ".join(entry[0] for entry in sentences)
        document = Document(
            id=ids.document_id(C, title), collection=C, uri=f"file:{title}", title=title, content_hash="0"
        )
        chunk = Chunk(
            id=ids.chunk_id(document.id, text, 0),
            index=index,
            text=text,
            start=1000 * index,
            end=1000 * index + len(text),
            tokens=1,
            content_hash="0",
        )
        self.documents[chunk.id] = (document, chunk)
        for entry in sentences:
            sentence, elements, fact = (*entry, entry[0])[:3] if len(entry) == 2 else entry
            start = text.index(sentence)
            source = FactSource(
                fact_id=f(fact),
                fact=fact,
                chunk_id=chunk.id,
                document_id=document.id,
                title=title,
                uri=document.uri,
                start=chunk.start + start,
                end=chunk.start + start + len(sentence),
                match=1.0,
                grounded=True,
                quote=sentence,
            )
            self.held[f"{document.id}{f(fact)}"] = (source, [k(name) for name in elements])
            for name in elements:
                self.names[k(name)] = normalise_element(name)
                self.aliases.setdefault(k(name), set()).add(name)
        return self

    def add_chunks(self, title: str, *paragraphs: list[tuple[str, list[str]]]) -> Library:
        """Add a document of several chunks, each of (sentence, key elements)."""
        for index, paragraph in enumerate(paragraphs):
            self.add(title, *paragraph, index=index)
        return self

    def shown_name(self, element: str) -> str:
        return spelled(self.names[element], self.aliases[element])

    def live_places(self, collection: str) -> list[FactSource]:
        return [source for source, _elements in self.held.values()]

    def elements_held(self, collection: str) -> dict[str, dict[str, str]]:
        names_by_fact: dict[str, dict[str, str]] = {}
        for source, elements in self.held.values():
            names_by_fact.setdefault(source.fact_id, {}).update({key: self.names[key] for key in elements})
        return names_by_fact

    def live_chunks(self, collection: str) -> list[tuple[Document, Chunk]]:
        return list(self.documents.values())

    def read_node(
        self, collection: str, node_id: str, *, near: Sequence[str] = (), max_facts: int, max_neighbours: int
    ) -> NodeReading | None:
        self.calls.append("read_node")
        if node_id not in self.names:
            return None
        mine = [(source, elements) for source, elements in self.held.values() if node_id in elements]
        mine.sort(key=lambda pair: near.index(pair[0].fact_id) if pair[0].fact_id in near else len(near))
        ways: dict[str, Neighbour] = {}
        for source, elements in mine:
            for other in elements:
                if other != node_id:
                    ways[other] = Neighbour(
                        id=other,
                        name=self.names[other],
                        relationship="SHARES_FACT",
                        shared=sum(other in each for _fact, each in mine),
                        degree=sum(other in each for _fact, each in self.held.values()),
                        context=source.fact,
                        spelled=self.shown_name(other),
                    )
        return NodeReading(
            id=node_id,
            name=self.names[node_id],
            labels=("KeyElement",),
            element_id=f"4:db:{node_id}",
            properties=self.properties.get(node_id, {}),
            facts=tuple(source for source, _ in mine)[:max_facts],
            neighbours=tuple(ways.values())[:max_neighbours],
            spelled=self.shown_name(node_id),
        )

    def names_in(self, collection: str, chunk_ids: Sequence[str]) -> dict[str, list[tuple[str, ...]]]:
        self.calls.append("names_in")
        return {}

    def elements_named(self, collection: str, names: Sequence[str]) -> dict[str, list[KeyElement]]:
        self.calls.append("elements_named")
        return {
            name: [
                KeyElement(id=key, name=known, aliases=tuple(sorted(self.aliases[key])))
                for key, known in self.names.items()
                if known in element_spellings(name) or name in self.aliases[key]
            ]
            for name in names
        }

    def elements_like(self, collection: str, text: str, limit: int) -> list[Hit]:
        self.calls.append("elements_like")
        wanted = set(name_words(text))
        hits = [(len(wanted.intersection(name_words(name))), key) for key, name in self.names.items()]
        best = sorted((hit for hit in hits if hit[0] > 0), key=lambda hit: (-hit[0], hit[1]))
        return [Hit(id=key, kind="element", score=score) for score, key in best[:limit]]

    def elements_found(
        self, collection: str, ids: Sequence[str], *, spellings: bool = False
    ) -> list[NamedElement]:
        found = super().elements_found(collection, ids, spellings=spellings)
        self.calls.append("elements_found")
        return found

    def elements(self, collection: str, ids: Sequence[str]) -> list[KeyElement]:
        self.calls.append("elements")
        return [
            KeyElement(id=key, name=self.names[key], aliases=tuple(sorted(self.aliases[key])))
            for key in ids
            if key in self.names
        ]

    def fact_sources(self, collection: str, fact_ids: Sequence[str]) -> list[FactSource]:
        self.calls.append("fact_sources")
        return [source for source, _ in self.held.values() if source.fact_id in fact_ids]

    def documents_of(self, ids: Sequence[str]) -> list[Document]:
        self.calls.append("documents_of")
        known = {document.id: document for document, _chunk in self.documents.values()}
        return [
            known[name].model_copy(update={"metadata": self.metadata.get(known[name].title, {})})
            for name in ids
            if name in known
        ]

    def chunks(self, collection: str, chunk_ids: Sequence[str]) -> list[tuple[Chunk, Document]]:
        self.calls.append("chunks")
        pairs = [self.documents[name] for name in chunk_ids if name in self.documents]
        return [(chunk, document) for document, chunk in pairs]


def grow(content: str, partial: Partial, piece: int = 7) -> None:
    """Show a reply as it comes from an endpoint that streams, so many characters at a time."""
    growing = Growing(partial)
    for end in range(piece, len(content) + piece, piece):
        growing(content[:end])


class ScriptedModel:
    """Replies by the schema asked for; an exception in the script is raised."""

    embedder = Embedder(name="scripted", dimension=2)

    def __init__(self, script: Mapping[type[BaseModel], Script] | None = None) -> None:
        self.script = dict(script or {})
        self.asked: list[tuple[str, str, dict[str, Any]]] = []  # (prompt's name, tier, material)
        self.embedded: list[list[str]] = []

    def metered(self, _meter: object, _turns: object = None) -> ScriptedModel:
        return self

    def ask(
        self,
        prompt: Prompt,
        material: Mapping[str, Any],
        reply: type[Reply],
        *,
        tier: str = "fast",
        max_tokens: int = 1024,
        partial: Partial | None = None,
        review: Callable[[Any], FollowUp | None] | None = None,
    ) -> Answered[Reply]:
        self.asked.append((prompt.name, tier, dict(material)))
        if reply is FactScores and reply not in self.script:
            scripted: Script = self._score_each
        else:
            scripted = self.script[reply]
        if isinstance(scripted, Exception):
            raise scripted
        value = scripted if isinstance(scripted, BaseModel) else scripted(material)
        if partial:
            grow(value.model_dump_json(), partial)
        follow_up = review(value) if review else None
        if follow_up:  # the script may make something else of the material with what was said about the reply
            return self.ask(
                follow_up.prompt, {**material, **follow_up.material}, reply, tier=tier, partial=partial
            )
        return Answered[reply](value=value, usage=Usage(model_calls=1))

    def _score_each(self, material: Mapping[str, Any]) -> FactScores:
        scripted = self.script[FactScore]
        if isinstance(scripted, Exception):
            raise scripted
        common = {name: value for name, value in material.items() if name != "facts"}
        scores = [
            scripted if isinstance(scripted, BaseModel) else scripted({**common, **fact})
            for fact in material["facts"]
        ]
        return FactScores.model_validate(
            {"scores": [{"n": n, **score.model_dump()} for n, score in enumerate(scores, 1)]}
        )

    def choose_tools(
        self,
        prompt: Prompt,
        material: Mapping[str, Any],
        tools: Sequence[Json],
        fault: Callable[[ToolCall], str | None],
        *,
        tier: str = "fast",
        max_tokens: int = 1024,
    ) -> Answered[ToolCalls]:
        """The script's calls, or what it makes of the material with `tools`; what has a fault is refused."""
        fields = {**material, "tools": list(tools)}
        self.asked.append((prompt.name, tier, fields))
        scripted = self.script[ToolCalls]
        if isinstance(scripted, Exception):
            raise scripted
        chosen = scripted if isinstance(scripted, BaseModel) else scripted(fields)
        assert isinstance(chosen, ToolCalls)
        judged = [(call, fault(call)) for call in chosen.calls]
        refused = [RefusedCall(name=c.name, arguments=str(c.arguments), why=why) for c, why in judged if why]
        calls = tuple(call for call, why in judged if not why)
        value = ToolCalls(calls=calls, refused=(*chosen.refused, *refused))
        return Answered[ToolCalls](value=value, usage=Usage(model_calls=1))

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.embedded.append(list(texts))
        return [[1.0, 0.0] for _ in texts]


def ports_for(graph: Library, model: ScriptedModel, vectors: Any, **params: Any) -> Ports:
    job = Job(id="j1", kind="query", collection=C, params={"question": "q?", **params})
    return Ports(job=job, graph=graph, vectors=vectors, model=model, blobs=MemoryBlobs(), limits=Limits())
