"""The last step of a query: decay, pack, write, check; sentences are published as they are checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal, cast

from pydantic import ValidationError

from hopline.errors import Permanent
from hopline.events.questions import AnswerRestarted, AnswerSentence, AnswerWritten
from hopline.models.answers import Calculation
from hopline.models.base import Frozen
from hopline.models.jobs import JobState, Json
from workers.core.answers.answer import with_calls
from workers.core.answers.evidence import final_facts
from workers.core.answers.lexical_rank import overlap, question_terms
from workers.core.errors import BudgetExceeded
from workers.core.jobs.params import QueryParams
from workers.core.jobs.work import Event, Outcome
from workers.core.models.tools import FoundBy
from workers.core.ports import FollowUp, Partial, Ports, Tell
from workers.core.prompts import load_prompt
from workers.core.records import ScoredFact
from workers.critic.draft import (
    MOST_CONFLICTS,
    Writing,
    Written,
    cited_place,
    describe_missing,
    dropped_first,
)
from workers.critic.gather import Evidence, Gathered, Placed, gather, names_of, placed_facts, surroundings
from workers.critic.judge_translation import Judged
from workers.critic.known_names import KnownNames
from workers.critic.schema import AnswerDraft, DraftSentence
from workers.critic.sides import EvidenceSides, shown_sides

_REPLY_TOKENS = 2048
_DROPPED = 20  # sentences that are listed
_SHOWN = 200  # characters of the analysis, of the reason and of a missing part in events
_MISSING = 8  # parts that are listed
_COUNTED = ("evidence", "below_threshold", "uncitable", "left_out", "shortened")
_NOT_ANSWERED = "What was found does not answer the question."
_NOT_ALL_ANSWERED = "A part of the question is not answered by what was found."
_INDIRECT = "No source supports the direct answer that was written; the rest is supported."
State = Literal["done", "partial", "abstained"]
Review = Callable[[AnswerDraft], FollowUp | None]
# The evidence, the details so far, what sees the draft grow, what may ask for another -> the draft.
Ask = Callable[[Gathered, Json, Partial, Review], AnswerDraft]
GatherEvidence = Callable[[str, Sequence[Placed], QueryParams, Ports], Gathered]  # question, facts


class WritingInput(Frozen):
    """The input from which an answer is written."""

    question: str
    sub_questions: tuple[str, ...]
    facts: tuple[ScoredFact, ...]
    calls: dict[str, FoundBy] = {}  # of tools, by item id: those that found facts in the graph itself
    open_parts: tuple[str, ...] = ()  # sub-questions for which nothing was found
    # Documents that were looked at, where a sentence may say how many of them state it; 0 where it may not.
    looked_at: int = 0


class WritingResult(Frozen):
    """The answer, or the reason why there is none."""

    state: JobState  # done, partial or abstained
    text: str  # with [n] markers
    reason: str | None  # why it is not done
    missing: tuple[str, ...]  # what the question asks for and the text does not tell
    # As the answer's outcome has them; JSON, for they only pass through: a `Citation`, or one of the graph
    # with `call`, the item that found it.
    citations: tuple[Json, ...]
    details: Json  # of the answer: what became of the facts and of the sentences
    calculations: tuple[Calculation, ...] = ()  # whose values the text says
    # Ids of the documents behind text, reason and missing, cited or not; None: not known.
    rests_on: tuple[str, ...] | None = None

    @property
    def cited_calls(self) -> frozenset[str]:
        """The ids of the calls that citations refer to."""
        return frozenset(citation["call"] for citation in self.citations if "call" in citation)


def synthesize(writing: WritingInput, ports: Ports) -> Outcome:
    """Write an answer in which every sentence is supported by quotes.

    Sentences are published as they are written, each after its check, with `answer.sentence`;
    `answer.restarted` retracts those published so far. If the first sentence of a draft is not supported,
    nothing of the draft is published and the writer is asked once more. If its first sentence fails again,
    the rest is a partial answer; so is an answer whose writer says which part of the question the evidence
    does not cover, or which parts are open. The reason says what is missing, and so does `missing`, part by
    part, which is published with `answer.written`.

    Sentences in another language than their quotes, whose names code cannot compare, are judged by the fast
    model in one call after the draft. Those without a verdict stay, and the details list them as
    `unchecked_sentences`.

    Possible contradictions in the evidence are shown to the writer, with the documents' dates. If the writer
    lists a conflict, the answer names all its sides, if necessary in a sentence that the code adds.

    If the writer fails for good, the answer is partial: the evidence with citations, without prose.

    Args:
        writing: the question and the facts.
        ports: graph and model; the strong model writes, the fast one may shorten.
    """

    def ask(gathered: Gathered, _details: Json, partial: Partial, review: Review) -> AnswerDraft:
        material = {
            "question": writing.question,
            "sub_questions": list(writing.sub_questions),
            **gathered.material(),
        }
        prompt = load_prompt("workers.critic", "synthesize")
        return ports.model.ask(
            prompt,
            material,
            AnswerDraft,
            tier="strong",
            max_tokens=_REPLY_TOKENS,
            partial=partial,
            review=review,
        ).value

    return answer_from_facts(writing, ports, ask)


def answer_from_facts(
    writing: WritingInput, ports: Ports, ask: Ask, gather_evidence: GatherEvidence = gather
) -> Outcome:
    """Do the same as `synthesize`, with a given writer.

    Args:
        writing: the question and the facts.
        ports: graph and model.
        ask: returns the draft based on the evidence; may add to the details. If it raises Permanent or
            BudgetExceeded, the answer is partial.
        gather_evidence: returns numbered evidence from the facts that can be cited.
    """
    params = QueryParams.read_stored(ports.job.params)
    facts = final_facts(writing.facts, params.decay_rate, params.score_threshold)
    places = placed_facts(facts, writing.calls, ports)
    details: Json = {
        "below_threshold": len(writing.facts) - len(facts),
        "uncitable": len(facts) - len(places),
    }
    if not places:
        return _ended("abstained", _nothing_left(details), details)
    gathered = gather_evidence(writing.question, places, params, ports)
    details |= {"evidence": len(gathered.evidence), "left_out": gathered.left_out}
    if gathered.tables_in_part:
        details["tables_in_part"] = [each.model_dump(mode="json") for each in gathered.tables_in_part]
    details |= {"shortened": gathered.shortened} if gathered.shortened else {}
    details |= {"claims_uncarried": gathered.uncarried} if gathered.uncarried else {}
    details |= {"summary_failed": gathered.failed} if gathered.failed else {}
    if not gathered.evidence:
        return _ended("abstained", "No fact fits into the token limit for sources.", details)
    outcome = _written(writing, gathered, details, ports, ask)
    is_plain = len(ports.job.collections) == 1 and params.known_at is None
    return outcome if is_plain else _with_sources(outcome, ports, earlier=params.known_at is not None)


def _with_sources(outcome: Outcome, ports: Ports, *, earlier: bool) -> Outcome:
    """Return an answer whose citations say of which collection, and which version, each document is.

    Args:
        outcome: the answer.
        ports: graph, and the job with its collections.
        earlier: whether versions that are live no more were read.
    """
    result = cast("WritingResult", outcome.result)
    cited = [document for citation in result.citations if (document := citation.get("document"))]
    ids = [document["id"] for document in cited]
    sources: dict[str, Json] = {name: {} for name in ids}
    if len(ports.job.collections) > 1:
        for document in ports.graph.store.documents_of(ids):
            sources[document.id]["collection"] = document.collection
    for name, span in (ports.graph.kept.ended(ids) if earlier else {}).items():
        sources[name] |= span._asdict()

    def named(citation: Json) -> Json:
        document = citation.get("document")
        if not document or not sources[document["id"]]:
            return citation
        return {**citation, "document": {**document, **sources[document["id"]]}}

    result = result.model_copy(update={"citations": tuple(map(named, result.citations))})
    return outcome.model_copy(update={"result": result})


def _nothing_left(details: Json) -> str:
    if details["uncitable"]:
        return "What was found cannot be traced to a place in a document or in the graph."
    return "Nothing was found that is relevant enough to the question."


def _written(writing: WritingInput, gathered: Gathered, details: Json, ports: Ports, ask: Ask) -> Outcome:
    question, evidence, around = writing.question, gathered.evidence, surroundings(ports)
    open_parts, names = writing.open_parts, names_of(evidence.values(), ports)
    sides = EvidenceSides(evidence, ports)
    gathered = replace(gathered, contradictions=tuple(map(shown_sides, sides.possible)))
    judged = Judged(ports.model)
    known = KnownNames(ports.graph.nodes, ports.job.collection)
    begin = partial(Writing, evidence, question, around, names, sides.of, writing.looked_at, judged, known)
    showing = Showing(begin, ports.tell, writing.calls)
    ended = partial(_ended, rests_on=gathered.rests_on)
    try:
        draft = ask(gathered, details, showing.grow, _reviewed_by(begin, details))
    except (Permanent, BudgetExceeded) as error:
        showing.take_back()
        reason = f"The answer could not be written: {error}"[:400]
        return _unwritten(gathered, details, reason, open_parts)
    if not draft.answerable:
        showing.take_back()
        why = describe_missing(draft.missing, question, evidence, otherwise=_NOT_ANSWERED)
        return ended("abstained", why, details, missing=open_parts if why == _NOT_ANSWERED else [why])
    finished, events = showing.finish(draft)
    written = finished.written
    if written.dropped:
        details["dropped_sentences"] = written.dropped[:_DROPPED]
    if unchecked := finished.unchecked():
        details["unchecked_sentences"] = unchecked
    if not written.sentences:
        why = "No source supports any sentence that was written."
        return ended("abstained", why, details, missing=open_parts)
    if written.conflicts:
        details |= {"conflicts": written.conflicts, "contradictions": len(written.conflicts)}
    missing = _missing_parts(draft, writing, evidence)
    reasons = [_INDIRECT] if written.lost_first else []
    if draft.missing.strip():
        reasons += missing[:1]
    elif missing and not reasons:
        reasons.append(f"Nothing was found for: {' '.join(missing)}")
    state: State = "partial" if reasons else "done"
    return ended(state, " ".join(reasons) or None, details, written, events, missing)


def _missing_parts(
    draft: AnswerDraft, writing: WritingInput, evidence: Mapping[int, Evidence]
) -> Sequence[str]:
    """Return the missing parts: in the writer's words, then open parts with words that these lack."""
    parts = writing.open_parts
    if not draft.missing.strip():
        return parts
    missing = describe_missing(draft.missing, writing.question, evidence, otherwise=_NOT_ALL_ANSWERED)
    return [missing, *(part for part in parts if overlap(question_terms(part), missing) < 1)]


def _reviewed_by(begin: Callable[[], Writing], details: Json) -> Review:
    """Return a review that asks for a new draft if the first sentence fails, and records it."""

    def review(draft: AnswerDraft) -> FollowUp | None:
        dropped = dropped_first(draft, begin)[:_DROPPED]
        if not dropped:
            return None
        details["asked_again"] = dropped
        return FollowUp(prompt=load_prompt("workers.critic", "rewrite"), material={"deleted": dropped})

    return review


def _unwritten(gathered: Gathered, details: Json, reason: str, open_parts: Sequence[str]) -> Outcome:
    written = Written()
    for entry in gathered.evidence.values():
        for place in entry.placed:
            written.cite(place)
    return _ended("partial", reason, details, written, missing=open_parts, rests_on=gathered.rests_on)


def _ended(
    state: State,
    reason: str | None,
    details: Json,
    written: Written | None = None,
    events: tuple[Event, ...] = (),
    missing: Sequence[str] = (),
    rests_on: tuple[str, ...] | None = (),
) -> Outcome:
    written = written or Written()
    result = WritingResult(
        state=JobState(state),
        text=written.text,
        reason=reason,
        missing=tuple(missing[:_MISSING]),
        citations=tuple(written.citations()),
        details=details,
        calculations=tuple(written.calculations),
        rests_on=rests_on,
    )
    event = AnswerWritten(
        state=result.state,
        sentences=len(written.sentences),
        dropped=len(written.dropped),
        citations=len(written.cited),
        facts={name: details[name] for name in _COUNTED if details.get(name)},
        missing=tuple(part[:_SHOWN] for part in result.missing) or None,
        reason=reason[:_SHOWN] if reason else None,
        analysis=details["analysis"][:_SHOWN] if "analysis" in details else None,
    )
    return Outcome(result=result, events=(*events, event))


_RESTARTED = Event.of(AnswerRestarted())


class Showing:
    """Turns a growing draft into checked sentences, and publishes them.

    Nothing is published of a draft whose first sentence is dropped, until the draft is complete. Published
    sentences are provisional: they are retracted if a draft begins again, or fails.

    Args:
        begin: creates the object that takes a draft's sentences; called again for every draft.
        tell: publishes events to clients that wait for the job.
        calls: calls that found facts in the graph, by id.
    """

    def __init__(self, begin: Callable[[], Writing], tell: Tell, calls: Mapping[str, FoundBy]) -> None:
        self._begin = begin
        self._tell = tell
        self._calls = {name: by.model_dump(exclude_none=True) for name, by in calls.items()}
        self._start()

    def _start(self) -> None:
        self._writing = self._begin()
        self._taken: list[DraftSentence] = []
        self._shown = False  # anything of this draft
        self._told = 0  # sentences, and the citations that went with them
        self._cited = 0
        self._untold: list[Event] = []

    def grow(self, draft: Json) -> None:
        """Process the complete parts of a draft so far; an empty draft means that a new one begins."""
        if not draft:
            self._begin_anew()
        if draft.get("answerable") is not True:
            return
        drafted = draft.get("sentences")
        whole = drafted[len(self._taken) : -1] if isinstance(drafted, list) else []
        try:
            for sentence in whole:  # the last one may still grow
                self._take(DraftSentence.model_validate(sentence))
        except ValidationError:
            return  # the draft will not do; its repair begins again
        finally:
            # Without its first sentence a draft may answer wrongly: it is sent only if there is no other.
            if self._untold and not self._writing.written.lost_first:
                self._shown = True
                self._tell(self._untold)
                self._untold = []

    def finish(self, draft: AnswerDraft) -> tuple[Writing, tuple[Event, ...]]:
        """Return the answer, and events for sentences that have not been published yet.

        Sentences that a model has to judge are already published; if it refuses one, all are retracted.
        """
        if self._taken != draft.sentences[: len(self._taken)]:
            self._begin_anew()
        self._take_rest(draft)
        while self._writing.look_again():
            self._begin_anew()
            self._take_rest(draft)
        for group in draft.conflicts[:MOST_CONFLICTS]:
            self._writing.name_conflict(group)
            self._note()
        return self._writing, tuple(self._untold)

    def take_back(self) -> None:
        """Retract the published sentences, if there are any."""
        if self._shown:
            self._tell([_RESTARTED])

    def _begin_anew(self) -> None:
        self.take_back()
        self._start()

    def _take_rest(self, draft: AnswerDraft) -> None:
        for sentence in draft.sentences[len(self._taken) :]:
            self._take(sentence)

    def _take(self, sentence: DraftSentence) -> None:
        self._writing.take(sentence)
        self._taken.append(sentence)
        self._note()

    def _note(self) -> None:
        """Add the event of a new sentence, with citations not published before."""
        written = self._writing.written
        for text in written.sentences[self._told :]:
            self._told += 1
            places = enumerate(written.cited[self._cited :], self._cited + 1)
            cited = [cited_place(place, n) for n, place in places]
            self._cited = len(written.cited)
            resolved = with_calls({"citations": cited, "calls": self._calls})["citations"]
            sums = tuple(each.model_dump() for each in written.calculations if each.sentence == self._told)
            sentence = AnswerSentence(n=self._told, text=text, citations=tuple(resolved), calculations=sums)
            self._untold.append(Event.of(sentence))
