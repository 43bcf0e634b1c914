"""Asks the composed API the demo's questions, as another service would."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx

from hopline.errors import Permanent
from hopline.models.base import Frozen

_DEMO = Path("producer", "demo")  # from the root of the repository
_COLLECTION = "demo"
_OTHER_COLLECTION = "wardens"
_WAIT_SECONDS = 20.0  # of one request
_JOB_SECONDS = 300.0  # for a job, and for the API to answer again after a restart
_AWAY_SECONDS = 0.5


class WrongAnswer(Permanent):
    """The API did not do as it should; the text says what."""


class Expectation(Frozen):
    """A question of the demo with what a right answer looks like."""

    question: str
    shows: str
    status: str = "done"
    words: tuple[str, ...] = ()
    documents: int = 0

    def check(self, job: dict[str, Any]) -> None:
        """Compare a job with it.

        Raises:
            WrongAnswer: it ended otherwise.
        """
        outcome = job["outcome"] or {}
        text = outcome.get("text", "")
        cited = {
            citation["document"]["id"]
            for citation in outcome.get("citations", ())
            if citation.get("document")
        }
        faults = [f"does not say {word!r}" for word in self.words if word not in text]
        if job["state"] != self.status:
            faults.append(f"ended {job['state']}, should be {self.status}")
        if len(cited) < self.documents:
            faults.append(f"cites {len(cited)} documents, should be {self.documents}")
        if faults:
            raise WrongAnswer(f"“{self.question}” {'; '.join(faults)}")


def demo_questions(source: Path) -> list[Expectation]:
    """Return the demo's questions, of the repository at `source`."""
    text = (source / _DEMO / "questions.toml").read_text(encoding="utf-8")
    return [Expectation.model_validate(question) for question in tomllib.loads(text)["questions"]]


class ComposedApi:
    """The API, asked with a key.

    Args:
        address: where it is.
        key: what it is shown; empty: none.
        patience: by how much the time for a job to end is multiplied.
        away_seconds: until it is asked again where it is away.
        transport: of its requests; None: HTTP.
    """

    def __init__(
        self,
        address: str,
        key: str = "",
        patience: float = 1,
        *,
        away_seconds: float = _AWAY_SECONDS,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._seconds = _JOB_SECONDS * patience
        self._away_seconds = away_seconds
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._http = httpx.Client(
            base_url=address,
            headers=headers,
            timeout=2 * _WAIT_SECONDS,
            trust_env=False,
            transport=transport,
        )

    def status(self, path: str) -> int:
        """Return the status of an address."""
        return self._http.get(path).status_code

    def ingest_demo(self, source: Path) -> int:
        """Ingest the demo's documents; return how many.

        Raises:
            WrongAnswer: some failed.
        """
        folder = source / _DEMO / "documents"
        files = [("files", (path.name, path.read_bytes())) for path in sorted(folder.iterdir())]
        reply = self._http.post("/v1/documents", data={"collection": _COLLECTION}, files=files)
        job = self.await_end(_body(reply)["batch"]["id"])
        if job["state"] != "done":
            raise WrongAnswer(f"the batch ended {job['state']}: {job['outcome']}")
        return len(files)

    def submit_texts(self, texts: Sequence[str]) -> str:
        """Submit documents as one batch, which has a collection of its own; return its job's id."""
        documents = [{"name": f"{number}.txt", "text": text} for number, text in enumerate(texts)]
        body = {"collection": _OTHER_COLLECTION, "texts": documents}
        return str(_body(self._http.post("/v1/documents", json=body))["batch"]["id"])

    def documents_done(self, job_id: str) -> tuple[int, str]:
        """Return how many documents of a batch are done, and its state."""
        job = _body(self._http.get(f"/v1/jobs/{job_id}"))
        return int(job["done"].get("ingest.document", 0)), str(job["state"])

    def ask(self, question: str) -> str:
        """Submit a question; return its job's id."""
        body = {"question": question, "collection": _COLLECTION}
        return str(_body(self._http.post("/v1/queries", json=body))["id"])

    def await_end(self, job_id: str) -> dict[str, Any]:
        """Return a job once it has ended, through restarts of the API.

        Raises:
            WrongAnswer: it does not end.
        """
        deadline = time.monotonic() + self._seconds
        while time.monotonic() < deadline:
            job = self._look(job_id)
            if job is not None and job["ended"]:
                return job
        raise WrongAnswer(f"job {job_id} did not end within {self._seconds:.0f} s")

    def _look(self, job_id: str) -> dict[str, Any] | None:
        """Return a job, within a while; None, a little later, where the API or a server of its is away."""
        try:
            reply = self._http.get(f"/v1/jobs/{job_id}", params={"wait": _WAIT_SECONDS})
        except httpx.TransportError:
            reply = None
        if reply is None or reply.is_server_error:
            time.sleep(self._away_seconds)
            return None
        return _body(reply)


def _body(reply: httpx.Response) -> dict[str, Any]:
    if not reply.is_success:
        raise WrongAnswer(
            f"{reply.request.method} {reply.request.url.path}: {reply.status_code} {reply.text}"
        )
    body: dict[str, Any] = reply.json()
    return body
