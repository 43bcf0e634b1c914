"""The audit: events are noted before acts and after them, written beside history, and found again."""

from pathlib import Path
from typing import Any

import pytest
from doubles.memory_redis import memory_redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import ResponseError
from structlog.testing import capture_logs

from hopline.errors import DependencyAway, InvalidInput, NotFound, Transient
from hopline.models.audit import AuditEvent
from workers.adapters.named_files import NamedFiles
from workers.core.audit import Actor, WantedAudit, acting, current_actor, event_of, set_actor
from workers.history.audit_book import AuditBook
from workers.history.audit_search import AuditSearch
from workers.history.books import EVENTS, JOBS
from workers.history.keeper import HistoryKeeper
from workers.history.parts import stored_parts

DAY = 86400.0
ANN = Actor(via="http", key="k1", name="ann", address="192.0.2.7", acting=("user:eve",))


class Scripts:
    """A Redis's scripts; each call raises an error where one is set."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.error: Exception | None = None

    def register_script(self, source: str) -> Any:
        script = self.client.register_script(source)

        def call(**how: object) -> Any:
            if self.error:
                raise self.error
            return script(**how)

        return call


class Audited:
    """An audit over a Redis in memory and a folder."""

    def __init__(self, folder: Path) -> None:
        self.client = memory_redis()
        self.files = NamedFiles(str(folder))
        self.scripts: Any = Scripts(self.client)
        self.book = AuditBook(self.scripts, kept=True)
        self.keeper = HistoryKeeper(self.client, self.files, 400, EVENTS)
        self.search = AuditSearch(self.keeper.pending, self.files)

    def found(self, **wanted: object) -> list[AuditEvent]:
        return list(self.search.page(WantedAudit.model_validate(wanted)).events)

    def write(self) -> None:
        while self.keeper.take_turn(1, 0.0):
            pass


@pytest.fixture
def audit(tmp_path: Path) -> Audited:
    return Audited(tmp_path)


def test_an_act_is_noted_before_it_is_begun_and_after_it_has_ended(audit: Audited) -> None:
    with acting(ANN), audit.book.act("submit", "query", "j1", "default"):
        (begun,) = audit.found()
        assert begun.outcome == "begun"
    (done,) = audit.found()
    assert done == begun.model_copy(update={"outcome": "done"})
    assert (done.key, done.name, done.acting, done.address) == ("k1", "ann", ("user:eve",), "192.0.2.7")


@pytest.mark.parametrize(("error", "outcome"), [
    (NotFound("no"), "refused"),
    (DependencyAway("the broker is away"), "failed"),
    (Transient("busy"), "failed"),
    (OSError(), "failed"),
    (KeyboardInterrupt(), "failed"),
])  # fmt: skip
def test_an_act_that_ends_with_an_error_says_so(audit: Audited, error: BaseException, outcome: str) -> None:
    with pytest.raises(type(error)), audit.book.act("cancel", "query", "j1"):
        raise error
    (event,) = audit.found()
    assert (event.outcome, event.error) == (outcome, type(error).__name__)


def test_an_act_whose_end_was_cut_off_stays_begun_in_files(audit: Audited) -> None:
    audit.book.note([event_of(ANN, "revoke", "key", "k2")])
    audit.write()
    assert [event.outcome for event in audit.found()] == ["begun"]


def test_an_act_that_ends_after_its_beginning_was_written_is_one(audit: Audited) -> None:
    with acting(ANN), audit.book.act("erase", "history", "books") as acted:
        audit.write()
        acted.on(count=3)
    assert [(event.outcome, event.count) for event in audit.found()] == [("done", 3)]
    audit.write()
    assert [(event.outcome, event.count) for event in audit.found()] == [("done", 3)]
    audit.keeper.tidy(audit.found()[0].began.timestamp() + 2 * DAY)
    assert len(stored_parts(audit.files, EVENTS.folder)) == 1
    assert [event.outcome for event in audit.found()] == ["done"]
    assert not stored_parts(audit.files, JOBS.folder), "history has files of its own"


def test_an_act_that_ends_while_its_beginning_is_being_written_is_ended(audit: Audited) -> None:
    with acting(ANN), audit.book.act("submit", "query", "j1", "default"):
        assert audit.keeper.pending.seal(1, 0.0, 0)
    assert [event.outcome for event in audit.found()] == ["done"]


def test_events_are_found_by_who_what_and_when(audit: Audited) -> None:
    with acting(ANN), audit.book.act("submit", "query", "j1", "books"):
        pass
    with acting(Actor(via="cli", name="bob")), audit.book.act("create", "key", "k9"):
        pass
    audit.write()
    newest, oldest = audit.found()
    assert (newest.target, oldest.target) == ("k9", "j1")
    for wanted in ({"who": "k1"}, {"who": "ann"}, {"who": "user:eve"}, {"act": "submit"}, {"target": "j1"}):
        assert audit.found(**wanted) == [oldest]
    for wanted in ({"via": "cli"}, {"kind": "key"}, {"since": newest.began.timestamp()}, {"who": "bob"}):
        assert audit.found(**wanted) == [newest]
    assert audit.found(collections=frozenset({"books"})) == [oldest]
    assert audit.found(outcome="refused") == []
    assert audit.found(until=newest.began.timestamp()) == [oldest]
    page = audit.search.page(WantedAudit(), limit=1)
    assert audit.search.page(WantedAudit(), before=page.next, limit=1).events == (oldest,)
    with pytest.raises(InvalidInput):
        audit.search.page(WantedAudit(), before="nonsense")


def test_what_finds_no_room_is_in_the_log_and_what_stands_may_still_end(audit: Audited) -> None:
    book = AuditBook(audit.client, kept=True, most_waiting=1)
    with capture_logs() as logs, book.act("cancel", "query", "first"), book.act("cancel", "query", "second"):
        pass
    assert {(line["event"], line["target"]) for line in logs} == {("audit.lost", "second")}
    assert [(event.target, event.outcome) for event in audit.found()] == [("first", "done")]


def test_nothing_is_begun_while_redis_is_away_but_what_frees_a_full_one_is(audit: Audited) -> None:
    begun: list[str] = []
    audit.scripts.error = ResponseError("OOM command not allowed")
    with audit.book.act("cancel", "query", "j1"):
        begun.append("full")
    audit.scripts.error = RedisConnectionError("refused")
    with pytest.raises(RedisConnectionError), audit.book.act("cancel", "query", "j1"):
        begun.append("away")
    assert begun == ["full"]


def test_an_act_that_is_done_is_not_failed_by_a_redis_that_went_away(audit: Audited) -> None:
    with audit.book.act("cancel", "query", "j1"):
        audit.scripts.error = RedisConnectionError("refused")
    assert [event.outcome for event in audit.found()] == ["begun"]
    with AuditBook(audit.client, kept=False).act("cancel", "query", "j2"):
        pass
    assert len(audit.found()) == 1, "nothing is noted where no history is kept"


def test_who_acts_is_the_account_unless_a_request_says_so() -> None:
    assert current_actor().via == "client"
    with acting(ANN):
        assert current_actor() == ANN
        set_actor(ANN.model_copy(update={"key": "k2"}))
        assert current_actor().key == "k2"
    assert current_actor().key == ""
