"""The Model port over any OpenAI-compatible endpoint."""

from __future__ import annotations

import copy
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import structlog

from hopline.errors import Deferred, Permanent, Transient
from hopline.models.jobs import Json, Usage
from workers.adapters.openai.address import ModelEndpoint
from workers.adapters.openai.calls import Attempt, Call, ChatModel, Unmetered
from workers.adapters.openai.dialect import Dialect, Request
from workers.adapters.openai.embeddings import Embeddings
from workers.adapters.openai.endpoint import Endpoint
from workers.adapters.openai.failures import OF_EMBEDDER, RequestRefused, ServerFailed
from workers.adapters.openai.known_form import KnownForm, in_words
from workers.adapters.openai.partial_reply import Growing
from workers.adapters.openai.prices import priced_embedder, priced_tiers
from workers.adapters.openai.tools import Choosing
from workers.adapters.openai.wire import (
    ReplyMisfit,
    ReplyRequest,
    build_refusal,
    follow_up_messages,
    read_reply,
    repair_messages,
)
from workers.core.errors import BudgetExceeded
from workers.core.graph.vectors import Embedder
from workers.core.models.learnt import Learnt, Unlearnt
from workers.core.models.metered_model import CallBound, Meter
from workers.core.models.permits import NoPermits, Permits
from workers.core.models.tool_calls import ToolCall, ToolCalls
from workers.core.ports import Answered, FollowUp, Partial, Reply, Tier
from workers.core.prompts import Prompt
from workers.core.retries import RETRIES
from workers.settings import Settings

_UNHEARD = 2  # replies in a row that call none of the tools on offer
_PLAIN = Dialect()
_log = structlog.get_logger()


@dataclass
class _Asking:
    """One request to a model with its repairs, and the usage so far.

    Attributes:
        request: the request.
        size: the tier, and the tokens of the reply.
        attempt: attempt of the item that asks.
        spent: by each call.
        dialect: in which the latest call was answered.
    """

    request: Request
    size: tuple[Tier, int]
    attempt: Attempt
    spent: list[Usage] = field(default_factory=list)
    dialect: Dialect = _PLAIN


class OpenAIModel:
    """A chat model in two tiers and an embedder; one instance serves all threads of a process.

    Args:
        chat: endpoint of the chat models.
        tiers: the model of each tier.
        embedding: endpoint of the embedder; the chat models' unless given.
        embedding_model: the embedder there.
        timeout: seconds that a single call may take; an attempt with retries and repair takes at most 1.5
            times as long.
        calls: chat calls in flight at a time; others wait for their turn, at most half as long as a call may
            take: then their items are given back.
        form: form of request that is tried first.
        embedding_body: further fields of each request to the embedder.
        learnt: what other processes have learned about accepted forms.
    """

    def __init__(  # noqa: PLR0913 - one setting, one argument
        self,
        *,
        chat: ModelEndpoint,
        tiers: Mapping[Tier, ChatModel],
        embedding_model: ChatModel,
        embedding: ModelEndpoint | None = None,
        timeout: float = 60.0,
        calls: int = 64,
        form: Dialect = _PLAIN,
        embedding_body: Json | None = None,
        learnt: Learnt | None = None,
    ) -> None:
        self._chat = Endpoint(chat)
        apart = embedding is not None and embedding != chat
        self._embeddings = Embeddings(
            Endpoint(embedding, OF_EMBEDDER) if embedding and apart else self._chat,
            embedding_model,
            embedding_body,
            learnt,
        )
        self._tiers = dict(tiers)
        self._timeout = timeout
        self._in_flight = threading.BoundedSemaphore(calls)
        names = {model.name for model in tiers.values()}
        shared = learnt or Unlearnt()
        self._known = {name: KnownForm(form, shared, self._chat.url, name) for name in names}
        self._taken: set[str] = set()  # models that have answered in the form that is known of them
        self._fitted: set[tuple[str, str, str]] = set()  # model, format, schema: of replies that fitted
        self._unheard: dict[str, int] = {}  # by model: its latest replies that called no tool
        self._meter: Meter = Unmetered()
        self._permits: Permits = NoPermits()

    @classmethod
    def from_settings(cls, settings: Settings, learnt: Learnt | None = None) -> OpenAIModel:
        """Return the model that the settings describe; learnt: what processes share of it."""
        key = settings.model_key.get_secret_value()
        other_key = settings.embedding_key.get_secret_value() if settings.embedding_key else key
        trusted = settings.ca_file
        return cls(
            chat=ModelEndpoint(url=settings.model_url, key=key, ca_file=trusted),
            tiers=priced_tiers(settings),
            embedding=ModelEndpoint(
                url=settings.embedding_url or settings.model_url, key=other_key, ca_file=trusted
            ),
            embedding_model=priced_embedder(settings),
            timeout=settings.model_timeout,
            calls=settings.model_calls,
            form=Dialect(thinking=settings.model_thinking_tokens, more=settings.model_body),
            embedding_body=settings.embedding_body,
            learnt=learnt,
        )

    def metered(self, meter: Meter, permits: Permits | None = None) -> OpenAIModel:
        """Return a model whose calls are metered and wait for permits."""
        other = copy.copy(self)
        other._meter, other._permits = meter, permits or NoPermits()  # noqa: SLF001 - a copy of this class
        return other

    def bounded(self, calls: int) -> tuple[OpenAIModel, CallBound]:
        """Return a model limited to a number of further calls, including repairs, and their counter."""
        bound = CallBound(self._meter, calls)
        return self.metered(bound, self._permits), bound

    def ask(
        self,
        prompt: Prompt,
        material: Mapping[str, Any],
        reply: type[Reply],
        *,
        tier: Tier = "fast",
        max_tokens: int = 1024,
        pictures: Sequence[bytes] = (),
        partial: Partial | None = None,
        review: Callable[[Reply], FollowUp | None] | None = None,
    ) -> Answered[Reply]:
        """Return a validated reply; an invalid one is requested once more, with its errors.

        pictures: PNG files, for a model that takes pictures.
        partial: sees the reply grow, where the endpoint streams; see `core.ports.Model`.
        review: may ask for another reply; see there.

        Raises:
            ModelRefusedSchema: the second reply did not fit either.
            ModelRefused: the model declined.
            Transient: the endpoint failed (DependencyAway: it cannot be reached; Deferred: it asks to wait,
                or is busy with as many calls as are allowed).
            Permanent: the endpoint refuses such requests: wrong key, name or address.
            BudgetExceeded: the job may not spend this call.
        """
        request = ReplyRequest(prompt, material, reply, Growing(partial) if partial else None, pictures)
        asking = _Asking(request, (tier, max_tokens), self._attempt(self._in_flight))
        spent = asking.spent

        def read(dialect: Dialect | None = None) -> Reply:
            payload, asking.dialect = self._complete(asking, dialect)
            value = read_reply(payload, reply)
            self._fitted.add((self._tiers[tier].name, asking.dialect.format, reply.__name__))
            return value

        try:
            value = read()
        except ReplyMisfit as misfit:
            _log.info("reply.repaired", prompt=prompt.name, reply=reply.__name__, reason=str(misfit))
            request.talk += repair_messages(misfit)
            try:
                value = read()
            except ReplyMisfit as again:
                is_cut = any(each.is_cut and not each.content.isspace() for each in (misfit, again))
                if is_cut or not self._may_ignore_schemas(asking, reply):
                    raise build_refusal(reply, again) from again
                request.talk = request.talk[:1]
                value = self._told_schema(read, asking, reply, again)
        if follow_up := review(value) if review else None:
            request.talk += follow_up_messages(value, follow_up)
            value = _other(read, value)
        return Answered[Reply](value=value, usage=sum(spent[1:], spent[0]))

    def choose_tools(
        self,
        prompt: Prompt,
        material: Mapping[str, Any],
        tools: Sequence[Json],
        fault: Callable[[ToolCall], str | None],
        *,
        tier: Tier = "fast",
        max_tokens: int = 1024,
    ) -> Answered[ToolCalls]:
        """Return the tool calls that the model chose; it may correct invalid ones once.

        Tools are offered natively if the endpoint supports that, else as a choice in JSON.

        Raises:
            ModelRefused, Transient, Permanent, BudgetExceeded: as `ask`.
        """
        choosing = Choosing(prompt, material, tools, fault)
        asking = _Asking(choosing, (tier, max_tokens), self._attempt(self._in_flight))
        spent = asking.spent
        payload, dialect = self._complete(asking)
        choosing.take(payload, dialect)
        unheard = choosing.ignores_tools
        if choosing.wrong:
            _log.info("tools.repaired", prompt=prompt.name, wrong=choosing.wrong)
            choosing.take(*self._complete(asking))
        if dialect.tools != "none":
            self._hear(self._tiers[tier].name, dialect, unheard=unheard)
        return Answered[ToolCalls](value=choosing.value, usage=sum(spent[1:], spent[0]))

    def _hear(self, model: str, dialect: Dialect, *, unheard: bool) -> None:
        """Record whether a model called an offered tool; one that cannot is asked in JSON from now on.

        One that had to call a tool and did not knows none; one that was free to may just have talked.
        """
        times = self._unheard[model] = self._unheard.get(model, 0) + 1 if unheard else 0
        if times >= (1 if dialect.tools == "required" else _UNHEARD):
            self._known[model].remember(replace(self._known[model].get(), tools="none"))

    def form_of(self, tier: Tier) -> Dialect | None:
        """Return the request form that a tier's model accepted; None if none was sent yet."""
        name = self._tiers[tier].name
        return self._known[name].get() if name in self._taken else None

    def learnt(self) -> list[str]:
        """Return in words what refusals have taught of the requests that the endpoints take."""
        forms: list[tuple[str, KnownForm[Any]]] = [*self._known.items()]
        forms.append((self._embeddings.model, self._embeddings.known))
        return [f"{model} {words}" for model, known in forms for words in in_words(known.changes())]

    def chat_model(self, tier: Tier) -> ChatModel:
        """Return a tier's model with its prices."""
        return self._tiers[tier]

    def _may_ignore_schemas(self, asking: _Asking, reply: type[Reply]) -> bool:
        """Whether a model's replies may not fit since its endpoint takes a schema and does not heed it."""
        form = (self._tiers[asking.size[0]].name, "json_schema", reply.__name__)
        return asking.dialect.format == "json_schema" and form not in self._fitted

    def _told_schema(
        self, read: Callable[[Dialect], Reply], asking: _Asking, reply: type[Reply], misfit: ReplyMisfit
    ) -> Reply:
        """Ask once more with the schema in the prompt; if the reply fits, keep this form.

        Raises:
            ModelRefusedSchema: that does not fit either.
        """
        form = replace(asking.dialect, format="json_object")
        if not misfit.content.strip():  # it answers nothing in that form, so the plainest is tried
            form = replace(asking.dialect, format="prompt", stream=False)
        try:
            value = read(form)
        except (ReplyMisfit, BudgetExceeded) as error:
            raise build_refusal(reply, misfit) from error
        self._known[self._tiers[asking.size[0]].name].remember(asking.dialect)
        return value

    def _complete(self, asking: _Asking, form: Dialect | None = None) -> tuple[dict[str, Any], Dialect]:
        """Send it in the form that the endpoint takes, which is remembered once it worked.

        form: to try first, and not to remember.
        """
        request, (tier, limit) = asking.request, asking.size
        model = self._tiers[tier]
        known = form or self._known[model.name].get()
        dialect: Dialect | None = known
        refused: RequestRefused | ServerFailed | None = None
        while dialect is not None:
            body = request.body(model.name, limit, dialect)
            bound = model.usage(request.bound(dialect), dialect.limit(limit))
            call = Call("/chat/completions", body, model, bound, request.hearer(dialect))
            is_taken = model.name in self._taken
            try:
                tries = 1 if isinstance(refused, ServerFailed) else RETRIES.model_calls
                payload, used = asking.attempt.send(self._chat, call, tries)
            except RequestRefused as error:
                refused = refused or error
                less = dialect.longer(limit, error.complaint) or dialect.shorter(limit, error.complaint)
                other = request.after(dialect, error.complaint, taken=is_taken)
                dialect = less or (None if error.too_long else other)
                continue
            except ServerFailed as error:
                if is_taken or refused:
                    raise
                refused, dialect = error, dialect.plain()
                continue
            by_failing = refused is not None and refused.by_failing
            if dialect != known:  # else another thread's finding of meanwhile would be lost
                self._known[model.name].remember(dialect, by_failing=by_failing)
            if not by_failing:
                self._taken.add(model.name)
            asking.spent.append(used)
            return payload, dialect
        if isinstance(refused, RequestRefused) and refused.by_failing:
            raise ServerFailed(str(refused)) from refused
        raise refused or AssertionError("a dialect was tried")

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector per text, all of the embedder's dimension; a blank text gives zeros.

        Raises:
            Transient: the endpoint failed (DependencyAway: it cannot be reached).
            Permanent: the endpoint refuses such requests.
            BudgetExceeded: the job may not spend this call.
        """
        return self._embeddings.embed(texts, self._attempt())

    @property
    def embedder(self) -> Embedder:
        """The embedder's name and dimension, read from the endpoint on first use."""
        return Embedder(name=self._embeddings.model, dimension=self._embeddings.dimension(self._attempt()))

    def name_of(self, tier: Tier) -> str:
        """Return the name of a tier's model; "" for pictures if there is none."""
        return self._tiers[tier].name if tier in self._tiers else ""

    def _attempt(self, seats: threading.Semaphore | None = None) -> Attempt:
        until = time.monotonic() + RETRIES.model_time_limits * self._timeout - self._permits.waited
        return Attempt(self._meter, until, self._timeout, seats, self._permits)


def _other(read: Callable[[], Reply], first: Reply) -> Reply:
    """Return the reply after a review; the first reply if the review fails, unless the model is away."""
    try:
        return read()
    except Deferred:
        raise
    except (ReplyMisfit, Transient, Permanent, BudgetExceeded) as error:
        _log.info("reply.kept", reply=type(first).__name__, reason=str(error))
        return first
