"""Folders of a client's machine for batches and estimates, over HTTP: sent in parts, each file once."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from doubles.broker import Broker
from fleet.api import ServedApi, served_api

from hopline import Hopline
from hopline.errors import DependencyAway, InvalidInput
from hopline.models.uploads import LocalFile
from hopline.sync.uploads import Uploads
from workers.core.jobs.manifest import load_page
from workers.services import Services


@pytest.fixture(scope="module")
def api(services: Services) -> Iterator[ServedApi]:
    """A server that takes three documents in a request, and lists three files of its own."""
    few = Services(services.settings.model_copy(update={"api_documents": 3}))
    with served_api(few, Broker(), loopback=False, most_listed=3) as served:
        yield served
    few.close()


@pytest.fixture
def client(api: ServedApi) -> Iterator[Hopline]:
    with Hopline(api.url, api_key=api.key("admin")) as client:
        yield client


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Nine documents: seven files, of which one has a sidecar, and two lines; and what is none."""
    made = tmp_path / "reports"
    (made / "deep").mkdir(parents=True)
    for nth in range(7):
        (made / "deep" / f"{nth}.txt").write_text(
            f"Bridge {nth} of {tmp_path} stands in Conwy.", encoding="utf-8"
        )
    (made / "deep" / "0.txt.meta.json").write_text('{"author": "Ann"}', encoding="utf-8")
    lines = ({"id": f"l{nth}", "text": f"Lock {nth} of {tmp_path} is kept."} for nth in range(2))
    (made / "locks.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    (made / "c.exe").write_text("no document", encoding="utf-8")
    return made


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files whose bytes are sent."""
    names, send = list[str](), Uploads.send

    def noted(self, files):
        files = list(files)
        names.extend(Path(name).name for name, _data in files)
        return send(self, files)

    monkeypatch.setattr(Uploads, "send", noted)
    return names


def test_a_folder_becomes_a_batch_and_is_sent_once(api, client, folder, sent) -> None:
    counts = list[tuple[int, int]]()
    places = client.uploads.places([folder], progress=lambda *count: counts.append(count))
    assert (places.documents, counts[-1]) == (9, (8, 8))
    assert len(counts) > 2, "it is sent in parts"
    assert [refusal.uri for refusal in places.refused] == [str(folder / "c.exe")]
    assert sorted(sent) == sorted([*(f"{nth}.txt" for nth in range(7)), "0.txt.meta.json", "locks.jsonl"])
    submitted = client.batches.submit("far", places.sources, "far")
    assert (submitted.documents, submitted.refused) == (9, 1)
    job = api.services.ledger.job(submitted.job_id)
    assert job is not None
    page = load_page(api.services.blobs, job.job.params["manifest"], 0)
    taken = {Path(str(item.input["uri"])).name: item.input for item in page}
    assert taken["0.txt"]["metadata"] == {"author": "Ann"}
    assert api.services.blobs.get(taken["3.txt"]["source"].removeprefix("blob:")).startswith(b"Bridge 3")
    sent.clear()
    (folder / "deep" / "7.txt").write_text(f"A bridge of {folder} that came later.", encoding="utf-8")
    again = client.uploads.places([folder])
    assert (again.documents, sent) == (10, ["7.txt"])
    assert again.sources != places.sources
    client.batches.cancel("far")


def test_an_interrupted_upload_goes_on_where_it_ended(client, folder, sent, monkeypatch) -> None:
    send = Uploads.send

    def breaks(self, files):
        if sent:
            raise DependencyAway("the line is down")
        return send(self, files)

    with monkeypatch.context() as broken:
        broken.setattr(Uploads, "send", breaks)
        with pytest.raises(DependencyAway):
            client.uploads.places([folder])
    before = list(sent)
    sent.clear()
    assert client.uploads.places([folder]).documents == 9
    assert before
    assert not set(before) & set(sent)


def test_an_estimate_of_what_was_uploaded_is_that_of_the_files(api, client, folder) -> None:
    far = client.estimates.make(client.uploads.places([folder]).sources)
    with Hopline.local(api.services.settings) as here:
        near = here.estimates.make(here.uploads.places([folder]).sources)
    for field in ("documents", "refused_count", "calls", "chunks", "prompt_tokens"):
        assert getattr(far.total, field) == getattr(near.total, field), field


def test_addresses_stay_and_what_was_never_uploaded_is_refused(client, folder) -> None:
    stays, sent = client.uploads.places(["s3://bucket/notes", folder]).sources
    assert (stays, sent.startswith("upload://"), sent.endswith("/reports")) == (
        "s3://bucket/notes",
        True,
        True,
    )
    for source in (f"upload://{64 * '0'}/x", "upload://x"):
        with pytest.raises(InvalidInput, match="upload"):
            client.batches.submit("never", [source])
    data = (folder / "locks.jsonl").read_bytes()
    there = LocalFile(name="locks.jsonl", sha256=hashlib.sha256(data).hexdigest())
    with pytest.raises(InvalidInput, match="no upload"):
        client.uploads.add([there], after=64 * "0")
    with pytest.raises(InvalidInput, match="nothing there"):
        client.uploads.places([folder / "nowhere"])


def test_the_commands_send_a_folder_but_refuse_to_sync_one(api: ServedApi, folder: Path) -> None:
    servers = ("HOPLINE_REDIS_URL", "HOPLINE_NEO4J_URL")
    environment = {name: value for name, value in os.environ.items() if name not in servers}
    environment |= {"HOPLINE_API_URL": api.url, "HOPLINE_API_KEY": api.key("admin")}

    def run(*words: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "hopline", *map(str, words)]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    estimated = run("estimate", folder, "--json")
    assert estimated.returncode == 0, (estimated.stdout, estimated.stderr)
    assert json.loads(estimated.stdout)["total"]["documents"] == 9
    batch = json.loads(run("ingest", folder, "--batch", "typed", "-c", "far", "--json").stdout)
    assert (batch["documents"], batch["refused"]) == (9, 1)
    for more in ((), ("--every", "0 2 * * *")):
        refused = run("sync", folder, *more)
        told = " ".join(refused.stderr.split())
        assert (refused.returncode, f"`hopline ingest {folder} --batch NAME`" in told) == (2, True), told
    assert run("batches", "cancel", "typ").returncode == 0
