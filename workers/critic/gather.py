"""Builds numbered evidence from final facts: locates each, fits the token budget, shortens the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from hopline.errors import Permanent
from hopline.models.answers import TableInPart
from hopline.models.jobs import Json
from hopline.visible import visible
from workers.core.answers.evidence import best_sources, best_sources_by_document, packed
from workers.core.errors import BudgetExceeded
from workers.core.jobs.params import QueryParams
from workers.core.language.text import sentences
from workers.core.models.tokens import count_tokens
from workers.core.models.tools import FoundBy
from workers.core.ports import Ports
from workers.core.prompts import load_prompt
from workers.core.records import FactSource, FinalFact
from workers.core.scope import reads_less
from workers.critic.context import ChunkText
from workers.critic.rows import RowSource, row_sources
from workers.critic.schema import EvidenceSummary
from workers.critic.verify import OtherNames, Surroundings, fault, other_names

_FRAME = 16  # tokens of an entry's field names
_ROOM = 0.8  # of the evidence's tokens are for facts themselves where the rest is shortened
_SUMMARISED = 4  # times the evidence's tokens are the most that is shortened
_REPLY_TOKENS = 1024
_MOST_DOCUMENTS = 500  # that a result names beside its citations


@dataclass(frozen=True)
class Placed:
    """A final fact with the place that supports it, in a document or in the graph."""

    fact: FinalFact
    source: FactSource | RowSource
    elsewhere: tuple[FactSource, ...] = ()  # the fact's places in other documents

    @property
    def document_source(self) -> FactSource | None:
        """The place in a document, if there is one."""
        return self.source.stated if isinstance(self.source, RowSource) else self.source

    @property
    def document_sources(self) -> tuple[FactSource, ...]:
        """All places in documents, the best first."""
        best = self.document_source
        return (best, *self.elsewhere) if best else ()

    @property
    def described_as_read(self) -> Placed:
        """The fact without its critic's words if the place that these describe no longer exists."""
        if any(source.chunk_id == self.fact.source_qdrant_chunk_id for source in self.document_sources):
            return self
        return replace(self, fact=self.fact.model_copy(update={"source_description": ""}))

    def quoted_from(self, source: FactSource) -> Placed:
        """Return the fact with another of its places in documents."""
        if isinstance(self.source, RowSource):
            return replace(self, source=self.source.model_copy(update={"stated": source}))
        return replace(self, source=source)


@dataclass(frozen=True)
class Evidence:
    """Material that the writer may cite under one number: one fact, or a sentence that sums up several."""

    n: int
    text: str
    placed: tuple[Placed, ...]

    @property
    def document_ids(self) -> frozenset[str]:
        """The ids of documents that state it."""
        return frozenset(source.document_id for place in self.placed for source in place.document_sources)

    def material(self) -> Json:
        """Return the entry as the writer sees it."""
        quote = self.placed[0].source.quote if len(self.placed) == 1 else ""
        titles = dict.fromkeys(place.source.title for place in self.placed)
        return {"n": self.n, "fact": self.text, "quote": quote, "source": "; ".join(titles)}


@dataclass(frozen=True)
class Gathered:
    """The evidence by number, best first, and the outcome of the facts left out."""

    evidence: dict[int, Evidence]
    left_out: int = 0  # facts that did not fit
    shortened: int = 0  # of these, facts that a summary stands for
    uncarried: int = 0  # claims that what is left of their facts does not carry
    failed: str | None = None  # why there is no summary
    contradictions: tuple[list[Json], ...] = ()  # possible ones: their sides as the writer sees them
    read: frozenset[str] = frozenset()  # ids of other documents that its words may be of

    @property
    def rests_on(self) -> tuple[str, ...] | None:
        """The ids of the documents that state it, quoted ones first; None if some facts are only in a graph.

        If very many documents state a fact, some of them are left out.
        """
        placed = [place for entry in self.evidence.values() for place in entry.placed]
        quoted = [source.document_id for place in placed if (source := place.document_source)]
        if len(quoted) < len(placed) or any(isinstance(place.source, RowSource) for place in placed):
            return None
        others = {source.document_id for place in placed for source in place.elsewhere}
        return tuple(dict.fromkeys((*quoted, *sorted(others | self.read))))[:_MOST_DOCUMENTS]

    @cached_property
    def tables_in_part(self) -> tuple[TableInPart, ...]:
        """The tables of which several rows, but not all, are among the evidence."""
        read: dict[tuple[str, int], tuple[FactSource, int, set[int]]] = {}
        placed = (place.document_source for entry in self.evidence.values() for place in entry.placed)
        for source in filter(None, placed):
            if row := source.row:
                table, nth, whole = row
                read.setdefault((source.document_id, table), (source, whole, set()))[2].add(nth)
        return tuple(
            TableInPart(title=source.title, uri=source.uri, table=table, rows=_spans(rows), of=whole)
            for (_document, table), (source, whole, rows) in read.items()
            if 1 < len(rows) < whole
        )

    def material(self) -> Json:
        """Return what the writer sees of it, leaving out contradictions and tables if there are none."""
        shown: Json = {"evidence": [entry.material() for entry in self.evidence.values()]}
        if self.tables_in_part:
            shown["tables_in_part"] = [
                {"source": each.title, "table": each.table, "rows": each.rows_in_words, "of": each.of}
                for each in self.tables_in_part
            ]
        return shown | ({"possible_contradictions": list(self.contradictions)} if self.contradictions else {})


def _spans(numbers: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Return numbers as spans of neighbouring ones: 1, 2, 3, 7 as 1 to 3 and 7 to 7."""
    spans: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if spans and spans[-1][1] == number - 1:
            spans[-1] = (spans[-1][0], number)
        else:
            spans.append((number, number))
    return tuple(spans)


def placed_facts(facts: Sequence[FinalFact], calls: Mapping[str, FoundBy], ports: Ports) -> list[Placed]:
    """Return the facts that can be cited, each with its best place; at most two round trips.

    Args:
        facts: facts, best first; those without a live document or a call that found them are left out.
        calls: calls that found facts in the graph itself, by id.
        ports: the graph.
    """
    stored = [fact.source_fact_id for fact in facts if fact.source_fact_id]
    carried = ports.graph.nodes.fact_sources(ports.job.collection, stored) if stored else []
    sources = best_sources(carried)
    loose = [fact for fact in facts if not fact.source_fact_id and fact.source_qdrant_chunk_id]
    quoted = {source.fact: source for source in _chunk_sentences(loose, ports)}
    rows = {fact.fact_text: row for fact, row in row_sources(facts, calls, sources)}
    source_places = {_place(source) for source in sources.values()}
    places: list[Placed] = []
    for fact in facts:
        if fact.place is not None:
            places += [Placed(fact, rows[fact.fact_text])] if fact.fact_text in rows else []
            continue
        source = sources.get(fact.source_fact_id) if fact.source_fact_id else quoted.get(fact.fact_text)
        # A sentence read in a chunk says again what a stored fact of that place says.
        if source is not None and (fact.source_fact_id or _place(source) not in source_places):
            places.append(Placed(fact, source))
    others = _elsewhere(carried, sources)
    placed = [replace(place, elsewhere=others.get(place.fact.source_fact_id or "", ())) for place in places]
    limited = reads_less(ports.job.params, ports.job.principals)
    return [place.described_as_read for place in placed] if limited else placed


def _elsewhere(
    carried: Iterable[FactSource], best: Mapping[str, FactSource]
) -> dict[str, tuple[FactSource, ...]]:
    """Return per fact its best place in each document but the one that carries it best."""
    per_document = best_sources_by_document(carried)
    return {
        fact: tuple(place for place in places if place.document_id != best[fact].document_id)
        for fact, places in per_document.items()
    }


def _place(source: FactSource) -> tuple[str, int, int]:
    return source.document_id, source.start, source.end


def _chunk_sentences(facts: Sequence[FinalFact], ports: Ports) -> Iterator[FactSource]:
    """Yield the places of sentences that were read in a chunk but belong to no atomic fact."""
    if not facts:
        return
    wanted = sorted({fact.source_qdrant_chunk_id or "" for fact in facts})
    chunks = {chunk.id: (chunk, doc) for chunk, doc in ports.graph.nodes.chunks(ports.job.collection, wanted)}
    for fact in facts:
        chunk, document = chunks.get(fact.source_qdrant_chunk_id or "", (None, None))
        place = _place_in(chunk.text, fact.fact_text) if chunk else None
        if chunk is None or document is None or place is None:
            continue
        yield FactSource(
            fact_id="",
            fact=fact.fact_text,
            chunk_id=chunk.id,
            document_id=document.id,
            title=document.title,
            uri=document.uri,
            start=chunk.start + place[0],
            end=chunk.start + place[1],
            match=1.0,
            grounded=True,
            quote=fact.fact_text,
            chunk_start=chunk.start,
            chunk_places=chunk.places,
        )


def _place_in(text: str, sentence: str) -> tuple[int, int] | None:
    """Return where a visible sentence stands in the stored text, which may hold invisible characters."""
    begin = text.find(sentence)
    if begin >= 0:
        return begin, begin + len(sentence)
    spans = sentences(text)
    return next(((start, end) for start, end in spans if visible(text[start:end]).startswith(sentence)), None)


def gather(question: str, places: Sequence[Placed], params: QueryParams, ports: Ports) -> Gathered:
    """Pack the placed facts into the token budget; the rest is shortened once, if allowed."""
    entries = [Evidence(n, place.fact.fact_text, (place,)) for n, place in enumerate(places, 1)]
    fits, over = packed(entries, _size, params.evidence_tokens)
    if not over or not params.summarise_overflow:
        return Gathered(_numbered(fits), left_out=len(over))
    room = int(params.evidence_tokens * _ROOM)
    smaller, more = packed(entries, _size, room)
    short, _rest = packed(more, _size, _SUMMARISED * params.evidence_tokens)
    try:
        summary = _summarised(question, short, ports, names_of(short, ports))
    except (Permanent, BudgetExceeded) as error:
        return Gathered(_numbered(fits), left_out=len(over), failed=str(error)[:300])
    added, _unfit = packed(summary, _size, params.evidence_tokens - sum(map(_size, smaller)))
    stood_for = {place.fact for entry in added for place in entry.placed}
    return Gathered(_numbered([*smaller, *added]), left_out=len(more), shortened=len(stood_for))


def names_of(entries: Iterable[Evidence], ports: Ports) -> OtherNames:
    """Return a reader of other names of things mentioned in the given evidence."""
    sources = [place.source for entry in entries for place in entry.placed]
    return other_names(ports.graph.merging, ports.job.collection, sources)


def surroundings(ports: Ports) -> Surroundings:
    """Return a reader of chunk texts that queries the graph once per chunk."""
    known: dict[str, ChunkText] = {}

    def around(chunk_ids: Sequence[str]) -> Sequence[ChunkText]:
        wanted = sorted({name for name in chunk_ids if name not in known})
        if wanted:
            chunks = ports.graph.nodes.chunks(ports.job.collection, wanted)
            known.update({chunk.id: ChunkText(chunk.text, chunk.start) for chunk, _document in chunks})
        return [known[name] for name in chunk_ids if name in known]

    return around


def _summarised(
    question: str, entries: Sequence[Evidence], ports: Ports, names: OtherNames
) -> list[Evidence]:
    """Summarise the evidence that did not fit; sentences that say more than their quotes are dropped."""
    known = {entry.n: entry for entry in entries}
    material = {
        "question": question,
        "evidence": [{"n": entry.n, "fact": entry.text} for entry in entries],
    }
    prompt = load_prompt("workers.critic", "summarise")
    draft = ports.model.ask(prompt, material, EvidenceSummary, max_tokens=_REPLY_TOKENS).value
    kept: list[Evidence] = []
    around = surroundings(ports)
    for sentence in draft.sentences:
        cited = [known[n] for n in dict.fromkeys(sentence.citations) if n in known]
        places = tuple(place for entry in cited for place in entry.placed)
        invented = len(cited) < len(set(sentence.citations))
        sources = [place.source for place in places]
        if places and not invented and fault(sentence.text, sources, around, names=names) is None:
            kept.append(Evidence(0, sentence.text, places))
    return kept


def _numbered(entries: Iterable[Evidence]) -> dict[int, Evidence]:
    return {n: Evidence(n, entry.text, entry.placed) for n, entry in enumerate(entries, 1)}


def _size(entry: Evidence) -> int:
    shown: Mapping[str, object] = entry.material()
    return _FRAME + count_tokens(f"{shown['fact']} {shown['quote']} {shown['source']}")
