"""A question in one language about documents in others: the plan's words find them, the answer is checked.

The offline model reads English, so the replies to these questions are written: those
of bench/judged/across.json, which `python bench/across.py --answers` measures without workers.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from across import FILE, Reply, WrittenModel, replies_to
from doubles.endpoint import Reply as EndpointReply
from doubles.endpoint import said, scripted_endpoints
from fleet.checks import assert_quotes_stand_in_files
from fleet.crew import Crew, private_crew

from infra.offline_model.replies import content_of, kind_of, material_of

pytestmark = pytest.mark.long

DATA = json.loads(FILE.read_text("utf-8"))
QUESTIONS = {row["id"]: row for row in DATA["questions"]}
ASKED = ("1-ja-zh", "3-zh-de", "5-de-ja", "6-fr-ru", "9-zh-de", "10-es-fr")
READ = {"1-zh", "2-de", "3-es", "4-ja", "5-ru", "6-zh", "7-de", "8-fr"}


class Endpoint:
    """Replies as written to the questions of the story, and as the offline model does to all else."""

    def __init__(self) -> None:
        self.written: dict[str, Reply] = {}  # by question
        self.judges = True

    def __call__(self, body: dict[str, Any]) -> EndpointReply:
        kind, material = kind_of(body), material_of(body)
        made: Callable[[dict[str, Any]], dict[str, Any]] | None = getattr(self, f"_{kind}", None)
        return said(json.dumps(made(material)) if made else content_of(kind, material, None))

    def _parts(self, material: dict[str, Any]) -> list[str]:
        written = self.written[material["question"]]
        return [part for _text, parts in written.sentences for part in parts]

    def _QuestionPlan(self, material: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        row = next(row for row in QUESTIONS.values() if row["question"] == material["question"])
        wanted = material.get("languages", [])
        words = [each for each in row["translations"] if each["language"] in wanted]
        return {"question": row["question"], "translations": words}

    def _StartScores(self, material: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        return {"scores": [{"name": each["name"], "score": 90} for each in material["candidates"]]}

    def _NodeNotes(self, material: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        parts = self._parts(material)
        facts = [fact for fact in material["facts"] if any(part in fact["text"] for part in parts)]
        return {"facts": [{"text": fact["text"], "source_ids": [fact["id"]]} for fact in facts]}

    def _FactScores(self, material: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        return {"scores": [{"n": fact["n"], "relevance": 0.9} for fact in material["facts"]]}

    def _FactScore(self, _material: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        return {"relevance": 0.9}

    def _AnswerDraft(self, material: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        return WrittenModel(self.written[material["question"]], judges=True).draft(material["evidence"])

    def _TranslationVerdicts(self, material: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        if not self.judges:
            return {"verdicts": []}
        written = next(
            reply
            for reply in self.written.values()
            if any(each["sentence"] == text for each in material["sentences"] for text, _ in reply.sentences)
        )
        return WrittenModel(written, judges=True).verdicts(material["sentences"])


@pytest.fixture(scope="module")
def endpoint() -> Endpoint:
    return Endpoint()


@pytest.fixture(scope="module")
def crew(stack_env, tmp_path_factory, endpoint: Endpoint) -> Iterator[Crew]:
    """Workers whose chat model is the endpoint; a story in six languages is there."""
    folder: Path = tmp_path_factory.mktemp("story")
    for passage in DATA["passages"]:
        if passage["id"] in READ:
            text = f"# {passage['title']}\n\n{passage['text']}\n"
            (folder / f"{passage['id']}.md").write_text(text, encoding="utf-8")
    with scripted_endpoints() as start:
        url, _bodies = start(endpoint)
        own = {"HOPLINE_MODEL_URL": url, "HOPLINE_EMBEDDING_URL": stack_env["HOPLINE_MODEL_URL"]}
        with private_crew(stack_env, tmp_path_factory.mktemp("crew"), **own) as private:
            private.have(interactive="interactive", bulk="bulk")
            private.ingest(folder, "across")
            yield private


@pytest.mark.parametrize("judges", [True, False], ids=["judged", "not judged"])
@pytest.mark.parametrize("name", ASKED)
def test_a_right_answer_in_another_language_is_kept_and_a_wrong_one_is_not(crew, endpoint, name, judges):
    right, wrong = replies_to(QUESTIONS[name])
    endpoint.judges = judges
    question = QUESTIONS[name]["question"]
    endpoint.written = {question: right}
    answer = crew.client.ask(question, collection="across", strategy="graph", max_seeds=5)
    assert answer.status == "done", answer.model_dump_json(indent=1)
    for text, parts in right.sentences:
        assert text[:-1] in answer.text
        assert any(part in citation.quote for part in parts for citation in answer.citations)
    assert_quotes_stand_in_files(answer)
    assert not (judges and "unchecked_sentences" in answer.details), answer.details
    endpoint.written = {question: wrong}
    crew.forget_replies()
    answer = crew.client.ask(question, collection="across", strategy="graph", max_seeds=5)
    if answer.text:
        assert not judges, answer
        assert answer.details["unchecked_sentences"]
    else:
        assert (answer.status, bool(answer.details["dropped_sentences"])) == ("abstained", True)
