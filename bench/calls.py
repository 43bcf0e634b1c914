"""What questions take in calls and tokens, by the schema of the reply: the graph and the reader strategy.

Two sets: the demo's questions and those of its story, answered by the offline model; and, where the recorded
replies of a large language model are there, the six MuSiQue questions that it was asked, over the 40 passages
that it took apart. A proxy before the model counts every request and, for the second set, answers as the
large model did (`bench/replay.py`). Tokens are a quarter of the request's and the reply's bytes.

    python bench/calls.py [--replies FILE.jsonl] [--json FILE]
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import orjson
from questions import STORY
from replay import Replay
from report import keep, machine, options
from rich.console import Console
from rich.table import Table
from world import World, started_world

from hopline import Hopline
from hopline.models.jobs import Json
from producer.demo.questions import DemoQuestion, load_questions
from producer.evaluation.corpus import submit_passages
from producer.evaluation.dataset import Passage

REPLIES = Path("../shared/eval/llm_replies_musique.jsonl")
MUSIQUE = Path("../shared/eval/musique100.json")
STRATEGIES = ("graph", "reader")
_BYTES_PER_TOKEN = 4


class Meter:
    """Counts the requests that pass to the model; answers those itself that a replay knows."""

    def __init__(self, address: str) -> None:
        self.calls: Counter[str] = Counter()
        self.tokens: Counter[str] = Counter()
        self.replay: Replay | None = None
        self._model = httpx.Client(base_url=address, timeout=120, trust_env=False)
        self._lock = threading.Lock()

    def answer(self, path: str, headers: dict[str, str], raw: bytes) -> httpx.Response:
        """Return the model's response; a chat call's is counted, and its content replaced by a replay's."""
        response = self._model.post(path, content=raw, headers=headers)
        if not path.endswith("/chat/completions") or response.status_code != httpx.codes.OK:
            return response
        body, reply = json.loads(raw), response.json()
        schema = body.get("response_format", {}).get("json_schema", {}).get("name", "tools")
        message = reply["choices"][0]["message"]
        content = message.get("content") or ""
        if self.replay and content:
            text = body["messages"][1]["content"]
            material = json.loads(text[text.rindex("<input>") + 7 : text.rindex("</input>")])
            content = message["content"] = json.dumps(
                self.replay.reply(schema, material, json.loads(content)), ensure_ascii=False
            )
        with self._lock:
            self.calls[schema] += 1
            self.tokens[schema] += (len(raw) + len(content.encode())) // _BYTES_PER_TOKEN
        return httpx.Response(200, content=orjson.dumps(reply), headers={"content-type": "application/json"})

    def taken(self) -> tuple[Counter[str], Counter[str]]:
        """Return the calls and the tokens since the last time, by schema."""
        with self._lock:
            taken = self.calls.copy(), self.tokens.copy()
            self.calls.clear()
            self.tokens.clear()
        return taken


@contextmanager
def metered(world: World) -> Iterator[Meter]:
    """Put a meter before the model of a world; its processes that start afterwards talk to the meter."""
    world.model(streams=False)  # a reply in pieces could not be exchanged
    model = world.environment["HOPLINE_MODEL_URL"]
    meter = Meter(model.removesuffix("/v1"))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["content-length"]))
            shown = {
                name: value
                for name, value in self.headers.items()
                if name.lower() in ("authorization", "content-type")
            }
            response = meter.answer(self.path, shown, raw)
            self.send_response(response.status_code)
            self.send_header("content-type", response.headers.get("content-type", "application/json"))
            self.send_header("content-length", str(len(response.content)))
            self.end_headers()
            self.wfile.write(response.content)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the library's
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    world.environment["HOPLINE_MODEL_URL"] = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield meter
    finally:
        server.shutdown()


def main() -> None:
    """Measure and print."""
    parser = options(__doc__)
    parser.add_argument("--replies", type=Path, default=REPLIES, help="recorded replies of a large model")
    arguments = parser.parse_args()
    rows: list[Json] = []
    with started_world() as world, metered(world) as meter:
        world.work("bulk")
        world.work("interactive")
        with Hopline.local(world.settings) as client:
            for name, questions in _of_the_demos(client):
                rows += _ask_all(client, meter, name, name, questions)
            if arguments.replies.is_file():
                replay = meter.replay = Replay(arguments.replies)
                _bring_in(client, replay)
                rows += _ask_all(client, meter, "musique, replayed", "musique", _of_musique(replay))
    for table in _tables(rows):
        Console(width=150).print(table)
    keep({"benchmark": "calls", "machine": machine(), "rows": rows}, arguments.json)


def _of_the_demos(client: Hopline) -> Iterator[tuple[str, dict[str, tuple[str, ...]]]]:
    with as_file(files("producer.demo") / "documents") as documents:
        client.ingest([documents], "demo", timeout=900)
    demo = load_questions(DemoQuestion)
    yield "demo", {each.question: each.words for each in demo}
    with as_file(files("producer.demo") / "story" / "en" / "chapters") as chapters:
        client.ingest([chapters], "story", profile="narrative", timeout=900)
    yield "story", STORY


def _bring_in(client: Hopline, replay: Replay) -> None:
    passages = [
        Passage(id=str(nth), title=title, text=text) for nth, (title, text) in enumerate(replay.passages)
    ]
    with TemporaryDirectory() as folder:
        lines = Path(folder, "recorded.jsonl")
        submitted = submit_passages(client, "musique", passages, lines, "recorded")
        client.jobs.wait(submitted.job_id)


def _of_musique(replay: Replay) -> dict[str, tuple[str, ...]]:
    known = {each["question"]: each["answer"] for each in json.loads(MUSIQUE.read_text("utf-8"))["questions"]}
    return {question: (known[question],) for question in replay.questions}


def _ask_all(
    client: Hopline, meter: Meter, name: str, collection: str, questions: dict[str, tuple[str, ...]]
) -> list[Json]:
    rows = []
    for strategy in STRATEGIES:
        for question, words in questions.items():
            meter.taken()
            answer = client.ask(question, collection=collection, strategy=strategy, timeout=600)
            calls, tokens = meter.taken()
            written = answer.status in ("done", "partial")
            text = answer.text.casefold()
            right = written and all(word.casefold() in text for word in words) if words else not written
            rows.append(
                {
                    "set": name,
                    "strategy": strategy,
                    "question": question,
                    "status": answer.status,
                    "answer": answer.text,
                    "right": right,
                    "calls": dict(calls),
                    "tokens": dict(tokens),
                }
            )
    return rows


def _tables(rows: list[Json]) -> Iterator[Table]:
    for name, strategy in dict.fromkeys((row["set"], row["strategy"]) for row in rows):
        own = [row for row in rows if (row["set"], row["strategy"]) == (name, strategy)]
        answered = [row for row in own if row["status"] in ("done", "partial")]
        title = f"{name}, {strategy}: {len(own)} questions, {len(answered)} answered, "
        table = Table(title=f"{title}{sum(row['right'] for row in own)} right")
        for column in ("", "calls", "tokens", "calls, answered", "tokens, answered"):
            table.add_column(column, justify="right" if column else "left")
        schemas = sorted({schema for row in own for schema in row["calls"]})
        for schema in (*schemas, "all"):
            cells = []
            for some in (own, answered):
                for what in ("calls", "tokens"):
                    counts = [
                        sum(row[what].values()) if schema == "all" else row[what].get(schema, 0)
                        for row in some
                    ]
                    cells.append(f"{sum(counts):,}")
            table.add_row(schema, *cells)
        yield table


if __name__ == "__main__":
    main()
