"""What callers see of documents' addresses."""

from types import SimpleNamespace
from typing import Any

import pytest

from hopline.models.answers import CitedDocument
from producer.api.shown_uris import told_uris

SOURCES = "file:///srv/texts, file:///srv/texts/open/, s3://reports/open"
API: Any = SimpleNamespace(settings=SimpleNamespace(api_sources=SOURCES))


@pytest.mark.parametrize(("stored", "shown"), [
    ("/srv/texts/2024/a.md", "2024/a.md"),
    ("file:///srv/texts/open/b.md", "b.md"),
    ("/srv/texts-old/c.md", "c.md"),
    ("/srv/ann/notes/d.md#one", "d.md#one"),
    ("s3://reports/open/q/e.pdf", "q/e.pdf"),
    ("s3://elsewhere/f.pdf", "s3://elsewhere/f.pdf"),
    ("notes/g.md", "notes/g.md"),
])  # fmt: skip
def test_who_is_no_admin_sees_addresses_relative_to_their_source(stored: str, shown: str) -> None:
    cited = CitedDocument(id="d1", title="A", uri=stored)
    told: dict[str, Any] = {"citations": (cited, {"document": {"uri": stored}}), "n": [1]}
    seen = told_uris(told, SimpleNamespace(sees_all=False), API)  # type: ignore[arg-type]
    assert (seen["citations"][0].uri, seen["citations"][1]["document"]["uri"]) == (shown, shown)
    assert seen["n"] is told["n"]
    assert told_uris(told, SimpleNamespace(sees_all=True), API) is told  # type: ignore[arg-type]
