"""SurveyPlan, TopicClaims and SurveyDraft: tells the kind of answer, groups like statements, copies them."""

from __future__ import annotations

import re
from typing import Any

from infra.offline_model.parser.question.question import Question, read_question
from infra.offline_model.parser.question.synonyms import concept
from infra.offline_model.parser.question_plan import plan_question
from infra.offline_model.parser.statements.statements import read_statement, relevance
from workers.core.answers.lexical_rank import terms
from workers.critic.survey.schema import MOST_FACTS

_KINDS = (
    ("count", re.compile(r"\bhow (?:many|often)\b", re.IGNORECASE)),
    ("comparison", re.compile(r"\b(?:differ\w*|compar\w+|versus|vs)\b", re.IGNORECASE)),
    ("timeline", re.compile(r"\b(?:over time|over the years|develop\w*|timeline|history)\b", re.IGNORECASE)),
    ("list", re.compile(r"\b(?:list|which|name all)\b", re.IGNORECASE)),
)
_WHOLE = re.compile(
    r"\b(?:main|most common|commonest|recurring|common|biggest|general|overall) "
    r"(?:\w+ )?(?:themes?|topics?|complaints?|issues?|problems?|points?|subjects?|trends?|concerns?)\b"
    r"|\boverview\b|\b(?:these|all|all the|all of the) (?:documents|articles|reports|reviews|texts)\b"
    r"|\bacross (?:the|all)\b|\bthemes\b|\bwhat recurs\b",
    re.IGNORECASE,
)
# What a question about the whole says of it, not of what stands in it.
_ANYTHING = frozenset(
    concept(word)
    for word in [
        "main",
        "common",
        "biggest",
        "general",
        "overall",
        "recurring",
        "commonest",
        "give",
        "list",
        "name",
        "tell",
        "overview",
        "summary",
        "themes",
        "topics",
        "subjects",
        "points",
        "trends",
        "issues",
        "documents",
        "articles",
        "reports",
        "reviews",
        "texts",
        "collection",
        "recurs",
    ]
)
ANYTHING_HELPS = 0.5  # relevance of any statement to such a question
_ALIKE = 0.5  # share of words that statements of one claim have in common
_CLAIMS, _SENTENCES = 5, 12
_HEADING = 3  # words of a text that is no sentence yet
_LONG = 900  # characters of a claim


def asks_about_the_whole(text: str) -> bool:
    """Tell whether a question is about all documents at once."""
    return bool(_WHOLE.search(text))


def asks_about_anything(question: Question) -> bool:
    """Tell whether a question is about the whole and says nothing of what: any statement helps with it."""
    return asks_about_the_whole(question.text) and not question.names and question.matters <= _ANYTHING


def plan_survey(material: dict[str, Any]) -> dict[str, Any]:
    """Return {question, kind, sub_questions} for {question, history}."""
    plan = plan_question(material)
    text = str(plan["question"])
    kind = next((kind for kind, pattern in _KINDS if pattern.search(text)), "themes")
    return {"question": text, "kind": kind, "sub_questions": plan["sub_questions"]}


def make_claims(material: dict[str, Any]) -> dict[str, Any]:
    """Return {claims: [{text, facts}]} for {question, facts}: of like ones the shortest.

    Asked about anything, each sentence is a claim of its own: what like ones have in common it cannot tell.
    """
    question = read_question(str(material.get("question") or ""))
    is_anything = asks_about_anything(question)
    groups: list[list[tuple[str, int]]] = []
    for fact in material.get("facts") or []:
        text, n = str(fact.get("fact") or ""), int(fact.get("n") or 0)
        if is_anything:
            if len(text.split()) > _HEADING:
                groups.append([(text, n)])
            continue
        if not text.strip() or relevance(question, read_statement(text)) <= 0:
            continue
        group = next(
            (
                candidate
                for candidate in groups
                if _alike(_matter(candidate[0][0], question), _matter(text, question))
            ),
            None,
        )
        if group is None:
            groups.append([(text, n)])
        else:
            group.append((text, n))
    best = sorted(groups, key=lambda group: (-len(group), group[0][1]))[:_CLAIMS]
    return {
        "claims": [
            {
                "text": _shortest(group),
                "facts": [n for _text, n in group][:MOST_FACTS],
            }
            for group in best
        ]
    }


def _shortest(group: list[tuple[str, int]]) -> str:
    return min((text for text, _n in group), key=lambda text: (len(text), text))[:_LONG]


def _matter(text: str, question: Question) -> frozenset[str]:
    """Return the words of a statement but for those of the question and of its names: who says it differs."""
    return terms(text) - terms(question.text) - terms(" ".join(read_statement(text).names))


def _alike(mine: frozenset[str], theirs: frozenset[str]) -> bool:
    return len(mine & theirs) >= _ALIKE * max(1, min(len(mine), len(theirs)))


def draft_survey(material: dict[str, Any]) -> dict[str, Any]:
    """Return {answerable, missing, sentences, conflicts}: claims with their documents."""
    sentences = [
        {
            "text": _counted(str(entry.get("fact") or ""), int(entry.get("documents") or 0)),
            "citations": [entry["n"]],
        }
        for entry in (material.get("evidence") or [])[:_SENTENCES]
    ]
    return {"answerable": bool(sentences), "missing": "", "sentences": sentences, "conflicts": []}


def _counted(text: str, documents: int) -> str:
    return f"In {documents} documents: {text}" if documents > 1 else text
