"""Asks 500 questions over five collections, and draws the answers whose sentences a person judges.

The demo's documents, its two stories, and three folders of letters, of a trader and of lives
(bench/judged/documents.jsonl) are ingested into the stack that runs. Each answer is counted by whether it
holds what is expected. `--draw` writes the sentences of so many answers with the passages that they cite;
bench/judged/sentences.jsonl keeps such a list as it was judged.

    python bench/judged.py ANSWERS.jsonl [--draw 60 --seed 36 --to SENTENCES.jsonl]

What ANSWERS.jsonl already holds is not asked again.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

from hopline import Hopline
from hopline.models.jobs import Json

HERE = Path(__file__).with_name("judged")
DEMO = Path(__file__).parents[1] / "producer/demo"
AT_ONCE = 3  # questions
_CITED = re.compile(r"(?:\s*\[\d+\])+[.!?。！？]?")  # what ends a sentence of an answer


def rows(file: Path) -> list[Json]:
    """Return the objects of a file, one a line."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def texts(collection: str) -> list[Json]:
    """Return the documents of a collection as the client takes them."""
    stories = DEMO / "story"
    files = {
        "demo": [*(DEMO / "documents").glob("*.md"), *(DEMO / "documents").glob("*.txt")],
        "story": [*stories.glob("en/chapters/*.md"), *stories.glob("zh/chapters/*.md")],
    }.get(collection)
    if files is None:
        kept = [
            (row["name"], row["text"])
            for row in rows(HERE / "documents.jsonl")
            if row["collection"] == collection
        ]
    else:
        kept = [
            (file.relative_to(DEMO).as_posix(), file.read_text(encoding="utf-8")) for file in sorted(files)
        ]
    return [
        {"name": name, "text": text, "format": "md" if name.endswith(".md") else "txt"} for name, text in kept
    ]


def ask(client: Hopline, question: Json) -> Json:
    """Ask one question; return its answer with what was asked."""
    asked = client.ask(question["question"], collection=question["collection"], strategy="auto")
    answer = asked.model_dump(mode="json")
    return question | {key: answer[key] for key in ("status", "text", "reason", "citations")}


def holds(row: Json) -> bool:
    """Return whether an answer has all words of one of the ways to say what is expected."""
    text = row["text"].casefold()
    return any(all(word.casefold() in text for word in way) for way in row["accept"] or ())


def sentences(row: Json) -> Iterator[Json]:
    """Yield the sentences of an answer, each with the passages that it cites."""
    passages = {each["n"]: each.get("quote") or each.get("fact") for each in row["citations"]}
    cuts = [0, *(mark.end() for mark in _CITED.finditer(row["text"])), len(row["text"])]
    for start, end in pairwise(cuts):
        if text := row["text"][start:end].strip():
            cited = [passages.get(int(number)) for number in re.findall(r"\[(\d+)\]", text)]
            shown = {"answer": row["id"], "question": row["question"], "text": text, "passages": cited}
            yield shown | {"right": None, "note": ""}


def main() -> None:
    """Ask what is not answered yet; print counts by collection; draw where that is wanted."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("answers", type=Path)
    parser.add_argument("--draw", type=int, default=0, help="so many answers")
    parser.add_argument("--seed", type=int, default=36)
    parser.add_argument("--to", type=Path, default=Path("sentences.jsonl"))
    asked = parser.parse_args()
    known = {row["id"] for row in rows(asked.answers)} if asked.answers.exists() else set()
    waiting = [question for question in rows(HERE / "questions.jsonl") if question["id"] not in known]
    with Hopline.local() as client, asked.answers.open("a", encoding="utf-8") as file:
        for collection in dict.fromkeys(question["collection"] for question in waiting):
            profile = "narrative" if collection == "story" else None
            client.ingest(texts(collection), collection, profile=profile)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for row in pool.map(lambda question: ask(client, question), waiting):
                print(json.dumps(row, ensure_ascii=False), file=file, flush=True)
    answers = rows(asked.answers)
    answered = [row for row in answers if row["status"] in ("done", "partial") and row["text"].strip()]
    counts = Counter(row["collection"] for row in answered)
    right = Counter(row["collection"] for row in answered if holds(row))
    for collection, number in counts.items():
        print(f"{collection}: {number} answered, {right[collection]} hold what is expected")
    print(f"{len(answered)} of {len(answers)} answered, {right.total()} hold what is expected")
    if asked.draw:
        drawn = random.Random(asked.seed).sample(answered, asked.draw)
        lines = [json.dumps(sentence, ensure_ascii=False) for row in drawn for sentence in sentences(row)]
        asked.to.write_text("\n".join([*lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
