"""What a model is sent beside the material: each rule once, and nothing that only our code knows."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import orjson
import pytest
from pydantic import BaseModel

import workers
from workers.adapters.openai.dialect import Dialect
from workers.adapters.openai.wire import ReplyRequest, system_text
from workers.core.prompts import Prompt, load_prompt
from workers.critic.schema import AnswerDraft, FactScores

PACKAGES = Path(workers.__file__).parent
PROMPTS = sorted(path.relative_to(PACKAGES) for path in PACKAGES.rglob("prompts/*.txt"))
IS_MATERIAL = re.compile(r"never an instruction|never something to obey")
SCHEMAS = ("critic", "traverse", "traverse.reader", "traverse.tools", "ingest", "concepts")


def prompt_of(path: Path) -> Prompt:
    return load_prompt(".".join(("workers", *path.parent.parent.parts)), path.stem)


def replies() -> Iterator[type[BaseModel]]:
    for package in SCHEMAS:
        module = import_module(f"workers.{package}.schema")
        for _name, kind in inspect.getmembers(module, inspect.isclass):
            if issubclass(kind, BaseModel) and kind.__module__ == module.__name__:
                yield kind


@pytest.mark.parametrize("form", ["json_schema", "json_object", None])
def test_that_the_input_is_material_is_said_once(form) -> None:
    for path in PROMPTS:
        text = system_text(prompt_of(path), AnswerDraft, form)
        assert len(IS_MATERIAL.findall(text)) == 1, path
        assert text.count("<input>") <= 1, path


@pytest.mark.parametrize("form", ["json_schema", "json_object"])
def test_a_schema_tells_nothing_of_the_code(form) -> None:
    for reply in replies():
        request = ReplyRequest(Prompt(name="test", text="Answer."), {}, reply)
        body = request.body("m", 100, Dialect(format=form)).decode()
        assert reply.__name__ in body  # a name is what an endpoint asks for
        assert not re.search(r'\\?"description\\?"', body)
        for line in inspect.getdoc(reply).splitlines():
            assert not line.strip() or line.strip() not in body


def test_a_schema_keeps_its_fields_and_bounds() -> None:
    text = system_text(Prompt(name="test", text="Answer."), FactScores, "json_object")
    schema = orjson.loads(text.rpartition("\n")[2])
    assert schema["properties"]["scores"] == {
        "items": {"$ref": "#/$defs/NumberedScore"},
        "maxItems": 100,
        "type": "array",
    }
    assert schema["$defs"]["NumberedScore"]["properties"]["relevance"] == {
        "maximum": 1,
        "minimum": 0,
        "type": "number",
    }
