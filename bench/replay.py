"""Answers prompts as a large language model did when it was asked the same question, whatever is shown now.

A reply is looked up by what it decided, not by the whole prompt: which statements it took as helpful at a
node, which neighbours it chose, how it scored a fact, what it wrote. Where a node was not shown to it, the
statements and neighbours that it chose anywhere for this question are chosen; a fact that it never scored
and a plan that it never made stay the offline model's.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

Fields = dict[str, Any]


class Replay:
    """The recorded replies, by what they are about.

    Args:
        file: one {schema, input, reply} a line.
    """

    def __init__(self, file: Path) -> None:
        self.passages: list[tuple[str, str]] = []  # title, text
        self._facts: dict[str, Fields] = {}
        self._once: dict[tuple[str, str], Fields] = {}  # schema, question
        self._scores: dict[tuple[str, str], Fields] = {}  # question, fact
        self._scored: dict[str, dict[str, float]] = defaultdict(dict)  # question -> start -> score
        self._visits: dict[tuple[str, str], tuple[list[str], bool]] = {}  # question, node -> next, stop
        self._helpful: dict[str, dict[str, str]] = defaultdict(dict)  # question -> source -> statement
        self._noted: dict[str, dict[str, str]] = defaultdict(dict)  # question -> what a note rests on -> note
        self._read: set[tuple[str, str]] = set()  # question, title of a chunk that was chosen
        self._chosen: dict[str, list[str]] = defaultdict(list)  # question -> names of neighbours
        self._drafts: dict[tuple[str, str], tuple[Fields, dict[int, str]]] = {}
        for line in file.read_text("utf-8").splitlines():
            row = json.loads(line)
            getattr(self, f"_keep_{row['schema']}", self._keep)(row["schema"], row["input"], row["reply"])

    @property
    def questions(self) -> list[str]:
        """The recorded questions."""
        return list(dict.fromkeys(question for _schema, question in self._once))

    def reply(self, schema: str, material: Fields, otherwise: Fields) -> Fields:
        """Return the reply to a prompt; what nothing recorded tells is the other model's."""
        made = getattr(self, f"_{schema}", None)
        if made:
            return dict(made(material, otherwise))
        return self._once.get((schema, material.get("question", "")), otherwise)

    def _keep(self, schema: str, material: Fields, reply: Fields) -> None:
        self._once[(schema, material["question"])] = reply

    def _keep_ExtractedFacts(self, _schema: str, material: Fields, reply: Fields) -> None:  # noqa: N802
        self.passages.append((material["title"], material["text"]))
        self._facts[material["text"]] = reply

    def _keep_FactScore(self, _schema: str, material: Fields, reply: Fields) -> None:  # noqa: N802
        self._scores[(material["question"], material["fact"])] = reply

    def _keep_StartScores(self, _schema: str, material: Fields, reply: Fields) -> None:  # noqa: N802
        self._scored[material["question"]].update({each["name"]: each["score"] for each in reply["scores"]})

    def _keep_NodeNotes(self, _schema: str, material: Fields, reply: Fields) -> None:  # noqa: N802
        question = material["question"]
        texts = {each["id"]: each["text"] for each in (*material["facts"], *material["chunks"])}
        names = {each["id"]: each["name"] for each in material["neighbours"]}
        following = [names[handle] for handle in reply["next"] if handle in names]
        self._visits[(question, material["node"]["name"])] = (following, reply["stop"])
        self._helpful[question].update(
            {
                texts[name]: fact["text"]
                for fact in reply["facts"]
                for name in fact["source_ids"]
                if name in texts
            }
        )

    def _keep_FactNotes(self, _schema: str, material: Fields, reply: Fields) -> None:  # noqa: N802
        question = material["question"]
        texts = {fact["id"]: fact["text"] for chunk in material["chunks"] for fact in chunk["facts"]}
        self._keep_notes(question, reply, texts)
        titles = {chunk["id"]: chunk["title"] for chunk in material["chunks"]}
        self._read |= {(question, titles[name]) for name in reply["chunks"] if name in titles}

    def _keep_ChunkNotes(self, _schema: str, material: Fields, reply: Fields) -> None:  # noqa: N802
        texts = {each["id"]: each["text"] for each in material["chunk"]["sentences"]}
        self._keep_notes(material["question"], reply, texts)

    def _keep_NeighbourChoice(self, _schema: str, material: Fields, reply: Fields) -> None:  # noqa: N802
        if reply["name"]:
            self._chosen[material["question"]].append(reply["name"])

    def _keep_AnswerDraft(self, schema: str, material: Fields, reply: Fields) -> None:  # noqa: N802
        facts = {each["n"]: each["fact"] for each in material["evidence"]}
        self._drafts[(schema, material["question"])] = (reply, facts)

    _keep_ReasonedAnswer = _keep_AnswerDraft  # noqa: N815

    def _keep_notes(self, question: str, reply: Fields, texts: dict[str, str]) -> None:
        for note in reply["notes"]:
            for handle in note["rests_on"]:
                if handle in texts:
                    self._noted[question][texts[handle]] = note["text"]

    def _ExtractedFacts(self, material: Fields, otherwise: Fields) -> Fields:  # noqa: N802
        return self._facts.get(material["text"], otherwise)

    def _StartScores(self, material: Fields, otherwise: Fields) -> Fields:  # noqa: N802
        known = self._scored.get(material["question"])
        if known is None:
            return otherwise
        offered = [each["name"] for each in material["candidates"]]
        return {"scores": [{"name": name, "score": known[name]} for name in offered if name in known]}

    def _FactScore(self, material: Fields, otherwise: Fields) -> Fields:  # noqa: N802
        return self._scores.get((material["question"], material["fact"]), otherwise)

    def _FactScores(self, material: Fields, otherwise: Fields) -> Fields:  # noqa: N802
        known = {
            fact["n"]: self._scores.get((material["question"], fact["fact"])) for fact in material["facts"]
        }
        return {"scores": [{**each, **(known.get(each["n"]) or {})} for each in otherwise["scores"]]}

    def _NodeNotes(self, material: Fields, _otherwise: Fields) -> Fields:  # noqa: N802
        question, shown = material["question"], (*material["facts"], *material["chunks"])
        visit = self._visits.get((question, material["node"]["name"]))
        following, stop = visit or (self._anywhere(question), False)
        helpful = self._helpful[question]
        return {
            "facts": [
                {"text": helpful[each["text"]], "source_ids": [each["id"]]}
                for each in shown
                if each["text"] in helpful
            ],
            "next": [each["id"] for each in material["neighbours"] if each["name"] in following],
            "stop": stop,
        }

    def _anywhere(self, question: str) -> list[str]:
        return [
            name
            for (of, _node), (following, _stop) in self._visits.items()
            if of == question
            for name in following
        ]

    def _FactNotes(self, material: Fields, _otherwise: Fields) -> Fields:  # noqa: N802
        question, shown = material["question"], material["chunks"]
        facts = [fact for chunk in shown for fact in chunk["facts"]]
        chunks = [chunk["id"] for chunk in shown if (question, chunk["title"]) in self._read]
        action = "read_chunk" if chunks else "stop_and_read_neighbor"
        reply = {"notes": self._notes(question, facts, material), "action": action, "chunks": chunks}
        return reply | self._following(material) if not chunks and "neighbours" in material else reply

    def _ChunkNotes(self, material: Fields, _otherwise: Fields) -> Fields:  # noqa: N802
        notes = self._notes(material["question"], material["chunk"]["sentences"], material)
        reply = {"notes": notes, "action": "search_more"}
        return reply | self._following(material) if "neighbours" in material else reply

    def _notes(self, question: str, shown: list[Fields], material: Fields) -> list[Fields]:
        known = {each["text"] for each in (*material["notebook"], *material.get("others", ()))}
        notes: dict[str, list[str]] = {}
        for each in shown:
            note = self._noted[question].get(each["text"])
            if note and note not in known:
                notes.setdefault(note, []).append(each["id"])
        return [{"text": text, "rests_on": handles} for text, handles in list(notes.items())[:5]]

    def _following(self, material: Fields) -> Fields:
        offered = [each["name"] for each in material["neighbours"]]
        chosen = (name for name in self._chosen[material["question"]] if name in offered)
        return {"name": next(chosen, "")}

    def _NeighbourChoice(self, material: Fields, _otherwise: Fields) -> Fields:  # noqa: N802
        name = self._following(material)["name"]
        return {"action": "read_neighbor_node" if name else "termination", "name": name, "complete": False}

    def _AnswerDraft(self, material: Fields, otherwise: Fields, schema: str = "AnswerDraft") -> Fields:  # noqa: N802
        draft = self._drafts.get((schema, material["question"]))
        if draft is None:
            return otherwise
        reply, facts = draft
        numbers = {each["fact"]: each["n"] for each in material["evidence"]}
        places = {old: numbers[fact] for old, fact in facts.items() if fact in numbers}
        sentences = [
            {"text": each["text"], "citations": [places[n] for n in each["citations"]]}
            for each in reply["sentences"]
            if each["citations"] and all(n in places for n in each["citations"])
        ]
        return {**reply, "answerable": bool(sentences), "sentences": sentences, "conflicts": []}

    def _ReasonedAnswer(self, material: Fields, otherwise: Fields) -> Fields:  # noqa: N802
        return self._AnswerDraft(material, otherwise, "ReasonedAnswer")
