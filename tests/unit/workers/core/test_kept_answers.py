"""A kept answer without the quotes of deleted documents."""

from typing import Any

import pytest

from workers.core.answers.kept import DELETED, documents_of_answer, without_documents


def cited(n: int, document: str) -> dict[str, Any]:
    return {"n": n, "quote": f"quote {n}", "document": {"id": document}}


ANSWER = {
    "text": "Ada built it in 1890 [1]. It fell in 1901 [2][3].\n\n- Bo mended it [3].\n\nNot read: Mara.",
    "reason": "One part was not found.",
    "missing": ["who paid"],
    "citations": [cited(1, "a"), cited(2, "a"), cited(3, "b")],
    "rests_on": ["a", "b", "c"],
    "walk": [{"name": "Ada"}],
    "details": {"facts": 3},
    "calculations": [{"sentence": 1}],
}


def test_an_answer_rests_on_what_it_cites_and_on_what_its_writer_saw() -> None:
    stated = {"citations": [{"n": 1, "stated": {"document": {"id": "s"}}}, {"n": 2}], "rests_on": ["t"]}
    assert documents_of_answer(ANSWER) == ("a", "b", "c")
    assert documents_of_answer(stated) == ("s", "t")
    assert documents_of_answer({}) == ()


def test_quotes_of_a_deleted_document_go_with_the_sentences_that_cite_them() -> None:
    left = without_documents(ANSWER, {"a"})
    assert left == {
        "text": "- Bo mended it [3].",
        "citations": [cited(3, "b")],
        "reason": DELETED,
        "rests_on": ["a", "b", "c"],
    }
    assert without_documents(left, {"a"}) == left
    assert without_documents(left, {"b"})["text"] == ""
    unknown = without_documents({"citations": ANSWER["citations"]}, {"a"})
    assert set(documents_of_answer(unknown)) == {"a", "b"}


def test_of_a_deleted_document_that_is_not_cited_only_words_without_citations_go() -> None:
    left = without_documents(ANSWER, {"c"})
    assert (left["text"].replace("\n", ""), left["citations"]) == (
        "Ada built it in 1890 [1]. It fell in 1901 [2][3].- Bo mended it [3].",
        ANSWER["citations"],
    )
    assert (left["reason"], left["rests_on"], "details" in left) == (DELETED, ["a", "b", "c"], False)


@pytest.mark.parametrize("outcome", [ANSWER, {}, {"error": "the model was away"}])
def test_an_answer_that_rests_on_no_deleted_document_stays(outcome: dict[str, Any]) -> None:
    assert without_documents(outcome, {"z"}) == outcome
