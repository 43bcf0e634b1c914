"""`hopline elements`: merging key elements from the command line."""

import json

import pytest
from doubles.command_line import Run
from doubles.desk import Desk
from doubles.documents import CURIE, PRIZE, made_element, write
from doubles.graph import MemoryGraph
from rich.console import Console

from hopline.commands.merges import print_candidates, print_merges, print_proposals
from hopline.models.jobs import JobState
from hopline.models.merges import Merge, NameCandidates, Proposal, ResolvedName

PROPOSALS = [["a", "b", "surname", "1 of 1"]]
MERGED = {"elements": 9, "found": 4, "refused": 1, "made": 3, "proposals": PROPOSALS, "error": None}
ASKED = {"likely": 7, "asked": 5, "same": 2, "left": 2, "calls": 1, "pairs": []}
PAIRS = [["telford", "thomas telford", "model", "surname: 0 of 1 documents"]]
NOT_ASKED = {"asked": 0, "same": 0, "left": 7, "calls": 2, "made": 0, "pairs": PAIRS}
SHORT = ("Curie studied physics.", ["Curie", "physics"])


@pytest.fixture
def desk() -> Desk:
    return Desk(graph=MemoryGraph())


@pytest.fixture
def run(run: Run) -> Run:
    return lambda *args: run("merges", *args)


def merged(graph: MemoryGraph, collection: str) -> Merge:
    write(graph, collection, "a", [CURIE, SHORT, PRIZE])
    element, other = made_element(collection, "Curie"), made_element(collection, "Marie Curie")
    names = {"source": element.id, "source_name": element.name, "target": other.id, "target_name": other.name}
    proposal = Proposal(**names, rule="surname", evidence="1 of 1 documents, 0 facts in common")
    assert graph.merging.merge_elements(collection, proposal, "j1")
    return graph.merging.merges(collection)[0]


def test_merges_are_listed_with_their_reasons(desk, run):
    record = merged(desk.graph, "demo")
    merged(desk.graph, "other")
    shown = run("-c", "demo", "--json")
    assert json.loads(shown.stdout) == {"merges": [record.model_dump(mode="json")], "more": False}
    assert len(json.loads(run("--json").stdout)["merges"]) == 2
    short = json.loads(run("--json", "--limit", "1").stdout)
    assert (len(short["merges"]), short["more"]) == (1, True)
    assert json.loads(run("show", record.id[:-1], "--json").stdout) == record.model_dump(mode="json")
    assert record.source_name in run("show", record.id).stdout
    assert run("-c", "dmeo").exit_code == 3
    assert "did you mean demo?" in " ".join(run("create", "-c", "dmeo").stderr.split())


def test_names_that_may_mean_several_are_listed(desk, run):
    write(desk.graph, "demo", "a", [CURIE, SHORT, ("Eve Curie wrote.", ["Eve Curie"])])
    curie, *others = (made_element("demo", name).id for name in ("Curie", "Marie Curie", "Eve Curie"))
    desk.graph.may_mean[curie] = tuple(others)
    shown = json.loads(run("candidates", "-c", "demo", "--json").stdout)
    (name,) = shown["names"]
    assert (name["element"]["name"], name["collection"], shown["more"]) == ("curie", "demo", False)
    assert [candidate["name"] for candidate in name["candidates"]] == ["eve curie", "marie curie"]
    assert "eve curie, marie curie" in " ".join(run("candidates").stdout.split())
    write(desk.graph, "other", "a", [CURIE])
    assert "No name" in run("candidates", "-c", "other").stdout


def test_tables_show_names_as_they_are_and_in_how_many_documents_they_are_clear(capsys):
    curie, marie, eve = (made_element("demo", name) for name in ("Curie", "Marie Curie", "Eve Curie"))
    resolved = tuple(
        ResolvedName(element=element.id, name=element.name, document=document, uri=document)
        for element, document in ((marie, "a"), (marie, "b"), (eve, "c"))
    )
    name = NameCandidates(collection="c", element=curie, candidates=(eve, marie), resolved_in=resolved)
    fields = {"source": "k1", "source_name": "\x1b[1mcurie [b]", "target": "k2", "target_name": "marie curie"}
    fields |= {"rule": "surname", "evidence": "1 of 1", "id": "m1", "collection": "c", "job": "j"}
    record = Merge(**fields, made="2020-01-01T00:00:00Z", undone="2020-01-02T00:00:00Z")
    console = Console(width=150)
    print_candidates(console, [name])
    print_merges(console, [record])
    print_proposals(console, [["curie [b]", "marie curie", "surname", "1 of 1 documents"]])
    shown = capsys.readouterr().out
    for part in ("1: eve curie, 2: marie curie", "curie [b]", "surname", "undone 2020-01-02", "same as"):
        assert part in shown
    assert "\x1b[1m" not in shown


@pytest.mark.parametrize(("words", "params", "outcome", "message"), [
    ((), {"dry_run": False}, {}, "4 doubles found; 3 are merged, 1 refused"),
    (("--dry-run",), {"dry_run": True}, {"made": 0}, "nothing was merged"),
    (
        ("--ask", "1"),
        {"dry_run": False, "ask": 1},
        ASKED,
        "7 likely pairs: 5 judged with 1 model call, 2 of them the same; 2 are left for another time.",
    ),
    (
        ("--ask", "9", "--dry-run"),
        {"dry_run": True, "ask": 9},
        {**ASKED, **NOT_ASKED},
        "with 2 model calls and up to one more for each that it calls the same; the model was not asked.",
    ),
])  # fmt: skip
def test_merging_is_a_job(desk, run, words, params, outcome, message):
    write(desk.graph, "demo", "a", [CURIE])
    desk.ledger.play["merge"] = ([], JobState.DONE, {**MERGED, **outcome})
    shown = run("create", "-c", "demo", *words)
    assert shown.exit_code == 0
    assert message in " ".join(shown.stderr.split())
    for pair in outcome.get("pairs", ()):
        assert all(part in shown.stdout for part in ("may be", pair[1], pair[3]))
    [record] = desk.ledger.records.values()
    assert (record.job.collection, record.job.params) == ("demo", {**params, "undo": None})
    told = json.loads(run("create", "-c", "demo", *words, "--json").stdout)
    assert told == {**told, **MERGED, **outcome, "kind": "merge"}


def test_what_was_merged_is_told_where_not_all_was_done(desk, run):
    outcome = {**MERGED, "error": "no Neo4j", "given_up": 1}
    write(desk.graph, "demo", "a", [CURIE])
    desk.ledger.play["merge"] = ([], JobState.PARTIAL, outcome)
    shown, as_json = run("create", "-c", "demo"), run("create", "-c", "demo", "--json")
    for result in (shown, as_json):
        assert result.exit_code == 4
        assert "Not everything was done: no Neo4j. Run the same command again" in result.stderr
    told = json.loads(as_json.stdout)
    assert told == {**told, **outcome}
    assert "3 are merged, 1 refused" in shown.stderr
    desk.ledger.play["merge"] = ([], JobState.FAILED, {**MERGED, "made": 0, "error": "no Neo4j"})
    failed = run("create", "-c", "demo")
    assert failed.exit_code == 1
    assert "is failed: no Neo4j" in failed.stderr


def test_undoing_is_a_job_of_the_merge_s_collection(desk, run):
    record = merged(desk.graph, "demo")
    outcome = {"merge": record.model_dump(), "restored": ["curie"], "removed": 0}
    desk.ledger.play["merge"] = ([], JobState.DONE, outcome)
    assert "no merge m0" in run("undo", "m0").stderr
    merged(desk.graph, "other")
    assert "curie is back" in run("undo", record.id[:-1]).stderr
    [job] = [job_record.job for job_record in desk.ledger.records.values()]
    assert (job.collection, job.params) == ("demo", {"dry_run": False, "undo": record.id})
