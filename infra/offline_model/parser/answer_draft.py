"""AnswerDraft: copies the fewest statements that together answer the question, or declines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from infra.offline_model.parser.chinese.steps import steps
from infra.offline_model.parser.question.parts import separate_questions
from infra.offline_model.parser.question.question import Question, holds_kind, name_words, read_question
from infra.offline_model.parser.question.synonyms import concept, other_relatives
from infra.offline_model.parser.question.tool_facts import chosen_entries, is_of_tool
from infra.offline_model.parser.statements.names import DATE, YEAR
from infra.offline_model.parser.statements.statements import Statement, about, covered, read_statement, wanted
from infra.offline_model.parser.sums import draft_sum

_NOUN = re.compile(
    r"\b(?:which|what|the|a|of) (?P<noun>[a-z]+)\b"
    r"(?= (?:[a-z]+ )?(?:that|who|which|where|whose|of)\b| (?:is|are|was|did|does|[a-z]+s)\b)",
    re.IGNORECASE,
)
# "Who teaches at …", "Which mountain overlooks …", and not "Where was …", "Which fair did …".
_OF_SUBJECT = re.compile(
    r"\W*(?:who|(?:which|what) [a-z]+) (?!(?:is|are|was|were|did|does|do)\b)", re.IGNORECASE
)
_HAN_DEED = re.compile("^谁(?:是)?(?P<verb>[^，。？！?!]{1,3}?)[了过着给]")
_LONGEST_CHAIN = 4
_WIDTH = 60  # chains of one length that are followed further
_ENOUGH = 0.5  # of the character pairs of a question in a script without spaces
_COMPARED = re.compile(r"\bor\b|\bthan\b", re.IGNORECASE)  # then the parts are no answers
_MOST_ALIKE = 3  # statements that answer the question each on its own
_ALIKE = 0.8  # share of words, numbers left out, that two such statements have in common
_MOST = 20
_ROW = re.compile(r"[^:;]+: (?P<name>[^;]+);")  # of a table: "Mill: Wind mill; Rent: 410 euros"


@dataclass(frozen=True)
class Evidence:
    """An entry of the evidence, read against the question."""

    n: int
    statement: Statement
    covers: frozenset[str]
    bridges: frozenset[tuple[str, ...]]  # the words of each of its names that the question does not name


Chain = tuple[Evidence, ...]


def draft_answer(material: dict[str, Any]) -> dict[str, Any]:
    """Return {answerable, missing, sentences, conflicts} for {question, evidence: [{n, fact, source}]}.

    If the answer touches possible contradictions, it states the first side, and all sides are listed as a
    conflict. Fitting results of tools are stated unchanged, with all rows of a list, followed by what
    documents say. A question that needs arithmetic gets a sentence with its calculation, if the evidence has
    the numbers. In a question of several parts, the answerable ones are answered, and the others are named as
    missing.
    """
    draft, entries = _draft(material), material.get("evidence") or []
    for sides in material.get("possible_contradictions") or []:
        draft = _with_conflict(draft, [int(side["n"]) for side in sides], entries)
    return draft


def _with_conflict(
    draft: dict[str, Any], group: Sequence[int], entries: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    sentences, members = draft["sentences"], set(group)
    touched = [place for place, sentence in enumerate(sentences) if members & set(sentence["citations"])]
    if not touched:
        return draft
    text = next(str(entry["fact"]) for entry in entries if int(entry.get("n") or 0) == group[0])
    first = {"text": _sentence(text), "citations": [group[0]]}
    rest = [sentence for sentence in sentences[touched[0] :] if not set(sentence["citations"]) <= members]
    others = [conflict for conflict in draft["conflicts"] if not set(conflict) <= members]
    return {
        **draft,
        "sentences": [*sentences[: touched[0]], first, *rest],
        "conflicts": [list(group), *others][:_MOST],
    }


def _draft(material: dict[str, Any]) -> dict[str, Any]:
    questions = [
        str(text) for text in (material.get("question") or "", *(material.get("sub_questions") or []))
    ]
    question = read_question(questions[0])
    entries = material.get("evidence") or []
    tool_entries = [entry for entry in entries if _is_of_tool(entry, questions)]
    rows = chosen_entries(tool_entries, questions)
    if rows:
        rest = [entry for entry in entries if entry not in tool_entries]
        return _with_rows(rows, _draft({**material, "evidence": rest}))
    calculated = draft_sum(question.text, entries)
    if calculated:
        return {"answerable": True, "missing": "", "sentences": [calculated], "conflicts": []}
    evidence = [_entry(entry, question) for entry in entries]
    chains = _answers(question, evidence)
    if not chains:
        return _answered_in_part(question, entries) or _declined(_missing(question, evidence))
    used = [entry for chain in chains for entry in chain]
    conflicts = contradictions(
        [(entry.n, entry.statement) for entry in evidence if entry.covers & question.matters]
    )
    clashing = {n for group in conflicts if {entry.n for entry in used} & set(group) for n in group}
    used += [entry for entry in evidence if entry.n in clashing]
    numbered = {entry.n: entry for entry in used}
    return {
        "answerable": True,
        "missing": "",
        "sentences": [
            {"text": _sentence(entry.statement.text), "citations": [entry.n]} for entry in numbered.values()
        ],
        "conflicts": [group for group in conflicts if set(group) <= clashing],
    }


def _declined(missing: str) -> dict[str, Any]:
    return {"answerable": False, "missing": missing, "sentences": [], "conflicts": []}


def _answered_in_part(question: Question, entries: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return an answer to the answerable parts of a question; None if there are none."""
    parts = separate_questions(question.text) if not _COMPARED.search(question.text) else []
    if len(parts) < 2:  # noqa: PLR2004 - a question of one part has been tried
        return None
    drafts = [_draft({"question": part, "evidence": entries}) for part in parts]
    if not any(draft["answerable"] for draft in drafts):
        return None
    sentences = {sentence["text"]: sentence for draft in drafts for sentence in draft["sentences"]}
    lacking = [part for part, draft in zip(parts, drafts, strict=True) if not draft["answerable"]]
    return {
        "answerable": True,
        "missing": f"The evidence does not answer: {' '.join(lacking)}"[:500] if lacking else "",
        "sentences": list(sentences.values()),
        "conflicts": [group for draft in drafts for group in draft["conflicts"]],
    }


def _is_of_tool(entry: dict[str, Any], questions: Sequence[str]) -> bool:
    return bool(entry.get("source")) and is_of_tool(
        str(entry.get("fact") or ""), str(entry["source"]), questions
    )


def _with_rows(rows: Sequence[Mapping[str, Any]], of_documents: dict[str, Any]) -> dict[str, Any]:
    """Return an answer from the results of tools, followed by what documents say about the question."""
    sentences = [{"text": _sentence(str(row["fact"])), "citations": [int(row["n"])]} for row in rows]
    return {
        "answerable": True,
        "missing": "",
        "sentences": [*sentences, *of_documents["sentences"]],
        "conflicts": of_documents["conflicts"],
    }


def _entry(entry: dict[str, Any], question: Question) -> Evidence:
    text, source = str(entry.get("fact") or ""), str(entry.get("source") or "")
    statement = read_statement(text, source)
    own = question.own
    bridges = frozenset(name_words(name) for name in statement.names if not own.issuperset(name_words(name)))
    return Evidence(int(entry.get("n") or 0), statement, covered(question, statement), bridges)


def _answers(question: Question, evidence: Sequence[Evidence]) -> list[Chain]:
    """Return the shortest chains that answer everything: several only if each is a single statement."""
    if question.dense:
        evidence = [entry for entry in evidence if not other_relatives(question.text, entry.statement.text)]
        return _nearest(question, evidence) or _stepped(question, evidence)
    whole = wanted(question)
    return _chained(question, evidence, whole, _fits) or _chained(
        question, evidence, whole - _described(question), _leads
    )


def _chained(
    question: Question,
    evidence: Sequence[Evidence],
    whole: frozenset[str],
    fits: Callable[[Chain, Question], bool],
) -> list[Chain]:
    chains: list[Chain] = [(entry,) for entry in evidence if entry.covers]
    for length in range(1, _LONGEST_CHAIN + 1):
        answers = [chain for chain in chains if whole <= _holds(chain) and fits(chain, question)]
        if answers:
            return _best(answers, question)[: _MOST_ALIKE if length == 1 else 1]
        if length > len(question.matters):  # every hop needs a matter of its own
            return []
        ranked = sorted(chains, key=lambda chain: -len(_holds(chain)))[:_WIDTH]
        chains = [longer for chain in ranked for longer in _longer(chain, evidence, question)]
    return []


def _stepped(question: Question, evidence: Sequence[Evidence]) -> list[Chain]:
    places = steps(question.text, [entry.statement.text for entry in evidence])
    return [tuple(evidence[place] for place in places)] if places else []


def _described(question: Question) -> frozenset[str]:
    """Return the nouns that describe a step's target: facts need not call the Seagull a ship."""
    return (
        frozenset(concept(match["noun"].casefold()) for match in _NOUN.finditer(question.text))
        & question.matters
    )


def _leads(chain: Chain, question: Question) -> bool:
    """Return whether a chain leads from the question's names to the answer, with a shared name at each step.

    Where the question asks for the subject ("Who teaches at the school …"), the last statement may have
    another one than what the chain leads to.
    """
    if not question.names or len(chain) < 2:  # noqa: PLR2004
        return False
    if not all(f"name:{name}" in chain[0].covers for name in question.names):
        return False
    last, shared = chain[-1].statement, _shared(chain[-2], chain[-1])
    if not holds_kind(question, last.text):
        return False
    acts = any(_acts(name, last) for name in last.names if name_words(name) in shared)
    return acts or bool(_OF_SUBJECT.match(question.text) and last.subject)


def _longer(chain: Chain, evidence: Sequence[Evidence], question: Question) -> Iterator[Chain]:
    held = _holds(chain)
    for entry in evidence:
        news = (entry.covers - held) & question.matters
        if news and entry not in chain and _shared(chain[-1], entry):
            yield (*chain, entry)


def _shared(entry: Evidence, other: Evidence) -> list[tuple[str, ...]]:
    """Return the other's names that both have: Roebling is John Augustus Roebling, John Fowler is not."""
    return [theirs for mine in entry.bridges for theirs in other.bridges if _same(mine, theirs)]


def _same(name: tuple[str, ...], other: tuple[str, ...]) -> bool:
    short, long = sorted((name, other), key=len)
    return name == other or (bool(short) and short[-1] == long[-1] and set(short) <= set(long))


def _holds(chain: Chain) -> frozenset[str]:
    return frozenset().union(*(entry.covers for entry in chain))


def _fits(chain: Chain, question: Question) -> bool:
    """Return whether the last statement answers the question about the chain's target."""
    last = chain[-1].statement
    who = question.own
    if len(chain) > 1:
        shared = _shared(chain[-2], chain[-1])
        who = frozenset(word for name in shared for word in name)
        if not any(_acts(name, last) for name in last.names if name_words(name) in shared):
            return False  # that both mention Canada tells nothing
    return holds_kind(question, last.text) and about(question, last, who)


def _acts(name: str, statement: Statement) -> bool:
    """Return whether a statement is about what this one is, or did: its subject, or named after "by"."""
    by = rf"\bby (?:[\w-]+ ){{0,3}}{re.escape(name)}"
    return name == statement.subject or bool(re.search(by, statement.text))


def _best(chains: list[Chain], question: Question) -> list[Chain]:
    def rank(chain: Chain) -> tuple[int, int, int]:
        first = chain[0].statement
        named = any(word in question.own for word in name_words(first.subject))
        strays = sum(len(entry.bridges) for entry in chain)
        return (-named, strays, sum(len(entry.statement.text) for entry in chain))

    ranked = sorted(chains, key=rank)
    same = [chain for chain in ranked if _subject(chain) == _subject(ranked[0])]
    return same if len(same) > 1 else ranked[:1]


def _subject(chain: Chain) -> str:
    return chain[0].statement.subject


def _nearest(question: Question, evidence: Sequence[Evidence]) -> list[Chain]:
    """Return the statement that shares most with a question in a script without spaces.

    If a Chinese question asks who did something, the statement must contain its verb.
    """
    whole, deed = wanted(question), _HAN_DEED.match(question.text)
    fitting = [entry for entry in evidence if not deed or deed["verb"] in entry.statement.text]
    best = max(fitting, key=lambda entry: len(entry.covers), default=None)
    return [(best,)] if best and whole and len(best.covers) >= _ENOUGH * len(whole) else []


def _missing(question: Question, evidence: Sequence[Evidence]) -> str:
    held = frozenset().union(*(entry.covers for entry in evidence))
    unknown = [name for name in question.names if f"name:{name}" not in held]
    if unknown:
        return f"The evidence does not mention {', '.join(unknown)}."[:500]
    lacking = sorted(question.matters - held)
    about_whom = f" about {', '.join(question.names)}" if question.names else ""
    return (
        f"The evidence does not say what is asked{about_whom}{': ' + ', '.join(lacking) if lacking else ''}."[
            :500
        ]
    )


def _sentence(text: str) -> str:
    text = " ".join(text.split())[:1999]
    return text if text.endswith((".", "!", "?", "。", "…")) else text + "."


def contradictions(statements: Sequence[tuple[int, Statement]]) -> list[list[int]]:
    """Return pairs of evidence numbers that contradict each other."""
    pairs = []
    for place, (n, statement) in enumerate(statements):
        for m, other in statements[place + 1 :]:
            if _clash(statement, other):
                pairs.append([n, m])
    return pairs[:_MOST]


def _clash(statement: Statement, other: Statement) -> bool:
    rows = [row["name"] for each in (statement, other) if (row := _ROW.match(each.text))]
    if len(rows) > 1 and rows[0] != rows[1]:
        return False
    mine, theirs = _figures(statement), _figures(other)
    if not mine or not theirs or mine & theirs or statement.subject != other.subject or not statement.subject:
        return False
    same, all_words = _plain(statement) & _plain(other), _plain(statement) | _plain(other)
    return len(same) >= _ALIKE * len(all_words)


def _figures(statement: Statement) -> frozenset[str]:
    return frozenset(word for word in statement.words if any(mark.isdigit() for mark in word))


def _plain(statement: Statement) -> frozenset[str]:
    bare = YEAR.sub(" ", DATE.sub(" ", statement.text)).casefold().split()
    return frozenset(word.strip(".,;:") for word in bare if not any(mark.isdigit() for mark in word)) - {
        "",
        "on",
        "in",
    }
