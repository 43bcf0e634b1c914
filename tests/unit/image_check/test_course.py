"""The course of an upgrade and the way back, over services that only note what is done with them."""

import io
import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from image_check.api import ComposedApi, WrongAnswer, demo_questions
from image_check.composed import ComposedService, Stop
from image_check.course import Makers, print_table
from image_check.image import Image
from image_check.upgrade import Upgrade
from rich.console import Console

ROOT = Path(__file__).resolve().parents[3]
QUESTIONS = demo_questions(ROOT)
ENDED = Stop(seconds=0, code=0, in_time=True)
OURS = (
    "worker-interactive",
    "worker-bulk",
    "worker-ocr",
    "worker-quarantine",
    "worker-submissions",
    "beat",
    "api",
)

ENDED_AT = "2026-03-01T09:00:00Z"


class Played:
    """A server or service, the API and its jobs; all that is done is noted."""

    def __init__(self, *, batch: str = "running", late: str = "") -> None:
        self.batch, self.late = batch, late
        self.done: list[str] = []

    def servers(self, *_of: Any) -> Mapping[str, Any]:
        return {name: Server(name, self) for name in ("redis", "neo4j", "qdrant", "offline-model")}

    def reply(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        if "Authorization" not in request.headers:
            return httpx.Response(401)
        if path == "/v1/documents":
            is_demo = not request.headers["Content-Type"].startswith("application/json")
            return httpx.Response(200, json={"batch": {"id": "demo" if is_demo else "batch"}})
        if path == "/v1/queries":
            question = json.loads(request.content)["question"]
            self.done.append(f"ask {question}")
            asked = [expected.question for expected in QUESTIONS].index(question)
            return httpx.Response(200, json={"id": str(asked)})
        job_id = path.removeprefix("/v1/jobs/")
        if job_id == "batch" and "wait" not in request.url.params:
            return httpx.Response(200, json={"done": {"ingest.document": 3}, "state": self.batch})
        return httpx.Response(200, json=self.ended(job_id))

    def ended(self, job_id: str) -> dict[str, Any]:
        if not job_id.isdigit():
            return {"state": "done", "ended": ENDED_AT, "outcome": {}, "leases_lost": 0}
        expected = QUESTIONS[int(job_id)]
        cited = [{"document": {"id": f"d{number}"}} for number in range(expected.documents)]
        outcome = {"text": " ".join(expected.words), "citations": cited}
        return {"state": expected.status, "ended": ENDED_AT, "outcome": outcome}


class Server:
    """A server that is ready at once."""

    def __init__(self, name: str, played: Played) -> None:
        self.name, self.played = name, played

    def start(self) -> float:
        self.played.done.append(f"start {self.name}")
        return 0.0

    def stop(self) -> Stop:
        self.played.done.append(f"stop {self.name}")
        return ENDED.model_copy(update={"in_time": self.name != self.played.late})


def service_of(played: Played) -> type[ComposedService]:
    class Service(ComposedService):
        """A service of the image in the folder old or new."""

        def start(self) -> float:
            played.done.append(f"start {self._image.root.name} {self.service.name}")
            return 0.0

        def stop(self) -> Stop:
            played.done.append(f"stop {self._image.root.name} {self.service.name}")
            return ENDED.model_copy(update={"in_time": self.service.name != played.late})

        def run_once(self, *_command: str) -> str:
            return '{"key": "k"}'

    return Service


@pytest.fixture
def images(tmp_path: Path) -> tuple[Image, Image]:
    made = []
    for name in ("old", "new"):
        (tmp_path / name / "etc").mkdir(parents=True)
        (tmp_path / name / "etc" / "passwd").write_text("someone:x:10001:10002::/:/bin/sh\n")
        fields = {"base": "", "user": "someone", "folder": "/", "entrypoint": (), "environment": {}}
        made.append(Image(root=tmp_path / name, **fields))
    return made[0], made[1]


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository whose file knows neither Flower nor the offline model."""
    known = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    del known["services"]["flower"], known["services"]["offline-model"]
    for service in known["services"].values():
        service.get("depends_on", {}).pop("offline-model", None)
    source = tmp_path_factory.mktemp("earlier")
    (source / "docker-compose.yml").write_text(yaml.safe_dump(known, sort_keys=False), encoding="utf-8")
    (source / "producer").symlink_to(ROOT / "producer")
    return source


def upgrade(played: Played, earlier: Path, images: tuple[Image, Image]) -> Upgrade:
    api = partial(ComposedApi, transport=httpx.MockTransport(played.reply))
    make = Makers(played.servers, service_of(played), api)
    console = Console(file=io.StringIO(), width=200)
    return Upgrade((earlier, ROOT), images[0].root.parent / "run", images, console, make=make)


def test_workers_go_before_the_api_and_back_after_it_with_a_question_under_way(earlier, images):
    played = Played()
    course = upgrade(played, earlier, images)
    course.run()
    begun = iter(played.done)
    assert all(f"start old {name}" in begun for name in OURS)
    after = list(begun)
    restarted, *later = [line for line in after if line.startswith("start")]
    assert restarted == "start old api", "once a key is needed"
    middle = [name for name in OURS if name not in {"worker-bulk", "api"}]
    new = ["worker-bulk", *middle, "api"]
    assert later[: len(OURS)] == [f"start new {name}" for name in new]
    further = later[len(OURS) : -len(OURS)]
    assert set(further) == {"start new flower", "start new offline-model"}
    assert later[-len(OURS) :] == [f"start old {name}" for name in ("api", *OURS[:-1])]
    assert after[after.index("stop old worker-bulk") - 1] == f"ask {QUESTIONS[0].question}"
    asked = [line.removeprefix("ask ") for line in after if line.startswith("ask")]
    assert asked.count(QUESTIONS[0].question) == 3 + 2 * len(OURS) + 1, (
        "the demo thrice, and at each replacement"
    )
    assert asked[-len(QUESTIONS) :] == [expected.question for expected in QUESTIONS], (
        "the earlier ones are asked again"
    )
    page = io.StringIO()
    print_table(Console(file=page, width=200), course.shown)
    assert "3 of 100 documents done when its worker was replaced" in page.getvalue()
    assert "stopped with code 0; the question under way was answered" in page.getvalue()


@pytest.mark.parametrize(("play", "why"), [
    ({"batch": "done"}, "the batch was done before its worker was replaced"),
    ({"late": "worker-bulk"}, "worker-bulk did not stop within its grace"),
    ({"late": "redis"}, "not stopped within their grace: redis"),
])  # fmt: skip
def test_what_goes_wrong_is_told_and_all_is_stopped(play, why, earlier, images) -> None:
    played = Played(**play)
    with pytest.raises(WrongAnswer, match=why):
        upgrade(played, earlier, images).run()
    running: set[str] = set()
    for line in played.done:
        act, _, what = line.partition(" ")
        (running.add if act == "start" else running.discard)(what)
    assert running == set()
