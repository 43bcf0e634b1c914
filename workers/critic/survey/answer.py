"""Last step of the survey strategy: writes the answer from claims, every sentence cited and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from workers.core.answers.evidence import packed
from workers.core.jobs.params import QueryParams
from workers.core.jobs.work import Json, Outcome
from workers.core.models.tokens import count_tokens
from workers.core.ports import Partial, Ports
from workers.core.prompts import load_prompt
from workers.critic.gather import Evidence, Gathered, Placed, names_of
from workers.critic.schema import AnswerDraft
from workers.critic.survey.claims import Claim
from workers.critic.survey.schema import SurveyDraft
from workers.critic.synthesize import Review, WritingInput, answer_from_facts
from workers.critic.verify import fault

_REPLY_TOKENS = 3072
_PLACES = 200  # that a claim cites, and of which it counts the documents
_ALL_PLACES = 300  # that all claims cite: what a result has room for
_TITLES = 10  # of a claim's documents that the writer sees


class SurveyWriting(WritingInput):
    """The claims to write from, and the facts that carry them."""

    kind: str  # of answer
    claims: tuple[Claim, ...]  # best first


def write_survey(writing: SurveyWriting, ports: Ports) -> Outcome:
    """Write the answer from claims, cited and checked as `synthesize` does it.

    The places of the claims' facts are read anew: a claim of which a fact is gone counts and cites the
    others, if they carry it. How many documents state a claim is counted here; a sentence may say it.

    Args:
        writing: claims and facts.
        ports: graph and model; the strong model writes.
    """

    def ask(gathered: Gathered, _details: Json, grow: Partial, review: Review) -> AnswerDraft:
        shown = gathered.material()
        for entry in shown["evidence"]:
            claim = gathered.evidence[entry["n"]]
            entry |= {"source": _titles(claim), "documents": len(claim.document_ids)}
        material = {
            "question": writing.question,
            "sub_questions": list(writing.sub_questions),
            "kind": writing.kind,
            "documents_looked_at": writing.looked_at,
            **shown,
        }
        prompt = load_prompt("workers.critic.survey", "survey_answer")
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
        return _gathered(writing, places, params, ports)

    return answer_from_facts(writing, ports, ask, gather_evidence=gather_claims)


def _gathered(
    writing: SurveyWriting, places: Sequence[Placed], params: QueryParams, ports: Ports
) -> Gathered:
    """Return the claims as evidence, within its tokens; one that its places do not carry is left out."""
    found = {place.fact.source_fact_id or "": place for place in places}
    entries = [entry for claim in writing.claims if (entry := _entry(claim, found)).placed]
    ordinary = "\n".join((writing.question, *(place.fact.fact_text for place in places)))
    carries = partial(fault, ordinary=ordinary, question=writing.question, names=names_of(entries, ports))
    carried = [
        entry for entry in entries if carries(entry.text, [one.source for one in entry.placed]) is None
    ]
    fits, _over = packed(carried, _size, params.evidence_tokens)
    fits, _over = packed(fits, lambda entry: len(entry.placed), _ALL_PLACES)
    numbered = {n: Evidence(n, entry.text, entry.placed) for n, entry in enumerate(fits, 1)}
    return Gathered(numbered, left_out=len(carried) - len(fits))


def _entry(claim: Claim, found: Mapping[str, Placed]) -> Evidence:
    """Return a claim with its places, in each document that states a fact; first those of other documents."""
    facts = [found[fact] for fact in claim.facts if fact in found]
    places = [one for place in facts for one in (place, *map(place.quoted_from, place.elsewhere))]
    seen: set[str] = set()
    first: list[Placed] = []
    others: list[Placed] = []
    for place in places:
        source = place.document_source
        name = source.document_id if source else ""
        (others if name in seen else first).append(place)
        seen.add(name)
    return Evidence(0, claim.text, (*first, *others)[:_PLACES])


def _size(entry: Evidence) -> int:
    return 16 + count_tokens(f"{entry.text} {_titles(entry)}")


def _titles(entry: Evidence) -> str:
    titles = dict.fromkeys(place.source.title for place in entry.placed)
    return "; ".join(list(titles)[:_TITLES])
