"""Step ingest.extract: extracts atomic facts from one chunk, each linked to its sentence."""

from __future__ import annotations

from collections.abc import Iterable

from hopline.events.documents import ChunkExtracted
from hopline.models.base import Frozen
from hopline.models.documents import Chunk, KeyElement
from workers.core import ids
from workers.core.answers.check import missing_names
from workers.core.graph.elements import normalise_element
from workers.core.jobs.work import Outcome
from workers.core.language.text import words
from workers.core.places import column_names
from workers.core.ports import Ports
from workers.core.records import AtomicFact
from workers.ingest.elements import build_elements, merge_elements, stems
from workers.ingest.naming.stated_aliases import name_stated_aliases
from workers.ingest.pages import get_chunk, put_facts
from workers.ingest.profile.profile import get_profile
from workers.ingest.profile.typed import TypedReply
from workers.ingest.requests import ask_once, plain_request, profiled_request, worth_asking
from workers.ingest.schema import ExtractedFact, ProfiledFacts
from workers.ingest.spans import SentenceIndex, significant_words

_LONGEST_FACT = 1000  # characters; longer is no atomic fact


class ExtractInput(Frozen):
    """A chunk of a document."""

    title: str  # of the document
    page: str  # blob
    at: int  # place on the page, from 0


class ExtractResult(Frozen):
    """The facts of a chunk."""

    index: int  # of the chunk, from 0
    facts: str  # blob
    count: int  # facts
    ungrounded: int  # of these, could not be tied to a sentence
    kept: bool  # the reply was in the cache: no model was asked
    # With a profile only:
    entities: int | None = None
    relations: int | None = None
    events: int | None = None
    dropped: dict[str, int] | None = None  # kind -> what neither the profile nor the text bears out


def extract_facts(place: ExtractInput, ports: Ports) -> Outcome:
    """Get the facts of one chunk, from the cache or the model; an empty list is a valid reply."""
    chunk = get_chunk(ports.blobs, place.page, place.at)
    title = place.title
    reference = ports.job.params.get("profile")
    typed: TypedReply | None = None
    extracted: Iterable[ExtractedFact]
    if reference:
        typed, kept = _ask_profiled(title, chunk, reference, ports)
        extracted = typed.facts
    else:
        extracted, kept = _ask(title, chunk, ports)
    facts = build_facts(ports.job.collection, chunk, extracted, ports, title=title, typed=typed)
    result = ExtractResult(
        index=chunk.index,
        facts=put_facts(ports.blobs, facts),
        count=len(facts),
        ungrounded=sum(not fact.grounded for fact in facts),
        kept=kept,
        **(typed.counts(facts) if typed else {}),
    )
    event = ChunkExtracted(**result.model_dump(exclude={"facts"}))
    return Outcome(result=result, events=(event,))


def _ask(title: str, chunk: Chunk, ports: Ports) -> tuple[Iterable[ExtractedFact], bool]:
    if not worth_asking(chunk):
        return [], False
    reply, kept = ask_once(ports, plain_request(ports, title, chunk, _known_as(ports)))
    return reply.facts, kept


def _ask_profiled(title: str, chunk: Chunk, reference: str, ports: Ports) -> tuple[TypedReply, bool]:
    reply, kept = ProfiledFacts(facts=[]), False
    if worth_asking(chunk):
        reply, kept = ask_once(ports, profiled_request(ports, title, chunk, reference, _known_as(ports)))
    profile = get_profile(ports.blobs, reference)
    return TypedReply(profile, reply, title=title, text=chunk.text), kept


def _known_as(ports: Ports) -> str:
    """Return the title under which a moved document's chunks were extracted before."""
    return str(ports.job.params.get("known_as") or "")


def build_facts(
    collection: str,
    chunk: Chunk,
    extracted: Iterable[ExtractedFact],
    ports: Ports,
    *,
    title: str = "",
    typed: TypedReply | None = None,
) -> tuple[AtomicFact, ...]:
    """Return the facts of a chunk with ids, elements and spans; duplicates are merged, garbage is dropped.

    The document's title is an element of all its facts: what a text says without a name, it says of its
    subject. Without it a search finds less. Where the fact's words do not name it, the fact
    says so (`title_id`): another document may say the same of another subject.
    """
    columns = "\n".join(column_names(chunk.places))  # they name the values of every row
    index = SentenceIndex(chunk.text, f"{title} {columns}")
    stands = f"{title}\n{columns}\n{chunk.text}"
    vocabulary = stems(index.vocabulary)
    facts: dict[str, AtomicFact] = {}
    for extracted_fact in extracted:
        text = " ".join(extracted_fact.text.split())
        if len(text) > _LONGEST_FACT or not words(text):
            continue
        match = index.locate(text)
        named = [title, *(typed.names(extracted_fact) if typed else extracted_fact.key_elements)]
        elements = build_elements(collection, named, vocabulary, stems(significant_words(f"{title} {text}")))
        fact = AtomicFact(
            id=ids.fact_id(collection, text),
            text=text,
            key_elements=elements,
            title_id=_title_id(collection, title, text, elements),
            start=chunk.start + match.start,
            end=chunk.start + match.end,
            match=round(match.score, 4),
            # A name that stands nowhere in the chunk is of another text, or made up.
            grounded=match.score >= ports.limits.grounding_threshold and not missing_names(text, stands),
        )
        if typed:
            fact = typed.complete(fact, extracted_fact)
        facts[fact.id] = _merged(facts[fact.id], fact) if fact.id in facts else fact
    stated = tuple(facts.values())
    return name_stated_aliases(collection, chunk.text, stated) if typed else stated


def _title_id(collection: str, title: str, text: str, elements: Iterable[KeyElement]) -> str | None:
    """Return the id of the title's element if a fact's text lacks some of its words."""
    spelling = " ".join(title.split())
    name = normalise_element(spelling)
    fact_words = significant_words(text)
    if any(significant_words(form) <= fact_words for form in (spelling, name)):
        return None
    title_id = ids.element_id(collection, name)
    return title_id if any(element.id == title_id for element in elements) else None


def _merged(first: AtomicFact, second: AtomicFact) -> AtomicFact:
    better = second if second.match > first.match else first
    fields = {
        "key_elements": merge_elements(first.key_elements, second.key_elements),
        "relations": tuple(dict.fromkeys((*first.relations, *second.relations))),
        "events": tuple(dict.fromkeys((*first.events, *second.events))),
    }
    return better.model_copy(update=fields)
