"""The page's files: vendored as pinned, asking no outside address, listening to events of the catalogue."""

import hashlib
import json
import re
from pathlib import Path

import pytest

from hopline.events.catalogue import CATALOGUE

WEB = Path(__file__).resolve().parents[4] / "producer" / "web"
VENDOR = WEB / "vendor"
OWN = sorted(
    path
    for path in WEB.rglob("*")
    if path.suffix in {".html", ".css", ".js", ".svg"} and VENDOR not in path.parents
)
LONGEST = 300  # lines, as for Python's modules
_IMPORT = re.compile(r"""(?:from|import)\s*\(?\s*["'](\.[^"']+)["']""")
_STATIC = re.compile(r"""^(?:import|export)\b[^;]*?["'](\.[^"']+)["'];""", re.MULTILINE)
# How licences begin that do not name themselves.
_GRANTS = {
    "MIT": "Permission is hereby granted",
    "ISC": "Permission to use, copy, modify, and/or distribute",
    "Apache-2.0": "Apache License",
}
_ADDRESS = re.compile(r"""["'(]\s*(?:https?:)?//[a-z]""")


def _manifest() -> list[dict[str, str]]:
    return list(json.loads((VENDOR / "manifest.json").read_text(encoding="utf-8")))


def _name(path: Path) -> str:
    return path.relative_to(WEB).as_posix()


@pytest.mark.parametrize("entry", _manifest(), ids=lambda entry: entry["name"])
def test_a_vendored_file_is_the_one_that_was_pinned(entry: dict[str, str]) -> None:
    content = (VENDOR / entry["file"]).read_bytes()
    assert hashlib.sha256(content).hexdigest() == entry["sha256"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", entry["version"])
    licence = (VENDOR / entry["licence_file"]).read_text(encoding="utf-8")
    assert entry["licence"].split()[0] in licence or _GRANTS[entry["licence"]] in licence


def test_the_manifest_names_every_vendored_file() -> None:
    named = {entry[part] for entry in _manifest() for part in ("file", "licence_file")} | {"manifest.json"}
    assert named == {path.name for path in VENDOR.iterdir()}


@pytest.mark.parametrize("path", OWN, ids=_name)
def test_a_file_of_the_page_asks_for_no_outside_address_and_holds_no_inline_code(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST
    assert not _ADDRESS.search(text.replace("http://www.w3.org/2000/svg", ""))
    # No markup is written from data.
    forbidden = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function"
    assert not re.search(forbidden, text)
    if path.suffix == ".html":
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)", text)
    if path.suffix == ".js":
        assert not [name for name in _IMPORT.findall(text) if not (path.parent / name).is_file()]


@pytest.mark.parametrize("name", ["index.html", "reference/index.html"])
def test_what_a_page_loads_is_there(name: str) -> None:
    page = (WEB / name).read_text(encoding="utf-8")
    wanted = re.findall(r'(?:href|src)="web/([^"]+)"', page)
    assert wanted
    assert not [name for name in wanted if not (WEB / name).is_file()]


def _imported(*starts: str) -> set[str]:
    """Return these modules and all that they import before they run."""
    found: set[Path] = set()
    waiting = [WEB / start for start in starts]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += [
                (path.parent / name).resolve() for name in _STATIC.findall(path.read_text(encoding="utf-8"))
            ]
    return {_name(path) for path in found}


def test_the_page_asks_at_once_for_what_the_question_box_needs_and_for_no_graph_library() -> None:
    page = (WEB / "index.html").read_text(encoding="utf-8")
    loaded = re.findall(r'<link rel="modulepreload" href="web/([^"]+)">', page)
    needed = _imported("app.js", "views/ask.js")
    assert sorted([*loaded, "app.js"]) == sorted(needed)
    assert not [name for name in needed if name.startswith("vendor/")]


OF_THE_STREAM = {"snapshot"}  # what the stream itself says, no event of a job


def test_every_event_that_the_page_handles_is_in_the_catalogue() -> None:
    walk = (WEB / "ask" / "walk.js").read_text(encoding="utf-8")
    handlers = re.search(r"const HANDLERS = \{(.*?)\};", walk, re.DOTALL)
    assert handlers
    names = re.findall(r'^\s+"?([\w.]+)"?: "(\w+)"', handlers[1], re.MULTILINE)
    assert len(names) > 10
    assert {event for event, _method in names} - OF_THE_STREAM <= CATALOGUE.keys()
    assert [method for _event, method in names if not re.search(rf"^  {method}\(", walk, re.MULTILINE)] == []
