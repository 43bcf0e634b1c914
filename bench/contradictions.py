"""How surely contradictions between documents are proposed to the writer, and named in the answer.

    python bench/contradictions.py [--number 100] [--seed 19] [--show]

Generated pairs of statements that contradict each other (numbers, dates and names, English and Chinese, with
and without dates of their documents) and the pairs of near_misses.txt, which can both be true, go through the
writer's whole step with the offline model, which takes every possible contradiction for one. Prints one JSON
object: of those that contradict the share that is proposed, whose answer cites both documents, and, where
the documents differ in priority or date, cites the first one first; of the near misses the share that is
proposed; with the 95% intervals. No server is started.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Sequence

from contradictory import Pair, contradictory_pairs, outcome_of
from elements import wilson

from hopline.models.jobs import Json


def measured(pairs: Sequence[Pair]) -> Json:
    """Return the shares of what is proposed, cited and ordered, and the kinds that are missed."""
    outcomes = [(pair, outcome_of(pair)) for pair in pairs]
    true = [(pair, outcome) for pair, outcome in outcomes if pair.contradicts]
    near = [(pair, outcome) for pair, outcome in outcomes if not pair.contradicts]
    dated = [outcome for _pair, outcome in true if outcome.ordered is not None]
    return {
        "contradictions": len(true),
        "proposed": _share([outcome.proposed for _pair, outcome in true]),
        "both_cited": _share([outcome.both for _pair, outcome in true]),
        "dated": len(dated),
        "first_one_first": _share([bool(outcome.ordered) for outcome in dated]),
        "missed_kinds": _kinds(pair for pair, outcome in true if not outcome.proposed),
        "near_misses": len(near),
        "near_misses_proposed": _share([outcome.proposed for _pair, outcome in near]),
        "near_misses_proposed_by_language": _kinds(pair for pair, outcome in near if outcome.proposed),
    }


def _share(hits: Sequence[bool]) -> Json:
    low, high = wilson(sum(hits), len(hits))
    return {"percent": round(100 * sum(hits) / len(hits), 1), "count": sum(hits), "interval": [low, high]}


def _kinds(pairs: Iterable[Pair]) -> dict[str, int]:
    return dict(Counter(f"{pair.language}: {pair.kind}" for pair in pairs))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--number", type=int, default=100)
    parser.add_argument("--seed", type=int, default=19)
    parser.add_argument(
        "--show", action="store_true", help="print answers, and near misses that are proposed"
    )
    args = parser.parse_args()
    pairs = contradictory_pairs(args.number, args.seed)
    for pair in pairs if args.show else ():
        outcome = outcome_of(pair)
        if pair.contradicts or outcome.proposed:
            print(pair.kind, "|", *pair.statements, "|", outcome.text)
    print(json.dumps(measured(pairs), indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
