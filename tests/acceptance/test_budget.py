"""A batch whose budget ends in the middle: it pauses; raised, it goes on and pays for nothing twice."""

from collections.abc import Iterator

import pytest
from fleet.crew import Crew, private_crew, wait_until

from hopline.errors import InvalidInput
from hopline.models.jobs import JobState
from workers.core.redis_keys import job_key

pytestmark = pytest.mark.long  # workers that know prices; what is booked is held by the ledger's tests
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
    folder = tmp_path_factory.mktemp("budget")
    (folder / "prices.toml").write_text(PRICES)
    own = {"HOPLINE_PRICES": str(folder / "prices.toml"), "HOPLINE_BLOB_URL": ""}
    with private_crew(stack_env, folder, **own) as made:
        made.start("thrifty", "bulk")
        yield made


@pytest.mark.parametrize(("what", "first", "then"), [
    ("max_cost", 0.03, 10),
    ("max_tokens", 14_000, 10_000_000),
    ("max_calls", 17, 10_000),
])  # fmt: skip
def test_a_batch_pauses_where_its_budget_ends_and_goes_on_when_raised(crew, tmp_path, what, first, then):
    crew.model.set()
    for nth in range(DOCUMENTS):
        text = f"{what.title()}{nth} was built by Maren{nth} of Lunden. It was opened in {1800 + nth}.\n"
        (tmp_path / f"{nth}.txt").write_text(text.replace("_", ""), encoding="utf-8")
    name = what.replace("_", "-")
    job = crew.client.batches.submit(name, [str(tmp_path)], f"budget-{name}", **{what: first}).job_id
    paused = wait_until(lambda: crew.services.pauses.of(job), "the batch pauses")
    assert paused.kind == "budget"
    assert "is used up" in paused.why
    wait_until(lambda: not crew.redis.hlen(job_key(job, "calls")), "what had begun is done")
    assert 0 < crew.model.requests()["ExtractedFacts"] < DOCUMENTS
    with pytest.raises(InvalidInput, match="spent or booked"):
        crew.client.batches.resume(name, max_cost=0.000001, max_tokens=1, max_calls=1)

    crew.client.batches.resume(name, **{what: then})
    wait_until(lambda: crew.client.jobs.get(job).ended, "the batch ends")
    record = crew.client.jobs.get(job)
    assert (record.state, record.outcome.counts) == (JobState.DONE, {"done": DOCUMENTS})
    assert crew.model.requests()["ExtractedFacts"] == DOCUMENTS
    amounts = {
        part: int(crew.redis.hget(job_key(job, "job"), f"booked_{part}"))
        for part in ("calls", "tokens", "cost")
    }
    spent = record.usage
    assert amounts["calls"] == spent.model_calls > DOCUMENTS  # embeddings count too
    assert amounts["tokens"] == spent.prompt_tokens + spent.completion_tokens
    assert amounts["cost"] == round(spent.cost * 1_000_000) > 0
