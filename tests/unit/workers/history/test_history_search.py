"""Searching history: what filters find, and that erased names are gone."""

from pathlib import Path
from typing import Any

import pytest
from doubles.history import DAY, FIRST_MOMENT, Ends, row
from doubles.memory_redis import memory_redis

from hopline.errors import InvalidInput
from hopline.models.history import Cost, JobError
from hopline.models.jobs import Usage
from workers.adapters.named_files import NamedFiles
from workers.core.jobs.history import WantedHistory
from workers.core.metadata.filter_text import parse_filter
from workers.history.books import JOBS
from workers.history.erasure import without_collection, without_name
from workers.history.keeper import HistoryKeeper
from workers.history.search import HistorySearch
from workers.history.table import COLUMNS


class Shelf:
    """A history in a folder; rows are written, or wait."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.client = memory_redis()
        self.ends = Ends(self.client)
        self.files = NamedFiles(str(folder))
        self.keeper = HistoryKeeper(self.client, self.files, 400, JOBS)
        self.search = HistorySearch(self.keeper.pending, self.files)

    def write(self) -> None:
        self.keeper.take_turn(1, 0.0)

    def found(self, where: str = "", **wanted: Any) -> list[str]:
        query = WantedHistory(where=parse_filter(where) if where else None, **wanted)
        return [each.id for each in self.search.page(query).jobs]


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    made = Shelf(tmp_path_factory.mktemp("history"))
    failed = (JobError(step="ingest.extract", error="ModelRefused: too Long"),)
    made.ends.put(
        row(
            0, cost=1.5, calls=3, prompt_tokens=10, caller="k1", params={"strategy": "graph", "max_depth": 3}
        ),
        row(1, kind="batch", state="failed", errors=failed, dead=1, steps={"ingest.load": 2}),
        row(2, kind="document", parent="j1", state="failed", collection="other", cost=9.0, epoch=1),
    )
    made.write()
    made.ends.put(row(30, id="j2", kind="document", parent="j1", collection="other", epoch=2))
    made.ends.put(row(31, cost=0.5, calls=1, tags={"team": "a"}, reason="gave up"))
    return made


def test_what_is_asked_for_is_found_as_it_ended_last(shelf: Shelf) -> None:
    for wanted, ids in [
        ({}, ["j31", "j2", "j1", "j0"]),
        ({"state": "failed"}, ["j1"]),
        ({"step": "ingest.extract"}, ["j1"]),
        ({"error": "TOO LONG"}, ["j1"]),
        ({"since": FIRST_MOMENT + 3600}, ["j31", "j2", "j1"]),
        ({"until": FIRST_MOMENT + 3600}, ["j0"]),
        ({"tags": {"team": "a"}}, ["j31"]),
        ({"caller": "k1"}, ["j0"]),
        ({"collections": {"other", "none"}}, ["j2"]),
        ({"collections": set()}, []),
    ]:
        assert shelf.found(**wanted) == ids, wanted


def test_a_filter_finds_what_it_says(shelf: Shelf) -> None:
    for where, ids in [
        ("cost > 0.5", ["j0"]),
        ('cost >= 0.5 and kind = "query"', ["j31", "j0"]),
        ('state != "done"', ["j1"]),
        ('kind in ("batch", "document")', ["j2", "j1"]),
        ('steps has "ingest.load"', ["j1"]),
        ("exists(steps)", ["j1"]),
        ('param_strategy = "graph"', ["j0"]),
        ("param_max_depth = 3", ["j0"]),
        ('tag_team = "a" or dead = 1', ["j31", "j1"]),
        ("ended = 2026-09-22", ["j31", "j2"]),
        ("ended < 2026-09-22", ["j1", "j0"]),
        ("ended > 2026-09-21", ["j31", "j2"]),
        ("ended >= 2026-09-22", ["j31", "j2"]),
        ("ended <= 2026-09-21", ["j1", "j0"]),
        ("cost < 1", ["j31"]),
        ("cost <= 0.5", ["j31"]),
        ("tokens >= 10", ["j0"]),
        ('id = "1.5\' OR 1=1 --"', []),
    ]:
        assert shelf.found(where) == ids, where


def test_a_filter_that_history_cannot_answer_is_refused(shelf: Shelf) -> None:
    for where in ("nothing = 1", "steps = 1", 'kind has "a"', "kind > 3", "state < 2026-01-01"):
        with pytest.raises(InvalidInput):
            shelf.found(where)


def test_pages_follow_one_another(shelf: Shelf) -> None:
    first = shelf.search.page(WantedHistory(), limit=3)
    second = shelf.search.page(WantedHistory(), before=first.next, limit=3)
    assert [each.id for each in (*first.jobs, *second.jobs)] == ["j31", "j2", "j1", "j0"]
    assert not second.next
    with pytest.raises(InvalidInput):
        shelf.search.page(WantedHistory(), before="none")


def test_pages_in_another_order_follow_one_another_too(shelf: Shelf) -> None:
    for order in ["cost", "tokens"]:
        job_ids, before = [], ""
        for _ in range(4):
            page = shelf.search.page(WantedHistory(), before=before, limit=1, order=order)
            job_ids += [each.id for each in page.jobs]
            before = page.next
        assert job_ids == ["j0", "j31", "j2", "j1"], order
        assert not before, order


def test_costs_are_those_of_jobs_without_a_parent(shelf: Shelf) -> None:
    days = shelf.search.costs(WantedHistory(), "day")
    assert [(day.by, day.jobs, day.cost) for day in days] == [("2026-09-21", 2, 1.5), ("2026-09-22", 1, 0.5)]
    whole = Cost(by="k1", jobs=1, calls=3, prompt_tokens=10, completion_tokens=0, cost=1.5)
    assert whole in shelf.search.costs(WantedHistory(), "key")


@pytest.mark.parametrize("written", [False, True])
def test_a_key_finds_only_jobs_all_of_whose_collections_it_may_read(tmp_path: Path, *, written: bool) -> None:
    shelf = Shelf(tmp_path)
    shelf.ends.put(
        row(0, collection="a"),
        row(1, collection="a", collections=("a",)),
        row(2, collection="a", collections=("a", "b"), cost=2.0),
    )
    if written:
        shelf.write()
    assert shelf.found(readable={"a"}) == ["j1", "j0"]
    assert shelf.found(collections={"a"}, readable={"a", "b"}) == ["j2", "j1", "j0"]
    assert shelf.found(collections={"a"}) == ["j2", "j1", "j0"]
    (costs,) = shelf.search.costs(WantedHistory(readable=frozenset({"a"})), "collection")
    assert (costs.jobs, costs.cost) == (2, None)


def test_files_of_before_there_were_several_collections_are_read_and_erased(tmp_path, monkeypatch):
    shelf = Shelf(tmp_path)
    shelf.ends.put(row(0, collection="a"), row(1, collection="b", params={"uri": "x.pdf"}))
    with monkeypatch.context() as before:
        before.delitem(COLUMNS, "collections")
        shelf.write()
    assert shelf.found(readable={"a"}) == ["j0"]
    assert shelf.keeper.erase(without_name("x.pdf")) == 1
    shelf.ends.put(row(2, collection="a", collections=("a", "b")))
    shelf.write()
    assert shelf.found() == ["j2", "j1", "j0"]
    shelf.keeper.tidy(FIRST_MOMENT + 9 * DAY)
    assert shelf.found(readable={"a"}) == ["j0"]
    assert shelf.keeper.erase(without_collection("b")) == 1
    assert shelf.found() == ["j0"]


_SMALL = Usage(model_calls=2, prompt_tokens=20, completion_tokens=2, cost=0.5)
_LARGE = Usage(model_calls=1, prompt_tokens=5, cost=None)


def _summed(*sums: Usage) -> dict[str, Any]:
    total = sum(sums, start=Usage())
    return {
        "calls": total.model_calls, "prompt_tokens": total.prompt_tokens,
        "completion_tokens": total.completion_tokens, "cost": total.cost,
    }  # fmt: skip


def test_costs_by_model_add_up_and_what_no_model_is_known_of_is_told_apart(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    shelf.ends.put(
        row(0, **_summed(_SMALL, _LARGE), models={"small": _SMALL, "large": _LARGE}),
        row(1, **_summed(_SMALL, _SMALL), models={"small": _SMALL}),
        row(2),
        row(3, parent="j0", **_summed(_SMALL)),
    )
    costs = {cost.by: cost for cost in shelf.search.costs(WantedHistory(), "model")}
    assert costs == {
        "": Cost(by="", jobs=1, **_summed(_SMALL)),
        "large": Cost(by="large", jobs=1, **_summed(_LARGE)),
        "small": Cost(by="small", jobs=2, **_summed(_SMALL, _SMALL)),
    }


def test_files_of_before_models_were_kept_are_summed_with_those_since(tmp_path, monkeypatch):
    shelf = Shelf(tmp_path)
    shelf.ends.put(row(0, **_summed(_SMALL)))
    with monkeypatch.context() as before:
        before.delitem(COLUMNS, "models")
        shelf.write()
    assert [cost.by for cost in shelf.search.costs(WantedHistory(), "model")] == [""]
    shelf.ends.put(row(1, **_summed(_SMALL), models={"small": _SMALL}))
    shelf.write()
    for _ in range(2):
        costs = shelf.search.costs(WantedHistory(), "model")
        assert [(cost.by, cost.jobs, cost.cost) for cost in costs] == [("", 1, 0.5), ("small", 1, 0.5)]
        newest, oldest = shelf.search.page(WantedHistory()).jobs
        assert (newest.models, oldest.models) == ({"small": _SMALL}, {})
        shelf.keeper.tidy(FIRST_MOMENT + 9 * DAY)


def test_a_collection_is_erased_and_stays_so(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    shelf.ends.put(row(0), row(1, collection="secret"))
    shelf.write()
    shelf.ends.put(row(2, collection="secret"), row(3))
    assert shelf.keeper.erase(without_collection("secret")) == 2
    assert shelf.found() == ["j3", "j0"]
    shelf.keeper.tidy(FIRST_MOMENT + 9 * DAY)
    assert shelf.found() == ["j3", "j0"]
    assert all(b"secret" not in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_a_documents_name_is_erased_and_figures_stay(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    name = 'ann "the boss".pdf'
    shelf.ends.put(
        row(0, params={"uri": f"/docs/{name}"}, cost=2.0),
        row(1, errors=(JobError(step="ingest.load", error=f"{name} is broken"),), dead=1),
        row(2, params={"uri": "/docs/other.pdf"}, tags={"team": "a"}),
    )
    assert shelf.keeper.erase(without_name(name)) == 1
    other, second, first = shelf.search.page(WantedHistory()).jobs
    assert (first.params, first.cost) == ({}, 2.0)
    assert (second.errors, second.dead) == ((), 1)
    assert (other.params, other.tags) == ({"uri": "/docs/other.pdf"}, {"team": "a"})


def test_a_past_day_becomes_one_file_and_an_old_one_goes(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    for number in (0, 1, 25):
        shelf.ends.put(row(number))
        shelf.write()
    shelf.keeper.tidy(FIRST_MOMENT + 9 * DAY)
    assert len(shelf.files.names("history/jobs/")) == 2
    assert shelf.found() == ["j25", "j1", "j0"]
    shelf.keeper.tidy(FIRST_MOMENT + 401 * DAY)
    assert shelf.found() == ["j25"]


def test_few_rows_wait_for_more(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    shelf.ends.put(row(0))
    assert shelf.keeper.take_turn(2, 0.0) == 1, "as nothing was ever written, they have waited long enough"
    shelf.ends.put(row(1))
    assert shelf.keeper.take_turn(2, 60.0) == 0
    shelf.ends.put(row(2))
    assert shelf.keeper.take_turn(2, 60.0) == 2
