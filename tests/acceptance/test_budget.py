"""A batch whose budget ends in the middle: it pauses, and never spends or books more; raised, it goes on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fleet.crew import PATIENCE, Crew, PrivateRedis, make_crew, wait_until

from workers.core.errors import InvalidInput
from workers.core.jobs.work import Budget, JobState
from workers.ledger.keys import job_key

DOCUMENTS = 24
PRICES = """\
currency = "EUR"
[models.offline]
input = 1.0
output = 4.0
[models.wordllama-256]
input = 0.5
"""


@pytest.fixture(scope="module")
def crew(stack_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crew]:
    """A worker that knows prices, on a Redis where no other takes its items."""
    redis = PrivateRedis(tmp_path_factory.mktemp("redis"))
    folder = tmp_path_factory.mktemp("budget")
    (folder / "prices.toml").write_text(PRICES)
    made = make_crew(
        stack_env, redis.url, folder, HOPLINE_PRICES=str(folder / "prices.toml"), HOPLINE_BLOB_URL=""
    )
    made.start("thrifty", "bulk")
    yield made
    made.stop()
    redis.kill()


def write_documents(folder: Path, word: str) -> Path:
    folder.mkdir()
    for nth in range(DOCUMENTS):
        text = f"{word}{nth} was built by Maren{nth} of {word}. It was opened in {1800 + nth}.\n"
        (folder / f"{nth}.txt").write_text(text, encoding="utf-8")
    return folder


def money(crew: Crew, job: str) -> dict[str, int]:
    """What is booked, spent and allowed, as it stands in one moment."""
    names = ["booked_calls", "booked_tokens", "booked_cost", "limit_calls", "limit_tokens", "limit_cost"]
    values = crew.redis.hmget(job_key(job, "job"), names)
    return {name: int(value) for name, value in zip(names, values, strict=True) if value}


def within(crew: Crew, job: str) -> bool:
    amounts = money(crew, job)
    for what in ("calls", "tokens", "cost"):
        assert amounts.get(f"booked_{what}", 0) <= amounts.get(f"limit_{what}", 10**18), amounts
    return True


def goes_on(crew: Crew, job: str) -> bool:
    assert crew.client.services.pauses.of(job) is None, "it pauses again"
    return within(crew, job)


@pytest.mark.long
@pytest.mark.parametrize(
    ("what", "first", "then"),
    [
        ("max_cost", 0.03, Budget(cost=10)),
        ("max_tokens", 14_000, Budget(tokens=10_000_000)),
        ("max_calls", 17, Budget(model_calls=10_000)),
    ],
)
def test_a_batch_pauses_where_its_budget_ends_and_goes_on_when_it_is_raised(
    crew: Crew, tmp_path: Path, what: str, first: float, then: Budget
) -> None:
    crew.model.set()
    sources = [write_documents(tmp_path / "texts", what.title().replace("_", ""))]
    name = what.replace("_", "-")
    job = crew.client.submit_batch(name, sources, f"budget-{name}", **{what: first}).job_id

    paused = wait_until(
        lambda: within(crew, job) and crew.client.services.pauses.of(job), "the batch pauses", 2 * PATIENCE
    )
    assert paused.kind == "budget"
    assert "is used up" in paused.why
    wait_until(
        lambda: within(crew, job) and not crew.redis.hlen(job_key(job, "calls")), "what had begun is done"
    )
    requests = crew.model.requests()["ExtractedFacts"]
    assert 0 < requests < DOCUMENTS
    with pytest.raises(InvalidInput, match="spent or booked"):
        crew.client.resume_batch(name, budget=Budget(cost=0.000001, tokens=1, model_calls=1))

    crew.client.resume_batch(name, budget=then)
    record = wait_until(
        lambda: (
            goes_on(crew, job)
            and (record := crew.ledger.job(job))
            and record.state is not JobState.RUNNING
            and record
        ),
        "the batch ends",
        2 * PATIENCE,
    )
    assert record.state is JobState.DONE
    assert record.outcome["counts"] == {"done": DOCUMENTS}
    assert crew.model.requests()["ExtractedFacts"] == DOCUMENTS
    amounts = money(crew, job)
    assert amounts["booked_calls"] == record.usage.model_calls > DOCUMENTS  # embeddings count too
    assert amounts["booked_tokens"] == record.usage.prompt_tokens + record.usage.completion_tokens
    assert amounts["booked_cost"] == round(record.usage.cost * 1_000_000) > 0
