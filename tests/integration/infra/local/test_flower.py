"""Flower, started as the local stack and as docker-compose.yml start it, shows what a query did."""

import ast
import logging
import os
import re
import runpy
import shutil
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
import yaml
from fleet.crew import Crew, make_crew, wait_until
from fleet.servers import START_SECONDS
from fleet.worlds import TREE_FACTS, TREE_QUESTION, TREE_VISITS, write_tree
from flower.events import Events, EventsState

from hopline.models.jobs import JobState
from infra.local.process import Program, Running, free_port
from infra.local.work import flower_address, flower_program

USER, PASSWORD = "hopline", "a-password-for-tests"
SERVICES: dict[str, Any] = yaml.safe_load(
    (Path(__file__).resolve().parents[4] / "docker-compose.yml").read_text(encoding="utf-8")
)["services"]
COLUMNS = "name,args,state,received,started,runtime,worker,uuid"
STEPS = ("traverse.visit", "critic.score_fact", "critic.synthesize")
LONGEST_ARGUMENTS = 120  # characters; the three ids, and nothing that would have to be cut


@dataclass
class Flower:
    program: Program
    environment: dict[str, str]
    folder: Path
    url: str

    def start(self) -> None:
        self.running = Running(self.program, self.folder / "flower.log", self.environment)
        self.running.wait_ready(START_SECONDS)

    def state_bounds(self) -> tuple[int, int]:
        """Return how many tasks it keeps, and after how many milliseconds it saves them."""
        names = ("max_tasks", "state_save_interval")
        config = self.folder / "flower.py"
        if config.is_file():
            bounds = runpy.run_path(str(config))
        else:
            bounds = {name: int(self.environment[f"FLOWER_{name.upper()}"]) for name in names}
        return bounds[names[0]], bounds[names[1]]

    def tasks(self, job_id: str) -> list[dict[str, Any]]:
        """Return this job's tasks, by Flower's API."""
        tasks = self.get("/api/tasks").json().values()
        return [task for task in tasks if job_id in (task["args"] or "")]

    def get(self, path: str, **parameters: Any) -> httpx.Response:
        reply = httpx.get(
            f"{self.url}{path}", params=parameters, auth=(USER, PASSWORD), trust_env=False, timeout=60
        )
        return reply.raise_for_status()


def _local(folder: Path, environment: dict[str, str]) -> Flower:
    port = free_port()
    program = flower_program(folder, port, USER, PASSWORD)
    login = {"HOPLINE_FLOWER_USER": USER, "HOPLINE_FLOWER_PASSWORD": PASSWORD}
    return Flower(program, os.environ | environment | login, folder, flower_address(port))


def _composed(folder: Path, environment: dict[str, str]) -> Flower:
    """Take command and FLOWER_* from docker-compose.yml, but port, address and folder from here."""
    port, service = free_port(), SERVICES["flower"]
    variables = {name: value for name, value in service["environment"].items() if name.startswith("FLOWER_")}
    variables["FLOWER_DB"] = str(folder / "flower.db")
    command = [str(port) if word == "5555" else word for word in service["command"]]
    command = ["127.0.0.1" if word == "0.0.0.0" else word for word in command]  # noqa: S104 - not here
    check = [sys.executable if word == "python" else word for word in service["healthcheck"]["test"][1:]]
    check = [word.replace("5555", str(port)) for word in check]
    folder.mkdir(parents=True)
    program = Program(
        "flower",
        (sys.executable, "-m", "hopline", *command),
        lambda _pid: subprocess.run(check, check=False, capture_output=True, timeout=60).returncode == 0,
    )
    whole = os.environ | environment | variables | {"HOPLINE_FLOWER_PASSWORD": PASSWORD}
    return Flower(program, whole, folder, flower_address(port))


@pytest.fixture(scope="module")
def crew(stack_env, empty_redis, tmp_path_factory):
    crew = make_crew(stack_env, empty_redis, tmp_path_factory.mktemp("crew"))
    crew.start_all(interactive="interactive", bulk="bulk")
    yield crew
    crew.stop()


@dataclass
class Watched:
    """A Flower that looked on while a query was answered."""

    flower: Flower
    query_id: str
    expected: dict[str, str]  # item -> step, of the steps that count

    def succeeded(self) -> dict[str, str]:
        tasks = [task for task in self.flower.tasks(self.query_id) if task["state"] == "SUCCESS"]
        return {ast.literal_eval(task["args"])[2]: task["name"] for task in tasks}


MAKERS = {"local": _local, "compose": _composed}


@pytest.fixture(scope="module", params=["local", pytest.param("compose", marks=pytest.mark.long)])
def watched(crew, request, tmp_path_factory):
    collection = f"flower-{request.param}"
    flower = MAKERS[request.param](tmp_path_factory.mktemp("flower") / "own", crew.environment)
    flower.start()
    crew.ingest(write_tree(tmp_path_factory.mktemp("tree")), collection)
    answer = crew.client.ask(
        TREE_QUESTION, collection=collection, strategy="graph", max_seeds=1, facts_per_critic=1
    )
    job_id = answer.job_id
    assert answer.status is JobState.DONE
    done = {item.item_id: item.step for items in crew.ledger.results(job_id).values() for item in items}
    expected = {item: step for item, step in done.items() if step in STEPS}
    assert Counter(expected.values()) == dict(zip(STEPS, (TREE_VISITS, TREE_FACTS, 1), strict=True))
    yield Watched(flower, job_id, expected)
    flower.running.kill()


def test_every_visit_score_and_the_synthesis_are_listed_by_three_short_ids(watched: Watched) -> None:
    wait_until(
        lambda: watched.expected.items() <= watched.succeeded().items(),
        "Flower lists every item's task as done",
    )
    for task in watched.flower.tasks(watched.query_id):
        job_id, epoch, item_id = ast.literal_eval(task["args"])
        assert (job_id, epoch) == (watched.query_id, 1)
        assert isinstance(item_id, str)
        assert len(task["args"]) <= LONGEST_ARGUMENTS
        assert task["kwargs"] == "{}"


def test_job_and_item_have_a_column_and_workers_queues_are_listed(watched: Watched) -> None:
    page = watched.flower.get("/tasks").text
    assert re.findall(r'<th data-column="(\w+)">', page) == COLUMNS.split(",")
    order = {"order[0][column]": 0, "order[0][dir]": "asc", "columns[0][data]": "name"}
    wanted = {"draw": 1, "start": 0, "length": 1000, "search[value]": "", **order}

    def items() -> list[str]:
        listed = watched.flower.get("/tasks/datatable", **wanted).json()["data"]
        return [ast.literal_eval(row["args"])[2] for row in listed if watched.query_id in (row["args"] or "")]

    wait_until(lambda: "seed" in items(), "Flower lists the first item")

    def queues() -> dict[str, int]:
        watched.flower.get("/api/workers", refresh="true")  # a busy worker was maybe asked for them in vain
        lengths = watched.flower.get("/api/queues/length").json()["active_queues"]
        return {each["name"]: each["messages"] for each in lengths}

    wait_until(lambda: {"interactive", "bulk"} <= queues().keys(), "Flower lists the queues of all workers")
    assert min(queues().values()) >= 0
    page = watched.flower.get("/broker").text
    assert "interactive" in page
    assert "redis://:**@" in page


def test_a_full_state_is_saved_without_complaint(watched, tmp_path, caplog):
    most, interval = watched.flower.state_bounds()
    state = EventsState(max_tasks_in_memory=most)
    for number in range(most):
        task = {"uuid": f"{number:036}", "hostname": "worker@host", "clock": number, "utcoffset": 0, "pid": 1}
        task |= {"timestamp": time.time(), "local_received": time.time(), "root_id": None, "parent_id": None}
        args = f"('j{number:024}', 1, 'visit:k{number:024}')"
        state.event({**task, "type": "task-received", "name": "traverse.visit", "args": args, "kwargs": "{}"})
    saving = SimpleNamespace(
        db=str(tmp_path / "flower.db"), state=state, state_save_timer=True, state_save_interval=interval
    )
    for _ in range(20):  # Flower complains of the time that it took: others may have held the processors
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            Events.save_state(saving)
        if not caplog.messages:
            break
    assert caplog.messages == []
    assert len(state.tasks) == most


def test_nothing_is_shown_without_the_password_nor_in_a_frame(watched: Watched) -> None:
    for login in (None, (USER, "guessed"), ("", "")):
        for path in ("/api/tasks", "/api/workers", "/tasks", "/", "/metrics", "/healthcheck"):
            reply = httpx.get(watched.flower.url + path, auth=login, trust_env=False, timeout=60)
            assert reply.status_code == httpx.codes.UNAUTHORIZED, (login, path)
    for path in ("/", "/tasks", "/api/tasks", "/static/js/flower.js", "/no/such/page"):
        reply = httpx.get(watched.flower.url + path, auth=(USER, PASSWORD), trust_env=False, timeout=60)
        framing = [reply.headers[name] for name in ("x-frame-options", "content-security-policy")]
        assert framing == ["DENY", "frame-ancestors 'none'"], path


def test_no_page_tells_a_password(watched: Watched, crew: Crew) -> None:
    def workers() -> dict[str, Any]:
        answers: dict[str, Any] = watched.flower.get("/api/workers", refresh="true").json()
        return answers if any("conf" in answer for answer in answers.values()) else {}

    names = wait_until(workers, "Flower has asked the workers")
    paths = ["/", "/workers", "/workers?json=1", "/tasks", "/metrics", "/api/workers"]
    pages = {path: watched.flower.get(path).text for path in (*paths, *(f"/worker/{name}" for name in names))}
    assert all(setting in pages["/api/workers"] for setting in ("redbeat_redis_url", "visibility_timeout"))
    secret = crew.settings.redis_url.get_secret_value().split(":")[2].split("@")[0]
    assert [path for path, page in pages.items() if secret in page] == []


@pytest.mark.long
def test_tasks_are_still_listed_after_a_restart(watched: Watched) -> None:
    flower = watched.flower
    before = {task["uuid"] for task in wait_until(lambda: flower.tasks(watched.query_id), "tasks before")}
    flower.running.stop(60)
    flower.start()
    assert before <= {task["uuid"] for task in flower.tasks(watched.query_id)}


@pytest.mark.long
def test_the_health_check_of_a_composed_worker_finds_it_and_misses_an_absent_one(crew: Crew) -> None:
    """The shell command of docker-compose.yml, against a worker under the name that compose gives it."""
    check: str = SERVICES["worker-interactive"]["healthcheck"]["test"][1].replace("$$", "$")
    environment = os.environ | crew.environment
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    shell = shutil.which("sh")
    assert shell is not None

    def answer(command: str) -> int:
        ran = subprocess.run([shell, "-c", command], env=environment, capture_output=True, check=False)
        return ran.returncode

    assert answer(check) == 0
    assert answer(check.replace("interactive@", "nobody@")) != 0
