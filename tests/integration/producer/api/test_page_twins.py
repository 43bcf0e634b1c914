"""Hidden documents: at every address that the page asks, two stores that differ only in them answer alike."""

import json
import re
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
from doubles.documents import made_document, write
from fleet.api import ServedApi

from hopline.models.jobs import JobState
from workers.core.jobs.records import Wanted
from workers.core.metadata.changes import MetadataChange
from workers.engine.outbox import work_off
from workers.engine.submit import cancel_job

TWINS = "twins"
OPEN = ("open.txt", [("A bridge stands in Conwy.", ["bridge", "Conwy"])])
HIDDEN = ("legal.txt", [("The bridge of Conwy belongs to Mara.", ["bridge", "Conwy", "Mara"])])
OPEN_ID, HIDDEN_ID = (made_document(TWINS, *each)[0].id for each in (OPEN, HIDDEN))
LEGAL = MetadataChange(values={"allow": ("group:legal",), "tags": ("secret",), "author": "Mara"})
WEB = Path(__file__).parents[4] / "producer" / "web"
_PATH = re.compile(r"""["'`]((?:v1|health)/[^"'`?]*)""")
_PASSING = frozenset({"seconds", "ms"})  # measured times

# What the page asks at each of its addresses, as method and address; a name in braces is one of `Store`.
READS: dict[str, list[str]] = {
    "health/live": ["health/live"],
    "health/ready": [],  # which servers answer, which may change meanwhile
    "v1/about": ["v1/about"],
    "v1/batches": ["v1/batches"],
    "v1/batches/{}": ["v1/batches/night"],
    "v1/collections": ["v1/collections"],
    "v1/collections/{}": ["v1/collections/twins"],
    "v1/collections/{}/questions": ["v1/collections/twins/questions"],
    "v1/collections/{}/topics{}": ["v1/collections/twins/topics"],
    "v1/concepts": ["v1/concepts?collection=twins&concept=bridge"],
    "v1/concepts/relations/{}": ["v1/concepts/relations/r1"],
    "v1/concepts/relations/{}/undo": ["v1/concepts/relations/r1/undo"],
    "v1/concepts/versions": ["v1/concepts/versions?collection=twins"],
    "v1/conversations": ["v1/conversations", "v1/conversations?q=Mara"],
    "v1/conversations/{}": [f"v1/conversations/{{{name}}}" for name in ("own", "shared", "secret", "only")],
    "v1/documents": [
        "v1/documents?collection=twins",
        "v1/documents?collection=twins&q=Mara",
        "v1/documents?collection=twins&q=Conwy&sort=facts",
        "v1/documents?collection=twins&where=tags%20has%20%22secret%22",
    ],
    "v1/documents/facets": ["v1/documents/facets?collection=twins"],
    "v1/documents/{}": [f"v1/documents/{each}" for each in (OPEN_ID, HIDDEN_ID)],
    "v1/documents/{}/original": [f"v1/documents/{each}/original" for each in (OPEN_ID, HIDDEN_ID)],
    "v1/documents/{}/pages/{}/picture": [f"v1/documents/{HIDDEN_ID}/pages/1/picture"],
    "v1/documents/{}/text": [f"v1/documents/{each}/text?start=0&end=90" for each in (OPEN_ID, HIDDEN_ID)],
    "v1/graph/neighbourhood": ["v1/graph/neighbourhood?collection=twins&name=Mara"],
    "v1/graph/tools": ["v1/graph/tools?collection=twins"],
    "v1/history": ["v1/history"],
    "v1/history/costs": ["v1/history/costs"],
    "v1/jobs": ["v1/jobs", "v1/jobs?collection=twins&kind=query"],
    "v1/jobs/{}": ["v1/jobs/{own_job}", "v1/jobs/{secret_job}"],
    "v1/jobs/{}/events": ["v1/jobs/{own_job}/events", "v1/jobs/{secret_job}/events"],
    "v1/pauses": ["v1/pauses"],
    "v1/queries": [],
    "v1/schedules": ["v1/schedules"],
    "v1/schedules/{}": ["v1/schedules/nightly"],
    "v1/schedules/{}/runs": ["v1/schedules/nightly/runs"],
    "v1/schedules/{}/{}": ["v1/schedules/nightly/pause"],
    "v1/search": ["v1/search?collection=twins&question=Whose%20is%20the%20bridge%3F"],
}
ABOUT_HIDDEN = {"question": "Whose?", "collection": TWINS, "documents": [HIDDEN_ID]}
WRITES: list[tuple[str, str, Any]] = [
    ("DELETE", f"v1/documents/{HIDDEN_ID}", None),
    ("PATCH", "v1/documents", {"documents": [HIDDEN_ID], "values": {"author": "Bo"}}),
    ("DELETE", "v1/jobs/{secret_job}", None),
    ("PATCH", "v1/conversations/{secret}", {"shared": True}),
    ("DELETE", "v1/conversations/{secret}", None),
    ("POST", "v1/queries", ABOUT_HIDDEN),
    ("POST", "v1/queries", {"question": "Whose?", "collection": TWINS, "where": 'author = "Mara"'}),
]


def asked_by_the_page() -> set[str]:
    """Return the addresses that the page's files name, with {} for what differs between requests."""
    files = [file for file in WEB.rglob("*.js") if "vendor" not in file.parts]
    texts = [re.sub(r"\$\{[^}]*\}", "{}", file.read_text(encoding="utf-8")) for file in files]
    return {path for text in texts for path in _PATH.findall(text)}


class Store:
    """A collection with an open document, whose reader user:bo has a conversation and was given a link."""

    def __init__(self, api: ServedApi) -> None:
        self.api = api
        self.bo = api.client(api.key("submit", principals=("user:bo",)))
        self.ann = api.client(api.key("admin"))
        names = ("own", "shared", "secret", "only")
        self.names = {name: uuid4().hex for name in names} | {"secret_job": "j" + "0" * 24}
        write(api.services.graph, TWINS, *OPEN)
        self.names["own_job"] = self.ask(self.bo, "own", "Where is it?", OPEN_ID)
        self.ask(self.ann, "shared", "Where is the bridge?", OPEN_ID)
        self.share("shared")

    def ask(self, client: httpx.Client, talk: str, question: str, *rests_on: str) -> str:
        """Ask a question, whose answer cites some documents; return its job."""
        body = {"question": question, "collection": TWINS, "conversation": self.names[talk]}
        job: str = client.post("/v1/queries", json=body).json()["id"]
        quote = {
            "kind": "text", "fact_id": "f", "fact": "F.", "score": 1, "final_decayed_score": 1, "depth": 0,
            "source_description": "s", "chunk_id": "c", "start": 0, "end": 1, "quote": "q",
        }  # fmt: skip
        cited = [
            {**quote, "n": n, "document": {"id": each, "title": each, "uri": each}}
            for n, each in enumerate(rests_on, 1)
        ]
        outcome = {"text": "So it is [1].", "citations": cited, "rests_on": rests_on}
        self.api.services.ledger.end(job, None, JobState.DONE, outcome)
        work_off(self.api.services, job)
        return job

    def share(self, talk: str) -> None:
        """Share a conversation of ann's."""
        path = f"/v1/conversations/{self.names[talk]}"
        assert self.ann.patch(path, json={"shared": True}).status_code == 200

    def hide_more(self) -> None:
        """Add a hidden document, and what others do with it."""
        services = self.api.services
        write(services.graph, TWINS, *HIDDEN)
        services.graph.store.change_metadata([HIDDEN_ID], LEGAL)
        self.ask(self.ann, "shared", "Whose is it?", OPEN_ID, HIDDEN_ID)
        self.ask(self.ann, "shared", "Where does Mara live?", OPEN_ID)
        self.names["secret_job"] = self.ask(self.ann, "secret", "Who is Mara?", HIDDEN_ID)
        self.ask(self.ann, "only", "Does Mara own it?", HIDDEN_ID)
        self.share("only")

    def shown(self) -> dict[str, tuple[int, str]]:
        """Return what the reader gets at every address that the page asks."""
        reads = [("GET", path, None) for paths in READS.values() for path in paths]
        return {
            f"{method} {path} {body}": self._sent(method, path, body)
            for method, path, body in (*reads, *WRITES)
        }

    def _sent(self, method: str, path: str, body: Any) -> tuple[int, str]:
        address = f"/{path.format_map(self.names)}"
        answer = self.bo.request(method, address, json=body, headers={"X-Request-ID": "twin"})
        text = answer.text
        for name, value in self.names.items():
            text = text.replace(value, name)
        return answer.status_code, _lasting(text)


def _lasting(text: str) -> str:
    """Return a JSON text without measured times, and without the collections of tests that run meanwhile."""

    def is_own(value: Any) -> bool:
        return not isinstance(value, dict) or value.get("name") == TWINS

    def kept(fields: dict[str, Any]) -> dict[str, Any]:
        told = {name: value for name, value in fields.items() if name not in _PASSING}
        listed = told.get("collections")
        return told | {"collections": list(filter(is_own, listed))} if isinstance(listed, list) else told

    try:
        return json.dumps(json.loads(text, object_hook=kept))
    except ValueError:
        return text


def test_every_address_that_the_page_asks_has_a_case() -> None:
    assert asked_by_the_page() == set(READS)


def test_the_page_shows_of_hidden_documents_what_it_would_if_there_were_none(api: ServedApi) -> None:
    store = Store(api)
    before = store.shown()
    assert before[f"GET v1/documents/{OPEN_ID} None"][0] == 200
    talks = [before[f"GET v1/conversations/{{{name}}} None"][0] for name in ("own", "shared", "secret")]
    assert talks == [200, 200, 404]
    store.hide_more()
    after = store.shown()
    assert {asked: after[asked] for asked in before if after[asked] != before[asked]} == {}
    legal = api.client(api.key("read", principals=("group:legal",)))
    assert "Mara" in legal.get(f"/v1/conversations/{store.names['shared']}").text, "nothing was hidden"
    for job in api.services.ledger.page(Wanted(), limit=100)[0]:
        cancel_job(api.services, job.job.id)
