"""Originals over HTTP: the file of a document, pictures of its pages, who gets them, why there are none."""

import struct
from collections.abc import Iterator
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import pytest
from doubles.documents import made_document, write
from fleet.api import ServedApi

from hopline.models.documents import Document
from hopline.transport import ACT_AS_HEADER
from workers.core.metadata.changes import MetadataChange
from workers.core.originals import original_name, original_start
from workers.services import Services

HERE, FACT = "originals", ("A bridge stands.", ["bridge"])
PDF = (Path(__file__).parents[3] / "data" / "reading" / "pdf-sentence-across-pages.pdf").read_bytes()
SETTINGS = {"originals_bytes": 10_000_000, "original_bytes": 1_000_000}


def _document(services: Services, uri: str, data: bytes, media_type: str = "application/pdf") -> Document:
    """Make a document live whose file is kept."""
    write(services.graph, HERE, uri, [FACT])
    document = services.graph.store.document(made_document(HERE, uri, [FACT])[0].id)
    assert document is not None
    digest = sha256(data).hexdigest()
    named = services.graph.store.name_original(
        document, original_start(document.id, digest), original_name(document.id, digest)
    )
    assert named is not None
    state = services.originals.put(named, BytesIO(data), len(data))
    made_of = {"original": state, "original_file": named, "media_type": media_type, "size": len(data)}
    made = document.model_copy(update=made_of)
    services.graph.store.note_source(document.id, document.version, "h", uri, made_of=made)
    return made


@pytest.fixture
def report(services: Services) -> Iterator[Document]:
    document = _document(services, "reports/Müller & Söhne.pdf", PDF)
    yield document
    services.graph.store.delete_document(document.id)


def _picture(document: Document, page: int = 1) -> str:
    return f"/v1/documents/{document.id}/pages/{page}/picture"


def _pixels(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">2I", png[16:24])
    return width, height


def test_an_original_comes_as_it_was_to_be_stored(api: ServedApi, report: Document) -> None:
    with api.client(api.key("read")) as client:
        answer = client.get(f"/v1/documents/{report.id}/original")
        assert answer.content == PDF
        assert answer.headers["content-type"] == "application/pdf"
        assert answer.headers["x-content-type-options"] == "nosniff"
        name = "M%C3%BCller%20%26%20S%C3%B6hne.pdf"
        assert answer.headers["content-disposition"] == f"attachment; filename*=UTF-8''{name}"
        tag = answer.headers["etag"]
        same = client.get(f"/v1/documents/{report.id}/original", headers={"If-None-Match": tag})
        assert (same.status_code, same.content) == (304, b"")
        assert client.get(f"/v1/documents/{report.id}").json()["original"] == "kept"


def test_a_picture_tells_the_size_of_its_page_in_points(api: ServedApi, report: Document) -> None:
    with api.client(api.key("read")) as client:
        answer = client.get(_picture(report), params={"width": 400})
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"] == "image/png"
        assert (answer.headers["page-width"], answer.headers["page-height"]) == ("595.28", "841.89")
        assert _pixels(answer.content) == (400, 566)
        tag = answer.headers["etag"]
        other = client.get(_picture(report), params={"width": 401}, headers={"If-None-Match": tag})
        assert (other.status_code, _pixels(other.content)[0]) == (200, 401)
        known = {"If-None-Match": f'"x", W/{tag}'}
        again = client.get(_picture(report), params={"width": 400}, headers=known)
        assert (again.status_code, again.headers["etag"]) == (304, tag)


@pytest.mark.parametrize("width", ["99", "3001", "wide"])
def test_a_width_has_bounds(api: ServedApi, report: Document, width: str) -> None:
    with api.client(api.key("read")) as client:
        assert client.get(_picture(report), params={"width": width}).status_code == 422


@pytest.mark.parametrize(("page", "status"), [(0, 422), (-1, 422), (4, 404), (99_999, 404), (10**9, 422)])
def test_a_page_that_is_not_there_is_refused(
    api: ServedApi, report: Document, page: int, status: int
) -> None:
    with api.client(api.key("read")) as client:
        answer = client.get(_picture(report, page))
        assert answer.status_code == status
        assert status != 404 or "the document has 3 pages" in answer.json()["detail"]


def test_it_is_said_why_there_is_no_picture(api: ServedApi, services: Services, report: Document) -> None:
    def why(document: Document, path: str = "pages/1/picture") -> str:
        with api.client(api.key("read")) as client:
            answer = client.get(f"/v1/documents/{document.id}/{path}")
            assert answer.status_code == 404, answer.text
            return str(answer.json()["detail"])

    text = _document(services, "a.txt", b"text", "text/plain")
    assert "only pages of PDFs and pictures are drawn, and it is text/plain" in why(text)
    broken = _document(services, "b.pdf", b"%PDF-1.7 nothing")
    with api.client(api.key("read")) as client:
        answer = client.get(_picture(broken))
        assert (answer.status_code, "the file is damaged" in answer.text) == (422, True)
    for state, reason in (("too large", "larger than"), ("no room", "no room"), ("turned off", "turned off")):
        refused = report.model_copy(update={"original": state, "original_file": ""})
        services.graph.store.note_source(report.id, report.version, "h", report.uri, made_of=refused)
        assert reason in why(report)
        assert reason in why(report, "original")
    services.graph.store.note_source(report.id, report.version, "h", report.uri, made_of=report)
    services.originals.delete([report.original_file])
    assert "is not in the store any more" in why(report, "original")
    write(services.graph, HERE, "older.pdf", [FACT])
    older = made_document(HERE, "older.pdf", [FACT])[0]
    assert "before originals were kept" in why(older, "original")


def test_a_hidden_document_has_no_original_and_no_picture(
    api: ServedApi, services: Services, report: Document
) -> None:
    allow = MetadataChange(values={"allow": ("user:ann",)})
    services.graph.store.change_metadata([report.id], allow)
    ann, bo = (api.key("read", principals=(f"user:{name}",)) for name in ("ann", "bo"))
    paths = (f"/v1/documents/{report.id}/original", _picture(report))
    with api.client(ann) as client:
        tags = [client.get(path).headers["etag"] for path in paths]
        assert [client.get(path).status_code for path in paths] == [200, 200]
    acting = api.key("read", "act-as")
    for key, headers in ((bo, {}), (acting, {ACT_AS_HEADER: "user:bo"})):
        with api.client(key, **headers) as client:
            unknown = client.get("/v1/documents/d0/original").json()["detail"]
            for path, tag in zip(paths, tags, strict=True):
                answer = client.get(path, headers={"If-None-Match": tag})
                assert answer.status_code == 404
                assert answer.json()["detail"] == unknown.replace("d0", report.id)
    with api.client(api.key("read", collections=("elsewhere",))) as client:
        assert [client.get(path).status_code for path in paths] == [404, 404]
