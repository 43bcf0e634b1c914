"""Any number of documents of two chunks each, made by recombining the passages of an evaluation file.

Passages are dealt from a shuffled deck. Every time the deck is through, it is shuffled again and the rare
names in it get another ending (copies.py), so the graph keeps growing while what is frequent recurs.

    python bench/corpus_many.py TARGET --documents 20000 [--seed 0] [--check]

TARGET is a file ending in .jsonl, or a folder that gets one .txt file per document.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import orjson
from copies import Repeater, letters

from producer.evaluation.dataset import Passage, read_dataset
from workers.core.models.tokens import count_tokens
from workers.core.ports import Limits
from workers.ingest.chunking.split import split_text

EVAL = Path(__file__).resolve().parents[2] / "shared" / "eval"
FILES = ("musique100.json", "hotpot100.json")
_HALF = 430  # tokens at most of what becomes one chunk; the splitter takes 540, and endings differ in length
_LONGEST = 125  # tokens of a passage; so that a half has more than 300, and two do not fit into one chunk
_SHORTEST = 20
_MARK = "\0"  # in a template: where a copy's ending goes
_PER_FOLDER = 1000


@dataclass(frozen=True)
class ManyDocument:
    """One document of the corpus; its text begins with its title."""

    id: str  # its number in the corpus, six digits
    title: str
    text: str


@dataclass(frozen=True)
class _Template:
    title: str  # with _MARK after each rare name
    text: str
    tokens: int  # with a usual ending


def write_corpus(target: Path, documents: int, seed: int = 0) -> int:
    """Write the first so many documents of a corpus; return how many characters their texts have.

    The same seed gives the same documents, and more of them begin with the same ones.

    Args:
        target: a file ending in .jsonl (one object {id, title, text} a line), else a folder, with a .txt file
            per document in folders of a thousand.
        documents: how many.
        seed: of the shuffling.
    """
    corpus = islice(many_documents(seed), documents)
    if target.suffix == ".jsonl":
        return _write_lines(target, corpus)
    characters = 0
    for at, document in enumerate(corpus):
        folder = target / f"{at // _PER_FOLDER:03}"
        if at % _PER_FOLDER == 0:
            folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{document.id}.txt").write_text(document.text, encoding="utf-8")
        characters += len(document.text)
    return characters


def many_documents(seed: int = 0) -> Iterator[ManyDocument]:
    """Yield documents without end: two chunks each at the default limits."""
    deck = _deal(_templates(), random.Random(seed))
    number = 0
    while True:
        first, second = _half(deck), _half(deck)
        number += 1
        title = f"{first[0].title} and {second[0].title}"
        halves = (" ".join(template.text for template in half) for half in (first, second))
        yield ManyDocument(f"{number:06}", title, "\n\n".join([title, *halves]) + "\n")


def _write_lines(target: Path, corpus: Iterator[ManyDocument]) -> int:
    characters = 0
    with target.open("wb") as file:
        for document in corpus:
            file.write(orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE))
            characters += len(document.text)
    return characters


def _templates() -> list[_Template]:
    passages = tuple(_passages())
    repeater = Repeater(passages)
    usual = letters(23)
    templates = []
    for passage in passages:
        marked = repeater.copy(passage, _MARK)
        tokens = count_tokens(marked.text.replace(_MARK, usual)) + 1
        if _SHORTEST <= tokens <= _LONGEST:
            templates.append(_Template(marked.title, marked.text, tokens))
    return templates


def _passages() -> Iterator[Passage]:
    for name in FILES:
        for passage in read_dataset(EVAL / name).passages:
            changed = {"id": f"{name}-{passage.id}", "text": " ".join(passage.text.split())}
            yield passage.model_copy(update=changed)


def _deal(templates: Sequence[_Template], dice: random.Random) -> Iterator[_Template]:
    deck = list(templates)
    number = 0
    while True:
        number += 1
        ending = letters(number)
        dice.shuffle(deck)
        for template in deck:
            title, text = template.title.replace(_MARK, ending), template.text.replace(_MARK, ending)
            yield _Template(title, text, template.tokens)


def _half(deck: Iterator[_Template]) -> list[_Template]:
    """Return passages for one chunk: as many as surely fit."""
    half: list[_Template] = []
    while sum(template.tokens for template in half) <= _HALF - _LONGEST:
        half.append(next(deck))
    return half


def chunks_of(document: ManyDocument) -> int:
    """Return how many chunks ingestion makes of a document at the default limits."""
    limits = Limits()
    return len(split_text(document.id, document.text, limits.chunk_tokens, limits.chunk_overlap))


def main() -> None:
    """Write a corpus, and split all of it where asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("target", type=Path)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--check", action="store_true", help="split every document: two chunks each?")
    arguments = parser.parse_args()
    started = time.perf_counter()
    characters = write_corpus(arguments.target, arguments.documents, arguments.seed)
    seconds = time.perf_counter() - started
    print(f"{arguments.documents} documents, {characters / 1e6:.1f} million characters, {seconds:.1f} s")
    if arguments.check:
        odd = [
            document.id
            for document in islice(many_documents(arguments.seed), arguments.documents)
            if chunks_of(document) != 2
        ]
        print(f"{arguments.documents - len(odd)} documents of two chunks; others: {odd[:10]}")


if __name__ == "__main__":
    main()
