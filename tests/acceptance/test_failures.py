"""What people read while the model fails: every strategy, every failure, every way; docs/failures.md has it.

`HOPLINE_TEST_WRITE=1 .venv/bin/pytest tests/acceptance/test_failures.py` writes that page.
"""

import asyncio
import json
import logging
import os
import re
import secrets
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
import structlog
from doubles.broker import Broker, Parcel
from doubles.command_line import run_hopline, work_on
from doubles.databases import own_database
from doubles.endpoint import Reply, Script, refused, said, scripted_endpoints
from doubles.local_client import client_of
from fleet.api import served_api
from fleet.crew import settings_of, wait_until
from fleet.worlds import BRIDGE_QUESTION, write_bridge

from hopline import AsyncHopline, Hopline
from hopline.models.answers import Answer
from hopline.models.params import QueryBounds
from hopline.models.strategies import AUTO
from infra.local.process import free_port
from producer.mcp.offer import Call
from producer.mcp.server import LookAtJob, look_at_job
from producer.service.service import Service
from workers.engine.runner import Runner
from workers.engine.watchdog import Watchdog
from workers.flows.registry import STRATEGIES
from workers.services import Services

PAGE = Path(__file__).parents[2] / "docs" / "failures.md"
TEXTS = json.loads((Path(__file__).parents[2] / "producer/web/texts/en.json").read_text(encoding="utf-8"))
SHOWN = "http://model.example/v1"  # stands for the address of the endpoint
PATIENCE = 600.0  # seconds of a wait, on a machine that has other work
SOON = 4.0  # seconds of a question that will wait for its deadline
CALL = 8.0  # that a call of a slow model may take: longer than the deadline, so that it passes first
THREADS = 8


class Failing(NamedTuple):
    """A way in which a model's endpoint fails."""

    title: str
    about: str  # what it is, and what to do
    chat: Script | None  # None: nobody listens
    embeds: bool  # whether the same address embeds, so that it fails, too
    deadline: float = 600.0  # seconds of a question


def _slow(_body: dict[str, Any]) -> Reply:
    threading.Event().wait(2 * CALL)
    return said("too late")


FAILURES = (
    Failing(
        "The endpoint refuses the key",
        "It answers 401 or 403. The question fails at once. Set `HOPLINE_MODEL_KEY` to the right key, "
        "restart the workers, and ask again.",
        lambda _body: refused(401, "Incorrect API key provided"),
        embeds=True,
    ),
    Failing(
        "The endpoint filters the question",
        "Its content filter stops every request. The question fails at once, and the same question is likely "
        "to fail again: put it into other words, or use a model without that filter.",
        lambda _body: refused(400, "The prompt was filtered", code="content_filter"),
        embeds=False,
    ),
    Failing(
        "The model does not answer in JSON",
        "It answers in prose where hopline asked for JSON, twice in a row. The question fails at once. Use a "
        "model that can write JSON ([models.md](models.md)).",
        lambda _body: said("Sure! Here is what I think about that."),
        embeds=False,
    ),
    Failing(
        "Nothing answers at the address",
        "Nobody listens at `HOPLINE_MODEL_URL`. The question waits, and says for what, until the endpoint is "
        "back or the deadline of the question (`--timeout`) has passed. Start the endpoint or correct the "
        "address; `hopline jobs retry JOB`, or *Ask again* on the page, asks again.",
        None,
        embeds=True,
        deadline=SOON,
    ),
    Failing(
        "The model is too slow",
        "No call ends within `HOPLINE_MODEL_TIMEOUT`. Calls are tried again until the deadline of the "
        "question (`--timeout`) has passed. Raise both, or use a faster model.",
        _slow,
        embeds=False,
        deadline=SOON,
    ),
)
INTRODUCTION = """\
# When the model fails

A failure is never reported as "not in the documents". The answer says what failed and what to do; its state \
is `failed`, or `partial` where evidence was found that can be shown. `hopline ask` exits with 1 or 4.

A question that waits for the endpoint, or tries again, says so at once: in the terminal, to assistants \
(MCP), on the page, and in `waits_for` of the job (`GET /v1/jobs/{id}`). When the cause is mended, \
`hopline jobs retry JOB` asks again, and so does *Ask again* on the page. `hopline doctor --model` makes a \
small call of each kind and says what the endpoint answers.

The tables show what a user reads. They come from a test that asks the same question with every strategy \
while the endpoint fails: `HOPLINE_TEST_WRITE=1 .venv/bin/pytest tests/acceptance/test_failures.py` rewrites \
this page. *JSON* is `hopline ask --json`, *HTTP* is `GET /v1/jobs/{id}`.
"""


class Asked(NamedTuple):
    """A question, asked once for all ways to read its end."""

    collection: str
    strategy: str
    timeout: float
    key: str

    def submit(self, client: Hopline) -> str:
        within = QueryBounds(timeout=self.timeout)
        given = {"collection": self.collection, "strategy": self.strategy, "key": self.key}
        return client.queries.submit(BRIDGE_QUESTION, parameters=within, **given).id


class Hands(Broker):
    """The workers: threads of this process that take what is sent."""

    def __init__(self, services: Services) -> None:
        super().__init__()
        self._there, self._stopping = threading.Semaphore(0), threading.Event()
        self.runner = Runner(services, self)
        self.runner.running.start()
        self.watchdog = Watchdog(self.runner.driver, 0.2)
        self.watchdog.start()
        for nth in range(THREADS):
            threading.Thread(target=self._work, name=f"hand {nth}", daemon=True).start()

    def _put(self, parcel: Parcel) -> None:
        super()._put(parcel)
        self._there.release()

    def _work(self) -> None:
        while self._there.acquire() and not self._stopping.is_set():
            self.deliver_one(self.runner, self.queued.popleft())

    def stop(self) -> None:
        self._stopping.set()
        self.watchdog.stop()
        self._there.release(THREADS)


@contextmanager
def world(environment, redis_url, mended="", **settings):
    """Workers over the session's servers, with a Redis database of their own, or that of a mended world."""
    own = {"redis_url": mended or own_database(redis_url), "watchdog_seconds": 0.2, "backoff_seconds": 0.1}
    services = Services(settings_of(environment, **own, **settings))
    patient = {"grace_seconds": PATIENCE}  # a busy machine must not cut what a deadline closes
    services.ledger.config = services.ledger.config.model_copy(update=patient)
    hands = Hands(services)
    try:
        yield services, hands
    finally:
        hands.stop()
        services.close()


def _page_words(job: dict[str, Any]) -> str:
    """Return what the page shows of a job's end, as answer_panel.js and `reasonText` of words.js have it."""
    opening = TEXTS.get(f"ask.opening.{job['state']}", "")
    return f"{opening} {_reason_words(job['outcome']['reason'])}"


def _reason_words(reason: str) -> str:
    head, _, rest = reason.partition(": ")
    for sentence, more in ((reason, ""), (head, rest)):
        key = "reason." + "-".join(re.findall("[a-z]+", sentence.lower()))
        if key in TEXTS:
            return f"{TEXTS[key]}: {more}" if more else str(TEXTS[key])
    return reason


def _told(state: str, answer: dict[str, Any]) -> str:
    cited = len(answer["citations"])
    return f"`{state}`: {answer['reason']}" + (f" (and {cited} citations)" if cited else "")


def _read(services: Services, hands: Hands, url: str, asked: Asked, job_id: str) -> dict[str, str]:
    """Return what is read of an ended question, by way."""
    words = ("ask", BRIDGE_QUESTION, "-c", asked.collection, "--strategy", asked.strategy)
    words = (*words, "--timeout", str(asked.timeout), "--key", asked.key)
    with pytest.MonkeyPatch.context() as patch:
        work_on(patch, services, hands)
        patch.setattr(Services, "close", lambda _self: None)  # a command that ends closes its services
        terminal, as_json = run_hopline(*words, width=100_000), run_hopline(*words, "--json")
    assert job_id[:8] in terminal.stdout, terminal.output
    waits = [line for line in terminal.stderr.splitlines() if "; waiting" in line or "tries again" in line]
    lines = re.split("\n(?:How it|What was asked)", terminal.stdout)[0].splitlines()
    cited = len(re.findall(r"^  \[\d+\]", terminal.stdout, re.MULTILINE))
    beside = re.compile(r" |Citations|.*\d calls? · ")  # what it took, and where it stands
    printed = [line for line in lines if line and not beside.match(line)]
    citations = [f"(and {cited} citations)"] if cited else []
    told = json.loads(as_json.stdout)
    job = httpx.get(f"{url}/v1/jobs/{job_id}", timeout=60, trust_env=False).json()

    async def report(_line: str) -> None:
        """Tell nobody."""

    async def look() -> str:
        async with AsyncHopline(url) as client:
            return (await look_at_job(Call(client, report), LookAtJob(job_id=job_id))).text

    mcp = asyncio.run(look())
    shown, _, quoted = mcp.partition("\n\n")[2].partition("\n\nCitations:\n")
    listed = f" (and {len(quoted.splitlines())} citations)" if quoted else ""
    found = len(job["outcome"]["citations"])
    return {
        "terminal": "\n".join([*waits, *printed, *citations, f"exit code {terminal.exit_code}"]),
        "JSON": _told(told["status"], told),
        "HTTP": _told(job["state"], job["outcome"]),
        "MCP": shown + listed,
        "page": _page_words(job) + (f" (and {found} citations)" if found else ""),
    }


def _cases(failing, environment, redis_url, collection, start):
    """Return strategy → way → what is read."""
    nobody = f"http://127.0.0.1:{free_port()}/v1"
    url = start(failing.chat)[0] if failing.chat else nobody
    own = {} if failing.embeds else {"embedding_url": environment["HOPLINE_MODEL_URL"]}
    own |= {"model_timeout": CALL} if failing.deadline < CALL else {}
    read: dict[str, dict[str, str]] = {}
    with (
        world(environment, redis_url, model_url=url, **own) as (services, hands),
        served_api(services, hands) as api,
        Hopline(api.url) as client,
    ):
        asked = [Asked(collection, name, failing.deadline, secrets.token_hex(4)) for name in STRATEGIES]
        jobs = [each.submit(client) for each in asked]
        for job in jobs:
            client.jobs.wait(job, timeout=PATIENCE)
        for each, job in zip(asked, jobs, strict=True):
            words = _read(services, hands, api.url, each, job)
            read[each.strategy] = {way: _neutral(text, url, job) for way, text in words.items()}
    return read


def _neutral(text: str, url: str, job: str) -> str:
    """Return a text without what differs from run to run."""
    text = text.replace(url, SHOWN).replace(job, "JOB")
    return re.sub(r"\b\d\d:\d\d:\d\d\b", "10:15:00", text)


def _section(failing: Failing, read: dict[str, dict[str, str]]) -> str:
    parts = [f"## {failing.title}", failing.about]
    for strategies, words in _alike(read):
        rows = [f"| {', '.join(ways)} | {_cell(text)} |" for ways, text in _alike_ways(words)]
        parts.append("\n".join((f"| {', '.join(strategies)} | |", "|---|---|", *rows)))
    return "\n\n".join(parts) + "\n"


def _alike(read: dict[str, dict[str, str]]) -> list[tuple[list[str], dict[str, str]]]:
    """Return the strategies that read the same, with it."""
    alike: list[tuple[list[str], dict[str, str]]] = []
    for strategy, words in read.items():
        same = next((names for names, known in alike if known == words), None)
        if same is None:
            alike.append(([strategy], words))
        else:
            same.append(strategy)
    return alike


def _alike_ways(words: dict[str, str]) -> list[tuple[list[str], str]]:
    ways: dict[str, list[str]] = {}
    for way, text in words.items():
        ways.setdefault(text, []).append(way)
    return [(names, text) for text, names in ways.items()]


def _cell(text: str) -> str:
    return "<br>".join(line for line in text.replace("|", "\\|").splitlines() if line)


@pytest.fixture(scope="module")
def collection(stack_env: dict[str, str], redis_url: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Two documents, and their topics, made while the model still did its work."""
    name = f"failing-{secrets.token_hex(4)}"
    with world(stack_env, redis_url) as (services, hands):
        services.graph.migrate()
        with client_of(Service(services=services, publisher=hands)) as client:
            report = client.ingest([write_bridge(tmp_path_factory.mktemp("bridge"))], name)
            assert not report.failed
            answer = client.ask(BRIDGE_QUESTION, collection=name, strategy=AUTO)
            assert answer.status == "done", answer
            client.ask(BRIDGE_QUESTION, collection=name, strategy="survey")
    return name


@pytest.fixture(autouse=True)
def _quiet() -> None:
    """Keep the logs of the workers, which are threads here, out of what commands print."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))


def test_retry_asks_again_once_the_endpoint_is_back(stack_env, redis_url, collection):
    nobody = f"http://127.0.0.1:{free_port()}/v1"
    with world(stack_env, redis_url, model_url=nobody) as (services, hands):
        with client_of(Service(services=services, publisher=hands)) as client:
            job = Asked(collection, "graph", SOON, "down").submit(client)
            wait_until(lambda: "does not answer" in (client.jobs.get(job).waits_for or ""), "it says why")
            answer = Answer.of(client.jobs.wait(job, timeout=PATIENCE))
        assert "does not answer ([Errno 111] Connection refused)" in (answer.reason or "")
        redis = services.settings.redis_url.get_secret_value()
    with world(stack_env, redis_url, mended=redis) as (services, hands):
        with pytest.MonkeyPatch.context() as patch:
            work_on(patch, services, hands)
            patch.setattr(Services, "close", lambda _self: None)
            again = run_hopline("jobs", "retry", job)
        assert again.exit_code == 0, again.output
        with client_of(Service(services=services, publisher=hands)) as client:
            (name,) = {one.id for one in client.jobs.list().jobs} - {job}
            answer = Answer.of(client.jobs.wait(name, timeout=PATIENCE))
    assert (answer.status, "Vestby" in answer.text) == ("done", True)


def test_docs_say_what_people_read_while_the_model_fails(stack_env, redis_url, collection):
    with scripted_endpoints() as start:
        sections = [
            _section(failing, _cases(failing, stack_env, redis_url, collection, start))
            for failing in FAILURES
        ]
    page = "\n".join((INTRODUCTION, *sections))
    assert "does not hold" not in page
    if os.environ.get("HOPLINE_TEST_WRITE"):
        PAGE.write_text(page, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page, "see the first lines of this file for how to write it"
