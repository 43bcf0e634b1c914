"""How well hopline and libraries see where sentences end, and what a library costs.

Compared are hopline's port (workers/core/language) and those libraries below that are installed beside it:
`pip install pysbd sentencesplit yasbd-lib nupunkt syntok blingfire icu4py unicode-segmentation-rs sakurs`.

Rules: the texts of sentences.json whose sentences come out as they should, white space left out. Prose: whole
sentences of WiCE's articles in a row (at least three, each with a stop) and of FActScore's biographies,
joined by one space; precision and recall of the ends. Time: processor time, over the prose of WiCE.

    python bench/sentence_ends.py [--data ../shared/eval] [--json FILE]
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import re
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from report import keep, machine
from rich.console import Console
from rich.table import Table

from workers.core.language.languages import language_of
from workers.core.language.text import sentences

LANGUAGES = ("en", "de", "es", "ja", "zh")
Span = tuple[int, int]
Splitter = Callable[[str], list[Span]]
_PROSE = re.compile(r"^[\"“‘'(]?[A-Z0-9].*[.!?][\"”’')]*$", re.DOTALL)
_FEWEST_WORDS = 4
_FEWEST_SENTENCES = 3


class Ends(NamedTuple):
    """How many ends of sentences a splitter finds where they are, where there are none, and misses."""

    right: int
    wrong: int
    missed: int

    @property
    def shares(self) -> str:
        """Precision and recall, in percent."""
        return f"{self.right / (self.right + self.wrong):.1%} / {self.right / (self.right + self.missed):.1%}"


def placed(text: str, parts: Sequence[str]) -> list[Span]:
    """Return where parts of a text stand, for libraries that give no offsets; [] if one is not there."""
    spans, at = [], 0
    for part in filter(None, map(str.strip, parts)):
        at = text.find(part, at)
        if at < 0:
            return []
        spans.append((at, at + len(part)))
        at += len(part)
    return spans


def trimmed(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return spans without the white space around them."""
    return placed(text, [text[start:end] for start, end in spans])


def _sentencex(module: Any, language: str) -> Splitter:
    return lambda text: placed(
        text, [boundary["text"] for boundary in module.get_sentence_boundaries(language, text)]
    )


def _pysbd(module: Any, language: str) -> Splitter:
    segmenter = module.Segmenter(language=language, clean=False, char_span=True)
    return lambda text: trimmed(text, [(span.start, span.end) for span in segmenter.segment(text)])


def _sentencesplit(module: Any, language: str) -> Splitter:
    segmenter = module.Segmenter(language=language)
    return lambda text: trimmed(text, [(span.start, span.end) for span in segmenter.segment_spans(text)])


def _yasbd(module: Any, language: str) -> Splitter:
    detector = module.BoundaryDetector(language)
    return lambda text: placed(text, list(detector.segment(text)))


def _syntok(module: Any, _language: str) -> Splitter:
    def split(text: str) -> list[Span]:
        sentences = [sentence for paragraph in module.analyze(text) for sentence in paragraph]
        return [(sentence[0].offset, sentence[-1].offset + len(sentence[-1].value)) for sentence in sentences]

    return split


# Distribution, module, and what makes a splitter of a language.
LIBRARIES: dict[str, tuple[str, Callable[[Any, str], Splitter]]] = {
    "sentencex": ("sentencex", _sentencex),
    "pysbd": ("pysbd", _pysbd),
    "sentencesplit": ("sentencesplit", _sentencesplit),
    "yasbd-lib": ("yasbd", _yasbd),
    "nupunkt": ("nupunkt", lambda module, _: lambda text: placed(text, module.sent_tokenize(text))),
    "syntok": ("syntok.segmenter", _syntok),
    "blingfire": (
        "blingfire",
        lambda module, _: lambda text: placed(text, module.text_to_sentences(text).split("\n")),
    ),
    "icu4py": (
        "icu4py.breakers",
        lambda module, language: lambda text: placed(text, list(module.SentenceBreaker(text, language))),
    ),
    "unicode-segmentation-rs": (
        "unicode_segmentation_rs",
        lambda module, _: lambda text: placed(text, module.unicode_sentences(text)),
    ),
    "sakurs": (
        "sakurs",
        lambda module, language: (
            lambda text: placed(text, module.split(text, language="ja" if language == "ja" else "en"))
        ),
    ),
}


def splitters() -> Iterator[tuple[str, Callable[[str], Splitter]]]:
    """Yield name and maker of hopline's splitter and of those of the libraries that are installed."""
    yield "hopline", lambda _language: lambda text: list(sentences(text))
    for name, (module, make) in LIBRARIES.items():
        try:
            loaded = importlib.import_module(module)
        except ImportError:
            continue
        yield f"{name} {importlib.metadata.version(name)}", partial(make, loaded)


def rules_kept(rules: Sequence[dict[str, Any]], split: Splitter) -> int:
    """Return of how many texts the sentences come out as they should."""
    return sum(
        ["".join(rule["text"][start:end].split()) for start, end in split(rule["text"])]
        == ["".join(sentence.split()) for sentence in rule["sentences"]]
        for rule in rules
    )


def ends_of(texts: Sequence[Sequence[str]], split: Splitter) -> Ends:
    """Return how well a splitter finds the ends of sentences that were joined by spaces."""
    right = wrong = missed = 0
    for parts in texts:
        at, true = -1, set[int]()
        for part in parts:
            at += 1 + len(part)
            true.add(at)
        seen = {end for _start, end in split(" ".join(parts))}
        right, wrong, missed = right + len(seen & true), wrong + len(seen - true), missed + len(true - seen)
    return Ends(right, wrong, missed)


def articles(file: Path) -> list[list[str]]:
    """Return the runs of whole sentences in WiCE's articles, each article once."""
    runs: dict[str, list[list[str]]] = {}
    for line in file.read_bytes().splitlines():
        evidence = orjson.loads(line)["evidence"]
        run: list[str] = []
        kept = runs.setdefault("\n".join(evidence), [])
        if kept:
            continue
        for sentence in [*(" ".join(passage.split()) for passage in evidence), ""]:
            if _PROSE.match(sentence) and len(sentence.split()) >= _FEWEST_WORDS:
                run.append(sentence)
                continue
            kept += [run] if len(run) >= _FEWEST_SENTENCES else []
            run = []
    return [run for kept in runs.values() for run in kept]


def biographies(file: Path) -> list[list[str]]:
    """Return the sentences of FActScore's biographies."""
    known = (orjson.loads(line)["annotations"] or [] for line in file.read_bytes().splitlines())
    return [
        [annotation["text"].strip() for annotation in annotations] for annotations in known if annotations
    ]


def microseconds(texts: Sequence[str], split: Splitter) -> float:
    """Return the processor time of a thousand characters."""
    begun = time.process_time()
    for text in texts:
        split(text)
    return (time.process_time() - begun) * 1e9 / sum(map(len, texts))


def main() -> None:
    """Print the comparison, and keep it where asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/eval"))
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rules = orjson.loads((options.data / "sentences.json").read_bytes())
    wice = articles(options.data / "wice_dev.jsonl")
    lives = biographies(options.data / "factscore_chatgpt.jsonl")
    texts = [" ".join(parts) for parts in wice]
    table = Table(
        "", *(f"{language} ({len(rules[language])})" for language in LANGUAGES), "WiCE", "FActScore", "µs/kB"
    )
    rows = []
    for name, make in splitters():
        kept = [rules_kept(rules[language], make(language)) for language in LANGUAGES]
        english = make("en")
        prose = [ends_of(set_of, english) for set_of in (wice, lives)]
        cost = microseconds(texts, english)
        table.add_row(name, *map(str, kept), *(ends.shares for ends in prose), f"{cost:.0f}")
        rows.append({"name": name, "rules": kept, "prose": prose, "microseconds_per_kb": cost})
    console = Console(width=140)
    console.print(table)
    guessed = {
        language: sum(language_of(rule["text"]) == language for rule in rules[language])
        for language in LANGUAGES
    }
    console.print(f"Languages seen as what they are: {guessed}")
    if options.json:
        keep({"machine": machine(), "rows": rows, "languages": guessed}, options.json)


if __name__ == "__main__":
    main()
