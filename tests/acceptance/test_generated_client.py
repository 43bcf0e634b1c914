"""A Python client that is generated from the OpenAPI document asks a question."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from fleet.api import ServedApi
from fleet.crew import Crew
from fleet.worlds import BRIDGE_QUESTION

# It needs an older Typer than hopline's command line: an environment of its own.
_GENERATOR = ("openapi-python-client", "typer<0.28")
_ASKS = """
import json
import sys
from generated.api.jobs import jobs_get
from generated.api.queries import queries_submit
from generated.client import AuthenticatedClient
from generated.models.answer import Answer
from generated.models.queries_submit_request import QueriesSubmitRequest

url, key, collection, question = sys.argv[1:]
client = AuthenticatedClient(base_url=url, token=key, timeout=120.0)
body = QueriesSubmitRequest.from_dict({"question": question, "collection": collection})
job = queries_submit.sync(client=client, body=body)
while job.ended is None:
    job = jobs_get.sync(job.id, client=client, wait=20)
assert isinstance(job.outcome, Answer), job.outcome
seconds = (job.ended - job.created).total_seconds()
quotes = [citation.quote for citation in job.outcome.citations]
print(json.dumps({"text": job.outcome.text, "seconds": seconds, "quotes": quotes}))
"""


@pytest.mark.long
def test_a_generated_python_client_asks_a_question_and_reads_a_typed_answer(
    standing_crew: Crew, api: ServedApi, bridges: str, tmp_path: Path
) -> None:
    standing_crew.model.set()
    python = tmp_path / "environment" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "environment"], check=True, timeout=120)
    subprocess.run([python, "-m", "pip", "install", "--quiet", *_GENERATOR], check=True, timeout=400)
    with api.client() as client:
        (tmp_path / "openapi.json").write_text(client.get("/openapi.json").text, encoding="utf-8")
    made = subprocess.run(
        [
            *(python.with_name("openapi-python-client"), "generate", "--meta", "none"),
            *("--path", "openapi.json", "--output-path", "generated"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=200,
    )
    assert "unsupported" not in made.stdout.lower(), made.stdout[-4000:]
    (tmp_path / "ask.py").write_text(_ASKS, encoding="utf-8")
    asked = subprocess.run(
        [python, "ask.py", api.url, api.key("submit"), bridges, BRIDGE_QUESTION],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert asked.returncode == 0, asked.stderr[-4000:]
    answer = json.loads(asked.stdout)
    assert "Vestby" in answer["text"]
    assert answer["seconds"] > 0
    assert any("Vestby" in quote for quote in answer["quotes"])
