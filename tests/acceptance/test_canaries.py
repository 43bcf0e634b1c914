"""No key or password is in what a running stack keeps, logs, sends or shows when its servers fail."""

import json
import os
import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import quote

import httpx
import pytest
import redis
from doubles.endpoint import Reply, Start, refused, scripted_endpoints
from fleet.collector import OtlpCollector, otlp_collector
from fleet.crew import Crew, private_crew, wait_until
from fleet.forks import ForkedProgram
from fleet.servers import START_SECONDS
from fleet.worlds import write_bridge

from hopline import Hopline
from hopline.errors import HoplineError
from infra.local.process import free_port
from infra.local.work import api_address, api_program

MODEL, EMBEDDER, LOGIN = "sk-canary/model+7=", "sk-canary/embedder+7=", "canary-p@ss/word"
SIGNER, STRANGER = "canary-that-signs/webhooks+of-all=", "hop_canary_nobody-has-this-key"


@pytest.fixture(scope="module")
def endpoints() -> Iterator[Start]:
    with scripted_endpoints() as start:
        yield start


@pytest.fixture(scope="module")
def collector() -> Iterator[OtlpCollector]:
    with otlp_collector() as collector:
        yield collector


@pytest.fixture(scope="module")
def leaky(stack_env, endpoints, collector, tmp_path_factory):
    """Workers whose model, embedder and receiver of webhooks repeat the keys in each refusal."""

    def script(body: dict[str, Any]) -> Reply:
        told = "denied " + " ".join(
            f"{key!r} {quote(key, safe='')} {b64encode(key.encode()).decode()} http://u:{key}@x/?key={key}"
            for key in (MODEL, EMBEDDER, LOGIN, SIGNER)
        )
        return refused(401 if "evidence" in str(body) else 400, told)

    url, _seen = endpoints(script)
    url = url.replace("//", f"//hop:{quote(LOGIN, safe='')}@")
    folder = tmp_path_factory.mktemp("canaries")
    own = {
        "HOPLINE_MODEL_URL": stack_env["HOPLINE_MODEL_URL"], "HOPLINE_LEASE_SECONDS": "120",
        "HOPLINE_WEBHOOK_SECRET": SIGNER, "HOPLINE_WEBHOOK_PRIVATE": "true", "HOPLINE_WEBHOOK_HTTP": "true",
        "HOPLINE_WEBHOOK_ATTEMPTS": "1",
    }  # fmt: skip
    with private_crew(stack_env, folder, **own) as crew:
        crew.environment |= collector.environment | {
            "HOPLINE_MODEL_URL": url, "HOPLINE_MODEL_KEY": MODEL, "HOPLINE_EMBEDDING_URL": url,
            "HOPLINE_EMBEDDING_KEY": EMBEDDER,
        }  # fmt: skip
        crew.have(interactive="interactive", bulk="bulk")
        yield crew


@pytest.fixture(scope="module")
def api(leaky: Crew) -> Iterator[str]:
    """The API's address, served with the settings of those workers."""
    port = free_port()
    program = ForkedProgram(api_program(port), leaky.folder / "api.log", os.environ | leaky.environment)
    program.wait_ready(START_SECONDS)
    yield api_address(port)
    program.kill()


def pages(api: str, key: str, jobs: Sequence[str]) -> Iterator[str]:
    """Yield what the page can read: the answer of every GET, of these jobs and the collection."""
    headers = {"Authorization": f"Bearer {key}"}
    with httpx.Client(base_url=api, headers=headers, timeout=60, trust_env=False) as http:
        for path, methods in http.get("/openapi.json").json()["paths"].items():
            filled = {path.replace("{job_id}", job).replace("{name}", "canaries") for job in jobs}
            for place in filled if "get" in methods else ():
                names = {each["name"] for each in methods["get"].get("parameters", ())}
                answer = http.get(place, params={"collection": "canaries"} if "collection" in names else {})
                yield f"{place} {answer.status_code}: {answer.text}"


def written(crew: Crew, names: str = "*") -> list[str]:
    """Return what stands in the crew's files: logs, blobs, history."""
    files = [path for path in crew.folder.rglob(names) if path.is_file()]
    return [path.read_text(encoding="utf-8", errors="replace") for path in files]


def kept(client: redis.Redis) -> Iterator[str]:
    """Yield all that a Redis holds, as text: what serializes a value shows its texts as they are."""
    reads: dict[bytes, Callable[[bytes], Any]] = {
        b"string": client.get, b"hash": client.hgetall, b"set": client.smembers,
        b"zset": lambda key: client.zrange(key, 0, -1, withscores=True),
        b"list": lambda key: client.lrange(key, 0, -1), b"stream": client.xrange,
    }  # fmt: skip
    for key in client.scan_iter(count=1000):
        kind = client.type(key)
        kind = kind if isinstance(kind, bytes) else kind.encode()
        yield f"{key!r}: {reads[kind](key)!r}"


def test_no_secret_is_kept_logged_or_shown(leaky, api, collector, tmp_path):
    made = json.loads(leaky.run("keys", "create", "admin", "--scope", "admin", "--yes", "--json").stdout)
    hook = leaky.environment["HOPLINE_MODEL_URL"].rpartition("@")[2]
    with Hopline(api, api_key=made["key"]) as remote:
        report = remote.ingest([write_bridge(tmp_path)], "canaries", webhook=f"http://{hook}")
    assert report.failed
    question = leaky.service.submit("query", "canaries", {"question": "Who built it?"}).job.id
    asked = leaky.answer(question)
    with Hopline(api, api_key=STRANGER) as stranger, pytest.raises(HoplineError) as refused_key:
        stranger.collections.list()
    wrong = {  # not of the user of all tests, whom the server blocks for a while after wrong passwords
        "HOPLINE_NEO4J_PASSWORD": "canary-of-the-graph",
        "HOPLINE_QDRANT_API_KEY": "canary-of-the-vectors",
        "HOPLINE_REDIS_URL": f"redis://hop:{quote(LOGIN, safe='')}@127.0.0.1:9/0",
    }
    letters = leaky.client.jobs.dead_letters(report.job_id)
    shown = [str(asked), repr(refused_key.value), str(report), str(letters)]
    commands = [
        ("status", "--json"), ("doctor", "--json"), ("doctor", "--model", "--json"), ("doctor", "--model"),
    ]  # fmt: skip
    commands += [
        ("jobs", "--json"),
        ("jobs", "show", report.job_id, "--json"),
        ("jobs", "show", question, "--json"),
    ]
    right = dict(leaky.environment)
    for name, value in [("", ""), *wrong.items()]:
        leaky.environment |= {"HOPLINE_NEO4J_USER": "nobody", name: value} if name else {}
        for words in commands if not name else commands[:2]:
            done = leaky.run(*words)
            shown.append(f"{words}: {done.stdout}{done.stderr}")
        leaky.environment.clear()
        leaky.environment |= right
    shown.append(leaky.service.metrics(()).decode())
    hook_ended = re.compile(r'"job_id": "(\w+)", "kind": "webhook", "state": "failed"')
    [called] = wait_until(
        lambda: hook_ended.findall("".join(written(leaky, "*.log"))), "a webhook that is refused"
    )
    shown += pages(api, made["key"], [report.job_id, question, called])
    wait_until(lambda: len(collector.spans) > 2, "traces have come")  # of the batch's documents, the question
    traces = [body.decode("utf-8", "replace") for body in list(collector.bodies)]
    places = [*shown, *written(leaky), *traces, *kept(leaky.redis)]
    assert any("denied" in text for text in written(leaky, "*.log")), "the refusals were told"
    assert any("denied" in text for text in shown)
    assert leaky.server is not None
    secrets = [
        MODEL, EMBEDDER, LOGIN, SIGNER, STRANGER, made["key"], made["webhook_secret"],
        *list(wrong.values())[:2], leaky.server.password,
    ]  # fmt: skip
    secrets += [leaky.environment["HOPLINE_NEO4J_PASSWORD"], leaky.environment["HOPLINE_QDRANT_API_KEY"]]
    forms = {form for secret in secrets for form in (secret, quote(secret, safe=""), repr(secret)[1:-1])}
    forms |= {b64encode(secret.encode()).decode()[:-4] for secret in secrets}
    leaks = [
        (form, text[max(0, text.index(form) - 200) :][:400])
        for text in places
        for form in forms
        if form in text
    ]
    assert leaks == []
