"""Last step of the survey strategy: writes the answer from claims, every sentence cited and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from hopline.models.jobs import Json
from workers.core.answers.evidence import packed
from workers.core.answers.lexical_rank import overlap, terms
from workers.core.jobs.params import QueryParams
from workers.core.jobs.work import Outcome
from workers.core.models.tokens import count_tokens
from workers.core.ports import Partial, Ports
from workers.core.prompts import load_prompt
from workers.core.records import FactSource
from workers.core.scope import reads_less
from workers.critic.gather import Evidence, Gathered, Placed, names_of, surroundings
from workers.critic.schema import AnswerDraft
from workers.critic.synthesize import Review, WritingInput, answer_from_facts
from workers.critic.verify import fault
from workers.traverse.survey.claims import Claim
from workers.traverse.survey.schema import SurveyDraft

_REPLY_TOKENS = 3072
_PLACES = 200  # that a claim cites, and whose documents it counts
_ALL_PLACES = 300  # that all claims cite: what a result has room for
_QUOTES = 5  # of a claim that the writer sees at most
_TITLES = 10  # of a claim's documents that the writer sees
_UNTOLD = -1  # documents looked at: a sentence may say how many state a claim, and not of how many


class SurveyWriting(WritingInput):
    """The claims to write from, and the facts that support them."""

    kind: str  # of answer
    claims: tuple[Claim, ...]  # best first


def write_survey(writing: SurveyWriting, ports: Ports) -> Outcome:
    """Write the answer from claims, cited and checked as in `synthesize`.

    The places of the claims' facts are read again. A claim with a deleted fact still counts and cites the
    remaining ones, if they support it; within a scope, or for limited principals, it is left out, because its
    words may come from that fact's document. The number of documents that state a claim is counted here; a
    sentence may mention it.

    Args:
        writing: claims and facts.
        ports: graph and model; the strong model writes.
    """
    limited = reads_less(ports.job.params, ports.job.principals)

    def ask(gathered: Gathered, _details: Json, grow: Partial, review: Review) -> AnswerDraft:
        shown = gathered.material()
        params = QueryParams.read_stored(ports.job.params)
        quotes = _quotes(gathered.evidence, params.evidence_tokens)
        for entry in shown["evidence"]:
            claim = gathered.evidence[entry["n"]]
            known = {"quote": "\n".join(quotes[entry["n"]]), "source": _titles(claim)}
            entry |= {**known, "documents": len(claim.document_ids)}
        material = {
            "question": writing.question,
            "sub_questions": list(writing.sub_questions),
            "kind": writing.kind,
            "documents_looked_at": writing.looked_at,
            **shown,
        }
        prompt = load_prompt("workers.traverse.survey", "survey_answer")
        return ports.model.ask(
            prompt,
            material,
            SurveyDraft,
            tier="strong",
            max_tokens=_REPLY_TOKENS,
            partial=grow,
            review=review,
        ).value

    def gather_claims(
        _question: str, places: Sequence[Placed], params: QueryParams, ports: Ports
    ) -> Gathered:
        return _gathered(writing, places, params, ports, whole=limited)

    shown_writing = writing.model_copy(update={"looked_at": _UNTOLD}) if limited else writing
    return answer_from_facts(shown_writing, ports, ask, gather_evidence=gather_claims)


def _gathered(
    writing: SurveyWriting, places: Sequence[Placed], params: QueryParams, ports: Ports, *, whole: bool
) -> Gathered:
    """Return the claims as evidence, within its tokens; one that its places do not carry is left out.

    Args:
        writing: the claims.
        places: places of their facts, as far as they are still there.
        params: parameters of the question.
        ports: the graph.
        whole: a claim is left out where any of its facts is gone; else where all are.
    """
    by_fact = {place.fact.source_fact_id or "": place for place in places}
    others = _other_sources(writing, by_fact, ports)
    known = by_fact.keys() | {source.fact_id for source in others}
    there = [claim for claim in writing.claims if not whole or known >= set(claim.facts)]
    entries = [entry for claim in there if (entry := _entry(claim, by_fact)).placed]
    ordinary = "\n".join((writing.question, *(place.fact.fact_text for place in places)))
    around, names = surroundings(ports), names_of(entries, ports)
    carries = partial(fault, around=around, ordinary=ordinary, question=writing.question, names=names)
    carried = [
        entry for entry in entries if carries(entry.text, [place.source for place in entry.placed]) is None
    ]
    fits, _over = packed(carried, _size, params.evidence_tokens)
    fits, _over = packed(fits, lambda entry: len(entry.placed), _ALL_PLACES)
    numbered = {n: Evidence(n, entry.text, entry.placed) for n, entry in enumerate(fits, 1)}
    read = [*others, *(source for place in places for source in place.document_sources)]
    return Gathered(
        numbered,
        left_out=len(carried) - len(fits),
        uncarried=len(writing.claims) - len(carried),
        read=frozenset(source.document_id for source in read),
    )


def _other_sources(
    writing: SurveyWriting, by_fact: Mapping[str, Placed], ports: Ports
) -> Sequence[FactSource]:
    """Return the places of the other facts of claims: those below the threshold, or that had no room."""
    facts = {fact for claim in writing.claims for fact in claim.facts}
    rest = sorted(facts.difference(by_fact))
    return ports.graph.nodes.fact_sources(ports.job.collection, rest) if rest else ()


def _entry(claim: Claim, by_fact: Mapping[str, Placed]) -> Evidence:
    """Return a claim with its places, in each document that states a fact; first those of other documents.

    It is of these documents alone, so that it counts no others than it cites.
    """
    fact_places = [by_fact[fact] for fact in claim.facts if fact in by_fact]
    places = [
        document_place
        for place in fact_places
        for document_place in (place, *map(place.quoted_from, place.elsewhere))
    ]
    seen: set[str] = set()
    first: list[Placed] = []
    others: list[Placed] = []
    for place in places:
        source = place.document_source
        name = source.document_id if source else ""
        (others if name in seen else first).append(replace(place, elsewhere=()))
        seen.add(name)
    return Evidence(0, claim.text, (*first, *others)[:_PLACES])


def _size(entry: Evidence) -> int:
    return 16 + count_tokens(f"{entry.text} {_titles(entry)}")


def _quotes(evidence: Mapping[int, Evidence], tokens: int) -> dict[int, list[str]]:
    """Return the quotes that the writer sees of each claim, nearest to its words first, while there is room.

    Every claim has its first quote before one has a second.
    """
    nearest = {n: _nearest_quotes(entry) for n, entry in evidence.items()}
    shown: dict[int, list[str]] = {n: [] for n in evidence}
    room = tokens - sum(map(_size, evidence.values()))
    for nth in range(_QUOTES):
        for n, quotes in nearest.items():
            size = count_tokens(quotes[nth]) if nth < len(quotes) else room + 1
            if size <= room:
                shown[n].append(quotes[nth])
                room -= size
    return shown


def _nearest_quotes(entry: Evidence) -> list[str]:
    wanted = terms(entry.text)
    quotes = dict.fromkeys(place.source.quote for place in entry.placed)
    return sorted(quotes, key=lambda quote: -overlap(wanted, quote))[:_QUOTES]


def _titles(entry: Evidence) -> str:
    titles = dict.fromkeys(place.source.title for place in entry.placed)
    return "; ".join(list(titles)[:_TITLES])
