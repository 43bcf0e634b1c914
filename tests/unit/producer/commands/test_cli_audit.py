"""hopline audit, and that every command which changes something leaves an event in it."""

import getpass
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from unittest.mock import MagicMock

import pytest
from doubles.audited import Ending, Places, furnished, noted
from doubles.command_line import Run, run_hopline, work_on
from doubles.memory_redis import memory_redis, services_over

from hopline.cli import command, command_names
from producer.backup.folder import Note
from producer.service.schedules import schedule_of
from workers.ledger.schedules import ScheduleBook
from workers.services import Services

SUBMITS = "submits through the client, as `ask` and `ingest` do"
READS = "changes nothing"
RUNS = "runs a process; what is changed through it is told with its request or job"
# Commands without an event of their own, and why.
WITHOUT = {
    "read": READS, "estimate": READS, "search": READS, "status": READS, "top": READS, "doctor": READS,
    "backup": READS, "export": READS,
    "collections list": READS, "collections show": READS, "documents list": READS,
    "documents original": READS, "documents show": READS, "elements show": READS,
    "merges list": READS, "merges show": READS, "merges candidates": READS,
    "topics list": READS, "topics show": READS, "concepts show": READS, "concepts versions": READS,
    "tools list": READS, "tools run": READS, "tools schema": READS, "jobs list": READS, "jobs show": READS,
    "batches list": READS, "batches show": READS, "batches report": READS, "schedules list": READS,
    "schedules show": READS, "history list": READS, "history costs": READS, "audit list": READS,
    "pauses list": READS, "weights list": READS, "messages list": READS, "messages show": READS,
    "conversations list": READS, "conversations show": READS, "conversations export": READS,
    "keys list": READS, "keys show": READS, "sessions list": READS, "sessions show": READS, "settings": READS,
    "chat": SUBMITS, "demo": SUBMITS, "eval": SUBMITS,
    **dict.fromkeys(("concepts change", "concepts delete", "concepts undo"), "the API tells of edits"),
    "api": "the API tells what a request changed",
    "mcp": RUNS, "serve": RUNS, "worker": RUNS, "flower": RUNS, "beat": RUNS,
    "up": RUNS, "down": RUNS, "uninstall": "removes the audit with everything else",
    "import": "fills a database that is not hopline's",
    "migrate": "needs no Redis, and every worker does the same when it starts",
}  # fmt: skip
# What each other command is run with, and the act and kind of its event.
CHANGING: dict[str, tuple[Sequence[str], tuple[str, str]]] = {
    "ingest": (["{texts}", "--no-wait"], ("submit", "batch")),
    "sync": (["{texts}", "--no-wait"], ("submit", "sync")),
    "ask": (["Who?", "--no-wait"], ("submit", "query")),
    "documents change": (["{document}", "--set", "author=Ann"], ("change", "metadata")),
    "documents delete": (["{document}", "--yes"], ("submit", "delete")),
    "collections reindex": (["default"], ("submit", "reindex")),
    "concepts create": (["entropy", "--no-wait"], ("submit", "concept")),
    "jobs cancel": (["{job}"], ("cancel", "query")),
    "jobs retry": (["{failed}"], ("retry", "query")),
    "jobs replay": (["{failed}", "--no-wait"], ("replay", "query")),
    "batches pause": (["{batch}"], ("pause", "batch")),
    "batches resume": (["{halted}"], ("resume", "batch")),
    "batches cancel": (["{batch}"], ("cancel", "batch")),
    "batches retry": (["{ended}"], ("retry", "batch")),
    "pauses create": (["queue", "bulk"], ("pause", "queue")),
    "pauses delete": (["{paused}", "bulk"], ("resume", "queue")),
    "messages send": (["{message}"], ("retry", "message")),
    "messages delete": (["{message}", "--yes"], ("remove", "message")),
    "conversations rename": (["{conversation}", "Bridges"], ("change", "conversation")),
    "conversations share": (["{conversation}"], ("change", "conversation")),
    "conversations unshare": (["{conversation}"], ("change", "conversation")),
    "conversations delete": (["{conversation}", "--yes"], ("erase", "conversation")),
    "sessions delete": (["{session}", "--yes"], ("erase", "session")),
    "weights set": (["3", "--collection", "legal"], ("set", "weight")),
    "weights delete": (["--key", "{weighed}"], ("clear", "weight")),
    "collections change": (["default", "--title", "Texts"], ("set", "collection")),
    "collections delete": (["default", "--yes"], ("submit", "delete_collection")),
    "collections schema": (["default", "--set", "{schema}"], ("set", "schema")),
    "merges create": ([], ("submit", "merge")),
    "merges undo": (["{merge}"], ("submit", "merge")),
    "topics build": ([], ("submit", "topics")),
    "history erase": (["-c", "default", "--yes"], ("erase", "history")),
    "schedules pause": (["night"], ("pause", "schedule")),
    "schedules resume": (["night"], ("resume", "schedule")),
    "schedules delete": (["night", "--yes"], ("remove", "schedule")),
    "keys create": (["ann", "--yes"], ("create", "key")),
    "keys change": (["{key}", "--as", "user:ann"], ("change", "key")),
    "keys delete": (["{key}", "--yes"], ("revoke", "key")),
    "keys open": ([], ("open", "key")),
    "keys webhook-secret": (["{key}"], ("show", "webhook-secret")),
    "restore": (["{backup}"], ("restore", "backup")),
}


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return furnished(services_over(memory_redis(), blob_url=str(tmp_path / "blobs")))


@pytest.fixture
def run(services: Services, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `hopline` with these arguments over a Redis in memory."""
    work_on(monkeypatch, services, Ending(services))
    return run_hopline


def commands() -> Iterator[str]:
    """Yield the names of all commands."""

    for name in command_names():
        below = getattr(command(name), "commands", {})
        yield from (f"{name} {each}" for each in below) if below else (name,)


@pytest.fixture
def _no_beat(monkeypatch: pytest.MonkeyPatch, services: Services) -> None:
    """Let schedules do without the process that begins them, and one stand there."""
    for name in ("save_entry", "remove_entry", "due_at"):
        monkeypatch.setattr(f"producer.service.schedules.{name}", lambda *_: None)
    ScheduleBook(services.redis).save(schedule_of(["/texts"], "texts", name="night", every="0 2 * * *"))


@pytest.fixture
def _restorable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a backup be restored that has nothing in it."""
    note = Note(hopline="1.0", taken=0.0, graph_version=1)
    replies = {"read_note": note, "check_contents": (), "load_blobs": None, "read_lines": ()}
    replies |= dict.fromkeys(("graph_archive", "vector_archive", "LedgerArchive"), MagicMock())
    for name, reply in replies.items():
        monkeypatch.setattr(f"producer.backup.load.{name}", lambda *_, reply=reply: reply)


def test_every_command_changes_something_that_is_audited_or_has_its_reason() -> None:
    assert sorted(commands()) == sorted([*CHANGING, *WITHOUT])


@pytest.mark.usefixtures("_no_beat", "_restorable")
@pytest.mark.parametrize("name", CHANGING)
def test_a_command_that_changes_something_leaves_one_event(services, run, tmp_path, name):
    arguments, meant = CHANGING[name]
    places = Places(services, tmp_path)
    filled = [places.filled(argument) for argument in arguments]
    places.forget()
    result = run(*name.split(), *filled)
    events = noted(services)
    assert [(event.act, event.kind) for event in events] == [meant], (result.output, result.exception)
    (event,) = events
    assert (event.outcome, event.via, event.name) == ("done", "cli", getpass.getuser())


def test_the_audit_is_listed_by_who_and_what(services: Services, run: Run) -> None:
    run("keys", "create", "ann", "--yes")
    run("ask", "Who built it?", "--no-wait")
    listed = json.loads(run("audit", "--act", "submit", "--json").stdout)["events"]
    assert [event["kind"] for event in listed] == ["query"]
    assert json.loads(run("audit", "--who", "nobody", "--since", "1d", "--json").stdout)["events"] == []
    newest = run("audit", "--limit", "1")
    assert "submit" in newest.stdout
    cursor = newest.stderr.strip().removeprefix("More: --before ")
    (oldest,) = json.loads(run("audit", "--before", cursor, "--json").stdout)["events"]
    assert (oldest["act"], oldest["kind"]) == ("create", "key")
    assert "Who built it" not in json.dumps([event.model_dump(mode="json") for event in noted(services)])
    assert run("audit", "--act", "nonsense").exit_code == 2
