"""Two tenants and real workers: a few documents do not wait for very many of another."""

from collections.abc import Iterator

import pytest
from fleet.crew import Crew, PrivateRedis, make_crew, wait_until

from hopline.models.documents import TextDocument
from workers.limits.queue_ages import queue_states

MANY, FEW = 60, 4


@pytest.fixture(scope="module")
def crew(stack_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crew]:
    server = PrivateRedis(tmp_path_factory.mktemp("redis"))
    made = make_crew(stack_env | {"HOPLINE_BULK_THREADS": "4"}, server.url, tmp_path_factory.mktemp("crew"))
    made.services.graph.migrate()
    yield made
    made.stop()
    server.kill()


def submitted(crew: Crew, collection: str, number: int) -> str:
    texts = [
        TextDocument(name=f"{n}.txt", text=f"Bridge {n} of {collection} stands in Conwy.")
        for n in range(number)
    ]
    return crew.client.documents.submit(texts=texts, collection=collection).batch.id


def ended(crew: Crew, job: str) -> list[float]:
    """Return when each document of a job ended, once all are in."""
    crew.client.jobs.wait(job)
    record = crew.services.ledger.job(job)
    outcome = (record and record.outcome) or {}
    return sorted(line["ended"] for line in outcome["documents"])


@pytest.mark.long
def test_a_few_documents_do_not_wait_for_very_many_of_another(crew: Crew) -> None:
    many, few = submitted(crew, "many", MANY), submitted(crew, "few", FEW)
    states, _ = queue_states(crew.services.broker_redis)
    assert states["bulk"].depth == MANY + FEW
    crew.have(bulk="bulk")
    last, others = ended(crew, few)[-1], ended(crew, many)
    assert (len(others), sum(at < last for at in others) < MANY / 2) == (MANY, True)
    broker = crew.services.broker_redis  # where messages may still wait that were sent again
    wait_until(lambda: not broker.keys("hop:fair:*"), "who has nothing waiting leaves nothing behind")
