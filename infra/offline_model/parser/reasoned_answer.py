"""ReasonedAnswer: drafts the answer from the evidence of all notebooks, with an analysis."""

from __future__ import annotations

from typing import Any

from infra.offline_model.parser.answer_draft import draft_answer

_LONGEST = 4000
_SHOWN = 200  # characters of a statement


def reason(given: dict[str, Any]) -> dict[str, Any]:
    """Return {analysis, answerable, missing, sentences, conflicts} for notebooks and numbered evidence."""
    draft = draft_answer(given)
    return {"analysis": _analysis(given, draft)[:_LONGEST], **draft}


def _analysis(given: dict[str, Any], draft: dict[str, Any]) -> str:
    used = {n for sentence in draft["sentences"] for n in sentence["citations"]}
    lines = [_contribution(notebook, used) for notebook in given.get("notebooks") or []]
    facts = {int(one.get("n") or 0): str(one.get("fact") or "") for one in given.get("evidence") or []}
    for group in draft["conflicts"]:
        said = " and ".join(f"“{facts.get(n, '')[:_SHOWN]}”" for n in group)
        lines.append(f"These contradict each other: {said}.")
    if draft["answerable"]:
        held = "a part of what is asked" if draft["missing"] else "what is asked"
        lines.append(f"Together they hold {held}: " + " ".join(one["text"] for one in draft["sentences"]))
    else:
        lines.append(f"Together they do not hold what is asked. {draft['missing']}")
    return "\n".join(lines)


def _contribution(notebook: dict[str, Any], used: set[int]) -> str:
    entries = notebook.get("entries") or []
    helping = [entry for entry in entries if used & {int(n) for n in entry.get("evidence") or []}]
    begun = f"Path {notebook.get('path')}, begun at {notebook.get('start')}"
    if not helping:
        return f"{begun}: of {len(entries)} entries none carries the answer."
    said = " ".join(str(entry.get("text") or "")[:_SHOWN] for entry in helping)
    return f"{begun}: {said}"
