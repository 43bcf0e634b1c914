"""How chunks rise whose document is about what the question, or a chunk that ranks high, names."""

import pytest
from doubles.documents import made_document, made_element

from workers.core.graph.surroundings import SaidChunk, SaidFact
from workers.search.fusion import WEIGHTS, fused, raised
from workers.search.titles import by_titles

C = "films"


def said(title: str, *names: str, uri: str | None = None) -> SaidChunk:
    """Return a chunk with one fact of some key elements."""
    document, chunks = made_document(C, uri or title, [(f"{title}: {', '.join(names)}.", names)], title=title)
    fact = SaidFact(f"{title}-1", "", tuple((made_element(C, name).id, name) for name in names))
    return SaidChunk(chunk=chunks[0].chunk, document=document, facts=(fact,))


def rise(chunks: list[SaidChunk], scores: list[float], *names: str) -> dict[str, float]:
    """Return document's title → share."""
    shares = by_titles(chunks, scores, {made_element(C, name).id for name in names})
    return {
        passage.document.title: shares[passage.chunk.id] for passage in chunks if passage.chunk.id in shares
    }


FILM = said("The Third Man", "The Third Man", "Carol Reed")
DIRECTOR = said("Carol Reed", "Carol Reed", "Putney")
OTHER = said("Orson Welles", "Orson Welles", "Kenosha")


def test_a_document_about_what_a_better_chunk_names_rises_by_that_chunk_s_rank():
    assert rise([FILM, OTHER, DIRECTOR], [0.8, 0.5, 0.2]) == {"Carol Reed": 1.0}
    assert rise([OTHER, FILM, DIRECTOR], [0.8, 0.4, 0.2]) == {"Carol Reed": 0.5}


def test_a_document_about_what_the_question_names_rises_most():
    expected = {"The Third Man": 1.0, "Carol Reed": 0.5}
    assert rise([OTHER, FILM, DIRECTOR], [0.8, 0.4, 0.2], "The Third Man") == expected
    assert rise([OTHER, FILM, DIRECTOR], [0.8, 0.4, 0.2], "Carol Reed")["Carol Reed"] == 1.0


def test_nothing_rises_by_itself_or_by_a_document_of_the_same_title():
    assert rise([DIRECTOR], [0.8]) == {}
    assert rise([DIRECTOR, said("Carol Reed", "Carol Reed", uri="another")], [0.8, 0.4]) == {}
    assert set(rise([FILM, DIRECTOR], [0.0, 0.0]).values()) <= {0.0}


def test_what_a_title_has_in_brackets_may_be_left_out():
    film = said("Waterloo (film)", "Napoleon")
    assert rise([film], [0.8], "Waterloo") == {"Waterloo (film)": 1.0}
    assert rise([film], [0.8], "Waterloo (film)") == {"Waterloo (film)": 1.0}
    assert rise([film], [0.8], "film") == {}
    assert rise([said("滑铁卢（电影）", "拿破仑")], [0.8], "滑铁卢") == {"滑铁卢（电影）": 1.0}


def test_only_the_best_chunk_of_a_document_rises():
    first, second = (said("Carol Reed", name, uri="reed") for name in ("Putney", "Chelsea"))
    shares = by_titles([FILM, second, first], [0.8, 0.4, 0.2], set())
    assert shares == {second.chunk.id: 1.0}


def test_only_the_best_five_chunks_lead_to_others():
    five = [said(f"River {nth}", f"Valley {nth}") for nth in range(5)]
    assert rise([*five[:4], FILM, DIRECTOR], [0.8] * 6) == {"Carol Reed": 1.0}
    assert rise([*five, FILM, DIRECTOR], [0.8] * 7) == {}


@pytest.mark.parametrize("chunks", [[], [said("", "Putney"), said("?!", "Chelsea")]])
def test_titles_that_say_nothing_change_nothing(chunks):
    assert rise(chunks, [0.5] * len(chunks), "Vienna") == {}


def test_to_raise_is_to_have_fused_the_part_with_the_others():
    parts = {"walk": {"a": 1.0, "b": 0.5}, "words": {"b": 2.0, "c": 1.0}}
    scores = fused(parts, ["a", "b", "c"])
    titled = {"b": 1.0, "c": 0.25}
    together = fused({**parts, "titled": titled}, ["a", "b", "c"])
    assert raised(scores, "titled", titled, sum(WEIGHTS.values())) == pytest.approx(together)
