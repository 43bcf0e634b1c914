"""The page in headless Chromium over the real stack: servers, workers, the API, documents ingested once.

`open_page` gives a page at a view; `look` asks axe-core, and takes a screenshot where HOPLINE_TEST_SHOTS
names a folder for them.
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from fleet.crew import Crew, PrivateRedis, make_crew
from fleet.forks import ForkedProgram
from fleet.page import (
    BRIDGES,
    HEIGHT,
    HOSTILE,
    HOSTILE_NAME,
    HOSTILE_TEXT,
    NARROW,
    PATIENCE,
    STORY,
    WIDE,
    Shown,
    Site,
    page_program,
)
from fleet.servers import START_SECONDS, skip_without
from playwright.sync_api import Browser, ConsoleMessage, Error, Route, expect, sync_playwright
from proof.results import keep_for_reading

from infra.local.process import free_port
from infra.local.work import api_address

# The first has no parts of a window: half of the processor time.
CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
OPTIONS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
DEMO = Path(__file__).resolve().parents[2] / "producer" / "demo"


@pytest.fixture(scope="session")
def shots() -> Path | None:
    """Where screenshots go, if anybody wants them: they take as long as a check."""
    if not (named := os.environ.get("HOPLINE_TEST_SHOTS")):
        return None
    folder = Path(named)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Headless Chromium; where none is installed the tests are skipped, but fail in CI.

    Closed after this folder: while it is open its event loop runs in this thread, and no other can.
    """
    if CHROMIUM is None:
        skip_without("no chromium on the path")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=OPTIONS, timeout=1000 * START_SECONDS
        )
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def site(stack_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The API with the page, workers of all queues on a Redis of their own, and three collections."""
    redis = PrivateRedis(tmp_path_factory.mktemp("redis"))
    folder = tmp_path_factory.mktemp("site")
    own = {"HOPLINE_API_HEARTBEAT": "1", "HOPLINE_VERSIONS_KEPT": "5", "HOPLINE_LEASE_SECONDS": "120"}
    crew = make_crew(stack_env, redis.url, folder, **own)
    port = free_port()
    environment = os.environ | crew.environment
    api = ForkedProgram(page_program(port), folder / "api.log", environment)
    site = Site(api_address(port), crew, api, folder, port)
    try:
        crew.start_all(interactive="interactive", bulk="bulk", ocr="ocr")
        _fill(crew, tmp_path_factory.mktemp("hostile"))
        site.api.wait_ready(START_SECONDS)
        yield site
    finally:
        site.api.stop()
        crew.stop()
        redis.kill()


def _fill(crew: Crew, folder: Path) -> None:
    crew.model.set()
    crew.ingest(DEMO / "documents", BRIDGES)
    crew.ingest(DEMO / "story" / "en" / "chapters", STORY, profile="narrative")
    hostile = folder / HOSTILE_NAME.replace("/", "\N{DIVISION SLASH}")  # no slash in a file's name
    hostile.write_text(HOSTILE_TEXT, encoding="utf-8")
    crew.ingest(hostile.parent, HOSTILE)


# Else a view opens with the largest, which another process's test may delete before it is read.
_CHOSEN_BEFORE = f"""
  sessionStorage.getItem("hopline.collection") ?? sessionStorage.setItem("hopline.collection", "{BRIDGES}");
"""


def _own_collections(route: Route) -> None:
    answer = route.fetch()
    listed = [
        collection
        for collection in answer.json()["collections"]
        if collection["name"] in (BRIDGES, STORY, HOSTILE)
    ]
    route.fulfill(response=answer, json={"collections": listed})


def _error_text(message: ConsoleMessage) -> str:
    return f"{message.text} {message.location.get('url', '')}".strip()


_FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[Any]:
    """Note for the fixtures of a test whether it failed."""
    report = yield
    item.stash[_FAILED] = item.stash.get(_FAILED, False) or (call.when == "call" and report.failed)
    return report


def _keep_pictures(request: pytest.FixtureRequest, opened: Sequence[Shown]) -> None:
    for nth, shown in enumerate(opened, 1):
        path = keep_for_reading(request.config, request.node.nodeid, f"-{nth}.png")
        if path is not None:
            with suppress(Error):  # the page may be gone
                shown.page.screenshot(path=path)


@pytest.fixture
def open_page(site, browser, shots, request):
    """Open the page at a view: `open_page("jobs", width=NARROW, scheme="dark")`.

    A test fails where the page throws, or the console tells of an error that the test did not expect. Of a
    test that fails, each open page is kept as a picture in the folder that `--results` names.
    """
    opened: list[Shown] = []

    def open_at(
        view: str = "ask",
        *,
        width: int = WIDE,
        scheme: str = "light",
        other_scheme: str = "",  # that each look is taken in as well
        own: bool = False,  # of the collections on the servers, list only those of this folder's tests
        **options: Any,
    ) -> Shown:
        context = browser.new_context(
            viewport={"width": width, "height": HEIGHT},
            color_scheme=scheme,  # type: ignore[arg-type]  # one of its literals
            reduced_motion="reduce",
            accept_downloads=True,
            **options,
        )
        if own:
            context.route("**/v1/collections", _own_collections)
        else:
            context.add_init_script(_CHOSEN_BEFORE)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        schemes = (scheme, other_scheme) if other_scheme else (scheme,)
        shown = Shown(page, context, site.url, shots, width, schemes)
        page.on("pageerror", lambda error: shown.faults.append(f"thrown: {error}"))
        page.on(
            "console",
            lambda message: shown.faults.append(_error_text(message)) if message.type == "error" else None,
        )
        opened.append(shown)
        shown.go(view)
        return shown

    site.crew.model.set()
    expect.set_options(timeout=PATIENCE)
    yield open_at
    faults = [fault for shown in opened for fault in shown.sound()]
    if faults or request.node.stash.get(_FAILED, False):
        _keep_pictures(request, opened)
    for shown in opened:
        try:
            shown.context.unroute_all(behavior="ignoreErrors")  # a list may still be on its way
            shown.context.close()
        except Error:
            faults.append("the browser went away")
    site.crew.model.set()
    assert not faults


_LOOKS = [
    pytest.param((WIDE, "light", "dark"), id="wide"),
    pytest.param((NARROW, "dark", "light"), id="narrow", marks=pytest.mark.long),
]


@pytest.fixture(params=_LOOKS)
def look_of(request: pytest.FixtureRequest) -> dict[str, Any]:
    """A width, looked at in both colour schemes, as keywords for `open_page`; narrow in the long run."""
    width, scheme, other = request.param
    return {"width": width, "scheme": scheme, "other_scheme": other}
