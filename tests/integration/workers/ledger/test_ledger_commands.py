"""How many commands Redis carries out for one item, those within scripts included."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import redis
from doubles.ledger_play import Play, Sent

from workers.core.jobs.work import Item, Usage
from workers.ledger.budget import JobMeter

CHILDREN = 8


def commands(client: redis.Redis, call: Callable[[], object]) -> int:
    """Return how many commands one call takes; the count itself is left out."""

    def count() -> int:
        stats = client.info("commandstats")
        return sum(figures["calls"] for name, figures in stats.items() if name != "cmdstat_info")

    before = count()
    call()
    return count() - before


def item_costs(play: Play, client: redis.Redis) -> dict[str, int]:
    """Do one item with a model call; return the commands of each of its scripts."""
    meter, claims = JobMeter(play.ledger.scripts, play.name, 60.0), []
    spent = Usage(model_calls=1, prompt_tokens=60, completion_tokens=20)
    children = [Item(id=f"bud {nth}", step="tree.twig") for nth in range(CHILDREN)]
    return {
        "begin": commands(client, lambda: claims.append(play.begin(Sent(play.name, 1, "root"))[0])),
        "reserve": commands(client, lambda: meter.reserve("a", 100)),
        "settle": commands(client, lambda: meter.settle("a", spent)),
        "finish": commands(client, lambda: play.finish(claims[0], *children)),
    }


@pytest.mark.usefixtures("own_server")  # counts the server's commands
def test_an_items_scripts_take_few_commands(client: redis.Redis) -> None:
    costs = {}
    for _ in range(2):  # the first time the scripts are loaded
        play = Play(client)
        play.submit()
        costs = item_costs(play, client)
    assert costs["begin"] <= 13
    assert costs["reserve"] <= 7
    assert costs["settle"] <= 5
    assert costs["finish"] <= 17 + CHILDREN  # one for each child, the others for all of them
