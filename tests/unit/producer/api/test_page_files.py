"""The page's files: kept by browsers as long as they are the ones that the page was made of."""

import re

from fastapi import FastAPI
from fastapi.testclient import TestClient

from producer.api.page import serve_page


def client() -> TestClient:
    app = FastAPI(docs_url=None)
    serve_page(app)
    return TestClient(app)


def test_a_page_names_its_files_below_a_version_and_these_are_kept() -> None:
    page = client().get("/")
    assert page.headers["Cache-Control"] == "no-cache"
    names = re.findall(r'(?:href|src)="(web/[^"]+)"', page.text)
    assert "web/app.js" not in names
    assert all(re.match(r"web/v-[0-9a-f]{16}/", name) for name in names)
    [script] = [name for name in names if name.endswith("/app.js")]
    module = client().get(script)
    assert "immutable" in module.headers["Cache-Control"]
    assert module.headers["Content-Security-Policy"] == page.headers["Content-Security-Policy"]
    assert "immutable" in client().get(script.replace("app.js", "views/ask.js")).headers["Cache-Control"]


def test_files_of_another_version_or_of_none_are_asked_for_again() -> None:
    for path in ("/web/app.js", "/web/v-0123456789abcdef/app.js"):
        reply = client().get(path)
        assert (reply.status_code, reply.headers["Cache-Control"]) == (200, "no-cache")
    assert client().get("/web/v-0123456789abcdef/nothing.js").status_code == 404


def test_the_reference_stands_below_the_same_version() -> None:
    assert re.search(r'src="web/v-[0-9a-f]{16}/reference/viewer.js"', client().get("/docs").text)
