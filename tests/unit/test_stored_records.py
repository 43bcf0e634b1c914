"""Workers of two versions read one another's records: what a newer one has added is left out by an older.

`tests/data/stored_fields.txt` holds the fields of all that is stored, a line for each package that reads it.
"""

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from hopline.errors import InvalidInput
from hopline.events.catalogue import CATALOGUE
from hopline.models.base import Frozen
from workers.core.jobs.params import parse_params, read_input
from workers.core.jobs.work import as_json
from workers.flows.registry import FLOWS, STRATEGIES
from workers.history.books import EVENTS, JOBS

ROOT = Path(__file__).resolve().parents[2]
FIELDS = ROOT / "tests" / "data" / "stored_fields.txt"
VALIDATES = {"model_validate", "model_validate_json", "validate_json", "validate_python"}
READS = VALIDATES | {"read_stored"}
# Calls that read what no version of hopline stored, by the beginning of module::call, and what it is.
NOT_STORED = {
    "workers/core/jobs/params.py::model.": "how parameters are read, asked for or stored",
    "hopline/models/tags.py::_TAGS.": "what a request or a command names",
    "hopline/operation.py::self.arguments.": "what a caller asks for",
    "workers/core/answers/evidence.py::ScoredFact.": "made of parts",
    "workers/core/models/prices.py::PriceList.": "a file that users write",
    "workers/concepts/schema.py::Related.": "a model's reply",
    "workers/critic/synthesize.py::DraftSentence.": "a model's reply, as it comes",
    "workers/adapters/openai/wire.py::reply.": "a model's reply",
    "workers/ingest/requests.py::request.reply.": "a model's reply, kept by its schema",
    "workers/ingest/profile/profile.py::Profile.": "a file that users write",
    "workers/text2cypher/guide.py::Example.": "a file that users write",
    "workers/tools/": "declarations that users write",
    "workers/engine/submit.py::Terms.": "made of a job's fields",
    "producer/api/": "requests, and views of records",
    "producer/messages/": "messages, and replies of the API",
    "producer/service/batches/status.py::BatchStatus.": "made of parts",
    "producer/demo/questions.py::kind.": "a file of a demo",
    "producer/estimate/sample.py::Total.": "made of parts",
    "producer/evaluation/dataset.py::kind.": "a file that users write",
}
# What a field must hold that its schema does not say.
PLAIN: dict[str, Any] = {
    "relation": "One feeds the other. It always has.",
    "hours": "22:00-06:00",
    "zone": "UTC",
    "encoding": "gbk",
}
# Records whose fields have places instead of names: a newer version adds none.
POSITIONAL = {"workers/ingest/pages.py::_EMBEDDABLES", "workers/ingest/provider/lines.py::_PARTS"}


# Of Frozen itself, of whatever model a step names or an operation returns, and of the rows of a book.
GENERIC = {"Frozen", "kind", "self.input", "self._book.row", "self._result"}


def _calls() -> Iterator[tuple[str, ast.Call]]:
    """Yield module and call of every method that is called by name, in modules that read records."""
    for package in ("hopline", "workers", "producer"):  # but commands, which read replies
        for path in sorted((ROOT / package).rglob("*.py")):
            module, text = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
            if not any(name in text for name in READS) or module.startswith("hopline/commands/"):
                continue
            for node in ast.walk(_naming_classes(ast.parse(text))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                    yield module, node
                for argument in node.args if isinstance(node, ast.Call) else ():
                    if isinstance(argument, ast.Attribute):  # map(Kind.read_stored, ...)
                        yield module, ast.Call(func=argument, args=[], keywords=[])


def _naming_classes(module: ast.Module) -> ast.Module:
    """Write into class methods the name of their class: there a record reads itself."""
    for kind in ast.walk(module):
        for node in ast.walk(kind) if isinstance(kind, ast.ClassDef) else ():
            if isinstance(node, ast.Name) and node.id == "cls":
                node.id = kind.name
    return module


def _ignores(call: ast.Call) -> bool:
    return any(word.arg == "extra" and ast.unparse(word.value) == "'ignore'" for word in call.keywords)


def _stored_kinds() -> dict[str, TypeAdapter[Any]]:
    """Return every kind of record that some module reads, by its name."""
    kinds: dict[str, TypeAdapter[Any]] = {}
    for module, call in _calls():
        assert isinstance(call.func, ast.Attribute)
        if call.func.attr != "read_stored" and not (call.func.attr in VALIDATES and _ignores(call)):
            continue
        owner = ast.unparse(call.func.value)
        if owner in GENERIC:
            continue
        record = vars(importlib.import_module(module.removesuffix(".py").replace("/", ".")))[owner]
        kinds[f"{module}::{owner}"] = record if isinstance(record, TypeAdapter) else TypeAdapter(record)
    flows = {**FLOWS, **{flow.kind: flow for flow in STRATEGIES.values()}}
    steps = [step for flow in flows.values() for step in flow.steps.values()]
    named = dict.fromkeys(model for step in steps for model in (step.input, step.result) if model is not None)
    return (
        kinds
        | {f"parameters of {name}": TypeAdapter(flow.params) for name, flow in flows.items()}
        | {f"rows of {book.waiting}": TypeAdapter(book.row) for book in (JOBS, EVENTS)}
        | {f"{model.__module__}::{model.__name__} of a step": TypeAdapter(model) for model in named}
        | {
            f"{event.__module__}::{event.__name__} of a job": TypeAdapter(event)
            for event in CATALOGUE.values()
        }
    )


KINDS = _stored_kinds()


def _example(schema: dict[str, Any], known: dict[str, Any], *, newer: bool) -> Any:
    """Return a value of a schema, all fields set; one of a newer version has one more in every object."""
    if "$ref" in schema:
        schema = known[schema["$ref"].rpartition("/")[2]]
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        objects = [choice for choice in choices if "$ref" in choice or "items" in choice]
        return _example((objects or choices)[0], known, newer=newer)
    if schema.get("type") == "object":
        other = schema.get("additionalProperties")
        fields = schema.get("properties") or ({"Some": other} if isinstance(other, dict) else {})
        for pattern, field in schema.get("patternProperties", {}).items():
            fields = {_word(pattern): field}
        made = {
            name: PLAIN[name]
            if name in PLAIN and "$ref" not in field
            else _example(field, known, newer=newer)
            for name, field in fields.items()
        }
        return made | {"newer": 1} if newer and "properties" in schema else made
    if schema.get("type") == "array":
        parts = schema.get("prefixItems") or [schema.get("items", {})] * schema.get("minItems", 1)
        return [_example(part, known, newer=newer) for part in parts]
    if schema.get("format") == "date-time":
        return "2026-01-01T00:00:00Z"
    least = schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
    plain = {"integer": least, "number": least, "boolean": True, "null": None}
    text = (
        schema.get("const")
        or schema.get("enum", [_word(schema.get("pattern", "")) * max(1, schema.get("minLength", 1))])[0]
    )
    return plain.get(schema.get("type", ""), text)


def _word(pattern: str) -> str:
    return next(word for word in ("Some", "SOME", "some", "0" * 32) if re.search(pattern, word))


def _stored(kind: TypeAdapter[Any], *, newer: bool) -> Any:
    schema = kind.json_schema(by_alias=True)
    return _example(schema, schema.get("$defs", {}), newer=newer)


def test_the_kinds_of_stored_records_are_found() -> None:
    kinds = {name.rpartition("::")[2] for name in KINDS}
    assert kinds > {"Job", "Parent", "Page", "Pause", "BatchRecord", "ApiKey", "Item", "Report", "_CHUNKS"}


def _fields(kind: TypeAdapter[Any]) -> Iterator[str]:
    """Yield each model in a kind of record with its fields; one that may be missing ends with "?"."""
    schema = kind.json_schema(by_alias=True)
    for name, model in {**schema.get("$defs", {}), schema.get("title", ""): schema}.items():
        if fields := model.get("properties"):
            needed = model.get("required", ())
            named = " ".join(field if field in needed else f"{field}?" for field in fields)
            yield f"{name} = {named}"


def test_what_is_stored_keeps_the_names_of_its_fields() -> None:
    held: dict[str, set[str]] = {}
    for name, kind in KINDS.items():
        package = ".".join(re.split(r"[./ ]", name)[:2])
        held.setdefault(package, set()).update(_fields(kind))
    lines = (line.split(": ", 1) for line in FIELDS.read_text(encoding="utf-8").splitlines())
    stored = {package: set(models.split(" | ")) for package, models in lines}
    why = "workers of the version before read and write these: where a change is meant, change the list too"
    assert {package: models for package, models in held.items() if models} == stored, why


@pytest.mark.parametrize("name", KINDS)
def test_a_record_of_a_newer_version_is_read_without_what_it_added(name: str) -> None:
    kind = KINDS[name]
    newer, known = _stored(kind, newer=True), _stored(kind, newer=False)
    if name in POSITIONAL:
        assert newer == known
        return
    with pytest.raises(ValidationError, match="newer"):
        kind.validate_python(newer)
    read = kind.validate_python(newer, extra="ignore")
    assert read == kind.validate_python(known)
    if isinstance(read, Frozen):
        assert as_json(read.read_stored(as_json(read))) == as_json(read)


def test_every_record_is_read_as_a_stored_one_or_said_to_be_none() -> None:
    strict = {
        f"{module}::{ast.unparse(call.func)}"
        for module, call in _calls()
        if isinstance(call.func, ast.Attribute) and call.func.attr in VALIDATES and not _ignores(call)
    }
    assert [call for call in sorted(strict) if not call.startswith(tuple(NOT_STORED))] == []
    assert [known for known in NOT_STORED if not any(call.startswith(known) for call in strict)] == []


@pytest.mark.parametrize("flow", FLOWS.values(), ids=list(FLOWS))
def test_what_users_ask_for_is_refused_where_a_field_is_unknown(flow: Any) -> None:
    stored = _stored(TypeAdapter(flow.params), newer=True)
    with pytest.raises(InvalidInput, match="newer"):
        parse_params(flow.params, stored)
    assert isinstance(read_input(flow.params, stored), Frozen)
