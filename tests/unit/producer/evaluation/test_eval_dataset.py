"""Reading an evaluation file: what is accepted, and what a mistake is called."""

import json
from pathlib import Path
from typing import Any

import pytest

from hopline.errors import InvalidInput
from producer.evaluation.dataset import read_dataset

PASSAGES = [{"id": "p0", "title": "A", "text": "One."}, {"id": "p1", "title": "", "text": "Two."}]
QUESTION = {"id": "q", "question": "Which?", "answer": "two", "type": "bridge", "gold": ["p1"]}


def written(folder: Path, content: Any, name: str = "some file.json") -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def with_question(**changed: Any) -> dict[str, Any]:
    kept = {name: value for name, value in (QUESTION | changed).items() if value is not None}
    return {"passages": PASSAGES, "questions": [QUESTION | {"id": "first"}, kept]}


def test_passages_and_questions_are_read_and_what_else_is_said_is_passed_over(tmp_path: Path) -> None:
    content = {"licence": "own", "passages": PASSAGES, "questions": [{**QUESTION, "level": "hard"}]}
    dataset = read_dataset(written(tmp_path, content))
    assert [passage.title for passage in dataset.passages] == ["A", ""]
    assert (dataset.questions[0].gold, dataset.types()) == (("p1",), {"bridge": 1})
    # Numbers are taken as ids, and a type may be absent.
    question = {"id": 7, "question": "Which?", "answer": "two", "gold": [1]}
    content = {"passages": [{"id": 1, "title": "A", "text": "One."}], "questions": [question]}
    dataset = read_dataset(written(tmp_path, content))
    assert (dataset.questions[0].gold, dataset.types()) == (("1",), {"untyped": 1})


def test_fewer_questions_keep_every_passage_and_the_collection(tmp_path: Path) -> None:
    dataset = read_dataset(written(tmp_path, with_question()))
    first = dataset.first(1)
    assert ([question.id for question in first.questions], len(first.passages)) == (["first"], 2)
    assert dataset.first(None) == dataset
    name = dataset.collection("model")
    assert name.startswith("eval-some-file-")
    assert first.collection("model") == name != dataset.collection("other")
    changed = with_question() | {"passages": [PASSAGES[0], PASSAGES[1] | {"text": "Three."}]}
    assert read_dataset(written(tmp_path, changed)).collection("model") != name


@pytest.mark.parametrize(("content", "message"), [
    ("[1, 2", "JSON"),
    ([1], "passages and questions"),
    ({"questions": [QUESTION]}, "passages is missing"),
    ({"passages": PASSAGES}, "questions is missing"),
    ({"passages": [PASSAGES[0], "text"], "questions": [QUESTION]}, "passages[1] is 'text'"),
    ({"passages": [{"id": "p0", "title": "A"}], "questions": [QUESTION]}, "passages[0].text"),
    ({"passages": [*PASSAGES, PASSAGES[0]], "questions": [QUESTION]}, "passages[2].id is 'p0'"),
    (with_question(id="first"), "questions[1].id is 'first'"),
    (with_question(gold=["p9"]), "questions[1].gold is 'p9'"),
    (with_question(gold=[]), "questions[1].gold is []"),
    (with_question(gold=["p1", None]), "questions[1].gold.1 is missing"),
    (with_question(answer=None), "questions[1].answer is missing; give a value; the field is"),
    (with_question(question=["Which?"]), "questions[1].question"),
])  # fmt: skip
def test_a_mistake_is_named_by_row_and_field(tmp_path: Path, content: Any, message: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_dataset(written(tmp_path, content))
    assert message in str(refused.value)


def test_no_file_a_folder_and_a_field_that_is_there_twice_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"there is no file .*none\.json"):
        read_dataset(tmp_path / "none.json")
    with pytest.raises(InvalidInput, match="cannot be read: Is a directory"):
        read_dataset(tmp_path)
    file = tmp_path / "twice.json"
    file.write_text('{"passages": [], "questions": [], "passages": []}', encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"passages is .*appears twice"):
        read_dataset(file)
