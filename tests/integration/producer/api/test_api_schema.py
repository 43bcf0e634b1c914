"""Schemathesis against the OpenAPI document: no 5xx, no status or body that is not documented, all checks."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from fleet.api import ServedApi, served_api
from fleet.cases import SHARE, cases
from fleet.crew import settings_of
from openapi_spec_validator import OpenAPIV31SpecValidator

from hopline.events.catalogue import CATALOGUE
from hopline.transport import VERSION_HEADER
from workers.services import Services

_BOUNDS = {
    "api_wait": 0.05, "api_stream": 0.2, "api_body_bytes": 10_000_000, "api_jobs_in_flight": 100_000,
    "queue_bound": 1_000_000, "api_json_bytes": 10_000_000,  # the longest lists of the longest places
}  # fmt: skip


_RULES = """
# Rules that no JSON schema tells, refused with 422: a name or an id, one of them; a tool's own arguments; an
# address that a webhook may have; a profile's TOML; an overlap that does not fit its chunks; a concept's name
# without a letter or digit; an end before its start; a cursor of another order, or an order without a
# collection; a document that a test put into a collection with a name of no user's; a relation's definition
# of two sentences, a correction of nothing; documents by id and by filter at once, a filter's
# language, a change of nothing; a field's name, bounds and values that do not go together; a scope that
# means no document; an act on jobs that nothing names, two values of one tag; a parameter that no question
# has; a queue, a step or a key that is not there; places that are not to be read, times and hours that are
# none; a principal that is none; a name with signs of other scripts; a collection or a document to erase,
# one of them; a job to resume, no sync; a cursor that no list gave, a tag of nothing that is there; an upload
# that is none, too few or many files; a conversation without a question, an event that is none.
[[operations]]
include-name = [
  "GET /v1/graph/neighbourhood", "POST /v1/tools/{name}",
  "POST /v1/queries", "POST /v1/queries/check", "POST /v1/chat/completions", "POST /v1/documents",
  "GET /v1/jobs/{job_id}/events",
  "POST /v1/concepts", "GET /v1/concepts", "GET /v1/concepts/versions",
  "GET /v1/concepts/relations",
  "PATCH /v1/concepts/relations/{relation_id}", "DELETE /v1/concepts/relations/{relation_id}",
  "GET /v1/search", "GET /v1/documents", "GET /v1/documents/facets", "PATCH /v1/documents",
  "DELETE /v1/documents", "DELETE /v1/schedules/{name}", "DELETE /v1/collections/{name}/schema",
  "GET /v1/collections", "GET /v1/schedules", "GET /v1/batches", "GET /v1/collections/{name}/topics",
  "GET /v1/collections/{name}/merges", "GET /v1/collections/{name}/name-candidates",
  "GET /v1/documents/{document_id}/text", "GET /v1/documents/{document_id}/original",
  "GET /v1/documents/{document_id}/pages/{page}/picture",
  "PUT /v1/collections/{name}/schema",
  "DELETE /v1/documents/{document_id}", "POST /v1/jobs/act", "GET /v1/jobs",
  "POST /v1/jobs/{job_id}/replay", "POST /v1/jobs/{job_id}/replay/check",
  "GET /v1/history", "DELETE /v1/history", "GET /v1/history/costs", "GET /v1/audit", "POST /v1/pauses",
  "PUT /v1/weights",
  "GET /v1/sources", "POST /v1/uploads",
  "POST /v1/batches", "POST /v1/estimates", "POST /v1/syncs", "PUT /v1/schedules/{name}",
  "POST /v1/syncs/{job_id}/resume",
  "GET /v1/schema",
  "GET /v1/collections/{name}", "PATCH /v1/collections/{name}", "DELETE /v1/collections/{name}",
  "GET /v1/collections/{name}/questions", "GET /v1/collections/{name}/schema",
  "DELETE /v1/collections/{name}/schema", "POST /v1/collections/{name}/reindex",
  "POST /v1/concepts/relations/{relation_id}/undo", "POST /v1/collections/{name}/merge",
  "GET /v1/collections/{name}/merges", "GET /v1/collections/{name}/name-candidates",
  "GET /v1/collections/{name}/topics", "POST /v1/collections/{name}/topics",
  "GET /v1/collections/{name}/topics/{topic}", "GET /v1/tools", "GET /v1/tools/packs",
  "GET /v1/schedules/{name}/runs", "POST /v1/keys", "PATCH /v1/keys/{key_id}",
  "GET /v1/conversations", "PATCH /v1/conversations/{conversation_id}",
]
checks.positive_data_acceptance.expected-statuses = ["2xx", "404", "409", "412", "422"]

# A form of files alone: a part that is none cannot be read.
[[operations]]
include-name = ["PUT /v1/uploads/files"]
checks.positive_data_acceptance.expected-statuses = ["2xx", "400", "404", "409", "412", "422"]

# A header that no operation knows is no fault, as everywhere in HTTP.
[[operations]]
include-name = ["GET /v1/jobs/{job_id}/events"]
checks.negative_data_rejection.expected-statuses = ["2xx", "400", "401", "403", "404", "422"]

# No worker runs here, and that is what they have to say.
[[operations]]
include-name = ["GET /health", "GET /health/ready", "POST /v1/chat/completions"]
checks.not_a_server_error.expected-statuses = ["2xx", "4xx", "503"]
"""
# Of make test: the other phases are most of the work, and are left to the long run, which has them all.
_QUICK_PHASES = "fuzzing,stateful"
# DELETE cancels a job, or makes a job that deletes: what it names can be read afterwards.
_NOT_HERE = "use_after_free"


@pytest.fixture(scope="module")
def fuzzed(stack_env, empty_redis, tmp_path_factory):
    """An API that no worker works for: what is submitted waits."""
    blobs = str(tmp_path_factory.mktemp("blobs"))
    services = Services(settings_of(stack_env, redis_url=empty_redis, blob_url=blobs, **_BOUNDS))
    services.graph.migrate()
    with served_api(services, loopback=False) as api:
        yield api
    services.close()


def test_every_event_is_documented_and_every_operation_has_an_id_of_its_own(fuzzed: ServedApi) -> None:
    with fuzzed.client() as client:
        document = client.get("/openapi.json").json()
    titles = {schema.get("title"): schema for schema in document["components"]["schemas"].values()}
    assert set(CATALOGUE) <= set(titles)
    assert titles["fact.scored"]["required"] == ["fact", "score", "scored_by"]
    operations = [operation for methods in document["paths"].values() for operation in methods.values()]
    ids = [operation["operationId"] for operation in operations]
    assert sorted(ids) == sorted(set(ids))


def test_every_component_has_the_name_of_its_class(fuzzed: ServedApi) -> None:
    with fuzzed.client() as client:
        document = client.get("/openapi.json").json()
    named = [name for components in document["components"].values() for name in components]
    assert [name for name in named if "__" in name or not name.isidentifier()] == [], "generators take these"
    operations = [operation for methods in document["paths"].values() for operation in methods.values()]
    schemes = {name for each in operations for one in each.get("security", ()) for name in one}
    assert schemes == set(document["components"]["securitySchemes"]) == {"apiKey"}


def test_the_document_is_valid_and_names_headers_outcomes_and_the_webhook(fuzzed: ServedApi) -> None:
    with fuzzed.client() as client:
        answer = client.get("/openapi.json")
    document = answer.json()
    assert [str(error)[:300] for error in OpenAPIV31SpecValidator(document).iter_errors()] == []
    operations = [operation for methods in document["paths"].values() for operation in methods.values()]
    responses = [each for operation in operations for each in operation["responses"].items()]
    assert all({"X-Request-ID", VERSION_HEADER} <= response["headers"].keys() for _, response in responses)
    assert all(name in answer.headers for name in ("X-Request-ID", VERSION_HEADER))
    waits = {status for status, response in responses if "Retry-After" in response["headers"]}
    assert waits == {"429", "503"}
    asked = document["paths"]["/v1/queries"]["post"]["responses"]
    assert "Location" in asked["202"]["headers"]
    called = document["paths"]["/v1/queries"]["post"]["callbacks"]["jobEnded"]
    assert called["{$request.body#/webhook}"]["post"]["requestBody"]  # no reference
    answer_schema = document["components"]["schemas"]["Answer"]
    assert {"text", "citations", "reason"} <= answer_schema["properties"].keys()
    assert "kind" in answer_schema["required"]


@pytest.mark.cases
def test_every_answer_is_as_documented(fuzzed: ServedApi, tmp_path: Path) -> None:
    (tmp_path / "schemathesis.toml").write_text(_RULES, encoding="utf-8")
    command = (
        *(sys.executable, "-m", "schemathesis.cli", "run", f"{fuzzed.url}/openapi.json"),
        *(
            "--checks", "all", "--exclude-checks", _NOT_HERE, "--header",
            f"Authorization: Bearer {fuzzed.key('admin')}",
        ),
        *("--max-examples", str(cases(12)), "--generation-deterministic", "--no-color"),
        *(() if SHARE == 1 else ("--phases", _QUICK_PHASES)),
        *("--request-timeout", "120", "--max-response-time", "120", "--no-shrink"),
    )  # fmt: skip
    process = subprocess.run(
        command, cwd=tmp_path, env=os.environ, capture_output=True, text=True, timeout=850, check=False
    )
    assert process.returncode == 0, "\n".join(line[:300] for line in process.stdout.splitlines())[-20_000:]
