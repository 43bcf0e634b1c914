"""What callers see of documents' addresses."""

from types import SimpleNamespace
from typing import Any

import pytest
from doubles.documents import made_document

from hopline.models.answers import CitedDocument
from hopline.models.documents import DocumentPage
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


def test_an_admin_sees_the_relative_address_of_a_document_beside_the_stored_one() -> None:
    document, admin = made_document("c", "file:///srv/texts/2024/a.md")[0], SimpleNamespace(sees_all=True)
    page = told_uris(DocumentPage(documents=[document]), admin, API)  # type: ignore[arg-type]
    for seen in (told_uris(document, admin, API), page.documents[0]):  # type: ignore[arg-type]
        assert (seen.uri, seen.relative_uri) == ("file:///srv/texts/2024/a.md", "2024/a.md")
    assert "relative_uri" not in document.model_dump(mode="json")
