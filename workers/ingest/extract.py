"""Step ingest.extract: extracts atomic facts from one chunk, each linked to its sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from hopline.events.documents import ChunkExtracted
from hopline.models.base import Frozen
from hopline.models.documents import Chunk, KeyElement
from workers.core import ids
from workers.core.answers.check import missing_names
from workers.core.graph.elements import normalise_element
from workers.core.jobs.work import Outcome
from workers.core.language.text import is_abbreviation, words
from workers.core.places import column_names
from workers.core.ports import Ports
from workers.core.records import AtomicFact
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


_LONGEST = 100  # characters
_MOST_WORDS = 10  # more is a sentence, and no other fact will share it
_MOST_ELEMENTS = 20  # of one fact
_STOP = re.compile(r"[.!?;]\s+(?=\S)")
# Abbreviations inside names, in addition to those that end no sentence.
_SHORTENED = re.compile(
    r"(?:\b(?:[^\W\d_]|[A-Z][a-z]|v|Adm|Ave|Blvd|Bros|Capt|Cdr|Cie|Corp|Dept|Dist|Ed|Eds|Est|Ft|Gov|Hwy|Lit|Maj|"
    r"Messrs|Mme|Mlle|Op|Opp|Ph\.D|Pres|Rep|Sen|Ser|Sq|Ste|Supt|Univ|Thos|Chas|Geo|Wm|subsp|var|sp|spp))\.$"
)
_SMALL = 4  # letters of the longest word that titles leave in small letters: from, with
_NAMES_KEPT = 5000  # a document names the same over and over
_STEM = 4  # characters; "walked" and "walks" are the same word here


def build_elements(collection: str, names: Iterable[str], *known: frozenset[str]) -> tuple[KeyElement, ...]:
    """Return the distinct key elements of a fact, in the order named, with the spellings as aliases.

    Args:
        collection: part of an element's id.
        names: names as written by the model.
        known: stems of the words of the fact and of its chunk (`stems`); a name that shares none of them was
            invented and is dropped.
    """
    spellings: dict[str, dict[str, None]] = {}
    for raw_name in names:
        spelling = " ".join(raw_name.split())
        if len(spelling) > _LONGEST:
            continue
        name, own = _named(spelling)
        if any(not own.isdisjoint(some) for some in known):
            spellings.setdefault(name, {})[spelling] = None
    return tuple(
        KeyElement(id=ids.element_id(collection, name), name=name, aliases=tuple(seen))
        for name, seen in list(spellings.items())[:_MOST_ELEMENTS]
    )


def stems(words: Iterable[str]) -> frozenset[str]:
    """Return the beginnings of words, which are used to compare names with them."""
    return frozenset([word[:_STEM] for word in words])


def merge_elements(first: Iterable[KeyElement], second: Iterable[KeyElement]) -> tuple[KeyElement, ...]:
    """Return the union of two lists of key elements, aliases and types joined."""
    merged: dict[str, KeyElement] = {}
    for element in (*first, *second):
        known = merged.get(element.id)
        aliases = tuple(dict.fromkeys((*(known.aliases if known else ()), *element.aliases)))
        types = tuple(dict.fromkeys((*(known.types if known else ()), *element.types)))
        merged[element.id] = element.model_copy(update={"aliases": aliases, "types": types})
    return tuple(merged.values())


@lru_cache(maxsize=_NAMES_KEPT)
def _named(spelling: str) -> tuple[str, frozenset[str]]:
    """Return a spelling's normal form and the stems of its words; none if it is not an element."""
    name = normalise_element(spelling)
    if not name or len(name.split()) > _MOST_WORDS or _holds_clauses(spelling):
        return name, frozenset()
    # As spelled, too: the normal form of Zoë is zoe, which the text does not hold.
    return name, stems(significant_words(name) | significant_words(spelling))


def _holds_clauses(spelling: str) -> bool:
    """Return whether a stop ends a clause inside a spelling: "Rhine. It was long", but not "St. Louis"."""
    return any(
        _ends_clause(spelling[: stop.start() + 1], spelling[stop.end() :])
        for stop in _STOP.finditer(spelling)
    )


def _ends_clause(before: str, after: str) -> bool:
    if before.endswith("."):
        return not (is_abbreviation(before) or _SHORTENED.search(before))
    # Titles and makers' names have such marks, and capitals throughout: Mamma Mia! Here We Go Again.
    return before.endswith(";") or (after[0].isupper() and not _is_title(f"{before} {after}"))


def _is_title(spelling: str) -> bool:
    words = spelling.split()
    return words[0][0].isupper() and not any(word[0].islower() and len(word) > _SMALL for word in words)
