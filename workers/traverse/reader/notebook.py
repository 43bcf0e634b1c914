"""A path's notebook: keeps the model's notes that their sources support."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from hopline.models.base import Frozen
from hopline.models.jobs import Json
from hopline.visible import visible
from workers.core.answers.check import speaks_of
from workers.core.answers.check_numbers import missing_numbers
from workers.core.answers.evidence import fact_key
from workers.core.answers.lexical_rank import overlap
from workers.core.answers.translation import is_translated
from workers.core.records import FactSource, QuotedFact
from workers.traverse.reader.schema import Note

# What one call may add, so that the notebook of a path stays small in Redis: it is every action's input.
_NOTES = 5
_SOURCES = 5  # facts that one entry names
_TEXT = 240  # characters of an entry
_REFUSED = 2  # notes of a call that the model reads were refused
_REFUSED_TEXT = 80  # characters of one
_QUOTE = 400  # characters of a quote that the critic sees
_FACTS_TEXT = 40_000  # characters of the facts behind one call's notes: they are an item's result
_SENTENCE = 1000  # characters of a sentence that is quoted: a table without a full stop may be a chunk long
_TITLE = 200  # characters of a title that the critic sees
_SHOWN = 5  # notes of other paths that a prompt tells


class Entry(Frozen):
    """A line of a notebook with its sources, so that an answer based on it can cite them."""

    text: str  # the model's words; never cited themselves
    rests_on: tuple[str, ...]  # keys of raw facts, by core.evidence.fact_key
    facts: tuple[str, ...]  # ids of atomic facts
    chunks: tuple[str, ...]  # ids of chunks
    cut: bool = False  # it rests on more than these


@dataclass(frozen=True)
class Noted:
    """The accepted notes of a reply."""

    entries: tuple[Entry, ...] = ()
    facts: tuple[QuotedFact, ...] = ()  # behind them
    dropped: int = 0  # notes that rest on nothing that was shown, or that say more than it
    refused: tuple[str, ...] = ()  # some of these, with why, for the model


Sources = Callable[[str, str], Sequence[QuotedFact]]  # handle, the note's text -> raw facts; none: not shown


@dataclass
class _Resting:
    """The sources of a note, collected handle by handle."""

    facts: dict[str, QuotedFact] = field(default_factory=dict)  # raw facts that are new with this note
    keys: dict[str, None] = field(default_factory=dict)
    fact_ids: dict[str, None] = field(default_factory=dict)
    chunk_ids: dict[str, None] = field(default_factory=dict)
    stands: list[str] = field(default_factory=list)  # texts that carry the note
    cut: bool = False  # it rests on more

    def add_entry(self, entry: Entry) -> None:
        """Add the sources of an earlier entry to the note's support."""
        self.keys.update(dict.fromkeys(entry.rests_on))
        self.fact_ids.update(dict.fromkeys(entry.facts))
        self.chunk_ids.update(dict.fromkeys(entry.chunks))
        self.stands.append(entry.text)
        self.cut |= entry.cut

    def add_fact(self, fact: QuotedFact) -> None:
        """Add a fact that was shown to the note's support."""
        key = fact_key(fact.fact_text)
        self.facts[key] = fact
        self.keys[key] = None
        if fact.source_fact_id is not None:
            self.fact_ids[fact.source_fact_id] = None
        if fact.source_qdrant_chunk_id is not None:
            self.chunk_ids[fact.source_qdrant_chunk_id] = None
        self.stands += [fact.fact_text, fact.title, fact.quote]


def shown_notebook(notebook: Sequence[Entry], letter: str = "e") -> list[Json]:
    """Return the notebook as the model sees it; letter: prefix of the ids, o for notes of other paths."""
    return [{"id": f"{letter}{n}", "text": entry.text} for n, entry in enumerate(notebook, 1)]


def believed_notes(
    notes: Sequence[Note],
    notebook: Sequence[Entry],
    find: Sources,
    question: str,
    others: Sequence[Entry] = (),
) -> Noted:
    """Return the entries that are based on what was shown, at most five per call.

    Args:
        notes: notes in the reply.
        notebook: the entries so far; a note may be based on them too.
        find: returns the raw facts of a handle.
        question: numbers in the question may occur in any note.
        others: entries of other paths that were shown; a note may be based on them, but not repeat them.
    """
    known = {f"e{n}": entry for n, entry in enumerate(notebook, 1)}
    known |= {f"o{n}": entry for n, entry in enumerate(others, 1)}
    texts = {entry.text.casefold() for entry in (*notebook, *others)}
    entries: list[Entry] = []
    facts: dict[str, QuotedFact] = {}
    dropped = 0
    refused: list[str] = []
    for note in notes:
        text = " ".join(note.text.split())[:_TEXT]
        if text.casefold() in texts:
            continue
        resting = _resting(note, known, find)
        why = _fault(text, resting, question)
        behind = facts | resting.facts
        if why or len(entries) == _NOTES or _length(behind) > _FACTS_TEXT:
            dropped += 1
            refused += [f"a note was refused, {why}: {text[:_REFUSED_TEXT]}"] if why else []
            continue
        texts.add(text.casefold())
        entries.append(_entry(text, resting))
        facts = behind
    return Noted(tuple(entries), tuple(facts.values()), dropped, tuple(refused[:_REFUSED]))


def _length(facts: Mapping[str, QuotedFact]) -> int:
    return sum(len(fact.fact_text) for fact in facts.values())


def _resting(note: Note, known: Mapping[str, Entry], find: Sources) -> _Resting:
    resting = _Resting()
    for handle in dict.fromkeys(note.rests_on):
        if handle in known:
            resting.add_entry(known[handle])
            continue
        for fact in find(handle, note.text):
            if len(resting.facts) < _SOURCES:
                resting.add_fact(fact)
            elif fact_key(fact.fact_text) not in resting.facts:
                resting.cut = True
    return resting


def _fault(text: str, resting: _Resting, question: str) -> str:
    """Return why a note is not supported: it adds a number, or shares no word with its source; "" if it is.

    Of a note in another language than its source no word has to be the same.
    """
    if not text or not resting.keys:
        return "it rests on nothing that was shown"
    joined = "\n".join(resting.stands)
    if numbers := missing_numbers(text, f"{joined}\n{question}"):
        return f"what it rests on does not say {', '.join(numbers)}"
    if not (speaks_of(text, joined) or is_translated(text, joined)):
        return "it shares no word with what it rests on"
    return ""


def _entry(text: str, resting: _Resting) -> Entry:
    newest = [*resting.facts, *(key for key in resting.keys if key not in resting.facts)]
    return Entry(
        text=text,
        rests_on=tuple(newest[: 2 * _SOURCES]),
        facts=tuple(resting.fact_ids)[: 2 * _SOURCES],
        chunks=tuple(resting.chunk_ids)[: 2 * _SOURCES],
        cut=resting.cut or len(newest) > 2 * _SOURCES,
    )


def raw_fact(source: FactSource, node: str, depth: int) -> QuotedFact:
    """Return a stored fact in the form for the critics."""
    return QuotedFact(
        fact_text=source.fact,
        source_node_id=node,
        source_fact_id=source.fact_id,
        source_qdrant_chunk_id=source.chunk_id,
        extracted_from_depth=depth,
        title=source.title[:_TITLE],
        quote=source.quote[:_QUOTE],
    )


def raw_sentence(text: str, chunk: str, title: str, node: str, depth: int) -> QuotedFact:
    """Return a chunk's sentence or beginning as a fact for the critics if it has no atomic fact."""
    text = visible(text)[:_SENTENCE].rstrip()
    return QuotedFact(
        fact_text=text,
        source_node_id=node,
        source_qdrant_chunk_id=chunk,
        extracted_from_depth=depth,
        title=title[:_TITLE],
        quote=text[:_QUOTE],
    )


class SharedNote(Frozen):
    """An entry of a path's notebook for other paths to read, with its sources."""

    path: int
    entry: Entry


def shared(path: int, entries: Sequence[Entry]) -> tuple[str, ...]:
    """Return the new entries of a path in the form the job stores for other paths."""
    return tuple(SharedNote(path=path, entry=entry).model_dump_json() for entry in entries)


def notes_of_others(
    stored: Sequence[str], path: int, notebook: Sequence[Entry], wanted: frozenset[str], read: Collection[str]
) -> tuple[Entry, ...]:
    """Return the entries of other paths that a path is shown, at most five, in the order of noting.

    Those come first that are based on something the path would have read but another path did; then those
    that share most with what is wanted, then the latest. Others are left out: every note costs tokens in
    every call.

    Args:
        stored: notes as returned by `shared`, oldest first.
        path: number of the path, whose own notes are left out.
        notebook: notebook of the path; its entries are not repeated.
        wanted: content words of what is looked for.
        read: ids of facts and chunks that other paths read.
    """
    own = {entry.text.casefold() for entry in notebook}
    once: dict[str, Entry] = {}
    for text in stored:
        note = SharedNote.read_stored(text)
        if note.path != path and note.entry.text.casefold() not in own:
            once.setdefault(note.entry.text.casefold(), note.entry)
    ranked = []
    for nth, entry in enumerate(once.values()):
        instead = bool({*entry.facts, *entry.chunks}.intersection(read))
        speaks = overlap(wanted, entry.text)
        if instead or speaks:
            ranked.append((not instead, -speaks, -nth, entry))
    best = sorted(ranked, key=lambda each: each[:3])[:_SHOWN]
    return tuple(entry for *_order, entry in sorted(best, key=lambda each: -each[2]))
