"""The command line against real workers: one JSON object, what a second ingest costs, named batches."""

import json
import os
from dataclasses import replace
from pathlib import Path

from fleet.checks import one_object
from fleet.crew import Crew, wait_until
from fleet.worlds import BRIDGE_QUESTION, write_bridge


def test_a_shell_with_another_graph_for_tools_is_told_workers_differ(crew: Crew, bridges: str) -> None:
    other = crew.environment | {"HOPLINE_TOOLS_NEO4J_URL": "bolt://127.0.0.1:1"}
    shell = replace(crew, environment=other)
    warning = "another HOPLINE_TOOLS_NEO4J_URL"
    assert warning in shell.run("ask", BRIDGE_QUESTION, "-c", bridges, "--no-wait").stderr
    graph = shell.run("ask", BRIDGE_QUESTION, "-c", bridges, "--no-wait", "--strategy", "graph")
    assert warning not in graph.stderr
    assert warning not in crew.run("ask", BRIDGE_QUESTION, "-c", bridges, "--no-wait").stderr


def test_good_files_of_a_folder_go_in_once_and_a_change_replaces_its_document(crew, collection, tmp_path):
    write_bridge(tmp_path)
    (tmp_path / "empty.txt").write_text("  \n", encoding="utf-8")
    (tmp_path / "photo.png").write_bytes(b"\x89PNG\r\n")
    (tmp_path / "lines.jsonl").write_text(
        '{"id": "one", "title": "Tove Lindqvist", "text": "Tove Lindqvist praised Karsund."}\nnot json\n',
        encoding="utf-8",
    )

    def ingested() -> dict[str, str]:
        done = crew.run("ingest", str(tmp_path), "-c", collection, "--json")
        assert done.returncode == 4, done.stderr
        report = one_object(done.stdout)
        assert report["status"] == "partial"
        assert all(each["error"] for each in report["documents"] if each["status"] == "failed")
        return {Path(each["uri"]).name: each["status"] for each in report["documents"]}

    bad = dict.fromkeys(("empty.txt", "photo.png", "lines.jsonl line 2"), "failed")
    good = dict.fromkeys(("bridge.md", "holt.txt", "lines.jsonl#one"), "done")
    assert ingested() == bad | good
    # Questions that earlier tests of this process left ask the same model.
    wait_until(lambda: all(job.ended for job in crew.client.jobs.list().jobs), "no job runs")
    crew.model.set()
    assert ingested() == bad | dict.fromkeys(good, "unchanged")
    assert crew.model.requests() == {}

    born = tmp_path / "holt.txt"
    born.write_text(born.read_text(encoding="utf-8").replace("Vestby", "Karsund"), encoding="utf-8")
    assert ingested() == bad | dict.fromkeys(good, "unchanged") | {"holt.txt": "done"}
    answer = one_object(crew.run("ask", BRIDGE_QUESTION, "-c", collection, "--json").stdout)
    assert ("Karsund" in answer["text"], "Vestby" in answer["text"]) == (True, False)

    listed = one_object(crew.run("documents", "-c", collection, "--json").stdout)["documents"]
    assert {document["status"] for document in listed} == {"indexed"}
    held = {Path(document["uri"]).name: document["id"] for document in listed}
    assert held.keys() == good.keys()
    assert crew.run("documents", "delete", held["holt.txt"], "--yes").returncode == 0
    assert {document.id for document in crew.client.documents.iterate(collection=collection)} == {
        held["bridge.md"],
        held["lines.jsonl#one"],
    }
    declined = crew.run("ask", BRIDGE_QUESTION, "-c", collection, "--json")
    assert declined.returncode == 3, declined.stdout
    assert crew.run("documents", "delete", held["holt.txt"], "--yes").returncode == 3


def test_metadata_comes_with_documents_and_changes_without_a_model_call(crew, collection, tmp_path):
    def held() -> dict[str, dict[str, object]]:
        listed = one_object(crew.run("documents", "-c", collection, "--json").stdout)
        return {Path(document["uri"]).name: document["metadata"] for document in listed["documents"]}

    (tmp_path / "holt.md").write_text("---\nauthor: Ann\ntags: [a]\n---\nTove Holt built the Karsund mill.\n")
    (tmp_path / "holt.md.meta.json").write_text('{"author": "Bo", "priority": 2}')
    (tmp_path / "lines.jsonl").write_text(
        '{"id": "one", "text": "Karsund lies on the Vestby.", "metadata": {"author": "Cy", "pages": 3}}\n'
    )
    done = crew.run("ingest", str(tmp_path), "-c", collection, "--meta", "date=2024-05-01", "--json")
    assert done.returncode == 0, done.stderr
    assert held() == {
        "holt.md": {"author": "Bo", "date": "2024-05-01", "priority": 2, "tags": ["a"]},
        "lines.jsonl#one": {"author": "Cy", "date": "2024-05-01", "pages": 3},
    }
    crew.model.set()
    again = crew.run("ingest", str(tmp_path), "-c", collection, "--tags", "b,c", "--json")
    assert {document["status"] for document in one_object(again.stdout)["documents"]} == {"unchanged"}
    assert held() == {
        "holt.md": {"author": "Bo", "priority": 2, "tags": ["b", "c"]},
        "lines.jsonl#one": {"author": "Cy", "pages": 3, "tags": ["b", "c"]},
    }
    assert crew.model.requests() == {}
    assert "tags=b+c" in crew.run("documents", "-c", collection).stdout
    edited = crew.run("documents", "change", "-c", collection, "--where", 'author = "Bo"', "--set", "pages=4")
    assert "1 document changed." in edited.stderr
    assert held()["holt.md"] == {"author": "Bo", "pages": 4, "priority": 2, "tags": ["b", "c"]}
    wrong = crew.run("documents", "-c", collection, "--where", "tags is b")
    assert wrong.returncode == 2
    assert "at character 6, 'is b'; there, give" in wrong.stderr
    refused = crew.run("ingest", str(tmp_path), "-c", collection, "--meta", "date=May", "--json")
    assert refused.returncode == 2
    assert one_object(refused.stdout)["error"]["field"] == "metadata.date"


def test_a_collections_schema_is_set_shown_and_cleared(crew: Crew, collection: str, tmp_path: Path) -> None:
    rules = {"fields": {"kind": {"type": "text", "allowed": ["offer"]}}}
    (tmp_path / "schema.json").write_text(json.dumps(rules), encoding="utf-8")
    schema = ("collections", "schema", collection)
    result = crew.run(*schema, "--set", str(tmp_path / "schema.json"))
    assert result.returncode == 0, result.stderr
    assert one_object(crew.run(*schema).stdout) == rules
    assert crew.run(*schema, "--clear").returncode == 0
    assert one_object(crew.run(*schema).stdout) == {}
    (tmp_path / "schema.json").write_text("{", encoding="utf-8")
    wrong = crew.run(*schema, "--set", str(tmp_path / "schema.json"))
    assert (wrong.returncode, "a JSON file of a schema" in wrong.stderr) == (2, True)


TEXT = "The warden {who} kept the lock of Karsund. {who} opened it for the barges in spring."


def write_lines(file: Path, count: int, who: str = "Warden") -> Path:
    lines = ({"id": f"w{n}", "text": TEXT.format(who=f"{who} Number{n}")} for n in range(count))
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file


def shown(crew: Crew, *words: str) -> dict:
    done = crew.run("batches", *words, "--json")
    assert done.returncode in {0, 4}, done.stderr
    return one_object(done.stdout)


def ended(crew: Crew, name: str) -> dict:
    running = {"running", "paused"}
    status = wait_until(lambda: (s := crew.client.batches.get(name)).state not in running and s, "the end")
    return status.model_dump()


def test_a_batch_is_paused_goes_on_and_is_the_same_when_it_is_ordered_again(crew, collection, tmp_path):
    file, name = write_lines(tmp_path / "all.jsonl", 12), f"night-{collection}"
    crew.model.set(chat={"hold": True})  # it is paused before it is done
    order = ("ingest", str(file), "-c", collection, "--batch", name, "--max-calls", "1000", "--json")
    submitted = one_object(crew.run(*order).stdout)
    assert (submitted["documents"], submitted["known"]) == (12, False)
    paused = shown(crew, "pause", name)
    assert (paused["state"], paused["pause"]["kind"]) == ("paused", "user")
    assert "resume" in crew.run("batches", "show", name).stdout
    again = one_object(crew.run(*order).stdout)
    assert (again["job_id"], again["known"]) == (submitted["job_id"], True)
    refused = crew.run("ingest", str(tmp_path), "-c", collection, "--batch", name)
    assert refused.returncode == 2
    assert f"hopline batches show {name}" in refused.stderr
    crew.model.set()
    raised = shown(crew, "resume", name, "--max-calls", "2000")
    assert (raised["state"], raised["budget"]["model_calls"]) == ("running", 2000)
    status = ended(crew, name)
    assert (status["state"], status["counts"]) == ("done", {"done": 12})
    assert status["usage"]["model_calls"] >= 12
    assert name in {batch["name"] for batch in one_object(crew.run("batches", "--json").stdout)["batches"]}
    assert shown(crew, "show", name[:-2])["name"] == name  # by the beginning


def test_a_batch_is_cancelled_and_failures_are_done_again(crew, collection, tmp_path):
    # Of names of its own, so that no reply is kept from another test: it is cancelled before it is done.
    file, name = write_lines(tmp_path / "all.jsonl", 12, "Bailiff"), f"stopped-{collection}"
    crew.model.set(chat={"hold": True})
    crew.run("ingest", str(file), "-c", collection, "--batch", name)
    assert shown(crew, "cancel", name)["state"] == "cancelled"
    crew.model.set()

    folder, name = tmp_path / "folder", f"mended-{collection}"
    folder.mkdir()
    (folder / "good.txt").write_text(TEXT.format(who="Ada Holm"), encoding="utf-8")
    (folder / "bad.txt").write_bytes(b"")
    done = crew.run("ingest", str(folder), "-c", collection, "--batch", name, "--wait", "--json")
    assert done.returncode == 4, done.stderr
    assert one_object(done.stdout)["counts"] == {"done": 1, "failed": 1}
    (folder / "bad.txt").write_text(TEXT.format(who="Bo Lind"), encoding="utf-8")
    followed = crew.run("batches", "retry", name, "--follow", "--json")
    assert followed.returncode == 0, followed.stderr
    assert one_object(followed.stdout)["counts"] == {"done": 2}
    assert "retry" not in crew.run("batches", "show", name).stdout


def test_what_a_batch_is_told_wrongly_is_refused_with_what_is_allowed(crew: Crew, tmp_path: Path) -> None:
    file = write_lines(tmp_path / "all.jsonl", 1)
    cases = {
        ("ingest", str(file), "--max-cost", "5"): "used with --batch NAME",
        ("ingest", str(file), "--batch", "no name"): "1 to 100 letters",
        ("ingest", str(tmp_path / "none"), "--batch", "x"): "nothing there",
        ("ingest", str(file), "--batch", "x", "--max-calls", "0"): "--max-calls",
        ("batches", "resume", "unknown", "--zone", "Asia/Tokyo"): "used with --between",
    }
    for words, message in cases.items():
        done = crew.run(*words)
        assert done.returncode == 2, words
        assert message in done.stderr, words
    unknown = crew.run("batches", "show", "unknown")
    assert (unknown.returncode, "`hopline batches` lists them" in unknown.stderr) == (3, True)


def test_a_bulk_worker_gives_way_to_other_processes(crew: Crew) -> None:
    niceness, bulk = crew.settings.bulk_nice, crew.workers["bulk"]
    other = os.getpriority(os.PRIO_PROCESS, crew.workers["interactive"].pid)
    assert os.getpriority(os.PRIO_PROCESS, bulk.pid) == other + niceness
    group = Path(f"/proc/{bulk.pid}/autogroup")
    assert not group.exists() or group.read_text().endswith(f"nice {niceness}\n")
