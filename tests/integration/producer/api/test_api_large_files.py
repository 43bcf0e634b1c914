"""Large files over HTTP: neither who sends them nor the API holds more than a slice of them in memory."""

import secrets
import zipfile
from pathlib import Path

import pytest
from doubles.memory import peak, reset_peak, run_measured, write_mailbox, write_zip
from fleet.api import ServedApi

SETTINGS = {"api_body_bytes": 2_000_000}
CLIENT = """
import sys
from doubles.memory import peak, reset_peak
from hopline import Hopline

url, key, collection, path, way = sys.argv[1:]
with Hopline(url, api_key=key, timeout=600) as client:
    client.server.about()
    before = reset_peak()
    sent = client.uploads.places([path]) if way == "upload" else client.hand_over([path], collection)
    print(f"documents={sent.documents}")
    print(f"refused={len(sent.refused)}")
    print(f"grown={peak() - before}")
"""


@pytest.mark.long
@pytest.mark.parametrize("way", ["upload", "request"])
@pytest.mark.parametrize("kind", ["mbox", "zip"])
def test_a_file_of_hundreds_of_megabytes_takes_no_memory_for_its_bytes(
    api: ServedApi, tmp_path: Path, kind: str, way: str
) -> None:
    path = tmp_path / f"a.{kind}"
    if kind == "mbox":
        write_mailbox(path, 2_000, 150_000)
    else:
        write_zip(path, 200_000_000)
    rights = ("read", "submit", "admin") if way == "upload" else ("read", "submit")
    key, collection = api.key(*rights, collections=None), f"large-{secrets.token_hex(4)}"
    before = reset_peak()
    told = run_measured(CLIENT, api.url, key, collection, path, way)
    grown = peak() - before
    expected = 2_000 if kind == "mbox" else len(zipfile.ZipFile(path).namelist())
    assert (int(told["documents"]), told["refused"]) == (expected, "0")
    assert int(told["grown"]) < 100
    assert grown < 100


def test_a_body_of_json_stays_small_where_a_form_may_be_large(api: ServedApi) -> None:
    with api.client(api.key("submit")) as client:
        answer = client.post("/v1/documents", json={"texts": [{"name": "a", "text": "x" * 3_000_000}]})
    assert (answer.status_code, "api_body_bytes" in answer.json()["detail"]) == (413, True)
