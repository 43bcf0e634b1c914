"""hopline concepts create, over jobs that a test plays and maps in memory."""

import json

import pytest
from doubles.concepts import ConceptRun, MemoryConcepts

from hopline import Hopline
from hopline.errors import InvalidInput
from hopline.events.concepts import (
    ConceptSaved,
    ConceptValidated,
    RelationChecked,
    RelationsExpanded,
    RelationsRead,
    RelationValidated,
)
from hopline.events.jobs import ItemBegun, ItemDead, JobEnded
from hopline.models.jobs import JobState
from hopline.progress.concept import ConceptProgress
from workers.core.jobs.work import Event

END = ConceptRun().to_end()
EVENTS = [
    Event.of(ItemBegun(item="validate_concept", step="concepts.validate_concept")),
    Event.of(ConceptValidated(concept="Entropy", valid=True, reason="")),
    Event.of(RelationsRead(n=0, broken=0, version=0)),
    Event.of(RelationsExpanded(round=1, names=("Market", "Phlogiston"))),
    Event.of(RelationValidated(name="Market", domain="economics", valid=True, reason="")),
    Event.of(RelationValidated(name="Phlogiston", domain="chemistry", valid=False, reason="invented")),
    Event.of(RelationChecked(name="Holism", valid=None, reason="could not be checked")),
    Event.of(ConceptSaved(version=1)),
]


@pytest.fixture
def kept(desk) -> None:
    desk.concepts = MemoryConcepts()
    ConceptRun(concepts=desk.concepts).to_end()


def test_a_map_is_made_and_shown_with_its_reasoning(desk, run):
    desk.ledger.play["concept"] = (EVENTS, JobState.DONE, END.outcome)
    shown = run("concepts", "create", "Entropy", "-c", "demo", "--refresh")
    text = " ".join(shown.stdout.split())
    for part in (
        "Entropy physics version 1", "Measure mathematics ●●●○○", "share a law", "How it came to be",
    ):  # fmt: skip
        assert part in text
    for line in ("Entropy: valid", "round 1: offered Market, Phlogiston", "Phlogiston: invalid, invented"):
        assert line in shown.stderr
    assert "Holism: no verdict, could not be checked" in shown.stderr
    [(job_id, record)] = desk.ledger.records.items()
    assert (record.job.kind, record.job.collection) == ("concept", "demo")
    assert (record.job.params["concept"], record.job.params["refresh"]) == ("Entropy", True)
    for listed in (run("jobs"), run("jobs", "show", job_id)):
        assert "Entropy" in listed.stdout
    printed = run("concepts", "create", "Entropy", "--json")
    outcome = json.loads(printed.stdout)
    assert (outcome["state"], outcome["nodes"][0]["name"], printed.stderr) == ("done", "Entropy", "")


@pytest.mark.parametrize(
    ("state", "code"), [(JobState.ABSTAINED, 3), (JobState.PARTIAL, 4), (JobState.FAILED, 1)]
)
def test_the_exit_code_tells_how_it_ended(desk, run, state, code):
    outcome = {"concept": "soap", "state": state.value, "reason": "a [bold] brand", "nodes": [], "links": []}
    desk.ledger.play["concept"] = ([], state, outcome)
    shown = run("concepts", "create", "soap")
    assert (shown.exit_code, f"{state}: a [bold] brand" in shown.stdout) == (code, True)


@pytest.mark.usefixtures("kept")
def test_what_is_kept_is_shown_without_a_job(desk, run):
    shown = run("concepts", "show", "entropy")
    assert "Erosion" in shown.stdout  # the fifth relation is held, too
    assert "since 20" in shown.stdout
    concept_map = json.loads(run("concepts", "show", "entropy", "--json").stdout)
    assert (len(concept_map["nodes"]), concept_map["links"][0]["created"][:16]) == (6, "2026-01-01T00:00")
    history = run("concepts", "versions", "entropy").stdout
    assert all(part in history for part in ("defined", "added", "Measure"))
    assert json.loads(run("concepts", "versions", "entropy", "--json").stdout)["versions"][0]["version"] == 1
    assert "No map of symmetry is stored" in run("concepts", "versions", "symmetry").stderr
    assert desk.ledger.records == {}


@pytest.mark.usefixtures("kept")
def test_a_relation_is_changed_by_hand_and_the_change_undone(run):
    words = ("concepts", "delete", "entropy", "measure", "--reason", "too vague")
    assert run(*words).stdout.split()[:2] == ["deleted:", "Measure"]
    assert "like that already" in run(*words).stdout
    words = ("--strength", "5", "--reason", "they are one", "--json")
    changed = json.loads(run("concepts", "change", "entropy", "Erosion", *words).stdout)
    assert {"change": "changed", "strength": 5}.items() <= changed["change"].items()
    assert changed["version"] == 3
    assert run("concepts", "undo", "entropy", "Measure").stdout.split()[0] == "restored:"
    history = run("concepts", "versions", "entropy").stdout
    assert "too vague" in history
    assert "a job" in history
    assert len(json.loads(run("concepts", "show", "entropy", "--json").stdout)["links"]) == 5


@pytest.mark.usefixtures("kept")
def test_a_relation_is_found_by_the_names_of_its_concepts_also_when_taken_out(run):
    taken = json.loads(run("concepts", "delete", "entropy", "Measure", "--reason", "vague", "--json").stdout)
    path = "/v1/concepts/relations?concept=entropies&other="
    found = json.loads(run("api", "GET", f"{path}measures").stdout)
    assert found == {"id": taken["change"]["id"], "concept": "Entropy", "other": "Measure"}
    assert "did you mean Measure?" in run("api", "GET", f"{path}Measur").stdout
    assert "no map of soap" in run("api", "GET", "/v1/concepts/relations?concept=soap&other=entropy").stdout


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize(("words", "message"), [
    (["delete", "entropy", "Measure"], "reason is '', but must be a reason"),
    (["delete", "entropy", "Measures of", "--reason", "x"], "did you mean Measure?"),
    (["change", "entropy", "Measure", "--reason", "x"], "say what to change"),
    (["change", "entropy", "Measure", "--reason", "x", "--strength", "9"], "strength is 9"),
    (["change", "entropy", "Measure", "--reason", "x", "--definition", "One. Two."], "1 sentence, not 2"),
    (["change", "entropy", "Measure", "--wrong", "--strength", "4"], "say what to change"),
])  # fmt: skip
def test_a_wrong_edit_says_what_is_allowed_and_changes_nothing(desk, run, words, message):
    shown = run("concepts", *words)
    assert shown.exit_code == 2
    assert message in " ".join(shown.stderr.replace("│", " ").split())
    assert len(desk.concepts.versions) == 1


def test_what_is_no_cursor_is_refused():
    with Hopline("http://127.0.0.1:1") as client, pytest.raises(InvalidInput, match="cursor"):
        client.concepts.versions("entropy", cursor="4 5")


def test_progress_counts_what_is_valid():
    progress = ConceptProgress()
    lines = [line for event in EVENTS if (line := progress.add(event))]
    assert (progress.valid, progress.refused, progress.begun) == (["Market"], 2, True)
    assert lines[-1] == "saved as version 1"
    progress.add(Event.of(JobEnded(state=JobState.DONE)))
    assert progress.state == "done"
    dead = Event.of(ItemDead(item="expand:1", step="concepts.expand", error="no"))
    assert progress.add(dead) == "failed after all attempts: concepts.expand: no"
