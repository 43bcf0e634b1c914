"""docs/asyncapi.json is what the models say, and all that it refers to is there."""

import json
from collections.abc import Iterator
from functools import reduce
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker

from producer.messages.asyncapi import PAGE, asyncapi, asyncapi_text

DOCUMENT = asyncapi()


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        for name, value in part.items():
            if name == "$ref":
                yield value
            else:
                yield from _references(value)
    elif isinstance(part, list):
        for value in part:
            yield from _references(value)


def _at(reference: str) -> Any:
    return reduce(lambda part, name: part[name], reference.removeprefix("#/").split("/"), DOCUMENT)


def test_the_page_is_up_to_date_and_what_it_refers_to_is_there_and_used() -> None:
    assert PAGE.read_text(encoding="utf-8") == asyncapi_text(), "run python -m producer.messages.asyncapi"
    for reference in set(_references(DOCUMENT)):
        assert _at(reference), reference
    no_format = FormatChecker(formats=())  # patterns are written for other languages' engines, too
    for schema in DOCUMENT["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema, no_format)
    for operation in DOCUMENT["operations"].values():
        for part in (operation, *([operation["reply"]] if "reply" in operation else [])):
            channel = part["channel"]["$ref"]
            assert all(message["$ref"].startswith(f"{channel}/messages/") for message in part["messages"])
        assert operation["action"] in {"send", "receive"}
    message = {"kind": "query", "params": {"question": "Who?"}, "key": "request-17"}
    schema = {"$ref": "#/components/schemas/SubmitMessage", "components": DOCUMENT["components"]}
    assert Draft202012Validator(json.loads(json.dumps(schema))).is_valid(message)
    assert not Draft202012Validator(schema).is_valid(message | {"colour": "red"})
