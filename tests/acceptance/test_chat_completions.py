"""Programs that speak OpenAI's chat API ask hopline through OpenAI's own client, by real workers."""

from collections.abc import Iterator

import httpx2
import openai
import pytest
from fleet.api import ServedApi
from fleet.worlds import BRIDGE_QUESTION as FIRST

SYSTEM = {"role": "system", "content": "Be brief."}
NEXT = "When was the Alda Bridge opened?"


@pytest.fixture
def chat(api: ServedApi) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{api.url}/v1", api_key=api.key("submit"), max_retries=0) as client:
        yield client


def test_an_answer_marks_its_citations_and_a_further_question_knows_the_first(chat, crew, bridges):
    assert bridges in {model.id for model in chat.models.list()}
    first = {"role": "user", "content": FIRST}
    said = chat.chat.completions.create(model=bridges, messages=[SYSTEM, first])
    answer = said.choices[0].message
    assert "Vestby" in answer.content
    assert said.usage.total_tokens == said.usage.prompt_tokens + said.usage.completion_tokens > 0
    for annotation in answer.annotations:
        cited = annotation.url_citation
        assert answer.content[cited.start_index : cited.end_index].strip("[]").isdecimal()
        assert cited.url.endswith(f"/#/ask/{said.id}")
    assert answer.annotations
    assert crew.client.jobs.get(said.id).outcome.text == answer.content
    history = [first, {"role": "assistant", "content": answer.content}, {"role": "user", "content": NEXT}]
    again = chat.chat.completions.create(model=f"{bridges}:graph", messages=history)
    asked = [crew.client.jobs.get(completion.id).params for completion in (said, again)]
    assert asked[0]["session"] == asked[1]["session"]
    assert (asked[1]["question"], asked[1]["strategy"]) == (NEXT, "graph")
    (session, *_) = crew.client.sessions.list().sessions
    assert [turn.question for turn in crew.client.sessions.get(session.id).turns] == [FIRST, NEXT]


def test_a_streamed_answer_is_the_same_in_pieces(chat, bridges):
    message = {"role": "user", "content": [{"type": "text", "text": FIRST}]}
    whole = chat.chat.completions.create(model=bridges, messages=[message])
    pieces = list(chat.chat.completions.create(model=bridges, messages=[message], stream=True))
    assert pieces[0].choices[0].delta.role == "assistant"
    text = "".join(piece.choices[0].delta.content or "" for piece in pieces)
    assert text == whole.choices[0].message.content
    assert (pieces[-1].choices[0].finish_reason, pieces[-1].usage.total_tokens > 0) == ("stop", True)


def test_what_cannot_be_asked_is_refused_in_words(chat, api, bridges):
    question = {"role": "user", "content": FIRST}
    with pytest.raises(openai.NotFoundError, match="no-such"):
        chat.chat.completions.create(model="no-such", messages=[question])
    with pytest.raises(openai.UnprocessableEntityError, match="strategy"):
        chat.chat.completions.create(model=f"{bridges}:luck", messages=[question])
    with pytest.raises(openai.UnprocessableEntityError, match="role user"):
        chat.chat.completions.create(model=bridges, messages=[SYSTEM])
    reply = httpx2.post(f"{api.url}/v1/chat/completions", json={"model": bridges, "messages": [question]})
    assert reply.status_code == 401
