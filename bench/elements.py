"""Merging key elements, measured on musique100 with its recorded extractions.

    python bench/elements.py EVAL_FOLDER --out SAMPLE.csv [--verdicts docs/quality/merges-musique100.csv]

With --verdicts, what was judged before is counted among the merges made now, and filled in where it is in
the new sample. EVAL_FOLDER holds musique100.json (MuSiQue, CC BY 4.0) and musique100_openie_gpt35.jsonl
(HippoRAG, MIT).
Private servers are started; the steps of the job run here, one after another. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from recorded import distinct_names, load_recorded
from world import started_world

from hopline.models.jobs import Json
from hopline.models.merges import Merge
from workers.core.jobs.flow import Flow
from workers.core.jobs.work import Done, End, Item, Job, Phase, as_json
from workers.core.ports import Ports
from workers.ingest.resolution.flow import MERGE
from workers.search.search import search
from workers.services import Services

COLLECTION = "musique100"
RECORDED = "musique100_openie_gpt35.jsonl"
SAMPLE, SEED = 100, 4
_FIRST = 5
_NORMAL_95 = 1.959964  # standard deviations on either side of the mean

Verdicts = dict[tuple[str, str], tuple[str, str]]  # (merged, into) -> (verdict, reason)


def main() -> None:
    """Load, count, search, merge, count, search; write the sample to be judged."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the evaluation data lie")
    parser.add_argument("--out", type=Path, required=True, help="the sample of merges, as CSV")
    parser.add_argument("--verdicts", type=Path, help="merges judged before, as CSV")
    arguments = parser.parse_args()
    verdicts = _verdicts(arguments.verdicts) if arguments.verdicts else {}
    with started_world() as world:
        services = Services(world.settings)
        ports = replace(
            services.ports(_job({}), services.meter(_job({}))), model=services.model
        )  # not metered
        report = _measured(arguments.folder, ports)
        merges = report.pop("merges")
        _write_sample(arguments.out, merges, verdicts)
        report["judged"] = _judged(merges, verdicts)
        print(json.dumps(report, indent=2))
        services.close()


def _measured(folder: Path, ports: Ports) -> dict[str, Any]:
    loaded = load_recorded(folder / RECORDED, ports)
    questions = json.loads((folder / "musique100.json").read_text(encoding="utf-8"))
    before = {"elements": _elements(ports), "r_at_5": _recall(questions, ports)}
    begun = time.perf_counter()
    outcome = run_flow(MERGE, _job({}), ports)
    seconds = time.perf_counter() - begun
    merges = _merges(ports)
    after = {"elements": _elements(ports), "r_at_5": _recall(questions, ports)}
    again = run_flow(MERGE, _job({}), ports)
    rules = Counter(merge.rule for merge in merges)
    return {
        "names": distinct_names(folder / RECORDED),
        "loaded": dict(loaded),
        "before": before,
        "after": after,
        "outcome": outcome,
        "again": again,
        "rules": dict(rules),
        "seconds": round(seconds, 1),
        "merges": merges,
    }


def run_flow(flow: Flow, job: Job, ports: Ports) -> Json:
    """Do all items of a job in this process, phase by phase; return its outcome."""
    results: dict[int, list[Done]] = {}
    following: Phase | End = flow.first(job)
    number = 0
    while not isinstance(following, End):
        waiting: list[Item] = list(following.items)
        results[number] = []
        while waiting:
            item = waiting.pop()
            outcome = flow.steps[item.step].do(item.input, ports)
            waiting += outcome.children
            results[number].append(Done(item_id=item.id, step=item.step, result=as_json(outcome.result)))
        following = flow.advance(number, results, job)
        number += 1
    return following.outcome


def _job(params: Json) -> Job:
    fields = MERGE.params.model_validate(params).model_dump()
    return Job(id="bench", kind="merge", collection=COLLECTION, params=fields, root="bench")


def _elements(ports: Ports) -> int:
    return ports.graph.census(COLLECTION).live.elements


def _merges(ports: Ports) -> list[Merge]:
    return list(_pages(ports))


def _pages(ports: Ports) -> Iterator[Merge]:
    after = ""
    while page := ports.graph.merging.merges(COLLECTION, after=after):
        yield from page
        after = page[-1].id


def _recall(questions: dict[str, Any], ports: Ports) -> float:
    """Return the mean share of a question's gold passages among the first five."""
    passages = {passage["id"]: (passage["title"], passage["text"]) for passage in questions["passages"]}
    shares = []
    for question in questions["questions"]:
        gold = {passages[name] for name in question["gold"]}
        hits = search(question["question"], COLLECTION, ports, limit=_FIRST).chunks
        have = {(hit.document.title, hit.chunk.text) for hit in hits[:_FIRST]}
        shares.append(len(gold & have) / len(gold))
    return round(100 * sum(shares) / len(shares), 2)


def _verdicts(path: Path) -> Verdicts:
    with path.open(encoding="utf-8", newline="") as file:
        return {(row["merged"], row["into"]): (row["verdict"], row["reason"]) for row in csv.DictReader(file)}


def _judged(merges: list[Merge], verdicts: Verdicts) -> dict[str, Any]:
    """Count the verdicts of merges that are still made, with the interval of the share of wrong ones."""
    made = {(merge.source_name, merge.target_name) for merge in merges}
    counted = Counter(verdict for pair, (verdict, _reason) in verdicts.items() if pair in made)
    interval = wilson(counted["wrong"], counted.total()) if counted else ()
    return {**counted, "wrong, 95%": interval, "no longer made": len(verdicts) - counted.total()}


def wilson(count: int, of: int) -> tuple[float, float]:
    """Return Wilson's 95% score interval of a share, in percent."""
    share, square = count / of, _NORMAL_95**2
    middle = share + square / (2 * of)
    half = _NORMAL_95 * math.sqrt(share * (1 - share) / of + square / (4 * of * of))
    low, high = ((middle + side * half) / (1 + square / of) for side in (-1, 1))
    return round(100 * max(low, 0.0), 1), round(100 * min(high, 1.0), 1)


def _write_sample(path: Path, merges: list[Merge], verdicts: Verdicts) -> None:
    drawn = random.Random(SEED).sample(sorted(merges, key=lambda merge: merge.id), min(SAMPLE, len(merges)))
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("merged", "into", "rule", "evidence", "verdict", "reason"))
        for merge in drawn:
            verdict = verdicts.get((merge.source_name, merge.target_name), ("", ""))
            rows.writerow((merge.source_name, merge.target_name, merge.rule, merge.evidence, *verdict))


if __name__ == "__main__":
    main()
