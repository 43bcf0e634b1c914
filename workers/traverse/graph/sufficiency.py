"""Checks whether the facts of one visit answer the whole question, so that the others need not go on."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workers.core.answers.lexical_rank import overlap, question_terms, terms
from workers.core.records import QuotedFact

# Shares of the content words. The rest says in other words what joins the names: of what a large model took
# for enough ("What currency predated the Euro in the country Signmark is from?") the facts had 3 of 5 words,
# and half of each part's.
_OF_QUESTION = 0.6
_OF_PART = 0.5
# More than one answer may be asked for: another node may hold the others.
_LIST = re.compile(
    r"\b(?:which|all|any|every|each|both|list|lists|several|many|names?|others?|else)\b"
    r"|\b(?:who|what|where|when) (?:are|were)\b"
    r"|\bwhat (?!(?:is|was|does|has|[a-z]*ss)\b)[a-z]+s\b|\bwho (?!(?:is|was)\b)"
    r"|\b(?:and|or|than|compared?|comparison|difference|first|last|und|oder|als|y|o|que|et|ou)\b"
    r"|\b(?:welche[rsnm]?|alle[rsn]?|jede[rsnm]?|wie ?viele?|wer (?!(?:ist|war)\b)|vergleiche?)\b"
    r"|\b(?:cu[aá]les|cu[aá]nt[oa]s|qui[eé]n(?:es)?|tod[ao]s|quels|quelles|combien|tous|toutes)\b"
    r"|\bqui (?!(?:est|était)\b)"
    r"|哪|所有|全部|几|多少|列出|都有|有谁|比较|还是|和|どの|すべて|全て|いくつ|誰が",
    re.IGNORECASE,
)


def asks_for_several(question: str) -> bool:
    """Return whether a question may have several answers: rather yes than no."""
    return _LIST.search(question) is not None


def answers_whole_question(
    facts: Sequence[QuotedFact], question: str, sub_questions: Sequence[str], path: Sequence[str] = ()
) -> bool:
    """Return whether facts speak of the question and each of its parts, and add what it does not say.

    Of each part they also hold half of the words that no other part has, or the path here does: the two hosts
    of a regatta, of which a fact names one, are not both spoken of.

    Always false for a question that may have several answers. Words are compared, nothing is understood: it
    is asked only where a model, too, says that the facts are enough.

    Args:
        facts: with their titles and quotes.
        question: as it is to be answered.
        sub_questions: its parts.
        path: names of the nodes on the way.
    """
    if not facts or asks_for_several(question):
        return False
    text = "\n".join(f"{fact.fact_text}\n{fact.title}\n{fact.quote}" for fact in facts)
    led = "\n".join(path)
    whole = question_terms(question, tuple(sub_questions))
    return (
        overlap(question_terms(question), text) >= _OF_QUESTION
        and all(overlap(question_terms(part), text) >= _OF_PART for part in sub_questions)
        and all(not own or overlap(own, f"{text}\n{led}") >= _OF_PART for own in _own_words(sub_questions))
        and any(terms(fact.fact_text) - whole for fact in facts)
    )


def _own_words(parts: Sequence[str]) -> list[frozenset[str]]:
    """Return of each part the content words that no other has."""
    words = [question_terms(part) for part in parts]
    return [
        own.difference(*(other for number, other in enumerate(words) if number != nth))
        for nth, own in enumerate(words)
    ]
