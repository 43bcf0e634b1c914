"""Routes of OpenAI's chat API, for programs that support only that: models, chat completions.

They are declared here and not on the client, because OpenAI defines them.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import AsyncGenerator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.concurrency import run_in_threadpool

from hopline.errors import InvalidInput
from hopline.models.answers import Answer
from hopline.models.jobs import JobState
from hopline.models.params import patience_of
from hopline.models.strategies import AUTO
from producer.api.access import Caller, Reader, Submitter
from producer.api.context import Api, ApiContext
from producer.api.principals.jobs import seen_job
from producer.api.problems import Problem, documented
from producer.api.routes.queries import submit_question
from producer.api.submission import terms_of
from producer.service.job_wait import wait_for_end
from workers.core.jobs.records import JobRecord

router = APIRouter(tags=["chat"])

_MARKER = re.compile(r"\[(\d{1,4})\]")
_SESSION_DIGITS = 16


class ChatPart(BaseModel):
    """A part of a message; only parts with text are read."""

    type: str
    text: str = ""


class ChatMessage(BaseModel):
    """A message of a conversation."""

    role: str = Field(description="`user` asks questions; other messages are not read.")
    content: str | tuple[ChatPart, ...] | None = None

    @property
    def text(self) -> str:
        """Its text."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(part.text for part in self.content or () if part.type == "text")


class ChatRequest(BaseModel):
    """A conversation whose last question is answered; OpenAI's other fields are ignored."""

    model_config = ConfigDict(extra="ignore")

    model: Annotated[
        str,
        Field(
            min_length=1,
            max_length=200,
            description="A collection, optionally with a strategy: `notes`, `notes:reader`.",
            examples=["default"],
        ),
    ]
    messages: Annotated[tuple[ChatMessage, ...], Field(min_length=1, max_length=10_000)]
    stream: bool = False


class UrlCitation(BaseModel):
    """The target of a marker in the text."""

    start_index: int
    end_index: int
    url: str = Field(description="Address of the answer on hopline's page, which shows the quotes.")
    title: str = Field(description="Title of the document.")


class ChatAnnotation(BaseModel):
    """A marker in the text, such as [1]."""

    type: Literal["url_citation"] = "url_citation"
    url_citation: UrlCitation


class ChatAnswer(BaseModel):
    """The message that answers."""

    role: Literal["assistant"] = "assistant"
    content: str
    annotations: tuple[ChatAnnotation, ...] = ()


class ChatChoice(BaseModel):
    """The only choice."""

    index: Literal[0] = 0
    message: ChatAnswer
    finish_reason: Literal["stop"] = "stop"


class ChatUsage(BaseModel):
    """Tokens of all model calls for the question."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class ChatCompletion(BaseModel):
    """An answer."""

    id: str = Field(description="Id of the question's job.")
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: tuple[ChatChoice]
    usage: ChatUsage


class ChatModel(BaseModel):
    """A collection."""

    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: Literal["hopline"] = "hopline"


class ChatModels(BaseModel):
    """The collections that the caller may ask."""

    object: Literal["list"] = "list"
    data: tuple[ChatModel, ...]


@router.get(
    "/v1/models", operation_id="chat_models", summary="List collections as models", responses=documented()
)
def list_models(api: ApiContext, caller: Reader) -> ChatModels:
    """List the collections that the caller sees, in the form of OpenAI's models."""
    names = filter(caller.sees, sorted(api.service.graph.collections(caller.principals)))
    return ChatModels(data=tuple(ChatModel(id=name) for name in names))


@router.post(
    "/v1/chat/completions",
    operation_id="chat_completions",
    summary="Answer a conversation's last question",
    response_model=ChatCompletion,
    responses={
        200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}},
        **documented(404, 413, 415, 429),
    },
)
async def complete_chat(api: ApiContext, caller: Submitter, request: Request, body: ChatRequest) -> Any:
    """Answer the last question of a conversation, in the form of OpenAI's chat completions.

    A session, named after the conversation's first question, remembers earlier questions. Sentences are
    checked before an answer is shown, so with `stream` it comes as one piece, after keep-alive messages.
    """
    questions = [message.text.strip() for message in body.messages if message.role == "user"]
    if not questions:
        raise InvalidInput(
            "messages", len(body.messages), "messages, at least one of them with the role user"
        )
    collection, _, strategy = body.model.partition(":")
    digest = hashlib.sha256(questions[0].encode("utf-8", "surrogatepass")).hexdigest()
    params = {"strategy": strategy or AUTO, "session": f"chat {digest[:_SESSION_DIGITS]}"}
    api.streams.check(caller.id)
    terms = terms_of(request, caller)
    names = [caller.collection(collection)]
    record = await run_in_threadpool(submit_question, api, caller, questions[-1], names, params, terms, None)
    if body.stream:
        return EventSourceResponse(
            _chunks(api, caller, request, record, body.model),
            ping=round(api.settings.api_heartbeat),
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )
    return await _completion(api, caller, request, record, body.model)


async def _completion(
    api: Api, caller: Caller, request: Request, record: JobRecord, model: str
) -> ChatCompletion:
    """Wait for the answer and return it.

    Raises:
        Problem: there is no answer in time, or the question failed.
    """
    job_id, seconds = record.job.id, min(patience_of(), api.settings.api_stream)
    with api.streams.open(caller.id):
        ended = await wait_for_end(api.waiting, job_id, seconds, request.is_disconnected)
    if not ended:
        raise Problem(503, f"no answer after {seconds:g} s; GET /v1/jobs/{job_id} shows its progress")
    answer = Answer.of(await run_in_threadpool(lambda: seen_job(api, caller, api.service.jobs.get(job_id))))
    if answer.status in (JobState.FAILED, JobState.CANCELLED):
        raise Problem(422, f"job {job_id}: {answer.reason}")
    base = (api.settings.api_url or str(request.base_url)).rstrip("/")
    usage = answer.usage
    return ChatCompletion(
        id=job_id,
        created=round(record.created),
        model=model,
        choices=(ChatChoice(message=_message(answer, f"{base}/#/ask/{job_id}")),),
        usage=ChatUsage(
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            total_tokens=usage.prompt_tokens + usage.completion_tokens,
        ),
    )


def _message(answer: Answer, url: str) -> ChatAnswer:
    """Return an answer, or the reason for having none, with an annotation for each citation of a document."""
    text = answer.text or answer.reason or ""
    titles = {cited.n: cited.document.title for cited in answer.citations if cited.document}
    annotations = tuple(
        ChatAnnotation(
            url_citation=UrlCitation(
                start_index=marker.start(), end_index=marker.end(), url=url, title=titles[int(marker[1])]
            )
        )
        for marker in _MARKER.finditer(text)
        if int(marker[1]) in titles
    )
    return ChatAnswer(content=text, annotations=annotations)


async def _chunks(
    api: Api, caller: Caller, request: Request, record: JobRecord, model: str
) -> AsyncGenerator[ServerSentEvent]:
    """Yield the pieces of a streamed answer: role, text, end with usage."""
    head: dict[str, Any] = {"id": record.job.id, "object": "chat.completion.chunk", "model": model}
    head |= {"created": round(record.created)}

    def chunk(delta: dict[str, Any], *, ended: str | None = None, **more: Any) -> ServerSentEvent:
        choice = {"index": 0, "delta": delta, "finish_reason": ended}
        return _event({**head, "choices": [choice], **more})

    yield chunk({"role": "assistant", "content": ""})
    try:
        completion = await _completion(api, caller, request, record, model)
    except Problem as problem:
        yield _event({"error": {"message": str(problem), "type": "server_error", "code": problem.status}})
        return
    message = completion.choices[0].message.model_dump(mode="json", exclude={"role"})
    yield chunk(message)
    yield chunk({}, ended="stop", usage=completion.usage.model_dump())
    yield ServerSentEvent(data="[DONE]", sep="\n")


def _event(data: dict[str, Any]) -> ServerSentEvent:
    return ServerSentEvent(data=json.dumps(data, ensure_ascii=False), sep="\n")
