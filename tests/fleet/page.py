"""The page in a browser: what tests of it look at."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import BrowserContext, Error, Page

from fleet.crew import Crew
from fleet.forks import ForkedProgram
from fleet.servers import START_SECONDS
from infra.local.process import Program, Running
from infra.local.work import api_address, api_program

WIDE, NARROW = 1280, 390
HEIGHT = 900
PATIENCE = 60_000  # ms until the page must show something, on a machine that has other work
BAD = frozenset({"serious", "critical"})
OF_COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"]}  # the rules of axe-core that look at them
BRIDGES, STORY, HOSTILE = "bridges", "story-on-page", "hostile"  # collections; the demo has "story"
HOSTILE_NAME = 'a"><script>document.title="taken"</script>.md'
HOSTILE_TITLE = "<img src=x onerror=\"document.title='taken'\"> & 'quotes'"
HOSTILE_TEXT = (
    f'# {HOSTILE_TITLE}\n\nThe Lantern <b>House</b> was built by Ada "<script>" Quill in 1871. '
    'Ada "<script>" Quill was born in Leith\U000e0041\U000e0042.\n'
)
HOSTILE_QUESTION = "When was the Lantern House built?"

# The short transitions that are left where motion is reduced: each part's colour follows its parent's.
# Polled: a frame may never be drawn, and the promise of a cancelled animation may never settle.
_SETTLED = "() => !document.getAnimations().length"
_VIOLATIONS = "async (options) => (await axe.run(options)).violations"


def page_program(port: int) -> Program:
    """Return how to run the API; it is ready when it serves the page."""

    def ready(_pid: int) -> bool:
        return httpx.get(api_address(port), timeout=60, trust_env=False).is_success

    return replace(api_program(port), ready=ready)


def _told(violation: dict[str, Any]) -> str:
    first = violation["nodes"][0]
    return f"{violation['id']} ({violation['impact']}): {first['html'][:200]} {first['failureSummary'][:300]}"


@dataclass
class Site:
    url: str
    crew: Crew
    api: Running
    logs: Path
    port: int

    def stop_api(self) -> None:
        self.api.stop()

    def start_api(self) -> None:
        environment = os.environ | self.crew.environment
        self.api = ForkedProgram(page_program(self.port), self.logs / "api.log", environment)
        self.api.wait_ready(START_SECONDS)


@dataclass
class Shown:
    """A page of the site, with what went wrong in it."""

    page: Page
    context: BrowserContext
    url: str
    shots: Path | None  # where screenshots go, if anybody wants them
    width: int
    schemes: tuple[str, ...]  # of colours: what the page is opened in, and what else it is looked at in
    faults: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)  # parts of messages that are part of the test

    def __iter__(self) -> Iterator[Any]:
        """Unpack: `shown, page = open_page("jobs")`."""
        yield from (self, self.page)

    def go(self, view: str) -> None:
        """Show a view by its address: `ask`, `jobs/ID`."""
        self.page.goto(f"{self.url}/#/{view}")

    def look(self, name: str, *, modal: bool = False) -> None:
        """Look at the page in each scheme; nothing may be cut off, and axe-core may find nothing serious."""
        for nth, scheme in enumerate(self.schemes):
            if len(self.schemes) > 1:
                self.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # one of its literals
                self.page.wait_for_function(_SETTLED, polling=20)
            # A scheme changes colours and nothing else.
            self._look(f"{name}-{self.width}-{scheme}", OF_COLOURS if nth else {}, modal=modal)

    def _look(self, name: str, rules: Mapping[str, Any], *, modal: bool) -> None:
        if self.shots:
            with suppress(Error):  # a picture is for people; what is asserted stands below
                path = self.shots / f"{name}.png"
                self.page.screenshot(path=path, full_page=not modal, animations="disabled")
        widest = self.page.evaluate("document.documentElement.scrollWidth")
        assert widest <= self.width, f"{name}: {widest} px wide, {self.width} are there"
        violations = [_told(violation) for violation in self._violations(rules) if violation["impact"] in BAD]
        assert not violations, "\n".join([f"axe in {name}:", *violations])

    def _violations(self, rules: Mapping[str, Any]) -> list[dict[str, Any]]:
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE_SCRIPT)  # half a megabyte, which is more work than most looks
        options = {"resultTypes": ["violations"], **rules}
        violations: list[dict[str, Any]] = self.page.evaluate(_VIOLATIONS, options)
        return violations

    def sound(self) -> list[str]:
        """Return what the console complained of and the test did not expect."""
        return [fault for fault in self.faults if not any(part in fault for part in self.expected)]


OpenPage = Callable[..., Shown]  # `open_page` of tests/browser/conftest.py
