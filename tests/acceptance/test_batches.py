"""Named batches by the command line: submitted, shown, paused, resumed, cancelled, retried."""

from __future__ import annotations

import json
import os
from pathlib import Path

from fleet.checks import one_object
from fleet.crew import Crew, wait_until

TEXT = "The warden {who} kept the lock of Karsund. {who} opened it for the barges in spring."


def write_lines(file: Path, count: int, who: str = "Warden") -> Path:
    lines = ({"id": f"w{n}", "text": TEXT.format(who=f"{who} Number{n}")} for n in range(count))
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file


def shown(crew: Crew, *words: str) -> dict:
    done = crew.run("batch", *words, "--json")
    assert done.returncode in {0, 4}, done.stderr
    return one_object(done.stdout)


def ended(crew: Crew, name: str) -> dict:
    running = {"running", "paused"}
    status = wait_until(lambda: (s := crew.client.batch(name)).state not in running and s, "the end")
    return status.model_dump()


def test_a_batch_is_paused_goes_on_and_is_the_same_when_it_is_ordered_again(crew, collection, tmp_path):
    file, name = write_lines(tmp_path / "all.jsonl", 12), f"night-{collection}"
    crew.model.set(chat={"hold": True})  # it is paused before it is done
    order = ("ingest", str(file), "-c", collection, "--batch", name, "--max-calls", "1000", "--json")
    submitted = one_object(crew.run(*order).stdout)
    assert (submitted["documents"], submitted["known"]) == (12, False)
    paused = shown(crew, name, "pause")
    assert (paused["state"], paused["pause"]["kind"]) == ("paused", "user")
    assert "resume" in crew.run("batch", name).stdout
    again = one_object(crew.run(*order).stdout)
    assert (again["job_id"], again["known"]) == (submitted["job_id"], True)
    refused = crew.run("ingest", str(tmp_path), "-c", collection, "--batch", name)
    assert refused.returncode == 2
    assert f"hopline batch {name}" in refused.stderr
    crew.model.set()
    raised = shown(crew, name, "resume", "--max-calls", "2000")
    assert (raised["state"], raised["budget"]["model_calls"]) == ("running", 2000)
    status = ended(crew, name)
    assert (status["state"], status["counts"]) == ("done", {"done": 12})
    assert status["usage"]["model_calls"] >= 12
    assert name in {batch["name"] for batch in one_object(crew.run("batch", "--json").stdout)["batches"]}
    assert shown(crew, name[:-2])["name"] == name  # by the beginning


def test_a_batch_is_cancelled_and_failures_are_done_again(crew, collection, tmp_path):
    # Of names of its own, so that no reply is kept from another test: it is cancelled before it is done.
    file, name = write_lines(tmp_path / "all.jsonl", 12, "Bailiff"), f"stopped-{collection}"
    crew.model.set(chat={"hold": True})
    crew.run("ingest", str(file), "-c", collection, "--batch", name)
    assert shown(crew, name, "cancel")["state"] == "cancelled"
    crew.model.set()

    folder, name = tmp_path / "folder", f"mended-{collection}"
    folder.mkdir()
    (folder / "good.txt").write_text(TEXT.format(who="Ada Holm"), encoding="utf-8")
    (folder / "bad.txt").write_bytes(b"")
    done = crew.run("ingest", str(folder), "-c", collection, "--batch", name, "--wait", "--json")
    assert done.returncode == 4, done.stderr
    assert one_object(done.stdout)["counts"] == {"done": 1, "failed": 1}
    (folder / "bad.txt").write_text(TEXT.format(who="Bo Lind"), encoding="utf-8")
    followed = crew.run("batch", name, "retry", "--follow", "--json")
    assert followed.returncode == 0, followed.stderr
    assert one_object(followed.stdout)["counts"] == {"done": 2}
    assert "retry" not in crew.run("batch", name).stdout


def test_what_a_batch_is_told_wrongly_is_refused_with_what_is_allowed(crew: Crew, tmp_path: Path) -> None:
    file = write_lines(tmp_path / "all.jsonl", 1)
    cases = {
        ("ingest", str(file), "--max-cost", "5"): "used with --batch NAME",
        ("ingest", str(file), "--batch", "no name"): "1 to 100 letters",
        ("ingest", str(tmp_path / "none"), "--batch", "x"): "nothing there",
        ("ingest", str(file), "--batch", "x", "--max-calls", "0"): "--max-calls",
        ("batch", "unknown"): "`hopline batch` lists them",
        ("batch", "unknown", "pause", "--follow"): "resume or retry",
        ("batch", "unknown", "pause", "--max-cost", "5"): "used with `hopline batch NAME resume`",
        ("batch", "unknown", "--now"): "used with `hopline batch NAME resume`",
        ("batch", "unknown", "resume", "--zone", "Asia/Tokyo"): "used with --between",
    }
    for words, message in cases.items():
        done = crew.run(*words)
        assert done.returncode == 2, words
        assert message in done.stderr, words


def test_a_bulk_worker_gives_way_to_other_processes(crew: Crew) -> None:
    niceness, bulk = crew.settings.bulk_nice, crew.workers["bulk"]
    other = os.getpriority(os.PRIO_PROCESS, crew.workers["interactive"].pid)
    assert os.getpriority(os.PRIO_PROCESS, bulk.pid) == other + niceness
    group = Path(f"/proc/{bulk.pid}/autogroup")
    assert not group.exists() or group.read_text().endswith(f"nice {niceness}\n")
