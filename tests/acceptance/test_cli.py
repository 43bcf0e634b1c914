"""The command line against real workers: exit codes, one JSON object, what a second ingest costs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from fleet.checks import one_object
from fleet.crew import Crew
from fleet.worlds import BRIDGE_QUESTION, write_bridge


def test_ask_exits_by_what_became_of_the_question(crew: Crew, collection: str, tmp_path: Path) -> None:
    crew.ingest(write_bridge(tmp_path), collection)
    answered = crew.run("ask", BRIDGE_QUESTION, "-c", collection, "--json")
    assert answered.returncode == 0, answered.stderr
    answer = one_object(answered.stdout)
    assert answer["status"] == "done"
    assert "Vestby" in answer["text"]

    declined = crew.run("ask", "Who composed the opera Carmen?", "-c", collection, "--json")
    assert declined.returncode == 3, declined.stderr
    assert one_object(declined.stdout)["status"] == "abstained"

    refused = crew.run("ask", BRIDGE_QUESTION, "-c", collection, "--max-depth", "99", "--json")
    assert refused.returncode == 2
    assert one_object(refused.stdout)["error"]["field"] == "max_depth"
    assert "--max-depth" in refused.stderr

    job = one_object(crew.run("job", answer["job_id"], "--json").stdout)
    assert job["state"] == "done"
    assert job["dead_letters"] == []


def test_a_shell_with_another_graph_for_tools_is_told_that_workers_do_not_know_it(
    crew: Crew, collection: str, tmp_path: Path
) -> None:
    crew.ingest(write_bridge(tmp_path), collection)
    other = crew.environment | {"HOPLINE_TOOLS_NEO4J_URL": "bolt://127.0.0.1:1"}
    shell = replace(crew, environment=other)
    warning = "another HOPLINE_TOOLS_NEO4J_URL"
    assert warning in shell.run("ask", BRIDGE_QUESTION, "-c", collection, "--no-wait").stderr
    graph = shell.run("ask", BRIDGE_QUESTION, "-c", collection, "--no-wait", "--strategy", "graph")
    assert warning not in graph.stderr
    assert warning not in crew.run("ask", BRIDGE_QUESTION, "-c", collection, "--no-wait").stderr


def test_a_folder_of_good_and_bad_files(crew: Crew, collection: str, tmp_path: Path) -> None:
    write_bridge(tmp_path)
    (tmp_path / "empty.txt").write_text("  \n", encoding="utf-8")
    (tmp_path / "random.txt").write_bytes(bytes(range(256)) * 64)
    (tmp_path / "photo.png").write_bytes(b"\x89PNG\r\n")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 and then nothing")
    (tmp_path / "lines.jsonl").write_text(
        '{"id": "one", "title": "Tove Lindqvist", "text": "Tove Lindqvist praised Karsund."}\nnot json\n',
        encoding="utf-8",
    )
    done = crew.run("ingest", str(tmp_path), "-c", collection, "--json", seconds=120)
    assert done.returncode == 4, done.stderr
    report = one_object(done.stdout)
    assert report["status"] == "partial"
    by_name = {Path(document["uri"]).name.partition(":")[0]: document for document in report["documents"]}
    good = {name for name, document in by_name.items() if document["status"] == "done"}
    assert {"bridge.md", "holt.txt"} <= good
    assert len(good) == 3
    failed = {name: document["error"] for name, document in by_name.items() if document["status"] == "failed"}
    assert {"empty.txt", "random.txt", "photo.png", "broken.pdf"} < set(failed)
    assert len(failed) == 5  # and the line that is no JSON
    assert all(failed.values())
    listed = one_object(crew.run("documents", "-c", collection, "--json").stdout)
    assert {document["status"] for document in listed["documents"]} == {"indexed"}
    assert len(listed["documents"]) == 3


def test_ingesting_again_calls_no_model_a_change_replaces_and_delete_removes(
    crew: Crew, collection: str, tmp_path: Path
) -> None:
    write_bridge(tmp_path)
    first = one_object(crew.run("ingest", str(tmp_path), "-c", collection, "--json").stdout)
    assert {document["status"] for document in first["documents"]} == {"done"}

    crew.model.set()
    again = crew.run("ingest", str(tmp_path), "-c", collection, "--json")
    assert again.returncode == 0
    assert {document["status"] for document in one_object(again.stdout)["documents"]} == {"unchanged"}
    assert crew.model.requests() == {}

    born = tmp_path / "holt.txt"
    born.write_text(born.read_text(encoding="utf-8").replace("Vestby", "Karsund"), encoding="utf-8")
    changed = one_object(crew.run("ingest", str(tmp_path), "-c", collection, "--json").stdout)
    assert {Path(document["uri"]).name: document["status"] for document in changed["documents"]} == {
        "bridge.md": "unchanged",
        "holt.txt": "done",
    }
    answer = one_object(crew.run("ask", BRIDGE_QUESTION, "-c", collection, "--json").stdout)
    assert "Karsund" in answer["text"]
    assert "Vestby" not in answer["text"]

    holt = next(
        document["document_id"] for document in changed["documents"] if document["uri"].endswith("holt.txt")
    )
    assert crew.run("delete", holt, "--yes").returncode == 0
    left = one_object(crew.run("documents", "-c", collection, "--json").stdout)["documents"]
    assert [Path(document["uri"]).name for document in left] == ["bridge.md"]
    declined = crew.run("ask", BRIDGE_QUESTION, "-c", collection, "--json")
    assert declined.returncode == 3, declined.stdout
    assert crew.run("delete", holt, "--yes").returncode == 1


def test_metadata_comes_with_documents_and_changes_without_a_model_call(
    crew: Crew, collection: str, tmp_path: Path
) -> None:
    (tmp_path / "holt.md").write_text("---\nauthor: Ann\ntags: [a]\n---\nTove Holt built the Karsund mill.\n")
    (tmp_path / "holt.md.meta.json").write_text('{"author": "Bo", "priority": 2}')
    (tmp_path / "lines.jsonl").write_text(
        '{"id": "one", "text": "Karsund lies on the Vestby.", "metadata": {"author": "Cy", "pages": 3}}\n'
    )
    done = crew.run("ingest", str(tmp_path), "-c", collection, "--meta", "date=2024-05-01", "--json")
    assert done.returncode == 0, done.stderr
    assert _metadata(crew, collection) == {
        "holt.md": {"author": "Bo", "date": "2024-05-01", "priority": 2, "tags": ["a"]},
        "lines.jsonl#one": {"author": "Cy", "date": "2024-05-01", "pages": 3},
    }
    crew.model.set()
    again = crew.run("ingest", str(tmp_path), "-c", collection, "--tags", "b,c", "--json")
    assert again.returncode == 0, again.stderr
    assert {document["status"] for document in one_object(again.stdout)["documents"]} == {"unchanged"}
    assert _metadata(crew, collection) == {
        "holt.md": {"author": "Bo", "priority": 2, "tags": ["b", "c"]},
        "lines.jsonl#one": {"author": "Cy", "pages": 3, "tags": ["b", "c"]},
    }
    assert crew.model.requests() == {}
    assert "tags=b+c" in crew.run("documents", "-c", collection).stdout
    where = ("--where", 'tags has "b" and not pages >= 3', "--json")
    [meant] = one_object(crew.run("documents", "-c", collection, *where).stdout)["documents"]
    assert meant["metadata"]["author"] == "Bo"
    edited = crew.run("metadata", meant["id"], "--set", "author=Di", "--unset", "tags")
    assert "1 document changed." in edited.stderr
    edited = crew.run("metadata", "-c", collection, "--where", 'author = "Di"', "--set", "pages=4")
    assert _metadata(crew, collection)["holt.md"] == {"author": "Di", "pages": 4, "priority": 2}
    wrong = crew.run("documents", "-c", collection, "--where", "tags is b")
    assert wrong.returncode == 2
    assert "at character 6, at 'is b', allowed is" in wrong.stderr
    refused = crew.run("ingest", str(tmp_path), "-c", collection, "--meta", "date=May", "--json")
    assert refused.returncode == 2
    assert one_object(refused.stdout)["error"]["field"] == "metadata.date"


def test_a_collections_schema_is_set_shown_and_cleared(crew: Crew, collection: str, tmp_path: Path) -> None:
    rules = {"fields": {"kind": {"type": "text", "allowed": ["offer"]}}}
    file = tmp_path / "schema.json"
    file.write_text(json.dumps(rules), encoding="utf-8")
    result = crew.run("collections", "schema", "-c", collection, "--set", str(file))
    assert result.returncode == 0, result.stderr
    assert one_object(crew.run("collections", "schema", "-c", collection).stdout) == rules
    (tmp_path / "holt.txt").write_text("Tove Holt built the Karsund mill.", encoding="utf-8")
    bill = ("--meta", "kind=bill", "--json")
    refused = crew.run("ingest", str(tmp_path / "holt.txt"), "-c", collection, *bill)
    assert refused.returncode == 2
    assert one_object(refused.stdout)["error"]["allowed"] == "one of: offer"
    assert crew.run("collections", "schema", "-c", collection, "--clear").returncode == 0
    assert one_object(crew.run("collections", "schema", "-c", collection).stdout) == {}
    file.write_text("{", encoding="utf-8")
    wrong = crew.run("collections", "schema", "-c", collection, "--set", str(file))
    assert wrong.returncode == 2
    assert "a JSON file of a schema" in wrong.stderr


def _metadata(crew: Crew, collection: str) -> dict[str, dict[str, object]]:
    listed = one_object(crew.run("documents", "-c", collection, "--json").stdout)
    return {Path(document["uri"]).name: document["metadata"] for document in listed["documents"]}
