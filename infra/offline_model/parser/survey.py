"""SurveyPlan, TopicClaims, SurveyDraft: chooses the kind of answer, groups and copies similar statements."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from infra.offline_model.parser.question.question import Question, read_question
from infra.offline_model.parser.question.synonyms import KINDS, STOP_WORDS, concept
from infra.offline_model.parser.question_plan import plan_question
from infra.offline_model.parser.statements.statements import read_statement, relevance
from workers.core.answers.lexical_rank import terms
from workers.core.language.genders import THINGS
from workers.core.language.name_words import GIVEN_NAMES
from workers.core.language.numerals import numbers
from workers.core.language.text import words
from workers.traverse.survey.schema import MOST_FACTS

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
_PEOPLE = "people"
_FEWEST = 2  # documents of a topic that has a name
_BESIDE = 3  # a second word names it, too, where one in so many of them has that
_TITLES = 6  # of its documents
_SHORTEST = 4  # letters of a noun
_CALLED = re.compile(
    r"\b(?:is|was|are|were|became) (?:an?|the) (?:[\w-]+ ){0,3}?(?P<noun>[a-z]{4,})\b"
    r"(?= (?:who|that|which|in|over|across|on|at|from|and)\b|[.,;])"
)
_TOPIC = re.compile(r"(?P<name>[a-z]+(?: and [a-z]+)?): (?P<titles>[A-Z].*)$")
_LONG = 900  # characters of a claim


class _Told(NamedTuple):
    """A statement with the words that distinguish it from similar ones."""

    text: str
    n: int
    particulars: frozenset[str]  # words of names, and numbers
    held: frozenset[str]  # all its words and numbers, and those of its document's title


def asks_about_the_whole(text: str) -> bool:
    """Return whether a question is about all documents at once."""
    return bool(_WHOLE.search(text))


def asks_about_anything(question: Question) -> bool:
    """Return whether a question is about everything, so that any statement helps."""
    return asks_about_the_whole(question.text) and not question.names and question.matters <= _ANYTHING


def plan_survey(material: dict[str, Any]) -> dict[str, Any]:
    """Return {question, kind, sub_questions} for {question, history}."""
    plan = plan_question(material)
    text = str(plan["question"])
    kind = next((kind for kind, pattern in _KINDS if pattern.search(text)), "themes")
    return {"question": text, "kind": kind, "sub_questions": plan["sub_questions"]}


def make_claims(material: dict[str, Any]) -> dict[str, Any]:
    """Return {claims: [{text, facts}]} for {question, facts}: one claim for each group of similar facts.

    For a question about everything, a claim names a topic by the subject of its documents, with their titles.
    If they have nothing in common, each sentence is a separate claim.
    """
    question = read_question(str(material.get("question") or ""))
    is_anything = asks_about_anything(question)
    if is_anything and (named := _named_topics(material.get("facts") or [])):
        return {"claims": named}
    groups: list[list[_Told]] = []
    for fact in material.get("facts") or []:
        told = _told(fact)
        text = told.text
        if is_anything:
            if len(text.split()) > _HEADING:
                groups.append([told])
            continue
        if not text.strip() or relevance(question, read_statement(text)) <= 0:
            continue
        group = next(
            (
                candidate
                for candidate in groups
                if _alike(_matter(candidate[0].text, question), _matter(text, question))
            ),
            None,
        )
        if group is None:
            groups.append([told])
        else:
            group.append(told)
    best = sorted(groups, key=lambda group: (-len(group), group[0].n))[:_CLAIMS]
    return {"claims": [_claim(group) for group in best]}


def _named_topics(facts: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return claims that name the topics of some facts: "bridges and towers: Tower Bridge, Forth Bridge"."""
    documents: dict[str, list[Mapping[str, Any]]] = {}
    for fact in facts:
        documents.setdefault(str(fact.get("source") or ""), []).append(fact)
    nouns = {title: _nouns(title, some) for title, some in documents.items() if title}
    claims: list[dict[str, Any]] = []
    while len(claims) < _CLAIMS:
        counted = Counter(noun for held in nouns.values() for noun in held)
        best = max(counted, key=lambda noun: (counted[noun], noun), default="")
        if counted[best] < _FEWEST:
            return claims
        titles = [title for title in nouns if best in nouns[title]]
        beside = Counter(noun for title in titles for noun in nouns[title] - {best})
        second = max(beside, key=lambda noun: (beside[noun], noun), default="")
        both = [best, second] if _BESIDE * beside[second] >= len(titles) and beside[second] > 1 else [best]
        held = [next(fact for fact in documents[title] if _says(both, title, fact)) for title in titles]
        name = " and ".join(map(_several, both))
        shown = ", ".join(titles[:_TITLES])
        claims.append(
            {
                "text": f"{name}: {shown}"[:_LONG],
                "facts": [int(fact["n"]) for fact in held][:MOST_FACTS],
            }
        )
        for title in titles:
            nouns.pop(title)
    return claims


def _nouns(title: str, facts: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Return a document's subject in lower case: its title's words and its names in facts."""
    told = {match["noun"] for fact in facts for match in _CALLED.finditer(str(fact.get("fact") or ""))}
    small = {word for fact in facts for word in str(fact.get("fact") or "").split() if word.islower()}
    of_title = {word for word in words(title) if word in small | THINGS and len(word) >= _SHORTEST}
    people = {_PEOPLE} if title.split(maxsplit=1)[0].casefold() in GIVEN_NAMES else frozenset[str]()
    return (frozenset(told | of_title) - KINDS - STOP_WORDS) | people


def _says(nouns: Sequence[str], title: str, fact: Mapping[str, Any]) -> bool:
    text = f"{title} {fact.get('fact')}".casefold()
    return _PEOPLE in nouns or any(noun in text for noun in nouns)


def _several(noun: str) -> str:
    if noun == _PEOPLE or noun.endswith("s"):
        return noun
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"


def _told(fact: Mapping[str, Any]) -> _Told:
    text, title = str(fact.get("fact") or ""), str(fact.get("source") or "")
    names = read_statement(" ".join(read_statement(text).names)).words
    values = frozenset(numbers(text))
    return _Told(text, int(fact.get("n") or 0), names | values, read_statement(text, title).words | values)


def _claim(group: Sequence[_Told]) -> dict[str, Any]:
    """Return the statement of a group that most others say, with those: they have its names and numbers.

    Among equals, the one with the fewest details wins, then the shortest.
    """

    def saying(told: _Told) -> list[int]:
        return [other.n for other in group if told.particulars <= other.held]

    best = min(group, key=lambda told: (-len(saying(told)), len(told.particulars), len(told.text), told.text))
    return {"text": best.text[:_LONG], "facts": saying(best)[:MOST_FACTS]}


def _matter(text: str, question: Question) -> frozenset[str]:
    """Return the words of a statement without those of the question and names, which vary."""
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
    topic = _TOPIC.match(text)
    if topic and documents > 1:
        return f"{topic['name']}, {documents} documents: {topic['titles']}"
    return f"In {documents} documents: {text}" if documents > 1 else text
