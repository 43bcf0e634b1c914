"""A collection's graph in numbers, and the facts around a key element."""

import json

import pytest
from doubles.command_line import Run
from doubles.desk import Desk
from doubles.documents import CURIE, PRIZE, WARSAW, write
from doubles.graph import MemoryGraph
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from hopline.commands.collections import print_census
from hopline.models.census import (
    CensusExample,
    Counts,
    DegreeBin,
    EmbedderFigure,
    FactLengths,
    GraphCensus,
    Hub,
    Lacking,
    LengthBin,
)
from hopline.models.documents import KeyElement
from hopline.views.neighbourhood import spelled
from workers.core.graph.census import degree_bins

CENSUS = GraphCensus(
    collection="demo",
    live=Counts(documents=12, chunks=1234, facts=400, elements=90),
    hidden=Counts(chunks=3),
    orphans=Counts(elements=2),
    merged=7,
    labels={"Character": 12},
    relationships={"HAS_CHUNK": 1234, "NEXT": 9},
    fact_lengths=FactLengths(
        counted=400,
        bins=(LengthBin(low=1, high=1, facts=0), LengthBin(low=2, high=3, facts=400)),
        shortest=(CensusExample(id="f2", text="It fell.", document="Tower"),),
    ),
    degrees=(DegreeBin(low=1, high=1, elements=80), DegreeBin(low=2, high=3, elements=1)),
    hubs=(Hub(id="k1", name="the \x1b[1m[b]bridge", degree=100, share=0.25),),
    ungrounded=Lacking(
        count=2, examples=(CensusExample(id="f1", text="It may\nbe tall.", document="Tower [x] Bridge"),)
    ),
    embedder=EmbedderFigure(vectors=0.66, words=0.6, pairs=128, chunks=1234),
    seconds=0.25,
)


@pytest.fixture
def desk() -> Desk:
    return Desk(graph=MemoryGraph())


@pytest.fixture
def run(run: Run) -> Run:
    return lambda noun, *args: run(noun, "show", *args)


def test_the_report_shows_counts_degrees_hubs_and_what_is_lacking(capsys) -> None:
    print_census(Console(width=120), CENSUS)
    shown = capsys.readouterr().out
    for part in (
        "Collection demo", "1,234", "labels: Character 12", "relationships: HAS_CHUNK 1,234 · NEXT 9",
        "400 facts by length", "It fell. · Tower", "2 to 3", "█" * 40, "[b]bridge", "25.0%",
        "facts without grounding: 2 (0.5%)", "It may be tall. · Tower [x] Bridge",
        "facts without key elements: 0\n", "key elements merged into others: 7",
        "embedder: finds the rest of a passage with rank 0.66, words with 0.60", "vectors count 1.00 times",
        "counted in 0.2 s",
    ):  # fmt: skip
        assert part in shown
    assert "\x1b" not in shown


def test_a_collection_is_counted_and_printed_as_json(desk: Desk, run: Run) -> None:
    write(desk.graph, "demo", "a", [CURIE, PRIZE], [WARSAW])
    result = run("collections", "demo", "--json")
    assert result.exit_code == 0
    census = GraphCensus.model_validate(json.loads(result.stdout))
    assert census.live == Counts(documents=1, chunks=2, facts=3, elements=5)
    assert "Collection demo" in run("collections", "demo").stdout


@pytest.mark.parametrize(("words", "code", "told"), [
    (("collections", "notes"), 3, "there is no collection notes; there are: demo"),
    (("collections", "a b"), 2, "collection"),
    (("elements", "Einstein", "-c", "demo"), 3, "has no key element 'Einstein'"),
])  # fmt: skip
def test_what_is_absent_is_told(desk: Desk, run: Run, words: tuple[str, ...], code: int, told: str) -> None:
    write(desk.graph, "demo", "a", [CURIE])
    result = run(*words)
    assert (result.exit_code, result.stdout) == (code, "")
    assert told in result.stderr


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(1, 50))))
def test_every_element_held_by_a_fact_is_in_the_one_bin_of_its_degree(counted: list[tuple[int, int]]) -> None:
    bins = degree_bins(counted)
    assert [degree_bin.low for degree_bin in bins] == [2**nth for nth in range(len(bins))]
    assert all(degree_bin.high == 2 * degree_bin.low - 1 for degree_bin in bins)
    for degree_bin in bins:
        assert degree_bin.elements == sum(
            many for degree, many in counted if degree_bin.low <= degree <= degree_bin.high
        )
    assert sum(degree_bin.elements for degree_bin in bins) == sum(many for degree, many in counted if degree)


def test_the_facts_around_a_name_come_with_the_document_that_says_them(run: Run, desk: Desk) -> None:
    write(desk.graph, "demo", "a", [CURIE, PRIZE])
    write(desk.graph, "demo", "b", [CURIE], [WARSAW])
    shown = run("elements", "Marie Curie", "-c", "demo")
    assert shown.exit_code == 0
    assert "Marie Curie  2 facts" in shown.stdout
    assert CURIE[0] in shown.stdout
    assert " and 1 more" in shown.stdout
    result = run("elements", "marie curie", "-c", "demo", "--limit", "1", "--json")
    neighbourhood = json.loads(result.stdout)
    assert (len(neighbourhood["facts"]), neighbourhood["more"]) == (1, True)


@pytest.mark.parametrize(("name", "aliases", "shown"), [
    ("jose marti", ("JOSE MARTI", "Jose Marti", "the poet"), "Jose Marti"),
    ("jose marti", ("JOSÉ MARTÍ",), "JOSÉ MARTÍ"),
    ("nasa", ("NASA", "space agency"), "NASA"),
    ("the poet", ("José Martí",), "the poet"),
])  # fmt: skip
def test_a_name_is_shown_as_documents_spell_it(name: str, aliases: tuple[str, ...], shown: str) -> None:
    assert spelled(KeyElement(id="k", name=name, aliases=aliases)) == shown
