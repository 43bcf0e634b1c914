"""Last step of the reader strategy: combines all notebooks, names contradictions, writes the answer."""

from __future__ import annotations

from collections.abc import Mapping

from workers.core.answers.evidence import fact_key
from workers.core.jobs.work import Json, Outcome
from workers.core.ports import Partial, Ports
from workers.core.prompts import load_prompt
from workers.critic.gather import Evidence, Gathered
from workers.critic.schema import AnswerDraft, ReasonedAnswer
from workers.critic.synthesize import Review, answer_from_facts

_REPLY_TOKENS = 3072
_ANALYSIS = 2000  # characters that are kept


def reason_over_notebooks(given: Json, ports: Ports) -> Outcome:
    """Return {state, text, reason, missing, citations, details}, cited and checked as `synthesize` does it.

    The notebooks' words are material for the analysis and are never cited: a sentence cites the facts that
    entries rest on. details has the analysis, and counts the entries that no evidence is left of.

    Args:
        given: {question, sub_questions, plan, facts: [ScoredFact as a dict], notebooks: [{path, start,
            entries: [{text, rests_on: [keys of facts]}]}]}.
        ports: graph and model; the strong model writes.
    """

    def ask(gathered: Gathered, details: Json, partial: Partial, review: Review) -> AnswerDraft:
        notebooks, lost = _numbered(given["notebooks"], gathered.evidence)
        if lost:
            details["entries_without_evidence"] = lost
        material = {
            "question": given["question"],
            "sub_questions": given["sub_questions"],
            "plan": given["plan"],
            "notebooks": notebooks,
            "evidence": [entry.material() for entry in gathered.evidence.values()],
        }
        prompt = load_prompt("workers.critic", "reason")
        reply = ports.model.ask(
            prompt,
            material,
            ReasonedAnswer,
            tier="strong",
            max_tokens=_REPLY_TOKENS,
            partial=partial,
            review=review,
        )
        details["analysis"] = reply.value.analysis.strip()[:_ANALYSIS]
        return reply.value

    return answer_from_facts(given, ports, ask)


def _numbered(notebooks: list[Json], evidence: Mapping[int, Evidence]) -> tuple[list[Json], int]:
    """Return the notebooks with the evidence numbers of their entries, and how many entries have none."""
    numbers: dict[str, list[int]] = {}
    for n, entry in evidence.items():
        for place in entry.placed:
            numbers.setdefault(fact_key({"fact_text": place.fact.fact_text}), []).append(n)
    told: list[Json] = []
    lost = 0
    for book in notebooks:
        entries = []
        for entry in book["entries"]:
            carried = sorted({n for key in entry["rests_on"] for n in numbers.get(key, ())})
            if carried:
                entries.append({"text": entry["text"], "evidence": carried})
            else:
                lost += 1
        if entries:
            told.append({"path": book["path"], "start": book["start"], "entries": entries})
    return told, lost
