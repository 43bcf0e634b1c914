"""The exit codes: one table, in the guide and in the help, that every command keeps to."""

import re
from pathlib import Path

import httpx2
import pytest
from doubles.command_line import Run, run_hopline
from doubles.desk import Desk, texts

from hopline.commands.exits import Exit
from hopline.models.jobs import JobState

GUIDE = Path(__file__).parents[4] / "docs" / "guide.md"
CODES = {str(code.value) for code in Exit}


class NothingThere:
    """An API that has none of what it is asked for."""

    def transport(self) -> httpx2.BaseTransport:
        problem = {"title": "Not found", "detail": "there is no such thing", "status": 404, "request_id": "r"}
        return httpx2.MockTransport(lambda _request: httpx2.Response(404, json=problem))


def test_the_guide_and_the_help_have_the_same_table() -> None:
    guide, shown = (
        GUIDE.read_text(encoding="utf-8"),
        " ".join(run_hopline("--help", width=300).stdout.split()),
    )
    for code in Exit:
        assert f"| {code.value} | {code.meaning} |" in guide
        assert f"{code.value} {code.meaning}" in shown


def test_a_commands_help_names_codes_of_the_table_only() -> None:
    lines = re.findall(r"Exit codes[^:│]*: ([^│]*?)\.", run_hopline("--help-all", width=400).stdout)
    assert len(lines) > 10
    for line in lines:
        assert set(re.findall(r"\b\d+\b", line)) <= CODES, line


@pytest.mark.parametrize("words", [
    "jobs show nope", "jobs cancel nope", "jobs retry nope", "jobs replay nope", "documents show nope",
    "documents delete nope --yes", "documents change nope --set a=1", "collections show nope",
    "collections delete nope --yes", "collections change nope --title x", "batches show nope",
    "batches retry nope", "schedules show nope", "schedules delete nope --yes", "keys delete nope --yes",
    "merges undo nope", "topics show nope -c nope", "concepts show nope -c nope", "api GET /v1/jobs/nope",
])  # fmt: skip
def test_what_is_not_there_ends_every_command_alike(monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    monkeypatch.setattr("hopline.commands.client.is_local", lambda: True)
    monkeypatch.setattr("hopline.sync.client.find_application", lambda _settings, via: NothingThere())  # noqa: ARG005
    result = run_hopline(*words.split())
    assert result.exit_code == Exit.NOTHING_FOUND, result.output


@pytest.mark.parametrize(("state", "failed", "code"), [
    (JobState.DONE, 0, Exit.DONE), (JobState.DONE, 1, Exit.PARTIAL), (JobState.PARTIAL, 1, Exit.PARTIAL),
    (JobState.FAILED, 2, Exit.FAILED), (JobState.CANCELLED, 1, Exit.FAILED),
])  # fmt: skip
def test_an_ingestion_ends_in_part_only_where_some_of_it_went_in(
    desk: Desk, run: Run, tmp_path: Path, state: JobState, failed: int, code: Exit
) -> None:
    texts(tmp_path, "a.txt", "b.txt")
    counts = {"chunks": 1, "facts": 2, "entities": 0, "relations": 0, "events": 0, "error": None}
    documents = [
        {"uri": name, "document_id": name, "status": "failed" if nth < failed else "done", **counts}
        for nth, name in enumerate(("a.txt", "b.txt"))
    ]
    desk.ledger.play["batch"] = ([], state, {"documents": documents})
    assert run("ingest", tmp_path).exit_code == code
