"""What a command is about: names by a unique beginning, and what would be lost is named first."""

from types import SimpleNamespace
from typing import Any

import pytest
from doubles.command_line import Run
from doubles.desk import Desk

from hopline.models.documents import Document, DocumentFacets
from hopline.models.jobs import JobState


@pytest.fixture
def filled(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(desk.graph, "collections", lambda: {"notes": 12, "novels": 1, "letters": 2})
    for nth in range(12):
        held = {"id": f"d{nth:02}", "collection": "notes", "uri": f"u{nth}", "content_hash": ""}
        desk.graph.held[held["id"]] = Document(title=f"Title {nth:02}", **held)

    def found(*_: Any, **__: Any) -> list[Any]:
        return [SimpleNamespace(document=document, place=()) for document in desk.graph.held.values()]

    def facets(*_: Any, **__: Any) -> DocumentFacets:
        return DocumentFacets(documents=12, tags=(), years=())

    monkeypatch.setattr(desk.graph, "documents_found", found, raising=False)
    monkeypatch.setattr(desk.graph, "facets", facets, raising=False)
    monkeypatch.setattr(desk.graph, "holds", lambda name: name == "letters", raising=False)
    return desk


def test_the_beginning_of_a_collections_name_is_enough_where_only_one_begins_so(
    filled: Desk, run: Run
) -> None:
    filled.ledger.play["query"] = ([], JobState.DONE, {"text": "So.", "citations": []})
    assert run("ask", "When?", "-c", "let", "--no-wait").exit_code == 0
    (record,) = filled.ledger.records.values()
    assert record.job.collection == "letters"
    for words in (
        ("ask", "When?"),
        ("documents",),
        ("topics",),
        ("merges", "create"),
        ("collections", "show"),
    ):
        refused = run(*words, *(("no",) if words[0] == "collections" else ("-c", "no")))
        message = " ".join(refused.stderr.split())
        assert (refused.exit_code, "collection name: notes, novels; type more of it" in message) == (
            2,
            True,
        )
    unknown = run("documents", "-c", "lettres")
    assert (unknown.exit_code, "did you mean letters?" in " ".join(unknown.stderr.split())) == (3, True)


def test_what_a_filter_deletes_is_named_before_it_is_asked_and_listed_by_a_dry_run(
    filled: Desk, run: Run
) -> None:
    words = ("documents", "delete", "-c", "notes", "--where", 'author = "Ann"')
    asked = run(*words, typed="n\n")
    assert asked.exit_code == 1, asked.output
    for part in ("Title 00 (0 facts) from notes", "Title 09", "and 2 more"):
        assert part in asked.stderr
    assert "Title 10" not in asked.stderr
    for verb, more in (("delete", ()), ("change", ("--set", "author=Bo"))):
        dry = run("documents", verb, *words[2:], *more, "--dry-run")
        assert (dry.exit_code, "Title 11" in dry.stdout) == (0, True), dry.stderr
        assert f"Would {verb} 12 documents; nothing was done." in dry.stderr
    named = run("documents", "delete", "d00", "--dry-run")
    assert ("Title 00" in named.stdout, "Would delete 1 document;" in named.stderr) == (True, True)
    assert filled.ledger.records == {}


def test_a_collections_name_is_whole_where_nobody_is_asked(filled: Desk, run: Run) -> None:
    refused = run("collections", "delete", "let", "--yes")
    assert refused.exit_code == 3, refused.output
    assert filled.ledger.records == {}
