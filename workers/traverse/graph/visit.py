"""Visits one node: keeps facts that help to answer, and chooses where to go next."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from hopline.errors import Permanent
from hopline.events.questions import VisitFinished
from hopline.models.base import Frozen
from workers.core.answers.lexical_rank import overlap, question_terms, terms
from workers.core.answers.walk import NextNode, Visited, visit_id
from workers.core.graph.paths import ChunkReading
from workers.core.jobs.params import QueryParams
from workers.core.jobs.work import GivenBack, Item, Outcome
from workers.core.models.tools import FoundBy
from workers.core.ports import Ports
from workers.core.prompts import load_prompt
from workers.core.records import FactSource, Neighbour, NodeReading, QuotedFact
from workers.traverse.graph.notes import Shown, believed, property_calls, ranked_facts, ranked_neighbours
from workers.traverse.guide import Guide, get_guide
from workers.traverse.schema import NodeNotes

STEP: Final = "traverse.visit"
_SCHEMA: Final = (
    "Nodes are key elements: persons, places, works, dates, terms. An atomic fact is one statement of a "
    "document and holds several key elements. SHARES_FACT joins two key elements of one fact."
)
_FACTS_READ = 80  # of a node, from the graph
_FACTS_SHOWN = 40  # to the model
_NEIGHBOURS_READ = 3  # times what is offered, for the ranker knows better which ones
_CHUNKS_SHOWN = 2
_CHUNK_MATCH = 0.5  # share of the question's terms in one of a chunk's facts that makes it worth reading
_WAYS_ON = 3  # neighbours tried where the model failed
_REPLY_TOKENS = 2048
# Shares of the content words. The rest says in other words what joins the names: of what a large model took
# for enough ("What currency predated the Euro in the country Signmark is from?") the facts had 3 of 5 words,
# and half of each part's.
_OF_QUESTION = 0.6
_OF_PART = 0.5
# More than one answer may be asked for: another node may hold the others.
_LIST = re.compile(
    r"\b(?:which|all|any|every|each|both|list|lists|several|many|names?|others?|else)\b"
    r"|\b(?:who|what|where|when) (?:are|were)\b"
    r"|\bwhat (?!(?:is|was|does|has|[a-z]*ss)\b)[a-z]+s\b|\bwho (?!(?:is|was)\b)"
    r"|\b(?:and|or|than|compared?|comparison|difference|first|last|und|oder|als|y|o|que|et|ou)\b"
    r"|\b(?:welche[rsnm]?|alle[rsn]?|jede[rsnm]?|wie ?viele?|wer (?!(?:ist|war)\b)|vergleiche?)\b"
    r"|\b(?:cu[aá]les|cu[aá]nt[oa]s|qui[eé]n(?:es)?|tod[ao]s|quels|quelles|combien|tous|toutes)\b"
    r"|\bqui (?!(?:est|était)\b)"
    r"|哪|所有|全部|几|多少|列出|都有|有谁|比较|还是|和|どの|すべて|全て|いくつ|誰が",
    re.IGNORECASE,
)


class VisitInput(Frozen):
    """A node to visit, and the purpose of the walk."""

    node_id: str
    name: str  # as documents spell it
    depth: int  # hops from a seed, 0 for a seed
    parent: str | None  # id of the node before it; None of a seed
    path: tuple[str, ...]  # names on the way here, in normal form
    question: str
    sub_questions: tuple[str, ...]
    guide: str  # reference of the ranker's scores; "" where there are none
    read: tuple[str, ...]  # ids of chunks that were shown on the way
    came_from: str | None = None  # name of the node before it, as documents spell it


class VisitResult(Visited):
    """The facts found at a node, and where to go next."""

    facts: tuple[QuotedFact, ...]
    missing: bool = False  # the node is gone
    passed_by: bool = False  # no model was asked: nothing here was this visit's to show
    calls: dict[str, FoundBy] = {}  # that find facts from properties again, by id
    invented: int = 0  # ids that the model was never offered
    ungrounded: int = 0  # statements that their chunk does not carry
    failed: str | None = None  # why the model failed: what is next are some neighbours, unread


def visit_node(visit: VisitInput, ports: Ports) -> Outcome:
    """Read a node: keep facts that help to answer, and visit neighbours that may have some.

    A node is passed over without a call if all its facts, and the nodes they lead to, were already shown at
    other nodes of the walk. A chunk is shown at one node only.

    It takes one graph query for the node, one more if a chunk is worth reading, one call of the fast model,
    and one query for each chunk that its reply cites: what the model read there is stated by the chunk's
    facts. If the model fails for good, the node's facts are lost, but not its neighbours. If the model says
    that nothing beyond the node can help, and the facts confirm it, the walk ends.

    Args:
        visit: the node.
        ports: graph, model and the blob store.
    """
    params = QueryParams.read_stored(ports.job.params)
    wanted = question_terms(visit.question, visit.sub_questions)
    last = visit.depth + 1 >= params.max_depth
    offered = 0 if last else params.max_neighbours
    guide = get_guide(ports.blobs, visit.guide)
    node = ports.graph.nodes.read_node(
        ports.job.collection,
        visit.node_id,
        near=list(guide.facts),
        max_facts=_FACTS_READ,
        max_neighbours=_NEIGHBOURS_READ * offered,
    )
    if node is None:
        return _visited(visit, VisitResult(name=visit.name, next=(), facts=(), missing=True, passed_by=True))
    passed = frozenset((*visit.path, node.name))
    facts = ranked_facts(node.facts, wanted, guide, _FACTS_SHOWN)
    chunks = _chunks_worth_reading(node, visit, wanted, guide)
    own = _own(visit, facts, chunks, ports, leads_on=bool(offered))
    if facts and not own:
        shown_here = {fact.fact_id for fact in facts.values()}
        rest = [fact for fact in node.facts if fact.fact_id not in shown_here]
        if more := ranked_facts(rest, wanted, guide, _FACTS_SHOWN):
            facts, own = more, _own(visit, more, (), ports, leads_on=bool(offered))
    if facts and not own and not node.properties:
        return _visited(visit, VisitResult(name=node.spelled, next=(), facts=(), passed_by=True))
    shown = Shown(
        node=node,
        depth=visit.depth,
        facts=facts,
        chunks=_read_chunks([chunk for chunk in chunks if chunk in own], ports),
        neighbours=ranked_neighbours(
            node.neighbours, wanted, guide, passed, offered, read=len(facts) == len(node.facts)
        ),
    )
    read = (*visit.read, *(reading.chunk.id for reading in shown.chunks.values()))
    return _read(visit.model_copy(update={"read": read}), shown, params, ports)


def _own(
    visit: VisitInput, facts: Mapping[str, FactSource], chunks: Iterable[str], ports: Ports, *, leads_on: bool
) -> set[str]:
    """Return the ids that no other visit shows, and reserve them; those of facts only if it leads on."""
    reader, ids = visit_id(visit.node_id), [fact.fact_id for fact in facts.values()]
    if leads_on:
        return set(ports.reads.take(reader, [*ids, *chunks]))
    return set(ids) - ports.reads.by_others(reader, ids) | set(ports.reads.take(reader, list(chunks)))


def _read(visit: VisitInput, shown: Shown, params: QueryParams, ports: Ports) -> Outcome:
    name = shown.node.spelled
    if not (shown.facts or shown.chunks or shown.neighbours or shown.properties):
        return _visited(visit, VisitResult(name=name, next=(), facts=(), passed_by=True))
    material = {
        "question": visit.question,
        "sub_questions": list(visit.sub_questions),
        "schema": _SCHEMA,
        "depth": visit.depth,
        "max_depth": params.max_depth,
        "visited": list(visit.path),
        **shown.material(),
    }
    prompt = load_prompt("workers.traverse.graph", "visit")
    try:
        notes = ports.model.ask(prompt, material, NodeNotes, max_tokens=_REPLY_TOKENS).value
    except Permanent as error:
        return _unread(visit, shown, str(error)[:300])
    noted = believed(notes, _with_facts(shown, notes, ports), ports.limits.grounding_threshold)
    result = VisitResult(
        name=name,
        next=_next(noted.next),
        facts=tuple(noted.facts),
        calls=property_calls(noted.facts, ports.job.collection),
        invented=noted.invented,
        ungrounded=noted.ungrounded,
    )
    enough = notes.stop and answers_whole_question(
        noted.facts, visit.question, visit.sub_questions, visit.path
    )
    close = f"the visit of {name} has found the whole answer" if enough else None
    return _visited(visit, result, shown.node.name, close)


def _unread(visit: VisitInput, shown: Shown, why: str) -> Outcome:
    """Return what becomes of a node that the model failed on: some neighbours, and what others may read."""
    ways = list(shown.neighbours.values())[:_WAYS_ON]
    result = VisitResult(name=shown.node.spelled, next=_next(ways), facts=(), failed=why)
    facts = (fact.fact_id for fact in shown.facts.values())
    names = (*facts, *(reading.chunk.id for reading in shown.chunks.values()))
    given_back = GivenBack(reader=visit_id(visit.node_id), names=names) if names else None
    return _visited(visit, result, shown.node.name).model_copy(update={"given_back": given_back})


def _with_facts(shown: Shown, notes: NodeNotes, ports: Ports) -> Shown:
    """Return what was shown, adding the facts of chunks that the reply cites."""
    cited = {handle for fact in notes.facts for handle in fact.source_ids}
    chunks = dict(shown.chunks)
    for handle, reading in shown.chunks.items():
        if handle in cited:
            chunks[handle] = ports.graph.paths.read_chunk(ports.job.collection, reading.chunk.id) or reading
    return replace(shown, chunks=chunks)


def _next(neighbours: Sequence[Neighbour]) -> tuple[NextNode, ...]:
    return tuple(NextNode(near.id, near.spelled or near.name) for near in neighbours)


def _visited(visit: VisitInput, result: VisitResult, passed: str = "", close: str | None = None) -> Outcome:
    """Return a visit's outcome; `passed` is this node's normalised name, which later visits have passed."""
    finished = VisitFinished(
        node_id=visit.node_id,
        node=result.name,
        parent=visit.came_from,
        depth=visit.depth,
        facts=len(result.facts),
        failed=result.failed,
    )
    return Outcome(
        result=result,
        children=tuple(_child(node, visit, result.name, passed) for node in result.next),
        events=(finished,),
        close=close,
    )


def _child(node: NextNode, visit: VisitInput, name: str, passed: str) -> Item:
    below = visit.model_copy(
        update={
            "node_id": node.id,
            "name": node.name,
            "depth": visit.depth + 1,
            "parent": visit.node_id,
            "path": (*visit.path, passed),
            "came_from": name,
        }
    )
    return Item(id=visit_id(node.id), step=STEP, input=below)


def _chunks_worth_reading(
    node: NodeReading, visit: VisitInput, wanted: frozenset[str], guide: Guide
) -> list[str]:
    """Return the ids of the node's chunks that are near the question and were not read on the way to it.

    Nearness combines the ranker's result, computed once per job, and the words of the chunk's facts: a search
    per visit would cost more than it gains for the few chunks of a node.
    """
    near = {chunk: rank for rank, chunk in enumerate(guide.chunks)}
    match: dict[str, float] = {}
    for fact in node.facts:
        if fact.chunk_id not in visit.read:
            match[fact.chunk_id] = max(match.get(fact.chunk_id, 0.0), overlap(wanted, fact.fact))
    worth = [chunk for chunk, score in match.items() if chunk in near or score >= _CHUNK_MATCH]
    worth.sort(key=lambda chunk: (near.get(chunk, len(near)), -match[chunk], chunk))
    return worth[:_CHUNKS_SHOWN]


def _read_chunks(names: Sequence[str], ports: Ports) -> dict[str, ChunkReading]:
    """Return chunks by handle, in the given order; without names, no query is made."""
    if not names:
        return {}
    readings = {
        chunk.id: ChunkReading(chunk=chunk, document=document)
        for chunk, document in ports.graph.nodes.chunks(ports.job.collection, names)
    }
    return {f"c{n}": readings[name] for n, name in enumerate(names, 1) if name in readings}


def asks_for_several(question: str) -> bool:
    """Return whether a question may have several answers; yes in case of doubt."""
    return _LIST.search(question) is not None


def answers_whole_question(
    facts: Sequence[QuotedFact], question: str, sub_questions: Sequence[str], path: Sequence[str] = ()
) -> bool:
    """Return whether facts cover the question and each of its parts, and add something it does not say.

    For each part they also contain half of the words that no other part and no node on the path has: if a
    fact names only one of a regatta's two hosts, not both parts are covered.

    Always false for a question that may have several answers. This only compares words, without understanding
    them: it is called only if a model, too, says that the facts are enough.

    Args:
        facts: facts with their titles and quotes.
        question: the question to answer.
        sub_questions: its parts.
        path: names of the nodes on the path.
    """
    if not facts or asks_for_several(question):
        return False
    text = "\n".join(f"{fact.fact_text}\n{fact.title}\n{fact.quote}" for fact in facts)
    led = "\n".join(path)
    whole = question_terms(question, tuple(sub_questions))
    return (
        overlap(question_terms(question), text) >= _OF_QUESTION
        and all(overlap(question_terms(part), text) >= _OF_PART for part in sub_questions)
        and all(not own or overlap(own, f"{text}\n{led}") >= _OF_PART for own in _own_words(sub_questions))
        and any(terms(fact.fact_text) - whole for fact in facts)
    )


def _own_words(parts: Sequence[str]) -> list[frozenset[str]]:
    """Return of each part the content words that no other has."""
    words = [question_terms(part) for part in parts]
    return [
        own.difference(*(other for number, other in enumerate(words) if number != nth))
        for nth, own in enumerate(words)
    ]
