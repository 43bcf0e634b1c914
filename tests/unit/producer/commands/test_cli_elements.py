"""`hopline elements`: merging key elements from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from doubles.desk import Desk
from doubles.documents import CURIE, PRIZE, made_element, write
from doubles.graph import MemoryGraph
from rich.console import Console
from typer.testing import Result

from producer.views.graph.elements import print_candidates, print_merges, print_proposals
from workers.core.graph.merges import Merge, NameCandidates, Proposal, ResolvedName
from workers.core.jobs.work import JobState

Run = Callable[..., Result]
MERGED = {
    "elements": 9,
    "found": 4,
    "refused": 1,
    "proposals": [["a", "b", "surname", "1 of 1"]],
    "error": None,
}
SHORT = ("Curie studied physics.", ["Curie", "physics"])


@pytest.fixture
def desk() -> Desk:
    return Desk(graph=MemoryGraph())


@pytest.fixture
def run(run: Run) -> Run:
    return lambda *args: run("elements", *args)


def merged(graph: MemoryGraph, collection: str) -> Merge:
    write(graph, collection, "a", [CURIE, SHORT, PRIZE])
    element, other = made_element(collection, "Curie"), made_element(collection, "Marie Curie")
    fields = {
        "source": element.id,
        "source_name": element.name,
        "target": other.id,
        "target_name": other.name,
    }
    proposal = Proposal(**fields, rule="surname", evidence="1 of 1 documents, 0 facts in common")
    assert graph.merging.merge_elements(collection, proposal, "j1")
    return graph.merging.merges(collection)[0]


def test_merges_are_listed_with_their_reasons(desk, run):
    record = merged(desk.graph, "demo")
    merged(desk.graph, "other")
    shown = run("merges", "-c", "demo", "--json")
    assert json.loads(shown.stdout) == {"merges": [record.model_dump(mode="json")], "more": False}
    assert len(json.loads(run("merges", "--json").stdout)["merges"]) == 2
    short = json.loads(run("merges", "--json", "--limit", "1").stdout)
    assert (len(short["merges"]), short["more"]) == (1, True)
    assert "No merges" in run("merges", "-c", "nothing").stdout


def test_names_that_may_mean_several_are_listed(desk, run):
    write(desk.graph, "demo", "a", [CURIE, SHORT, ("Eve Curie wrote.", ["Eve Curie"])])
    curie, *others = (made_element("demo", name).id for name in ("Curie", "Marie Curie", "Eve Curie"))
    desk.graph.may_mean[curie] = tuple(others)
    shown = json.loads(run("merges", "-c", "demo", "--candidates", "--json").stdout)
    (name,) = shown["names"]
    assert (name["element"]["name"], name["collection"], shown["more"]) == ("curie", "demo", False)
    assert [candidate["name"] for candidate in name["candidates"]] == ["eve curie", "marie curie"]
    assert "eve curie, marie curie" in " ".join(run("merges", "--candidates").stdout.split())
    assert "No name" in run("merges", "-c", "nothing", "--candidates").stdout


def test_a_table_shows_in_how_many_documents_it_is_clear_whom_a_name_means(capsys):
    curie, marie, eve = (made_element("demo", name) for name in ("Curie", "Marie Curie", "Eve Curie"))
    resolved = [
        ResolvedName(element=marie.id, name=marie.name, document=document, uri=document)
        for document in ("a", "b")
    ]
    resolved.append(ResolvedName(element=eve.id, name=eve.name, document="c", uri="c"))
    name = NameCandidates(
        collection="demo", element=curie, candidates=(eve, marie), resolved_in=tuple(resolved)
    )
    print_candidates(Console(width=150), [name])
    assert "1: eve curie, 2: marie curie" in capsys.readouterr().out


def test_a_table_shows_names_as_they_are(capsys):
    fields = {"source": "k1", "source_name": "\x1b[1mcurie [b]", "target": "k2", "target_name": "marie curie"}
    fields |= {"rule": "surname", "evidence": "1 of 1", "id": "m1", "collection": "c", "job": "j"}
    record = Merge(**fields, made="2020-01-01T00:00:00Z", undone="2020-01-02T00:00:00Z")
    print_merges(Console(width=150), [record])
    print_proposals(Console(width=150), [["curie [b]", "marie curie", "surname", "1 of 1 documents"]])
    shown = capsys.readouterr().out
    for part in (
        "curie [b]",
        "marie curie",
        "surname",
        "undone 2020-01-02",
        "1 of 1 documents",
        "would lead to",
    ):
        assert part in shown
    assert "\x1b[1m" not in shown


def test_an_unknown_merge_cannot_be_undone(run):
    shown = run("merges", "--undo", "m0")
    assert shown.exit_code == 1
    assert "no merge m0" in shown.stderr


@pytest.mark.parametrize(
    ("args", "kind", "params", "outcome", "message"),
    [
        (
            ("merge", "-c", "demo"),
            "merge",
            {"dry_run": False},
            {"made": 3},
            "4 doubles found; 3 are merged, 1 refused",
        ),
        (("merge", "-c", "demo", "--dry-run"), "merge", {"dry_run": True}, {"made": 0}, "nothing was merged"),
    ],
)
def test_merging_is_a_job(desk, run, args, kind, params, outcome, message):
    job_outcome = {**MERGED, **outcome}
    desk.ledger.play[kind] = ([], JobState.DONE, job_outcome)
    shown = run(*args)
    assert (shown.exit_code, message in shown.stderr) == (0, True)
    [record] = desk.ledger.records.values()
    assert (record.job.collection, record.job.params) == ("demo", {**params, "undo": None})
    assert json.loads(run(*args, "--json").stdout) == job_outcome


ASKED = {"likely": 7, "asked": 5, "same": 2, "left": 2, "calls": 1, "pairs": []}


def test_a_model_is_asked_about_likely_pairs_with_a_bound(desk, run):
    desk.ledger.play["merge"] = ([], JobState.DONE, {**MERGED, **ASKED, "made": 3})
    shown = run("merge", "-c", "demo", "--ask", "1")
    [record] = desk.ledger.records.values()
    assert record.job.params == {"dry_run": False, "undo": None, "ask": 1}
    message = "7 likely pairs: 5 judged with 1 model call, 2 of them the same; 2 are left for another time."
    assert (shown.exit_code, message in shown.stderr) == (0, True)
    assert run("merge", "--ask", "-1").exit_code == 2


def test_a_dry_run_shows_what_a_model_would_be_asked_about(desk, run):
    pairs = [["telford", "thomas telford", "model", "surname: 0 of 1 documents"]]
    outcome = {**MERGED, **ASKED, "asked": 0, "same": 0, "left": 7, "calls": 2, "made": 0, "pairs": pairs}
    desk.ledger.play["merge"] = ([], JobState.DONE, outcome)
    shown = run("merge", "-c", "demo", "--ask", "9", "--dry-run")
    needed = "with 2 model calls and up to one more for each that it calls the same; the model was not asked."
    assert f"7 likely pairs to ask about, {needed}" in " ".join(shown.stderr.split())
    for part in ("may be", "thomas telford", "surname: 0 of 1 documents"):
        assert part in shown.stdout


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_what_was_merged_is_told_where_not_all_was_done(desk, run, words):
    outcome = {**MERGED, "made": 3, "error": "no Neo4j", "given_up": 1}
    desk.ledger.play["merge"] = ([], JobState.PARTIAL, outcome)
    shown = run("merge", "-c", "demo", *words)
    assert shown.exit_code == 4
    assert "Not all was done: no Neo4j. The same command again does what is left" in shown.stderr
    if words:
        assert json.loads(shown.stdout) == outcome
    else:
        assert "3 are merged, 1 refused" in shown.stderr


def test_a_merging_that_did_nothing_has_failed(desk, run):
    desk.ledger.play["merge"] = ([], JobState.FAILED, {**MERGED, "made": 0, "error": "no Neo4j"})
    shown = run("merge", "-c", "demo")
    assert shown.exit_code == 1
    assert "is failed: no Neo4j" in shown.stderr


@pytest.mark.parametrize("words", [("merge", "-c", "demo"), ("merges", "--undo")])
def test_ctrl_c_says_what_becomes_of_the_job(desk, run, monkeypatch, words):
    if "--undo" in words:
        words = (*words, merged(desk.graph, "demo").id)

    def interrupted(*_args, **_kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(desk.ledger, "events", interrupted)
    shown = run(*words)
    [record] = desk.ledger.records.values()
    assert shown.exit_code == 130
    assert f"Cancelled job {record.job.id}." in shown.stderr
    assert record.state is JobState.CANCELLED


def test_undoing_is_a_job_of_the_merge_s_collection(desk, run):
    record = merged(desk.graph, "demo")
    outcome = {"merge": record.model_dump(), "restored": ["curie"], "removed": 0}
    desk.ledger.play["merge"] = ([], JobState.DONE, outcome)
    shown = run("merges", "--undo", record.id)
    assert "curie is back" in shown.stderr
    [job] = [job_record.job for job_record in desk.ledger.records.values()]
    assert (job.collection, job.params) == ("demo", {"dry_run": False, "undo": record.id})
