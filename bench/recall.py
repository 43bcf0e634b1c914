"""Which of the known themes of texts an answer names: the survey, and search with the survey's own writer.

Search is given what the survey has after its rounds: it makes claims of the facts it found, and writes the
answer from them. It is measured with the ten chunks that a search brings by default, and with as many of the
nearest facts as fit what the writer may read.

Then as many texts as a fifth come, with a theme that there was not, and the survey is asked again: at once,
and after a new build of the topics.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import cast

from rich.table import Table
from themes import Corpus, named, reviews
from tickets import tickets
from world import World

from hopline import Hopline
from hopline.models.answers import Answer
from hopline.models.jobs import Json
from hopline.models.search import FoundFact
from workers.adapters.openai.calls import Unmetered
from workers.core.answers.evidence import packed
from workers.core.jobs.params import QueryParams
from workers.core.jobs.work import Job, as_json
from workers.core.models.tokens import count_tokens
from workers.core.ports import Ports
from workers.core.records import ScoredFact
from workers.search.search import search
from workers.services import Services
from workers.traverse.survey.answer import SurveyWriting, write_survey
from workers.traverse.survey.claims import (
    Claim,
    ClaimsInput,
    ClaimsResult,
    RelevantFact,
    make_claims,
    ranked_claims,
)
from workers.traverse.survey.flow import SURVEY

CORPORA: dict[str, Callable[..., Corpus]] = {"reviews": reviews, "tickets": tickets}
SHARE = 0.05  # of the texts: a theme above it is to be named
LEAST = 0.9  # of those themes
_CHUNKS = 10  # of a search, by default
_ALL = 1000  # chunks of a search that is to fill the evidence
_GROUP, _CLAIMS = 20, 24  # facts that claims are made of at a time, claims that the answer is written from
_SENTENCE = re.compile(r"[^\[\]]+?(?: ?\[\d+\])+\.")


def measured_themes(
    world: World, client: Hopline, kind: str, sizes: Sequence[int], seeds: Sequence[int]
) -> list[Json]:
    """Return a row for each size and seed of a kind of corpus."""
    services = Services(world.settings)
    rows = []
    for size in sizes:
        for seed in seeds:
            rows.append(_measured(world, client, services, kind, size, seed))
            print(rows[-1], flush=True)
    return rows


def _measured(world: World, client: Hopline, services: Services, kind: str, size: int, seed: int) -> Json:
    corpus, collection = CORPORA[kind](size, seed=seed), f"themes-{kind}-{size}-{seed}"
    client.ingest([corpus.write(world.folder / collection)], collection)
    client.jobs.wait(client.topics.build(collection).id)
    answer = client.ask(corpus.question, collection=collection, strategy="survey")
    few, filled = (_by_search(services, corpus.question, collection, chunks) for chunks in (_CHUNKS, _ALL))
    row = {
        "corpus": kind,
        "documents": size,
        "seed": seed,
        "themes": corpus.above(SHARE),
        "survey": _recall(corpus, _text(answer), corpus.above(SHARE)),
        "search": _recall(corpus, few, corpus.above(SHARE)),
        "search_filled": _recall(corpus, filled, corpus.above(SHARE)),
        "rare": {
            name: _recall(corpus, text, _rare(corpus))
            for name, text in (("survey", _text(answer)), ("search", few), ("search_filled", filled))
        },
        "every_sentence_cited": not _SENTENCE.sub("", _text(answer)).strip(),
        "coverage": answer.details["coverage"]["line"],
        "coverage_counts_all": answer.details["coverage"]["of_documents"] == size,
        "calls": answer.usage.model_calls,
    }
    return row | _grown(world, client, kind, collection, corpus, seed)


def _grown(world: World, client: Hopline, kind: str, collection: str, corpus: Corpus, seed: int) -> Json:
    """Return which new themes are named after texts came: at once, and after a build."""
    more = next(_others(kind, corpus, seed))
    fresh = sorted(set(more.themes) - set(corpus.themes))
    client.ingest([more.write(world.folder / f"{collection}-more")], collection)
    whole = len(corpus.texts) + len(more.texts)
    wanted = [name for name in fresh if len(more.themes[name]) >= SHARE * whole] or fresh
    at_once = client.ask(corpus.question, collection=collection, strategy="survey")
    client.jobs.wait(client.topics.build(collection).id)
    built = client.ask(corpus.question, collection=collection, strategy="survey")
    return {
        "new_themes": wanted,
        "grown": _recall(more, _text(at_once), wanted),
        "grown_and_built": _recall(more, _text(built), wanted),
        "grown_coverage": at_once.details["coverage"]["line"],
    }


def _others(kind: str, corpus: Corpus, seed: int) -> Iterator[Corpus]:
    """Yield further texts of which a common theme is new."""
    for other in count(seed + 100):
        more = CORPORA[kind](max(10, len(corpus.texts) // 5), rare=False, seed=other)
        if set(more.themes) - set(corpus.themes):
            yield more


def _rare(corpus: Corpus) -> list[str]:
    """Return the theme that two texts state; none where chance gave all themes more."""
    return [name for name, titles in corpus.themes.items() if len(titles) <= 2]


def _recall(corpus: Corpus, text: str, wanted: Sequence[str]) -> float | None:
    """Return the share of some themes that a text names; None where there are none."""
    return round(len(named(corpus, text) & set(wanted)) / len(wanted), 3) if wanted else None


def _text(answer: Answer) -> str:
    """Return an answer without its coverage, which names topics."""
    return answer.text.partition("\n\n")[0]


def _by_search(services: Services, question: str, collection: str, chunks: int) -> str:
    """Return what the survey's writer makes of the facts that one search finds nearest."""
    params = QueryParams(question=question)
    job = Job(
        id="search",
        kind=SURVEY.kind,
        collection=collection,
        params=params.model_dump(mode="json"),
        root="search",
    )
    ports = services.ports(job, Unmetered())
    result = search(question, collection, ports, limit=chunks)
    near = {fact.id: fact for chunk in reversed(result.chunks) for fact in chunk.facts}
    ranked = sorted(near.values(), key=lambda fact: (-fact.score, fact.id))
    facts, _over = packed(ranked, lambda fact: 16 + count_tokens(fact.text), params.evidence_tokens)
    written = write_survey(_writing(question, facts, ports), ports)
    return str(as_json(written.result)["text"])


def _writing(question: str, facts: Sequence[FoundFact], ports: Ports) -> SurveyWriting:
    relevant = [RelevantFact(id=fact.id, text=fact.text, relevance=fact.score, topic="") for fact in facts]
    claims = [
        claim
        for first in range(0, len(relevant), _GROUP)
        for claim in _claims(question, relevant[first : first + _GROUP], ports)
    ]
    return SurveyWriting(
        question=question,
        sub_questions=(),
        kind="themes",
        facts=tuple(map(_scored, facts)),
        claims=tuple(ranked_claims(claims, _CLAIMS)),
        looked_at=len(facts),
    )


def _claims(question: str, facts: Sequence[RelevantFact], ports: Ports) -> tuple[Claim, ...]:
    claims_input = ClaimsInput(question=question, sub_questions=(), kind="themes", facts=tuple(facts))
    return cast("ClaimsResult", make_claims(claims_input, ports).result).claims


def _scored(fact: FoundFact) -> ScoredFact:
    return ScoredFact(
        fact_text=fact.text,
        source_node_id=fact.id,
        source_fact_id=fact.id,
        extracted_from_depth=0,
        score=1.0,
        source_description="",
        scored_by="critic",
    )


def too_few(rows: Iterable[Json]) -> bool:
    """Return whether the survey named too few themes, or cited or counted wrongly."""
    return any(
        row["survey"] < LEAST or not row["every_sentence_cited"] or not row["coverage_counts_all"]
        for row in rows
    )


def theme_table(rows: Sequence[Json]) -> Table:
    """Return the means, and the least of the survey, for each size."""
    table = Table(title=f"share of the themes above {SHARE:.0%} that are named, mean over seeds")
    columns = ("survey", "least", "search, 10 chunks", "search, filled", "rare: survey", "search", "filled")
    for name in (rows[0]["corpus"], *columns, "new theme, at once", "built", "most calls"):
        table.add_column(name, justify="right")
    for size in sorted({row["documents"] for row in rows}):
        some = [row for row in rows if row["documents"] == size]
        rare = [_mean(row["rare"][way] for row in some) for way in ("survey", "search", "search_filled")]
        table.add_row(
            f"{size:,}",
            _mean(row["survey"] for row in some),
            f"{min(row['survey'] for row in some):.2f}",
            _mean(row["search"] for row in some),
            _mean(row["search_filled"] for row in some),
            *rare,
            _mean(row["grown"] for row in some),
            _mean(row["grown_and_built"] for row in some),
            str(max(row["calls"] for row in some)),
        )
    return table


def _mean(shares: Iterable[float | None]) -> str:
    known = [share for share in shares if share is not None]
    return f"{statistics.mean(known):.2f}" if known else "–"
