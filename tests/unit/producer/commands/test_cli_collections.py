"""`hopline collections schema`: what is refused before and by the API."""

from pathlib import Path

import pytest
from doubles.command_line import Run

RULES = {"fields": {"kind": {"type": "text", "allowed": ["offer"]}}}


@pytest.mark.parametrize(("written", "says"), [
    ("{", "a JSON file of a schema"),
    ('{"only": NaN}', "NaN is not JSON"),
    ('{"only": true, "only": false}', "only is False, but must be given once"),
    ("[]", "schema is []"),
    ('{"fields": {"kind": {"type": "word"}}}', "fields.kind.type"),
    ('{"fields": {"kind": {"type": "date", "allowed": ["a"]}}}', "fields.kind is"),
])  # fmt: skip
def test_what_is_no_schema_is_refused(run: Run, tmp_path: Path, written: str, says: str) -> None:
    file = tmp_path / "schema.json"
    file.write_text(written, encoding="utf-8")
    result = run("collections", "schema", "contracts", "--set", file)
    assert (result.exit_code, result.stdout) == (2, "")
    assert says in result.stderr


@pytest.mark.parametrize(("words", "says"), [
    (("contracts", "--clear", "--set", "f"), "left out with --set"),
    (("contracts", "--anyway"), "left out without --set"),
    (("a b",), "collection is 'a b'"),
])  # fmt: skip
def test_what_does_not_go_together_is_refused(run: Run, words: tuple[str, ...], says: str) -> None:
    result = run("collections", "schema", *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert says in result.stderr
