"""`hopline elements`: merging key elements from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import SimpleNamespace

import pytest
from doubles.desk import Desk
from doubles.documents import CURIE, PRIZE, made_element, write
from doubles.graph import MemoryGraph
from rich.console import Console
from typer.testing import CliRunner, Result

from producer.cli import app
from producer.client import Hopline
from producer.views.elements import print_merges, print_proposals
from workers.core.merging import Merge, Proposal

Run = Callable[..., Result]
SHORT = ("Curie studied physics.", ["Curie", "physics"])


@pytest.fixture
def desk() -> Desk:
    return Desk(graph=MemoryGraph())


@pytest.fixture
def run(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr("producer.commands.session.quiet_logs", lambda _settings: None)
    monkeypatch.setattr("producer.commands.session.greet_redis", lambda _url: None)
    monkeypatch.setattr("producer.client.Hopline", lambda _settings: Hopline(services=desk))
    return lambda *args: CliRunner().invoke(app, ["elements", *args])


def merged(graph: MemoryGraph, collection: str) -> Merge:
    write(graph, collection, "a", [CURIE, SHORT, PRIZE])
    one, other = made_element(collection, "Curie"), made_element(collection, "Marie Curie")
    told = {"source": one.id, "source_name": one.name, "target": other.id, "target_name": other.name}
    proposal = Proposal(**told, rule="surname", evidence="1 of 1 documents, 0 facts in common")
    assert graph.merge_elements(collection, proposal, "j1")
    return graph.merges(collection)[0]


def test_merges_are_listed_with_their_reasons(desk, run):
    record = merged(desk.graph, "demo")
    merged(desk.graph, "other")
    shown = run("merges", "-c", "demo", "--json")
    assert json.loads(shown.stdout) == {"merges": [record.model_dump(mode="json")], "more": False}
    assert len(json.loads(run("merges", "--json").stdout)["merges"]) == 2
    short = json.loads(run("merges", "--json", "--limit", "1").stdout)
    assert (len(short["merges"]), short["more"]) == (1, True)
    assert "No merges" in run("merges", "-c", "nothing").stdout


def test_a_table_shows_names_as_they_are(capsys):
    told = {"source": "k1", "source_name": "\x1b[1mcurie [b]", "target": "k2", "target_name": "marie curie"}
    told |= {"rule": "surname", "evidence": "1 of 1", "id": "m1", "collection": "c", "job": "j"}
    record = Merge(**told, made="2020-01-01T00:00:00Z", undone="2020-01-02T00:00:00Z")
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
    ("args", "kind", "params", "outcome", "said"),
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
def test_merging_is_a_job(run, monkeypatch, args, kind, params, outcome, said):
    asked = []
    told = {
        "elements": 9,
        "found": 4,
        "refused": 1,
        "proposals": [["a", "b", "surname", "1 of 1"]],
        **outcome,
    }

    def ended(_self, *given):
        asked.append(given)
        return SimpleNamespace(outcome=told)

    monkeypatch.setattr(Hopline, "_run", ended)
    shown = run(*args)
    assert said in shown.stderr
    assert asked == [(kind, "demo", params, None)]
    assert json.loads(run(*args, "--json").stdout) == told


def test_undoing_is_a_job_of_the_merge_s_collection(desk, run, monkeypatch):
    record = merged(desk.graph, "demo")
    asked = []

    def ended(_self, *given):
        asked.append(given)
        return SimpleNamespace(outcome={"merge": record.model_dump(), "restored": ["curie"], "removed": 0})

    monkeypatch.setattr(Hopline, "_run", ended)
    shown = run("merges", "--undo", record.id)
    assert "curie is back" in shown.stderr
    assert asked == [("merge", "demo", {"undo": record.id}, None)]
