"""The least that a submission over HTTP can take: its request is read and answered, and nothing is done.

python bench/bare_route.py PORT
"""

from __future__ import annotations

import sys
import time
from typing import Any

import uvicorn
from fastapi import FastAPI

from hopline.aio.queries import AsyncQueries
from hopline.models.jobs import Budget, JobState, Usage
from hopline.models.results import Job
from hopline.operation import operation_of
from infra.local.process import LOOPBACK
from producer.api.server import SERVER_OPTIONS
from workers.core.jobs.params import QueryParams

app = FastAPI()
Question: Any = operation_of(AsyncQueries.submit).body


@app.post("/v1/queries", status_code=202)
async def answer(query: Question) -> Job:
    """Answer as if it were submitted."""
    params = QueryParams.model_validate(query.parameters.model_dump() | {"question": query.question})
    return Job(
        id="j0123456789abcdef01234567",
        kind="query",
        collection=query.collection[0],
        state=JobState.RUNNING,
        priority=query.priority,
        params=params.model_dump(mode="json"),
        phase=0,
        epoch=1,
        created=time.time(),
        items={"traverse.plan": 1, "traverse.seed": 1},
        done={},
        timings={},
        usage=Usage(),
        budget=Budget(),
        leases_lost=0,
        dead=0,
        dropped=0,
    )


if __name__ == "__main__":
    uvicorn.run(app, host=LOOPBACK, port=int(sys.argv[1]), **SERVER_OPTIONS)
