"""Documents handed over by HTTP, against replies that a test makes: what a request holds."""

from __future__ import annotations

import json
from pathlib import Path

import httpx2
import pytest

from producer import Hopline
from producer.http.link import HttpLink
from workers.core.errors import InvalidInput
from workers.ingest.profile import ProfileText

ABOUT = {"limits": {"body_bytes": 2000, "documents": 2, "document_bytes": 1000, "lines": 3}}
BATCH = {
    "id": "j1",
    "kind": "batch",
    "collection": "default",
    "state": "running",
    "priority": "normal",
    "params": {},
    "created": 1.0,
    "usage": {},
    "budget": {},
    **{name: {} for name in ("items", "done", "timings")},
    **dict.fromkeys(("phase", "epoch", "leases_lost", "dead", "dropped"), 0),
    **dict.fromkeys(("ended", "closed_for", "webhook", "request_id", "parent", "outcome")),
}


class Server:
    """Takes all documents that it is given, and keeps the requests."""

    def __init__(self) -> None:
        self.seen: list[httpx2.Request] = []
        self.client = Hopline(link=HttpLink("http://api", None, transport=httpx2.MockTransport(self._reply)))

    def _reply(self, request: httpx2.Request) -> httpx2.Response:
        if request.url.path == "/v1/about":
            return httpx2.Response(200, json=ABOUT)
        self.seen.append(request)
        document = {"uri": "one", "job_id": "j2"}
        return httpx2.Response(202, json={"batch": BATCH, "documents": [document], "refused": []})


def test_a_profile_that_came_as_text_is_sent_as_it_is_and_read_from_no_file(tmp_path: Path) -> None:
    server, one = Server(), [{"name": "one", "text": "One."}]
    own = '# ours\n[entities]\nParty = "who signs"\n'
    server.client.submit_texts(one, profile=ProfileText(own))
    [sent] = server.seen
    assert json.loads(sent.content)["profile"] == own
    path = tmp_path / "own.toml"
    path.write_text(own, encoding="utf-8")
    with pytest.raises(InvalidInput, match="profile: got"):
        server.client.submit_texts(one, profile=ProfileText(path))
    assert len(server.seen) == 1
