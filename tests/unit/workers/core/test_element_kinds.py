"""Names, figures, and the words that are no nouns."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workers.core.graph.element_kinds import kind_of, leads_on, place_of
from workers.core.records import Neighbour

RECORDED = Path(__file__).resolve().parents[5] / "shared" / "eval" / "llm_replies_musique.jsonl"


def test_kinds():
    for kind, names in {
        "name": "ada lovelace; hiroshima; league; 1920 summer olympics; second world war; b-52; 独眼龙",
        "word": "greatest; smoothly",
        "time": "17 january 1969; 1905",
        "quantity": "212 metre; 41.2%; 86 million imperial gallon; three year; 19th place",
    }.items():
        assert {kind_of(name, "") for name in names.split("; ")} == {kind}, names


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("50 cent", "The rapper is called 50 Cent.", "name"),
        ("welsh", "The team was Welsh.", "name"),
        ("born", "Ada was born in London.", "word"),
        ("founded", "Founded in 1913, it moved.", "word"),
        ("frozen", "Frozen features the voice of Idina Menzel.", "name"),
        ("10cc", "10cc released the album in 1995.", "name"),
        ("3m", "The tape was made by 3M.", "name"),
    ],
)
def test_a_text_tells_a_name_from_a_word(name: str, text: str, kind: str):
    assert kind_of(name, text) == kind


def test_a_figure_leads_on_where_it_is_asked_about_and_a_verb_never():
    wanted = frozenset({"born", "1815"})
    assert leads_on("1815", "", wanted)
    assert not leads_on("1788", "", wanted)
    assert not leads_on("born", "", wanted)


def test_typed_relations_and_names_come_before_titles_and_those_before_the_rest():
    def near(name: str, **more: object) -> Neighbour:
        return Neighbour.model_validate({"id": name, "name": name, "relationship": "SHARES_FACT", **more})

    wanted = frozenset({"london"})
    order = [
        near("died", relationship="KILLED"),
        near("harbour"),
        near("the docks of london", titled=True),
        near("chapter three", titled=True),
        near("died"),
    ]
    assert [place_of(neighbour, wanted) for neighbour in order] == [0, 0, 0, 1, 2]


@pytest.mark.skipif(not RECORDED.exists(), reason="the evaluation data is not here")
def test_a_large_model_visits_none_of_what_leads_nowhere():
    """Of the 45 recorded visits: every neighbour that the model chose is a name; 1 of 6 offered was none."""
    kinds: dict[bool, list[str]] = {True: [], False: []}
    for line in RECORDED.read_text("utf-8").splitlines():
        call = json.loads(line)
        if call["schema"] == "NodeNotes":
            for near in call["input"]["neighbours"]:
                chosen = near["id"] in call["reply"].get("next", [])
                kinds[chosen].append(kind_of(near["name"], near["context"]))
    assert set(kinds[True]) == {"name"}
    assert sum(kind != "name" for kind in kinds[False]) > len(kinds[False]) / 6
