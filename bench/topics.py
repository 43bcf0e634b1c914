"""Topics: how long a build takes, the memory it needs, and what stays when documents change.

The passages of an evaluation file, with the facts that the offline model extracts; for more facts they are
repeated with their rare names changed (copies.py). Times and memory are those of a process that only builds:
no server, so that reading and writing the graph come on top.

Stability: of --change of the documents one half is missing from the first build, the other from the second,
which begins with the first one's topics. Of topics with five and more facts those count as kept that share
nine tenths of their facts (Jaccard) with one of the second build, and of these those with the same id.

    python bench/topics.py [--facts 22000 200000] [--change 0.015] [--seeds 3] [--file FILE] [--json FILE]
"""

from __future__ import annotations

import argparse
import random
import resource
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

from copies import Repeater
from report import is_there, keep, machine, options

from hopline.models.jobs import Json
from hopline.models.topics import LEVELS
from infra.offline_model.parser.extracted_facts import extract_facts
from producer.evaluation.dataset import Passage, read_dataset
from workers.core.graph.elements import normalise_element
from workers.core.graph.topics import BuiltTopic, TopicFact
from workers.core.ids import element_id, fact_id
from workers.topics.build import Topics, find_topics, known_topics
from workers.topics.projection import project

_PAGE = 2000  # facts
_COLLECTION = "bench"
_LEAST, _KEPT = 5, 0.9  # facts of a topic that counts; Jaccard from which it is kept


def facts_of(passages: Iterator[Passage], most: int) -> list[TopicFact]:
    """Return what ingestion would find in passages, so many facts at most."""
    facts: dict[str, TopicFact] = {}
    for passage in passages:
        title = normalise_element(passage.title)
        for fact in extract_facts({"title": passage.title, "text": passage.text})["facts"]:
            names = dict.fromkeys([title, *map(normalise_element, fact["key_elements"])])
            name = fact_id(_COLLECTION, fact["text"])
            before = facts[name] if name in facts else TopicFact(name, fact["text"], (), ())
            elements = dict(
                [
                    *before.elements,
                    *((element_id(_COLLECTION, element), element) for element in names if element),
                ]
            )
            facts[name] = before._replace(
                elements=tuple(elements.items()), documents=(*before.documents, passage.id)
            )
        if len(facts) >= most:
            break
    return list(islice(facts.values(), most))


def build(facts: Sequence[TopicFact], before: Sequence[BuiltTopic] = ()) -> Topics:
    """Return the topics of some facts."""
    projection = project(facts[at : at + _PAGE] for at in range(0, len(facts), _PAGE))
    return find_topics(_COLLECTION, projection, list(known_topics(projection, [before])))


def measured(file: Path, count: int) -> Json:
    """Return seconds and megabytes of a build of so many facts, in a process of its own."""
    facts = facts_of(Repeater(read_dataset(file).passages).copies(), count)
    held = _megabytes()
    begun, processor = time.monotonic(), time.process_time()
    first = build(facts)
    cold, processor = time.monotonic() - begun, time.process_time() - processor
    peak = _megabytes() - held
    begun, again = time.monotonic(), time.process_time()
    build(facts[: -len(facts) // 100], list(first.all()))
    return {
        "facts": len(facts),
        "elements": len(first.projection.elements),
        "edges": len(first.projection.edge_low),
        "topics": [len(ids) for ids in first.ids],
        "seconds": round(cold, 2),
        "seconds_after_a_change": round(time.monotonic() - begun, 2),
        # Of this process: where other programs run, it is less disturbed than the time that passed.
        "processor_seconds": round(processor, 2),
        "processor_seconds_after_a_change": round(time.process_time() - again, 2),
        "megabytes": round(peak),
    }


def _megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def stability(facts: Sequence[TopicFact], share: float, seed: int) -> Json:
    """Return per level the share of topics kept after a change, and of these the share with the same id."""
    documents = sorted({name for fact in facts for name in fact.documents})
    changed = random.Random(seed).sample(documents, round(share * len(documents)))
    first = list(build(_without(facts, set(changed[::2]))).all())
    second = list(build(_without(facts, set(changed[1::2])), first).all())
    rows = [_kept(first, second, level) for level in range(LEVELS)]
    return {"seed": seed, "levels": rows}


def _without(facts: Sequence[TopicFact], documents: set[str]) -> list[TopicFact]:
    kept = (
        fact._replace(documents=[document for document in fact.documents if document not in documents])
        for fact in facts
    )
    return [fact for fact in kept if fact.documents]


def _kept(first: Sequence[BuiltTopic], second: Sequence[BuiltTopic], level: int) -> Json:
    after = {topic.id: set(topic.facts) for topic in second if topic.level == level}
    homes = {fact: name for name, facts in after.items() for fact in facts}
    counted = kept = same = 0
    for topic in first:
        if topic.level != level or len(topic.facts) < _LEAST:
            continue
        counted += 1
        facts = set(topic.facts)
        near = {homes[fact] for fact in facts if fact in homes}
        stays = [name for name in near if len(facts & after[name]) >= _KEPT * len(facts | after[name])]
        kept += bool(stays)
        same += topic.id in stays
    return {"topics": counted, "kept": round(kept / counted, 3), "same_id": same / kept if kept else 1.0}


def main() -> int:
    """Measure, print, write the report."""
    parser = options(__doc__)
    parser.add_argument("--facts", type=int, nargs="+", default=[22_000, 200_000])
    parser.add_argument("--change", type=float, default=0.015, help="share of the documents that changes")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--file", type=Path, default=Path("../shared/eval/hotpot500.json"))
    arguments: argparse.Namespace = parser.parse_args()
    if not is_there("topics", arguments.file):
        return 0
    report: Json = {"machine": machine(), "builds": [], "stability": []}
    for count in arguments.facts:
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            report["builds"].append(pool.submit(measured, arguments.file, count).result())
        print(report["builds"][-1], flush=True)
    facts = facts_of(iter(read_dataset(arguments.file).passages), 10**9)
    for seed in range(arguments.seeds):
        report["stability"].append(stability(facts, arguments.change, seed))
        print(report["stability"][-1], flush=True)
    keep(report, arguments.json)
    if not arguments.seeds:
        return 0
    least = min(level["kept"] for run in report["stability"] for level in run["levels"])
    mean = statistics.mean(level["kept"] for run in report["stability"] for level in run["levels"])
    print(f"kept: {mean:.3f} of the topics on average, {least:.3f} where fewest")
    return 0


if __name__ == "__main__":
    sys.exit(main())
