"""Questions under one session understand one another."""

from __future__ import annotations

import secrets
from pathlib import Path

from fleet.crew import Crew
from fleet.worlds import write_bridge


def test_a_pronoun_is_understood_from_the_question_before(
    crew: Crew, collection: str, tmp_path: Path
) -> None:
    crew.ingest(write_bridge(tmp_path), collection)
    session = secrets.token_hex(4)
    who = crew.client.ask("Who designed the Alda Bridge?", collection, strategy="graph", session=session)
    assert "Maren Holt" in who.text
    where = crew.client.ask("Where was she born?", collection, strategy="graph", session=session)
    assert where.status == "done", where
    assert "Vestby" in where.text
    alone = crew.client.ask("Where was she born?", collection, strategy="graph", session=secrets.token_hex(4))
    planned = crew.ledger.results(where.job_id)[0][0].result["question"]
    assert planned == "Where was Maren Holt born?"
    assert crew.ledger.results(alone.job_id)[0][0].result["question"] == "Where was she born?"
