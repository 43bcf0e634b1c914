"""Measures how the check of sentences judges correct and wrong ones, within and across languages.

    python bench/languages.py [FILE …] [--failing] [--no-elements] [--judge] [--json FILE]
    python bench/languages.py --english [--data ../shared/eval] [--failing]
    python bench/languages.py --time [--data ../shared/eval]

A row of a file is a sentence and the quotes that it cites, with the title of their document, the question,
the names that stand in them, and whether they carry the sentence (the format of languages.jsonl, see the
README beside it). Without FILE, that file is read if it is there, and the project's own rows. It prints the
shares of correct sentences kept and of wrong ones dropped, and how many of those kept are marked as
unchecked; --judge stands for a good model, which judges the marked ones as their rows say.

With --english: the sentences of recorded replies, and of FActScore's biographies with the facts that people
found in them; wrong ones are made from these by changing a year, number or name.

With --time: the processor time of a check, for English and for other sentences, the memory of the process,
and how much it has grown after checking sentences in all these languages.

It starts no server and asks no model.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import re
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from report import keep
from rich.console import Console
from rich.table import Table

from hopline.models.jobs import Json
from workers.core.records import FactSource
from workers.critic.verify import fault, is_unchecked

_RUNS = 5
OWN = Path(__file__).parent / "judged" / "languages.jsonl"
UNSEEN = OWN.with_name("languages_unseen.jsonl")  # when they were first measured
DATA = Path("../shared/eval")


class Row(NamedTuple):
    """A sentence, what it cites, and whether that carries it."""

    id: str
    group: str  # of what it is counted with: a language, or "across"
    kind: str
    level: int
    sentence: str
    quotes: Sequence[str]
    title: str
    question: str
    elements: Sequence[str]
    ok: bool
    note: str = ""

    def fault(self, *, elements: bool = True) -> str | None:
        """Return why the check drops the sentence; None where it keeps it."""
        known: dict[str, Any] = {}
        if elements and "known" in inspect.signature(fault).parameters:
            known["known"] = tuple(self.elements)
        return fault(self.sentence, self._sources, question=self.question, **known)

    @property
    def is_unchecked(self) -> bool:
        """Whether a sentence without a fault says what only a model can judge, as of another script."""
        return is_unchecked(self.sentence, self._sources, self.question)

    @property
    def _sources(self) -> list[FactSource]:
        return [_source(place, quote, self.title) for place, quote in enumerate(self.quotes)]


def _source(place: int, quote: str, title: str) -> FactSource:
    return FactSource(
        fact_id=f"f{place}",
        fact=quote,
        chunk_id=f"c{place}",
        document_id="d",
        title=title,
        uri="d",
        start=0,
        end=len(quote),
        match=1,
        grounded=True,
        quote=quote,
    )


def rows_of(file: Path) -> Iterator[Row]:
    """Yield the rows of a file of judged sentences."""
    for line in file.read_text("utf-8").splitlines():
        row = json.loads(line)
        shared = {name: row[name] for name in Row._fields if name not in {"group", "id"} and name in row}
        across = row["lang"] != row["quote_lang"]
        yield Row(id=row["id"], group="across" if across else row["lang"], **shared)


def recorded_rows(file: Path) -> Iterator[Row]:
    """Yield the sentences and facts of a model's recorded replies, each with what it was written from."""
    for number, line in enumerate(file.read_text("utf-8").splitlines()):
        record = json.loads(line)
        given, reply = record["input"], record["reply"]
        if record["schema"] == "AnswerDraft":
            evidence = {entry["n"]: entry for entry in given["evidence"]}
            for sentence in reply["sentences"]:
                cited = [evidence[n] for n in sentence["citations"] if n in evidence]
                quotes = [entry.get("quote") or entry["fact"] for entry in cited]
                title = "; ".join(dict.fromkeys(entry.get("source", "") for entry in cited))
                yield from _with_wrong(
                    f"answer-{number}", "replies", sentence["text"], quotes, title, given["question"]
                )
        if record["schema"] == "ExtractedFacts":
            for fact in reply["facts"]:
                yield from _with_wrong(
                    f"fact-{number}", "extraction", fact["text"], [given["text"]], given["title"]
                )


def biography_rows(file: Path) -> Iterator[Row]:
    """Yield the sentences of FActScore of which every fact is supported, over these facts."""
    for line in file.read_text("utf-8").splitlines():
        life = json.loads(line)
        for number, sentence in enumerate(life["annotations"] or []):
            facts = sentence["human-atomic-facts"] or []
            if facts and all(fact["label"] == "S" for fact in facts):
                quotes = [fact["text"] for fact in facts]
                name = f"{life['topic']}-{number}"
                yield from _with_wrong(name, "biographies", sentence["text"].strip(), quotes, life["topic"])


_YEAR = re.compile(r"(?<![\d,.])(?:1[5-9]|20)\d\d(?![\d,.]\d)(?!\d)")
_NUMBER = re.compile(r"(?<![\w,.])[2-9]\d*(?![\w,.]\d)(?!\w)")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{3,}(?= [a-z]|[.,])")
_NAMES = ("Wexcombe", "Tarrant", "Ollerby", "Kestrelmoor", "Ravnholt", "Quillan")
_CALENDAR = frozenset(
    """January February March April June July August September October November December Monday Tuesday
    Wednesday Thursday Friday Saturday Sunday""".split()  # noqa: SIM905 - a list of words reads best
)


def _with_wrong(
    name: str, group: str, sentence: str, quotes: Sequence[str], title: str, question: str = ""
) -> Iterator[Row]:
    """Yield a sentence as a right row, and wrong ones made of it, each with one thing that nothing says."""
    cited = {"quotes": quotes, "title": title, "question": question}
    shared: dict[str, Any] = {"group": group, "level": 1, **cited}
    yield Row(id=name, kind="plain", sentence=sentence, ok=True, elements=(), **shared)
    said = "\n".join((*quotes, title, question))
    for kind, wrong in _made_wrong(sentence, said):
        yield Row(id=f"{name}-{kind}", kind=kind, sentence=wrong, ok=False, elements=(), **shared)


def _made_wrong(sentence: str, said: str) -> Iterator[tuple[str, str]]:
    for kind, pattern, step in (("date", _YEAR, 1), ("number", _NUMBER, 3)):
        found = next(
            (each for each in pattern.finditer(sentence) if not _YEAR.match(each[0]) or step == 1), None
        )
        if found:
            other = int(found[0]) + step
            while str(other) in said:
                other += step
            yield kind, f"{sentence[: found.start()]}{other}{sentence[found.end() :]}"
    names = [each for each in _NAME.finditer(sentence) if each[0] not in _CALENDAR]
    if names:
        other_name = _NAMES[len(sentence) % len(_NAMES)]
        yield "name", f"{sentence[: names[-1].start()]}{other_name}{sentence[names[-1].end() :]}"


class Judged(NamedTuple):
    """A row and why it was dropped, if it was, or whether it was kept and marked as unchecked."""

    row: Row
    why: str | None
    marked: bool

    @property
    def is_right(self) -> bool:
        """Whether the check does with the sentence as it should."""
        return (self.why is None) == self.row.ok


def judged(rows: Iterable[Row], *, elements: bool = True, judge: bool = False) -> list[Judged]:
    """Return what the check does with every row.

    Args:
        rows: what is checked.
        elements: whether the check knows the names that extraction found.
        judge: whether a good model judges what code cannot.
    """
    results = []
    for row in rows:
        why = row.fault(elements=elements)
        marked = why is None and row.is_unchecked
        if marked and judge:
            why, marked = (None if row.ok else "judged as not carried"), False
        results.append(Judged(row, why, marked))
    return results


def microseconds(rows: Sequence[Row]) -> float:
    """Return the processor time of a check, the least of several runs; no text is met a second time."""
    least = float("inf")
    for run in range(1, _RUNS + 1):
        fresh = [
            row._replace(
                quotes=[f"{quote} {'~' * run}" for quote in row.quotes], sentence=row.sentence + " " * run
            )
            for row in rows
        ]
        begun = time.process_time()
        for row in fresh:
            row.fault()
        least = min(least, (time.process_time() - begun) * 1e6 / len(rows))
    return least


def _resident_megabytes() -> float:
    pages = int(Path("/proc/self/statm").read_text("utf-8").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _timed(english: Sequence[Row], others: Sequence[Row]) -> Json:
    """Return what checks cost: English first, so that the memory shows what other languages add."""
    judged(english)
    before = _resident_megabytes()
    judged(others)
    grown = _resident_megabytes() - before
    return {
        "english_microseconds": round(microseconds(english)),
        "other_microseconds": round(microseconds(others)),
        "megabytes_after_english": round(before, 1),
        "megabytes_added": round(grown, 1),
    }


def shares(results: Iterable[Judged]) -> Json:
    """Return how many rows are right, and kept, and how many are wrong, and dropped."""
    counts = {"right": 0, "kept": 0, "wrong": 0, "dropped": 0}
    for result in results:
        counts["right" if result.row.ok else "wrong"] += 1
        if result.is_right:
            counts["kept" if result.row.ok else "dropped"] += 1
    return dict(counts)


def _share(part: int, whole: int) -> str:
    return f"{part}/{whole} {part / whole:.0%}" if whole else ""


def _grouped(results: Sequence[Judged]) -> dict[str, list[Judged]]:
    """Return the results by what they are counted with: languages, kinds, and all of level 1."""
    groups: dict[str, list[Judged]] = defaultdict(list)
    for result in results:
        groups[result.row.group].append(result)
    ordered = dict(sorted(groups.items(), key=lambda group: group[0] == "across"))
    for result in results:
        place = "across" if result.row.group == "across" else "within"
        ordered.setdefault(f"{place}: {result.row.kind}", []).append(result)
        ordered.setdefault(f"all {place}", []).append(result)
    return ordered


def table_of(groups: dict[str, list[Judged]]) -> Table:
    """Return the shares of each group, of level 1 and of all."""
    table = Table("", "kept, level 1", "dropped, level 1", "kept, all", "dropped, all", "marked")
    for name, results in groups.items():
        first = shares(result for result in results if result.row.level == 1)
        cells = [(each["kept"], each["right"]) for each in (first, shares(results))]
        others = [(each["dropped"], each["wrong"]) for each in (first, shares(results))]
        marked = sum(result.marked for result in results)
        shown = [_share(*each) for pair in zip(cells, others, strict=True) for each in pair]
        table.add_row(name, *shown, str(marked or ""))
    return table


def main() -> None:
    """Judge the rows, and print what came out."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--english", action="store_true", help="recorded replies and biographies instead")
    parser.add_argument("--no-elements", action="store_true", help="without the names that extraction knows")
    parser.add_argument("--judge", action="store_true", help="let a good model judge what code cannot")
    parser.add_argument("--failing", action="store_true", help="list the rows that are judged wrongly")
    parser.add_argument("--time", action="store_true", help="what a check costs instead")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if options.time:
        english = [
            row for row in recorded_rows(options.data / "llm_replies_2.jsonl") if row.group == "replies"
        ]
        english += biography_rows(options.data / "factscore_chatgpt.jsonl")
        print(json.dumps(_timed(english, [row for row in rows_of(OWN) if row.group != "en"])))
        return
    if options.english:
        rows = [
            *recorded_rows(options.data / "llm_replies_2.jsonl"),
            *biography_rows(options.data / "factscore_chatgpt.jsonl"),
        ]
    else:
        files = options.files or [file for file in (options.data / "languages.jsonl", OWN) if file.is_file()]
        rows = [row for file in files for row in rows_of(file)]
    results = judged(rows, elements=not options.no_elements, judge=options.judge)
    groups = _grouped(results)
    console = Console(width=140)
    console.print(table_of(groups))
    if options.failing:
        for row, why, _marked in (result for result in results if not result.is_right):
            print(f"{row.id} {'right' if row.ok else 'wrong'} {row.kind} ({row.note}): {row.sentence}")
            print(f"    {why or 'kept'} | {' '.join(row.quotes)[:300]} | {row.title}")
    if options.json:
        keep({name: shares(group) for name, group in groups.items()}, options.json)


if __name__ == "__main__":
    main()
