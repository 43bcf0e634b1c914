"""`hopline demo --movies` from a clone with an empty home: no stack, no settings, no Movies graph."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fleet.walk import Walk


@pytest.mark.long
def test_the_movies_demo_sets_itself_up_and_finds_it_there_the_second_time(tmp_path: Path) -> None:
    walk = Walk(tmp_path)
    try:
        first = walk.call(".venv/bin/hopline", "demo", "--movies", "--json")
        assert first.returncode == 0, first.stderr
        report = json.loads(first.stdout)
        assert report["mistakes"] == []
        main, count, connection, most, thanks, unknown = [
            question["answer"] for question in report["questions"]
        ]
        for answer in (main, count, connection, most):
            assert_cited(answer)
        assert [call["tool"] for call in main["details"]["tools"]] == [
            "movie_info_by_title",
            "movies_info_by_actor",
        ]
        assert "Keanu Reeves" in main["text"]
        assert "12" in count["text"]
        assert "MATCH" in count["details"]["tools"][0]["cypher"]
        assert [len(connection["citations"][0][kind]) for kind in ("nodes", "relationships")] == [5, 4]
        assert (thanks["status"], thanks["citations"]) == ("done", [])
        assert (unknown["status"], unknown["text"]) == ("abstained", "")
        again = walk.call(".venv/bin/hopline", "demo", "--movies", "--quiet")
        assert again.returncode == 0, again.stderr
        assert "It is there already." in again.stdout
        assert "The Cypher of movies_info_by_actor\n  MATCH (p)-[r:ACTED_IN]->(m:Movie)" in again.stdout
        packs = walk.call(".venv/bin/hopline", "tool").stdout
        assert "movies on · The graph has Movie, Person, ACTED_IN." in packs
        assert "narrative off · The graph lacks nodes labelled Character" in packs
    finally:
        walk.end()


def assert_cited(answer: dict[str, Any]) -> None:
    """Every citation stands in the text, and names the query and the places that it found."""
    assert answer["status"] == "done", answer
    assert answer["citations"]
    for citation in answer["citations"]:
        assert f"[{citation['n']}]" in answer["text"]
        assert citation["kind"] == "graph"
        assert citation["cypher"]
        assert citation["nodes"]
