"""Turns a draft into an answer: checks each sentence, sets citation markers, names conflicts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hopline.models.answers import (
    Calculation,
    CalculationOperand,
    Citation,
    CitedDocument,
    CitedFact,
    CitedPlace,
)
from hopline.models.jobs import Json
from workers.core.answers.check import missing_names, without_markers
from workers.core.answers.check_numbers import missing_numbers
from workers.core.answers.evidence import fact_key
from workers.core.language.sentence_ends import STOPS
from workers.core.language.text import CHINESE
from workers.core.records import FactSource
from workers.critic.calculations import (
    Checked,
    check_calculations,
    with_calculations,
    with_operands,
    without_values,
)
from workers.critic.conflicts import CitedSentence, conflict_sentence, is_named
from workers.critic.context import Source
from workers.critic.gather import Evidence, Placed
from workers.critic.judge_translation import NOT_CHECKED, Judged, Key
from workers.critic.known_names import KnownNames
from workers.critic.pronouns import introduction, replaced
from workers.critic.rows import RowSource
from workers.critic.schema import AnswerDraft, DraftSentence
from workers.critic.sides import Sides
from workers.critic.spans import Unfounded
from workers.critic.values import Value, dates, shaped
from workers.critic.verify import OtherNames, Surroundings, beside, fault, is_unchecked, no_names

MOST_CONFLICTS = 3  # named in the text
# Words that the reason for abstaining may begin with.
_OF_ABSTAINING = "evidence documents sources facts text information nothing none neither there"
_FULL_STOPS = ".．。｡।"
_ALL_STOPS = f"{_FULL_STOPS}!?…{STOPS}"
_OPENING, _CLOSING = ("(", "[", "（", "【"), (")", "]", "）", "】")
_DIRECTED = "\u202c\u2069"  # close a run of another direction
_CLOSERS = "".join((*_CLOSING, "\"”“’'‘»›」』》〉", _DIRECTED))
_UNSEEN = " \u00a0\u202f\u200e\u200f"  # spaces, and marks of direction
# What a writer put behind a marker stands behind the sentence's own stop once the marker is gone.
_SECOND = re.compile(rf"(?<=[!?…{STOPS}．])[{_FULL_STOPS}]{{1,20}}$|(?<!\.\.)(?<=\.)[{_FULL_STOPS}]$")
_JAPANESE = re.compile(r"[\u3040-\u30ff]")
_NOUN = (
    r"(?:(?:documents?|articles?|reports?|texts?|sources?|files?|reviews?|notes?|dokumente?[ns]?|texten?|"
    r"documentos?|documenti|textos?|testi|textes?)\b|文档|文件|文章|文本|评论|报告)"
)
_UNIT = r"\s*(?:个|篇|份|条)?\s*"  # what Chinese counts documents by
_THE = r"(?:(?:the|these|all|den|allen|los|las|les)\s+){0,2}"
_OF = rf"\b(?:out of|of|von|aus|de|sur|su)\s+{_THE}"
_N = r"(?<![\d.,])(\d{1,3}(?:[,.]\d{3})++|\d++)(?![\d.,]*\d)"
_COUNT = re.compile(rf"{_N}(?=\s*(?:{_OF}[\d.,]+)?{_UNIT}{_NOUN})", re.IGNORECASE)
_OF_ALL = re.compile(rf"{_OF}{_N}(?={_UNIT}{_NOUN})", re.IGNORECASE)
# "Of the 60 documents, 12 …", "60篇文档中有12篇"
_OF_ALL_FIRST = re.compile(
    rf"({_OF}(?:[\d.,]+\s+)?{_NOUN}(?:\s+(?:looked at|read))?,?\s+){_N}(?!\s*%)", re.IGNORECASE
)
_AMONG = re.compile(rf"{_N}({_UNIT}{_NOUN}(?:中|里)[的有，,]?\s*){_N}(?=\s*[个篇份条])")
_MOST = re.compile(
    rf"(?:\b(?:most|(?:the|a) (?:\w+ )?majority|(?:more than|over) half|(?:nearly|almost) all)\s+(?:of\s+)?"
    rf"{_THE}(?:[\d.,]+\s+)?|\bdie meisten (?:der )?|\bdie mehrheit der |(?:大多数|大部分|多数)的?){_NOUN}",
    re.IGNORECASE,
)


def no_sides(_group: Sequence[int]) -> Sides:
    """Return no sides, for writing without conflicts."""
    return ()


@dataclass
class Written:
    """An answer in progress; markers are numbered in the order of first use."""

    sentences: list[str] = field(default_factory=list)
    markers: dict[tuple[str, str], int] = field(default_factory=dict)  # by fact and document
    cited: list[Placed] = field(default_factory=list)
    dropped: list[Json] = field(default_factory=list)
    open: dict[Key, str] = field(default_factory=dict)  # sentences whose names no code can check, as marked
    conflicts: list[list[int]] = field(default_factory=list)
    calculations: list[Calculation] = field(default_factory=list)
    lost_first: bool = False  # the draft's first sentence was dropped: mostly the direct answer

    def cite(self, place: Placed) -> int:
        """Return the marker number of a place."""
        source = place.document_source
        key = fact_key(place.fact.fact_text), source.document_id if source else ""
        if key not in self.markers:
            self.markers[key] = len(self.markers) + 1
            self.cited.append(place)
        return self.markers[key]

    @property
    def text(self) -> str:
        """The answer."""
        return " ".join(self.sentences)

    def citations(self) -> list[Json]:
        """Return the citations, by number."""
        return [cited_place(place, n) for n, place in enumerate(self.cited, 1)]


class Writing:
    """Adds a draft's sentences one by one; those that the evidence supports make up the answer.

    Args:
        evidence: evidence given to the writer, by number.
        question: question whose names and numbers a sentence may repeat if it adds something new.
        around: returns the texts of chunks.
        names: returns other names of things that chunks mention; a sentence may use either name.
        sides_of: returns the sides of a conflict that the writer lists; empty if it is none.
        looked_at: number of documents examined, if a sentence may say how many of them state it.
        judged: a model's verdicts on sentences in another language than their quotes; None: no model.
        known: names in the draft that the graph knows; None: none.
    """

    def __init__(
        self,
        evidence: Mapping[int, Evidence],
        question: str,
        around: Surroundings,
        names: OtherNames = no_names,
        sides_of: Callable[[Sequence[int]], Sides] = no_sides,
        looked_at: int = 0,
        judged: Judged | None = None,
        known: KnownNames | None = None,
    ) -> None:
        self._judged = judged
        self._known = known
        self._kept: dict[Key, None] = {}
        self._looked_at = looked_at
        self._sides_of = sides_of
        self._sentences: list[CitedSentence] = []
        self._named: set[frozenset[int]] = set()  # conflicts, by their evidence
        self._question = question
        self._names = names
        self._evidence = evidence
        self._around = around
        self._ordinary = "\n".join((question, *(entry.text for entry in evidence.values())))
        self.written = Written()

    def take(self, sentence: DraftSentence) -> None:
        """Check a sentence and mark it; one that fails is dropped, with the reason.

        The operands of its calculations are cited with it.
        """
        text = without_markers(sentence.text)
        operands = (operand.citation for each in sentence.calculations for operand in each.operands)
        numbers = list(dict.fromkeys((*sentence.citations, *operands)))
        checked: list[Checked] = []
        quoted = text  # what must stand in the quotes
        try:
            if sentence.calculations:
                checked = check_calculations(text, sentence.calculations, self._stands, self._question)
            quoted = without_values(text, checked)
            why = self._fault(quoted, numbers)
            if why is not None and checked:  # "She was 36." has only its operands in common with the quotes
                why = self._fault(with_operands(text, checked), numbers) and why
        except Unfounded as error:
            why = str(error)
        shown = with_calculations(text, checked)
        key = shown, tuple(numbers)
        if why is None and self._judged is not None:
            why = self._judged.fault(key)
        if why is not None:
            self.written.lost_first |= not (self.written.sentences or self.written.dropped)
            self.written.dropped.append({"sentence": text, "why": why})
            return
        self._kept[quoted, tuple(numbers)] = None
        cited = [place for n in numbers for place in self._evidence[n].placed]
        places = [each for place in cited for each in (place, *self._introducing(quoted, place, cited))]
        places += self._completing(quoted, places)
        told = marked(shown, [self.written.cite(place) for place in places])
        if is_unchecked(text, [place.source for place in places], self._question, self._names):
            self.written.open[key] = told
        if told not in self.written.sentences:
            self.written.sentences.append(told)
            self.written.calculations += map(self._calculation, checked)
        keys = frozenset(fact_key(place.fact.fact_text) for place in places)
        self._sentences.append((text, keys))

    def _stands(self, n: int) -> str | None:
        """Return the citation for a number of the evidence."""
        if n not in self._evidence:
            return None
        return "\n".join(_standing(place.source) for place in self._evidence[n].placed)

    def _calculation(self, checked: Checked) -> Calculation:
        operands = (
            CalculationOperand(n=self.written.cite(self._place_of(n, text)), number=text)
            for n, text in checked.operands
        )
        return Calculation(
            sentence=len(self.written.sentences),
            value=checked.value,
            expression=checked.expression,
            operands=tuple(operands),
            result=checked.result,
        )

    def _place_of(self, n: int, text: str) -> Placed:
        """Return the place of the evidence that contains a text."""
        places = self._evidence[n].placed
        return next((place for place in places if text in _standing(place.source)), places[0])

    def _introducing(self, text: str, place: Placed, cited: Sequence[Placed]) -> Iterator[Placed]:
        """Yield the place that names the person a quote's pronoun refers to, if the sentence names them."""
        found = replaced(text, place.source, self._around)
        if found is None or any(found.name in other.source.quote for other in cited):
            return
        source = introduction(found, place.source, self._around)
        if source is not None:
            yield _beside(place, source)

    def _completing(self, text: str, places: Sequence[Placed]) -> Iterator[Placed]:
        """Yield the places that support what a sentence adds to its quotes: the year of "in May", a name."""
        sources = [place.source for place in places]
        for source in beside(text, sources, self._around, self._ordinary, self._question, self._names):
            yield _beside(next(place for place in places if place.source.chunk_id == source.chunk_id), source)

    def look_again(self) -> bool:
        """Check the whole draft once more; return whether a sentence turns out to be unsupported.

        This looks up the names that the graph knows, and has a model judge the sentences that code cannot
        check. If one of them fails, start again with the whole draft.
        """
        is_more_known = self._known is not None and self._known.look(text for text, _numbers in self._kept)
        if is_more_known and any(self._fault(text, numbers) for text, numbers in self._kept):
            return True
        sources = {
            key: [place.source for n in dict.fromkeys(key[1]) for place in self._evidence[n].placed]
            for key in self.written.open
        }
        return self._judged is not None and self._judged.judge(sources)

    def unchecked(self) -> list[Json]:
        """Return the sentences of the answer that neither code nor a model has checked, with the reason."""
        return [
            {"sentence": marked, "why": NOT_CHECKED}
            for key, marked in self.written.open.items()
            if self._judged is None or not self._judged.has_checked(key)
        ]

    def _fault(self, text: str, numbers: Sequence[int]) -> str | None:
        if not text:
            return "is empty"
        if not numbers:
            return "cites nothing"
        if any(n not in self._evidence for n in numbers):
            return "cites evidence that does not exist"
        sources = [place.source for n in numbers for place in self._evidence[n].placed]
        documents = frozenset[str]().union(*(self._evidence[n].document_ids for n in numbers))
        checked_text = without_counts(text, len(documents), self._looked_at) if self._looked_at else text
        quoted = "\n".join(source.stands for source in sources)
        if self._looked_at and overstated(text, len(documents), self._looked_at, quoted):
            return f"cites {len(documents)} of {self._looked_at} documents, which are not most of them"
        known = self._known.of(text, quoted) if self._known else ()
        return fault(checked_text, sources, self._around, self._ordinary, self._question, self._names, known)

    def name_conflict(self, group: Sequence[int]) -> None:
        """After all sentences: make sure that the answer names a conflict that the writer lists."""
        sides = self._sides_of(group)
        conflict = frozenset(side.n for side in sides)
        if not sides or conflict in self._named:
            return
        self._named.add(conflict)
        if is_named(sides, self._sentences):
            known = self.written.markers.items()
            markers = [next(n for (key, _), n in known if key in side.keys) for side in sides]
        else:
            markers = [self.written.cite(side.place) for side in sides]
            self.written.sentences.append(conflict_sentence(sides, markers, self._question))
        self.written.conflicts.append(markers)


def dropped_first(draft: AnswerDraft, begin: Callable[[], Writing]) -> list[Json]:
    """Return what the check drops from a draft, with reasons, if its first sentence is dropped; else nothing.

    Args:
        draft: the complete draft.
        begin: starts a writing of it; called again if a model has to judge the first sentence.
    """
    sentences = draft.sentences if draft.answerable else []
    writing = _taken(sentences[:1], begin)
    if not (writing.written.dropped or writing.written.open):
        return []
    writing = _taken(sentences, begin)
    while not writing.written.lost_first and writing.look_again():
        writing = _taken(sentences, begin)
    return writing.written.dropped if writing.written.lost_first else []


def _taken(sentences: Sequence[DraftSentence], begin: Callable[[], Writing]) -> Writing:
    writing = begin()
    for sentence in sentences:
        writing.take(sentence)
    return writing


def _beside(place: Placed, source: FactSource) -> Placed:
    """Return a sentence beside a cited place as a separate place."""
    told = {"fact_text": source.quote, "source_fact_id": None, "source_description": ""}
    return Placed(place.fact.model_copy(update=told), source)


def _standing(source: Source) -> str:
    """Return the text of a place for calculations: the quote, the row and the title."""
    return f"{source.place.said}\n{source.quote}" if isinstance(source, RowSource) else source.stands


def cited_place(place: Placed, n: int) -> Json:
    """Return a citation in the answer's form; a row refers to its call by id."""
    fact, source, document_source = place.fact, place.source, place.document_source
    cited = CitedFact(
        n=n,
        fact_id=source.fact_id,
        fact=source.fact,
        score=fact.score,
        final_decayed_score=fact.final_decayed_score,
        depth=fact.extracted_from_depth,
        source_description=fact.source_description or source.title,
        when=stated_times(document_source.quote) if document_source else (),
    ).model_dump(mode="json")
    if isinstance(source, FactSource):
        return Citation(**cited, **_stated(source).model_dump()).model_dump(mode="json")
    stands = source.place.model_dump(include={"call", "row", "nodes", "relationships"})
    stated = _stated(source.stated).model_dump(mode="json") if source.stated else None
    return {**cited, "kind": "graph", **stands, "stated": stated}


def _stated(source: FactSource) -> CitedPlace:
    document = CitedDocument(id=source.document_id, title=source.title, uri=source.uri)
    return CitedPlace(
        document=document,
        chunk_id=source.chunk_id,
        start=source.start,
        end=source.end,
        quote=source.quote,
        place=source.place,
    )


def describe_missing(missing: str, question: str, evidence: Mapping[int, Evidence], *, otherwise: str) -> str:
    """Return the missing parts in the writer's words, unless these claim something that no source states.

    Args:
        missing: the writer's words.
        question: the user's question.
        evidence: evidence given to the writer, by number.
        otherwise: text to return if the writer's words are not acceptable.
    """
    text = " ".join(missing.split())
    known = "\n".join((question, *(place.source.stands for e in evidence.values() for place in e.placed)))
    facts = "\n".join(entry.text for entry in evidence.values())
    if not text or missing_numbers(text, known) or missing_names(text, f"{known}\n{facts}", _OF_ABSTAINING):
        return otherwise
    return text


def marked(sentence: str, markers: Sequence[int]) -> str:
    """Return a sentence with its markers before its full stop, or after a quotation that contains it.

    Args:
        sentence: one line without markers.
        markers: numbers of citations; duplicates are ignored.
    """
    shown = "".join(f"[{n}]" for n in dict.fromkeys(markers))
    closed = sentence.rstrip(_ALL_STOPS + _UNSEEN)  # up to its last quotation mark, bracket or word
    body = closed.rstrip(_ALL_STOPS + _UNSEEN + _CLOSERS)
    stops = _SECOND.sub("", "".join(sign for sign in sentence[len(closed) :] if sign not in _UNSEEN))
    is_whole = not closed.endswith(_CLOSING) or sentence.startswith(_OPENING)
    if is_whole and any(sign in _ALL_STOPS for sign in closed[len(body) :]):
        return f"{closed} {shown}{stops.strip(_FULL_STOPS)}"
    return f"{closed} {shown}{stops or _full_stop(body)}"


def _full_stop(text: str) -> str:
    return "。" if CHINESE.match(text[-1:]) or _JAPANESE.match(text[-1:]) else "."


def without_counts(sentence: str, documents: int, of: int = 0) -> str:
    """Return a sentence without correct counts of the documents that it cites: "3 of 12 documents".

    Args:
        sentence: sentence as written.
        documents: number of distinct documents that state what it cites.
        of: number of documents examined, 0 if unknown.
    """
    is_count, is_all = _equals(documents), _equals(of)
    bare = _AMONG.sub(
        lambda match: match[2] if is_all(match[1]) and is_count(match[3]) else match[0], sentence
    )
    bare = _OF_ALL_FIRST.sub(lambda match: match[1] if is_count(match[2]) else match[0], bare)
    bare = _COUNT.sub(lambda match: "" if is_count(match[1]) else match[0], bare)
    return _OF_ALL.sub(lambda match: "" if is_all(match[1]) else match[0], bare)


def _equals(number: int) -> Callable[[str], bool]:
    return lambda text: number > 0 and int(re.sub(r"[,.]", "", text)) == number


def overstated(sentence: str, documents: int, of: int, quoted: str) -> bool:
    """Return whether a sentence speaks of most documents but cites no more than half of them.

    Args:
        sentence: sentence as written.
        documents: number of distinct documents that state what it cites.
        of: number of documents examined.
        quoted: the cited text; phrases found in it may be repeated.
    """
    phrases = [match[0].casefold() for match in _MOST.finditer(sentence)]
    return 2 * documents <= of and any(words not in quoted.casefold() for words in phrases)


_LISTED = 5  # of a statement; one that names more is a list
_YEAR = r"(?:1\d{3}|20\d{2})"
_OPENS = re.compile(
    r"(?:\b(?:(?:from|between)\s+(?:the\s+)?|(?:vo[nm]|zwischen|d[eu]|entre(?: le)?|del?|"
    r"desde(?: el)?|dal?|tra|fra|van|tussen|с|со|от|между|od|من|بين)\s+)|[自从]\s*)$",
    re.IGNORECASE,
)
_JOINS = re.compile(
    r"\s*(?:\b(?:to|until|till|through|and|bis(?: zum)?|und|à|au|al?|hasta(?: el)?|y|et|e|tot|en|"
    r"до|по|и|do|i|إلى|حتى)\b|[-\u2013\u2014~]|[至到]|から|부터|से)\s*",
    re.IGNORECASE,
)
_DASHES = re.compile(r"\s*(?:[-\u2013\u2014~至到]|から|부터|से)\s*")
_LAST_YEAR = re.compile(rf"{_YEAR}(?!\d)")
_SINCE = re.compile(
    r"(?:\b(?:since|as of|starting(?: in| on)?|seit(?: dem)?|ab(?: dem)?|depuis(?: le)?|"
    r"dès(?: le)?|desde(?: el)?|sinds|dal|с|منذ)\s+)$",
    re.IGNORECASE,
)
_ONWARDS = re.compile(r"\s*(?:\bonwards?\b|起|以来|以后|以降|から|부터|से)", re.IGNORECASE)
_ON = re.compile(r"\s*\bon\b(?!\s+\w)", re.IGNORECASE)  # "from 2021 on", not "in 1811 on the rock"
_UNTIL = re.compile(
    r"(?:\b(?:until|till|up to|bis(?: zum)?|jusqu['’](?:en|au|à)|hasta(?: el)?|fino al?|"
    r"até|tot|до|حتى)\s+|直到\s*|截至\s*)$",
    re.IGNORECASE,
)
_UNTIL_BEHIND = re.compile(r"\s*(?:まで|까지|तक)")
# In the clause: what did not hold until then began then.
_NOT = re.compile(r"(?:\b(?:not|cannot|never)\b|n['\u2019]t\b)[^,;:.!?]{0,500}$", re.IGNORECASE)


def stated_times(text: str) -> tuple[str, ...]:
    """Return the times that a statement names, in order, in EDTF notation (ISO 8601-2).

    A date is 1843, 1843-05 or 1843-05-03; a span is 1839/1842, 1999/.. if open, ../2021 if only its end is
    named. Dates without a year are left out. The words alone do not show whether a time belongs to the
    statement or to something mentioned beside it.
    """
    statement = shaped(text)
    times: list[str] = []
    end = 0
    dated = [value for value in dates(statement) if value.day and value.day[0]]
    for nth, value in enumerate(dated):
        if value.start < end:
            continue
        until, end = _span_end(statement, value, dated[nth + 1 :])
        times.append(f"{_edtf(value)}/{until}" if until else _open_span(statement, value) or _edtf(value))
    return tuple(dict.fromkeys(times))[:_LISTED]


def _open_span(statement: str, value: Value) -> str:
    """Return the span that a date begins or ends, without its other end; "" if it is a single date."""
    before = statement[: value.start]
    is_left_open = _OPENS.search(before) and _ON.match(statement, value.end)
    if is_left_open or _SINCE.search(before) or _ONWARDS.match(statement, value.end):
        return f"{_edtf(value)}/.."
    is_end = _UNTIL.search(before) or _UNTIL_BEHIND.match(statement, value.end)
    return f"../{_edtf(value)}" if is_end and not _NOT.search(before) else ""


def _span_end(statement: str, first: Value, later: list[Value]) -> tuple[str, int]:
    """Return the end date of a span that begins with a date, and its position; "" if there is none.

    What is named second is no end where it is the earlier one.
    """
    joined = _JOINS.match(statement, first.end) if _OPENS.search(statement[: first.start]) else None
    joined = joined or _DASHES.match(statement, first.end)
    if joined is None:
        return "", first.end
    ends = [(_edtf(value), value.end) for value in later if value.start == joined.end()]
    if not ends and (year := _LAST_YEAR.match(statement, joined.end())):
        ends = [(year.group(), year.end())]
    begin = _edtf(first)
    return next((end for end in ends if end[0] >= begin[: len(end[0])]), ("", first.end))


def _edtf(value: Value) -> str:
    year, month, day = value.day or (None, None, None)
    parts = [f"{year:04}"] + ([f"{month:02}"] if month else []) + ([f"{day:02}"] if month and day else [])
    return "-".join(parts)
