"""Which node a name means: exact names, aliases, what prefers one of several, what is only similar."""

from typing import Any

import pytest
from doubles.tooling import SCHEMA, GivenRows, StandingSchema, node, ports_over
from hypothesis import given
from hypothesis import strategies as st

from hopline.models.graph_schema import NameIndex
from workers.tools.names import Resolved, alike, resolve


def resolved(name: str, *rows: dict[str, Any], labels: tuple[str, ...] = ()) -> Resolved:
    return resolve(name, ports_over(GivenRows(looked_at=rows)), labels)


LOVELACE = node("Ada Lovelace", aliases=["Ada"], score=9.0)


@pytest.mark.parametrize(("name", "rows", "meant"), [
    ("Ada", [LOVELACE, node("Ada", score=0.1), node("Ada King", aliases=["Ley"], score=9.0)], "Ada"),
    ("the Captain", [node("Captain Ray", score=9.0), node("Corvin", aliases=["the captain"])], "Corvin"),
    # The spelling asked for beats one of the same normal form.
    ("the keeper", [node("The Keepers"), node("Mara", aliases=["the keeper"])], "Mara"),
])  # fmt: skip
def test_an_exact_name_beats_an_alias_and_that_what_only_resembles(name, rows, meant):
    resolution = resolved(name, *rows)
    assert resolution.chosen is not None
    assert (resolution.chosen.name, resolution.exact, resolution.others) == (meant, True, ())
    assert resolution.note == ""


def test_of_those_that_resemble_nodes_with_aliases_are_preferred_then_the_higher_score() -> None:
    bare, known, better = (
        node("Anna Berg", score=9.0),
        node("Anna Kurz", aliases=["Anni"], score=1.0),
        node("Anna Lang", aliases=["A. L."], score=2.0),
    )
    resolution = resolved("Anna", bare, known, better)
    assert resolution.chosen is not None
    assert (resolution.chosen.name, resolution.exact) == ("Anna Lang", False)
    assert [candidate.name for candidate in resolution.others] == ["Anna Kurz", "Anna Berg"]
    assert resolution.note == (
        "“Anna” was taken for Anna Lang (Character). "
        "It may also mean: Anna Kurz (Character); Anna Berg (Character)."
    )


def test_two_of_one_name_are_told_apart_by_their_kind() -> None:
    rows = (node("Mercury", "Place"), node("Mercury", "Character"))
    both = resolved("Mercury", *rows)
    assert both.note == (
        "“Mercury” names several; this is Mercury (Character). It may also mean: Mercury (Place)."
    )
    for name in ("Mercury (Place)", "mercury(place)", "Mercury（Place）"):
        resolution = resolved(name, *rows)
        assert resolution.chosen is not None
        assert (resolution.chosen.labels, resolution.note) == (("Place",), "")
    whole = resolved("Mercury (planet)", node("Mercury (planet)"), *rows)
    assert whole.chosen is not None
    assert whole.chosen.name == "Mercury (planet)"


def test_who_shares_one_word_is_similar_and_not_meant() -> None:
    resolution = resolved("Bob Marley", node("Bob Dylan"), node("Marley"))
    assert resolution.chosen is None
    assert resolution.note.startswith("No node is named “Bob Marley”. Similar names: ")
    assert resolved("Bob Marley").note == "No node is named “Bob Marley”."


@pytest.mark.parametrize(("spelling", "name"), [
    ("Keanu Reevs", "Keanu Reeves"),
    ("Captain Mara Venn", "Mara Venn"),
    ("Venn", "Mara Venn"),
    ("Zoe Angstrom", "Zoë Ångström"),
    ("李明", "李明华"),
    ("Иван Петров", "Петров Иван"),
    ("Li 明", "Li 明"),
    ("the Matrix", "Matrix"),
])  # fmt: skip
def test_what_resembles_is_taken(spelling: str, name: str) -> None:
    resolution = resolved(spelling, node(name))
    assert resolution.chosen is not None


def test_only_nodes_of_the_labels_asked_for_are_meant() -> None:
    resolution = resolved(
        "Mercury", node("Mercury", "Place"), node("Mercury", "Character"), labels=("Place",)
    )
    assert resolution.chosen is not None
    assert (resolution.chosen.labels, resolution.others) == (("Place",), ())


INDEX = NameIndex(name="names", labels=("Character",), properties=("name",))
INDEXED = SCHEMA.model_copy(update={"indexes": (INDEX,)})


@given(st.text(max_size=60))
def test_a_query_by_words_has_no_operator_of_the_search_but_its_own(name: str) -> None:
    reader = GivenRows()
    resolve(name, ports_over(reader, StandingSchema(INDEXED)), ())
    for query in (parameters["query"] for _text, parameters in reader.asked if "query" in parameters):
        for clause in query.removeprefix("name:(").removesuffix(")").split():
            quoted = clause.startswith('"') and clause.endswith('"^2')
            word = clause[1:-3] if quoted else clause[:-2]
            loose = clause.endswith("~1") and word.isalpha() and word not in {"AND", "OR", "NOT"}
            assert quoted or loose or word.lower() == word
            assert not set(word) & set('"\\:()[]{}^*?/!&|+~')


def test_a_word_of_a_name_is_searched_for_as_it_is_and_with_a_letter_changed() -> None:
    reader = GivenRows()
    resolve("Ada 12", ports_over(reader, StandingSchema(INDEXED)), ())
    [query] = [parameters["query"] for _text, parameters in reader.asked if "query" in parameters]
    assert query == 'name:("ada"^2 ada~1 "12"^2)'


@given(st.text("abcde", min_size=5, max_size=9), st.integers(0, 8), st.sampled_from("abcxyz"))
def test_a_word_is_like_itself_with_one_letter_changed_left_out_or_added(word, at, letter):
    at %= len(word)
    for other in (word, word[:at] + letter + word[at + 1 :], word[:at] + letter + word[at:]):
        assert alike(word, other)
        assert alike(other, word)
    assert not alike(word, word + "qq")
    assert not alike("cat", "car")
