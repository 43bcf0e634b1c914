"""Finds the parts of a tools query that are still open: not asked yet, or asked without result."""

from __future__ import annotations

from workers.core.answers.lexical_rank import overlap, question_terms
from workers.core.jobs.flow import Results
from workers.core.jobs.work import Job
from workers.traverse.tools.results import (
    checks_of,
    list_calls,
    normalised,
    round_of,
    routes_of,
    sub_questions,
)

_AGAIN = 0.5  # of the words of a part, in a later question that asks it again


def lost_parts(results: Results, job: Job) -> list[str]:
    """Return the sub-questions without tools: failed, dropped, or beyond the limit on calls."""
    chosen = {route.question for route in routes_of(results)}
    return [question for question in sub_questions(results, job) if question not in chosen]


def check_id(number: int) -> str:
    """Return the item of the answer critic behind a round, from 1."""
    return f"check:{number}"


def missing_after(number: int, results: Results) -> list[str]:
    """Return the open sub-questions according to the answer critic of a round."""
    checks = [check for name, check in checks_of(results) if name == check_id(number)]
    return [] if not checks or checks[0].complete else list(checks[0].missing)


def _list_parts_given_up(results: Results) -> list[str]:
    """Return the parts that the answer critic of the last round gave up."""
    last = check_id(round_of(results))
    return [part for name, check in checks_of(results) if name == last for part in check.given_up]


def open_parts(results: Results, job: Job) -> list[str]:
    """Return the sub-questions without results, those of their replacements included.

    Those of the first round are parts of the question itself. One whose own calls found nothing may have been
    asked again in a later round in other words: it is open unless a later question that found something
    speaks of most of what it asks for. So is what the answer critic still misses behind the last round, and
    what it gave up there.
    """
    parts = normalised(results, job).sub_questions
    useful = [call for call in list_calls(results) if call.facts]
    later = [call.question for call in useful if call.round > 1]
    answered = {call.question for call in useful}
    replied = {route.question for route in routes_of(results) if route.said is not None}
    unanswered = [
        part
        for part in parts
        if part not in answered | replied and not any(_asks_again(part, question) for question in later)
    ]
    missed = [*missing_after(round_of(results), results), *_list_parts_given_up(results)]
    return unanswered + [
        question for question in missed if not any(_asks_again(part, question) for part in unanswered)
    ]


def _asks_again(part: str, question: str) -> bool:
    return overlap(question_terms(part, ()), question) >= _AGAIN
