"""What commands print at a terminal of any width: titles, and what says what to do, stand whole."""

import io
import re
from collections.abc import Callable
from typing import Any

import pytest
from doubles.command_line import run_hopline
from doubles.filled_api import FilledApi
from rich.cells import cell_len
from rich.console import Console

from hopline.cli import command, command_names
from hopline.commands.sync import print_sync
from hopline.models.ingest_reports import IngestReport
from hopline.models.syncs import SyncReport
from hopline.views.reports import print_report

WIDTHS = [60, 80, 120]
COLLECTION = "name-0a1b2c3d4e5f6071"  # of the double
NEEDS_ONE = {"merges", "topics"}  # lists of one collection's
OF_SERVERS = {"messages"}  # works on the broker, not over the API
LISTS = [
    [name, *(["-c", COLLECTION] if name in NEEDS_ONE else [])]
    for name in command_names()
    if "list" in getattr(command(name), "commands", {}) and name not in OF_SERVERS
]
SHOWN = [
    [name, "show", "j0a1b2c3d4e5f60718293a4b0a"] for name in ("batches", "documents", "jobs", "concepts")
]


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> FilledApi:
    filled = FilledApi()
    monkeypatch.setattr("hopline.commands.client.is_local", lambda: True)
    monkeypatch.setattr("hopline.sync.client.find_application", lambda _settings, via: filled)  # noqa: ARG005
    return filled


def run_together(text: str) -> str:
    """Return a text without its blanks and line ends."""
    return "".join(text.split())


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("words", LISTS + SHOWN, ids=" ".join)
def test_titles_and_remedies_stand_whole_at_every_width(api: FilledApi, words: list[str], width: int) -> None:
    piped = run_together(run_hopline(*words).stdout)
    told = [index for index, text in enumerate(api.texts) if run_together(text) in piped]
    api.texts.clear()
    result = run_hopline(*words, terminal=width)
    assert result.stdout, result.stderr
    plain = re.sub(r"\x1b\[[0-9;]*m", "", result.stdout)
    assert max(cell_len(line.rstrip()) for line in plain.splitlines()) <= width
    shown = run_together(plain)
    assert "…" not in shown
    for index in told:
        assert run_together(api.texts[index]) in shown


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(("kind", "listed", "prints"), [
    (IngestReport, "documents", print_report), (SyncReport, "failed", print_sync),
])  # fmt: skip
def test_reports_say_whole_why_something_failed(
    kind: Any, listed: str, prints: Callable[[Console, Any], None], width: int
) -> None:
    failed = [document | {"status": "failed"} for document in FilledApi().filled(kind)[listed]]
    report = kind.model_validate({"job_id": "j1", "status": "failed", "counts": {}, listed: failed})
    file = io.StringIO()
    prints(Console(file=file, width=width, force_terminal=True, color_system=None), report)
    assert len(failed) == 3
    for document in failed:
        assert run_together(document["error"]) in run_together(file.getvalue())
