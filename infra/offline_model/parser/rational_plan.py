"""RationalPlan: plans the steps and the key information, in the question's own words."""

from __future__ import annotations

from typing import Any

from infra.offline_model.parser.question.question import Kind, read_question
from infra.offline_model.parser.question_plan import plan_question

_SORTS: dict[Kind, str] = {
    "date": "a date",
    "number": "a number",
    "person": "a person",
    "place": "a place",
    "any": "what is asked for",
}


def rational_plan(material: dict[str, Any]) -> dict[str, Any]:
    """Return {question, asked, steps, key_information, entities, sub_questions} for {question, history}."""
    plan = plan_question(material)
    text, parts = str(plan["question"]), list(plan["sub_questions"])
    question = read_question(text)
    about = ", ".join(question.names)
    matters = [f"{matter} of {about}" if about else matter for matter in sorted(question.matters)]
    return {
        "question": text,
        "asked": f"{_SORTS[question.kind]}: {text}"[:600],
        "steps": [f"Find out: {part}" for part in parts or [text[:2000]]],
        "key_information": [*question.names, *(parts or matters)][:20],
        "entities": plan["entities"],
        "sub_questions": parts,
    }
