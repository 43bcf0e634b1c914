"""The knowledge of a reader path: the question, its notebook, the names it leads to, open points."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from infra.offline_model.parser.answer_draft import draft_answer
from infra.offline_model.parser.question.question import Question, mentions, name_words, read_question
from infra.offline_model.parser.statements.statements import covered, read_statement, wanted, worth
from workers.core.language.text import normalise, words

_LEADING = 1.0  # what a statement gains by naming whom the notes lead to


@dataclass(frozen=True)
class Known:
    """A question as far as a path has come with it."""

    asked: Question
    parts: tuple[Question, ...]  # the question itself and the smaller ones it consists of
    notes: tuple[str, ...]
    leads: tuple[str, ...]  # names that the notes bring in and the question does not hold

    def merit(self, text: str) -> float:
        """Return how much of the question a statement covers; more if it names a target of the notes."""
        statement = read_statement(text)
        best = max(worth(part, statement) for part in self.parts)
        led = any(mentions(lead, statement.words) for lead in self.leads)
        return best + _LEADING if best > 0 and led else best

    def covers(self, texts: Iterable[str]) -> bool:
        """Return whether the texts cover any part of the question."""
        return any(covered(self.asked, read_statement(text)) for text in texts)

    def is_new(self, text: str) -> bool:
        """Return whether a statement is new to the notebook."""
        text_words = frozenset(words(text))
        return bool(text_words) and not any(text_words <= frozenset(words(note)) for note in self.notes)

    def noting(self, texts: Iterable[str]) -> Known:
        """Return a copy with these notes added."""
        notes = tuple(dict.fromkeys((*self.notes, *texts)))
        return Known(self.asked, self.parts, notes, _leads(self.asked, notes))

    @property
    def complete(self) -> bool:
        """Whether the notes answer the whole question, by the same rule as for writing answers."""
        return bool(self._draft["answerable"])

    @property
    def verdict(self) -> str:
        """A sentence about complete notes; a part that no document answers stays open."""
        if self._draft["missing"]:
            return "The notes answer a part of what is asked; the rest is left open."
        return "The notes hold all that is asked."

    @property
    def _draft(self) -> dict[str, Any]:
        evidence = [{"n": n, "fact": note, "source": ""} for n, note in enumerate(self.notes, 1)]
        return draft_answer({"question": self.asked.text, "evidence": evidence})

    @property
    def need(self) -> str:
        """The open part in the question's own words, with the target of the notes."""
        if self.complete:
            return ""
        held = [read_statement(note) for note in self.notes]
        open_parts = [
            part
            for part in self.parts[1:]
            if not any(covered(part, statement) >= wanted(part) for statement in held)
        ]
        text = open_parts[0].text if open_parts else self.asked.text
        named = ", ".join(self.leads)
        return f"{text} ({named})"[:600] if named else text[:600]


def read_known(material: dict[str, Any]) -> Known:
    """Read question, sub_questions, notebook and the other paths' notes of a path's input."""
    question = read_question(str(material.get("question") or ""))
    smaller = [read_question(str(part)) for part in material.get("sub_questions") or []]
    entries = [*(material.get("notebook") or []), *(material.get("others") or [])]
    notes = tuple(dict.fromkeys(str(entry.get("text") or "") for entry in entries))
    return Known(question, (question, *smaller), notes, _leads(question, notes))


def prefix_title(text: str, title: str) -> str:
    """Return the text, prefixed with the document's title if the text does not mention it."""
    bare = title.strip()
    unnamed = bool(name_words(bare)) and not mentions(bare, frozenset(words(text)))
    return f"{bare}: {text}" if unnamed else text


def _leads(question: Question, notes: Iterable[str]) -> tuple[str, ...]:
    """Return the names in relevant notes, except those in the question."""
    leads: dict[str, None] = {}
    for note in notes:
        statement = read_statement(note)
        if covered(question, statement):
            leads.update(
                (name, None) for name in statement.names if not question.own >= set(name_words(name))
            )
    return tuple(name for name in leads if normalise(name) not in normalise(question.text))
