"""Tests a model's endpoint with hopline's requests, and reports what it learned about it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import httpx
import orjson

from hopline.certificates import tls_context
from hopline.errors import DependencyAway, HoplineError
from hopline.models.base import Frozen
from hopline.models.jobs import Json
from hopline.secrets import scrubbed
from workers.adapters.openai.address import ModelEndpoint, shown_address
from workers.adapters.openai.calls import Unmetered
from workers.adapters.openai.failures import RequestRefused
from workers.adapters.openai.model import OpenAIModel
from workers.adapters.proxies import heeds_proxies
from workers.core.errors import DependencyRefuses, ModelRefusedSchema
from workers.core.models.tokens import count_tokens
from workers.core.models.tool_calls import ToolCall
from workers.core.ports import Partial, Reply
from workers.core.prompts import load_prompt
from workers.critic.schema import AnswerDraft, FactScores
from workers.ingest.reading.pdf.picture import png
from workers.ingest.schema import ExtractedFacts, TranscribedPage
from workers.settings import Settings
from workers.traverse.schema import QuestionPlan

_TEXT = (
    "The Clifton Suspension Bridge spans the Avon Gorge. It was designed by Isambard Kingdom Brunel, "
    "who was born in Portsmouth in 1806."
)
_QUESTION = "Where was the designer of the Clifton Suspension Bridge born?"
_FACTS = ("Isambard Kingdom Brunel was born in Portsmouth.", "The River Thames flows through London.")
_LOOK_UP: Json = {
    "type": "function",
    "function": {
        "name": "look_up",
        "description": "Looks a name up in an encyclopedia.",
        "parameters": {
            "type": "object",
            "properties": {"name": {"type": "string", "description": "what to look up"}},
            "required": ["name"],
        },
    },
}
_REPLY_TOKENS, _LONG_REPLY_TOKENS = 512, 4096  # of the replies of questions and of an extraction
_MANY = 70  # texts at once; some embedders take 32, 50 or 64
_OPERATIONS = re.compile(r"/(?:chat/completions|completions|embeddings|models|responses)/?$")
_PATHS = ("/v1", "/api/v1", "/openai/v1", "/compatible-mode/v1", "/v1beta/openai", "")  # of known servers
_SECONDS = 3.0  # for one address to answer
_KEPT = 0.7  # share of a long prompt's tokens below which the endpoint must have cut it
_EMBEDDER = "hopline needs an embedding model: set HOPLINE_EMBEDDING_URL and HOPLINE_EMBEDDING_MODEL"
_LEAST_PIECES = 2  # fewer, and a reply did not come while it was being written


_YEAR = "1858"
_DIGITS = {
    "1": ("  #  ", " ##  ", "  #  ", "  #  ", "  #  ", "  #  ", " ### "),
    "5": ("#####", "#    ", "#### ", "    #", "    #", "#   #", " ### "),
    "8": (" ### ", "#   #", "#   #", " ### ", "#   #", "#   #", " ### "),
}
_DOT, _MARGIN = 20, 3  # pixels of a dot of a digit; dots around them


class Check(Frozen):
    """One kind of request.

    Attributes:
        name: extract, plan, score, stream, tools, vision, long, embed1 or embed70.
        ok: whether the answer is what hopline needs.
        requests: number of HTTP requests, including refused ones.
        learned: what the endpoint's refusals taught about the requests it accepts.
        says: the result; after a failure, why and what to do.
        seconds: duration of the check.
    """

    name: str
    ok: bool
    requests: int
    learned: tuple[str, ...]
    says: str
    seconds: float


class ModelReport(Frozen):
    """The results of all checks of an endpoint."""

    address: str
    models: dict[str, str]  # by tier, and the embedder
    checks: tuple[Check, ...]
    tokens_per_second: float | None = None  # of a streamed reply; None if it reported no usage
    better_address: str = ""  # at which an API answers, where none does at the one given
    settings: dict[str, str] = {}  # to be changed, with their values

    @property
    def ok(self) -> bool:
        """Whether everything that hopline needs works."""
        return all(check.ok for check in self.checks)


class _Counting(Unmetered):
    """A meter that lets every call pass and counts it."""

    requests = 0

    def reserve(
        self,
        call_id: str,
        tokens: int,
        cost: float | None = None,
        *,
        calls: int = 1,
        epoch: int | None = None,
    ) -> None:
        """Count the call."""
        super().reserve(call_id, tokens, cost, calls=calls, epoch=epoch)
        self.requests += calls


class _Failed(Exception):
    """A reply is not what hopline needs; the text says why and what to do."""


def check_model(
    settings: Settings, tell: Callable[[Check], None] = lambda _check: None, *, long_prompt: int = 0
) -> ModelReport:
    """Make one small call of each kind that hopline makes; needs no other server.

    If the endpoint cannot be reached, or refuses everything, no further call is made.

    Args:
        settings: endpoints, keys and models.
        tell: called with each check when it ends.
        long_prompt: tokens of the prompt of an additional call; 0 for none.
    """
    trial = _Trial(settings, long_prompt)
    checks: list[Check] = []
    for name, run in trial.runs():
        checks.append(trial.check(name, run))
        tell(checks[-1])
        if trial.is_hopeless:
            break
    better, served = _found(settings) if trial.is_misplaced else ("", [])
    to_set = {"HOPLINE_MODEL_URL": better} if better else {}
    if len(served) == 1 and not {settings.fast_model, settings.strong_model} & {*served}:
        to_set["HOPLINE_MODEL"] = served[0]
    models = {
        "fast": settings.fast_model,
        "strong": settings.strong_model,
        "embedder": settings.embedding_model,
    } | ({"vision": settings.vision_model} if settings.vision_model else {})
    return ModelReport(
        address=shown_address(settings.model_url),
        models=models,
        checks=tuple(checks),
        tokens_per_second=trial.speed,
        better_address=shown_address(better),
        settings=to_set,
    )


def endpoints_in_words(settings: Settings) -> str:
    """Return the tested models and their addresses in words."""
    chat, embedder = shown_address(settings.model_url), shown_address(settings.embedding_url)
    names = dict.fromkeys((settings.fast_model, settings.strong_model))
    models = f"{'Models' if len(names) > 1 else 'Model'} {' and '.join(names)}"
    where = "the same address" if embedder in ("", chat) else embedder
    return scrubbed(f"{models} at {chat}, embedder {settings.embedding_model} at {where}")


def _found(settings: Settings) -> tuple[str, list[str]]:
    """Return another address on the same server that lists models ("" if none does), and the models.

    Endings of paths are cut off, and the usual beginnings tried, only on the same server.
    """
    given = ModelEndpoint(url=settings.model_url, key=settings.model_key.get_secret_value())
    parts = urlsplit(given.base)
    root = f"{parts.scheme}://{parts.netloc}"
    bare = _OPERATIONS.sub("", given.base).removesuffix("/v1")
    tried = dict.fromkeys(base + path for base in (bare, root) for path in _PATHS)
    with httpx.Client(
        timeout=_SECONDS,
        headers=given.headers,
        trust_env=heeds_proxies(given.url),
        verify=tls_context(settings.ca_file),
    ) as client:
        for base in tried:
            try:
                answer = client.get(f"{base}/models", params=given.query)
                models = answer.json()
            except (httpx.HTTPError, ValueError):
                continue
            if answer.is_success and isinstance(models, dict) and isinstance(models.get("data"), list):
                served = [str(model.get("id")) for model in models["data"] if isinstance(model, dict)]
                query = urlsplit(given.url).query
                better = f"{base}?{query}" if query else base
                return better if base != given.base else "", served  # else it is the name that is wrong
    return "", []


class _Trial:
    """The test calls, on a client that has not learned anything about the endpoint."""

    def __init__(self, settings: Settings, long_prompt: int) -> None:
        self._long_prompt = long_prompt
        self._counting = _Counting()
        self._model = OpenAIModel.from_settings(settings).metered(self._counting)
        self.is_hopeless = self.is_misplaced = self._embeds = False
        self.speed: float | None = None

    def runs(self) -> Iterator[tuple[str, Callable[[], str]]]:
        """Yield each check's name and the function that makes its call and describes the result."""
        yield "extract", self._extract
        yield "plan", self._plan
        yield "score", self._score
        yield "stream", self._stream
        yield "tools", self._tools
        if self._model.name_of("vision"):
            yield "vision", self._vision
        if self._long_prompt:
            yield "long", self._long
        yield "embed1", lambda: self._embed(1)
        yield f"embed{_MANY}", lambda: self._embed(_MANY)

    def check(self, name: str, run: Callable[[], str]) -> Check:
        """Run a check and record its requests and duration."""
        before, known, started = self._counting.requests, self._model.learnt(), time.monotonic()
        try:
            says, is_ok = run(), True
        except (HoplineError, _Failed) as error:
            says, is_ok = scrubbed(str(error)), False
            if isinstance(error, ModelRefusedSchema):
                says += ". Use a model that can write JSON"
            of_texts = name.startswith("embed")
            self.is_hopeless = isinstance(error, DependencyAway | DependencyRefuses) and not of_texts
            self.is_misplaced = self.is_hopeless and "HOPLINE_MODEL_URL" in says
        return Check(
            name=name,
            ok=is_ok,
            requests=self._counting.requests - before,
            learned=tuple(line for line in self._model.learnt() if line not in known),
            says=says,
            seconds=round(time.monotonic() - started, 3),
        )

    def _ask(self, package: str, prompt: str, material: Json, reply: type[Reply], tokens: int) -> Reply:
        return self._model.ask(load_prompt(package, prompt), material, reply, max_tokens=tokens).value

    def _extract(self) -> str:
        material = {"title": "Bridges", "text": _TEXT}
        facts = self._ask("workers.ingest", "extract", material, ExtractedFacts, _LONG_REPLY_TOKENS).facts
        if not facts:
            raise _Failed("it took no fact out of two sentences that hold three: try a stronger model")
        return f"{len(facts)} facts out of two sentences"

    def _plan(self) -> str:
        material = {"question": _QUESTION, "history": []}
        prompt = load_prompt("workers.traverse", "plan").for_tools(())
        names = self._model.ask(prompt, material, QuestionPlan, max_tokens=_REPLY_TOKENS).value.entities
        if not names:
            raise _Failed("it found no name in a question that holds one: try a stronger model")
        return f"found {', '.join(names)}"

    def _score(self) -> str:
        facts = [{"n": n, "fact": fact, "sources": []} for n, fact in enumerate(_FACTS, 1)]
        material = {"question": _QUESTION, "sub_questions": [], "facts": facts}
        scores = self._ask("workers.critic", "score_each", material, FactScores, _REPLY_TOKENS).scores
        by_number = {score.n: score.relevance for score in scores}
        if not by_number.get(1, 0.0) > by_number.get(2, 0.0):
            raise _Failed(
                "it scored an irrelevant fact as high as the one that answers the question: "
                "try a stronger model"
            )
        return f"{by_number[1]:.2f} for the fact that answers, {by_number.get(2, 0.0):.2f} for the other"

    def _stream(self) -> str:
        evidence = [
            {"n": n, "fact": fact, "quote": fact, "source": "Bridges"} for n, fact in enumerate(_FACTS, 1)
        ]
        material = {
            "question": "Where was Isambard Kingdom Brunel born?",
            "sub_questions": [],
            "evidence": evidence,
        }
        came: list[float] = []
        partial: Partial = lambda _part: came.append(time.monotonic())  # noqa: E731
        started = time.monotonic()
        prompt = load_prompt("workers.critic", "synthesize")
        answered = self._model.ask(
            prompt, material, AnswerDraft, tier="strong", max_tokens=_REPLY_TOKENS, partial=partial
        )
        seconds = time.monotonic() - started
        if not answered.value.answerable or not answered.value.sentences:
            raise _Failed("it found no answer in evidence that holds it: try a stronger model")
        if 0 < answered.usage.completion_tokens < _REPLY_TOKENS:  # else it gave no usage: that is the bound
            self.speed = round(answered.usage.completion_tokens / seconds, 1)
        if len(came) < _LEAST_PIECES:
            return "answered in one piece: people see no sentence before the answer is whole"
        return f"answered in pieces, the first after {came[0] - started:.1f} s"

    def _long(self) -> str:
        """Ask about the beginning of a long prompt, which an endpoint may cut off."""
        evidence = [{"n": 1, "fact": _FACTS[0], "quote": _FACTS[0], "source": "Bridges"}]
        tokens = count_tokens(_FACTS[0]) * 2
        while tokens < self._long_prompt:
            number = len(evidence) + 1
            fact = f"Bridge number {number} of the list crosses river number {number} on {number + 1} arches."
            evidence.append({"n": number, "fact": fact, "quote": fact, "source": "Bridges"})
            tokens += count_tokens(orjson.dumps(evidence[-1]).decode())
        material = {
            "question": "Where was Isambard Kingdom Brunel born?",
            "sub_questions": [],
            "evidence": evidence,
        }
        prompt = load_prompt("workers.critic", "synthesize")
        asked = self._model.ask(prompt, material, AnswerDraft, tier="strong", max_tokens=_REPLY_TOKENS)
        read = asked.usage.prompt_tokens
        cut = f"it read {read:,} of the prompt's {tokens:,} tokens and silently cut off the rest"
        if read < _KEPT * tokens:
            raise _Failed(f"{cut}: give the server a longer context")
        if not any("Portsmouth" in sentence.text for sentence in asked.value.sentences):
            raise _Failed(
                f"it missed the beginning of a prompt of {tokens:,} tokens: "
                "give the server a longer context, or lower `evidence_tokens` in HOPLINE_LIMITS"
            )
        return f"read all of a prompt of {tokens:,} tokens"

    def _tools(self) -> str:
        def fault(call: ToolCall) -> str | None:
            return None if call.name == "look_up" and call.arguments.get("name") else "needs a name"

        prompt = load_prompt("workers.traverse.tools", "choose_tools").for_tools(("look_up",))
        chosen = self._model.choose_tools(
            prompt, {"question": _QUESTION, "history": []}, [_LOOK_UP], fault, max_tokens=_REPLY_TOKENS
        ).value
        if not chosen.calls:
            why = f" ({chosen.refused[0].why})" if chosen.refused else ""
            raise _Failed(
                f"it called no tool{why}: use a model that can call tools, or a --strategy other than tools"
            )
        return "calls " + ", ".join(f"{call.name}({call.arguments['name']})" for call in chosen.calls)

    def _vision(self) -> str:
        prompt = load_prompt("workers.ingest", "transcribe")
        read = self._model.ask(
            prompt,
            {"page": 1},
            TranscribedPage,
            tier="vision",
            max_tokens=_REPLY_TOKENS,
            pictures=(trial_picture(),),
        ).value.lines
        if not any(_YEAR in line for line in read):
            raise _Failed(
                f"it did not read the number {_YEAR} on a picture: set HOPLINE_VISION_MODEL to a model that "
                "takes pictures, or unset it"
            )
        return f"read {_YEAR} on a picture"

    def _embed(self, count: int) -> str:
        if count > 1 and not self._embeds:
            raise _Failed("skipped: not even a single text could be embedded")
        texts = [*_FACTS, *(f"Bridge number {n} has {n} arches." for n in range(count))][:count]
        try:
            vectors = self._model.embed(texts)
        except RequestRefused as error:
            raise _Failed(str(error) if self._embeds else f"{error}. {_EMBEDDER}") from error
        self._embeds = True
        many = "a vector" if len(vectors) == 1 else f"{len(vectors)} vectors"
        return f"{many} of {len(vectors[0])} numbers"


def trial_picture() -> bytes:
    """Return a PNG of the number 1858, black on white."""
    rows = ["  ".join(_DIGITS[digit][nth] for digit in _YEAR) for nth in range(7)]
    width = len(rows[0]) + 2 * _MARGIN
    blank = [" " * width] * _MARGIN
    dots = [*blank, *(row.center(width) for row in rows), *blank]
    rows_of_pixels = (b"".join((b"\0" if dot == "#" else b"\xff") * 3 * _DOT for dot in row) for row in dots)
    pixels = (row for row in rows_of_pixels for _ in range(_DOT))
    return png(pixels, width * _DOT, len(dots) * _DOT)
