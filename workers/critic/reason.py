"""The last step of the reader strategy: combines all notebooks, names contradictions, writes the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hopline.models.base import Frozen
from hopline.models.jobs import Json
from workers.core.answers.evidence import fact_key
from workers.core.answers.plan import AnswerPlan
from workers.core.jobs.work import Outcome, as_json
from workers.core.ports import Partial, Ports
from workers.core.prompts import load_prompt
from workers.core.scope import reads_less
from workers.critic.gather import Evidence, Gathered
from workers.critic.schema import AnswerDraft, ReasonedAnswer
from workers.critic.synthesize import Review, WritingInput, answer_from_facts

_REPLY_TOKENS = 3072
_ANALYSIS = 2000  # characters that are kept


class PathNote(Frozen):
    """A line of a path's notebook."""

    text: str
    rests_on: tuple[str, ...]  # keys of facts, by core.answers.evidence.fact_key
    cut: bool = False  # it rests on more than these


class PathNotes(Frozen):
    """The notes of one path, in order."""

    path: int  # 1 for the first
    start: str  # name of the node where it began
    entries: tuple[PathNote, ...]


class ReasoningInput(WritingInput):
    """The facts to write from, and the notebooks to reason over."""

    plan: AnswerPlan
    notebooks: tuple[PathNotes, ...]


def reason_over_notebooks(reading: ReasoningInput, ports: Ports) -> Outcome:
    """Write the answer from the notebooks, cited and checked as in `synthesize`.

    The notebooks' words are material for the analysis and are never cited: a sentence cites the facts that
    entries are based on. The details contain the analysis, and the number of entries without remaining
    evidence.

    Args:
        reading: the results of the paths.
        ports: graph and model; the strong model writes.
    """

    def ask(gathered: Gathered, details: Json, partial: Partial, review: Review) -> AnswerDraft:
        limited = reads_less(ports.job.params, ports.job.principals)
        notebooks, lost = _numbered(reading.notebooks, gathered.evidence, whole=limited)
        if lost:
            details["entries_without_evidence"] = lost
        material = {
            "question": reading.question,
            "sub_questions": list(reading.sub_questions),
            "plan": as_json(reading.plan),
            "notebooks": notebooks,
            **gathered.material(),
        }
        prompt = load_prompt("workers.critic", "reason")
        reply = ports.model.ask(
            prompt,
            material,
            ReasonedAnswer,
            tier="strong",
            max_tokens=_REPLY_TOKENS,
            partial=partial,
            review=review,
        )
        details["analysis"] = reply.value.analysis.strip()[:_ANALYSIS]
        return reply.value

    return answer_from_facts(reading, ports, ask)


def _numbered(
    notebooks: Sequence[PathNotes], evidence: Mapping[int, Evidence], *, whole: bool
) -> tuple[list[Json], int]:
    """Return the notebooks with the evidence numbers of their entries, and how many entries are left out.

    Args:
        notebooks: notebooks of all paths.
        evidence: by number.
        whole: an entry is left out where any of what it rests on is gone, or not known, since its document
            may not be read any more; else where all is.
    """
    numbers: dict[str, list[int]] = {}
    for n, entry in evidence.items():
        for place in entry.placed:
            numbers.setdefault(fact_key(place.fact.fact_text), []).append(n)
    material: list[Json] = []
    lost = 0
    for book in notebooks:
        entries = []
        for note in book.entries:
            carried = sorted({n for key in note.rests_on for n in numbers.get(key, ())})
            if carried and (not whole or (not note.cut and numbers.keys() >= set(note.rests_on))):
                entries.append({"text": note.text, "evidence": carried})
            else:
                lost += 1
        if entries:
            material.append({"path": book.path, "start": book.start, "entries": entries})
    return material, lost
