"""The demo's questions, asked over HTTP of an API that is away for a while."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

from infra.image_check.api import ComposedApi, Expectation, WrongAnswer, demo_questions
from producer.demo.questions import DemoQuestion, load_questions

ROOT = Path(__file__).resolve().parents[4]
FORTH = Expectation(question="When?", shows="", words=("1890",), documents=1)


def _job(state: str, text: str = "", documents: int = 0) -> dict[str, Any]:
    citations = [{"kind": "document", "document": {"id": f"d{number}"}} for number in range(documents)]
    return {"id": "j", "state": state, "outcome": {"text": text, "citations": citations}}


def _api(*replies: httpx.Response | Exception) -> ComposedApi:
    """An API that gives these replies one after another."""
    waiting = list(replies)

    def reply(_request: httpx.Request) -> httpx.Response:
        following = waiting.pop(0)
        if isinstance(following, Exception):
            raise following
        return following

    return ComposedApi("http://api.test", away_seconds=0, transport=httpx.MockTransport(reply))


def test_the_questions_are_those_that_the_demo_asks() -> None:
    questions = [question.model_dump(exclude={"graph"}) for question in load_questions(DemoQuestion)]
    assert [question.model_dump() for question in demo_questions(ROOT)] == questions


def test_another_end_a_missing_word_or_too_few_documents_are_faults() -> None:
    FORTH.check(_job("done", "In 1890 [1].", documents=1))
    for job, fault in (
        (_job("abstained"), "ended abstained"),
        (_job("done", "In 1889.", documents=1), "1890"),
        (_job("done", "In 1890."), "cites 0 documents"),
    ):
        with pytest.raises(WrongAnswer, match=fault):
            FORTH.check(job)


def test_a_job_is_waited_for_while_the_api_is_away() -> None:
    away = httpx.ConnectError("refused"), httpx.Response(503)
    ended = httpx.Response(200, json=_job("done"))
    api = _api(*away, httpx.Response(200, json=_job("running")), ended)
    assert api.await_end("j")["state"] == "done"


def test_a_refusal_is_told_with_its_address_and_text() -> None:
    api = _api(httpx.Response(401, text="a key is needed"))
    with pytest.raises(WrongAnswer, match=r"POST /v1/queries: 401 a key is needed"):
        api.ask("When?")
