"""ReasonedAnswer: drafts the answer from the evidence of all notebooks, with an analysis."""

from __future__ import annotations

from typing import Any

from infra.offline_model.parser.answer_draft import draft_answer

_LONGEST = 4000
_SHOWN = 200  # characters of a statement


def reason(material: dict[str, Any]) -> dict[str, Any]:
    """Return {analysis, answerable, missing, sentences, conflicts} for notebooks and numbered evidence."""
    draft = draft_answer(material)
    return {"analysis": _analysis(material, draft)[:_LONGEST], **draft}


def _analysis(material: dict[str, Any], draft: dict[str, Any]) -> str:
    used = {n for sentence in draft["sentences"] for n in sentence["citations"]}
    lines = [_contribution(notebook, used) for notebook in material.get("notebooks") or []]
    facts = {
        int(entry.get("n") or 0): str(entry.get("fact") or "") for entry in material.get("evidence") or []
    }
    for group in draft["conflicts"]:
        sides = " and ".join(f"“{facts.get(n, '')[:_SHOWN]}”" for n in group)
        lines.append(f"These contradict each other: {sides}.")
    if draft["answerable"]:
        held = "a part of what is asked" if draft["missing"] else "what is asked"
        lines.append(
            f"Together they hold {held}: " + " ".join(sentence["text"] for sentence in draft["sentences"])
        )
    else:
        lines.append(f"Together they do not hold what is asked. {draft['missing']}")
    return "\n".join(lines)


def _contribution(notebook: dict[str, Any], used: set[int]) -> str:
    entries = notebook.get("entries") or []
    helping = [entry for entry in entries if used & {int(n) for n in entry.get("evidence") or []}]
    begun = f"Path {notebook.get('path')}, begun at {notebook.get('start')}"
    if not helping:
        return f"{begun}: of {len(entries)} entries none carries the answer."
    text = " ".join(str(entry.get("text") or "")[:_SHOWN] for entry in helping)
    return f"{begun}: {text}"
