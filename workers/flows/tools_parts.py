"""Which parts of a tools question are still open: not asked, or asked in vain."""

from __future__ import annotations

from workers.core.ranking import overlap, question_terms
from workers.core.work import Job, Json
from workers.flows.flow import Results
from workers.flows.tools_facts import asked_calls, normalised, routes_of, sub_questions

_AGAIN = 0.5  # of the words of a part, in a later question that asks it again


def lost_parts(results: Results, job: Job) -> list[str]:
    """Return the sub-questions that no tools were chosen for: given up, dropped, or more than calls allow."""
    chosen = {route["question"] for route in routes_of(results)}
    return [one for one in sub_questions(results, job) if one not in chosen]


def open_parts(results: Results, job: Job) -> list[str]:
    """Return the sub-questions that nothing was found for, nor for what was asked in their place.

    Those of the first round are parts of the question itself. One whose own calls found nothing may have been
    asked again in a later round in other words: it is open unless a later question that found something
    speaks of most of what it asks for.
    """
    parts = normalised(results, job)["sub_questions"]
    later = [call["question"] for call in asked_calls(results) if call["round"] > 1 and _found(call)]
    answered = {call["question"] for call in asked_calls(results) if _found(call)}
    said = {route["question"] for route in routes_of(results) if "said" in route}
    return [
        part
        for part in parts
        if part not in answered | said and not any(_asks_again(part, question) for question in later)
    ]


def _found(call: Json) -> bool:
    return bool((call["done"] or {}).get("facts"))


def _asks_again(part: str, question: str) -> bool:
    return overlap(question_terms(part, ()), question) >= _AGAIN
