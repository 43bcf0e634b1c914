"""History through kills between any two of its operations: each end of a job is there once, whatever died."""

import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from doubles.history import DAY, FIRST_MOMENT, Ends
from doubles.memory_redis import memory_redis
from fleet.cases import cases
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workers.adapters.named_files import NamedFiles
from workers.core.jobs.history import WantedHistory
from workers.core.redis_keys import HISTORY_TURN
from workers.history.books import JOBS
from workers.history.keeper import HistoryKeeper
from workers.history.search import HistorySearch

_ACTS = st.lists(
    st.tuples(st.sampled_from(["end", "retry", "write", "write", "tidy", "erase"]), st.integers(0, 12)),
    max_size=14,
)


class KilledError(BaseException):
    """The process is gone; no handler of errors catches it."""


class Mortal:
    """Passes calls on, and dies before or after one of them."""

    def __init__(self, whole: Any, life: list[int]) -> None:
        self._whole, self._life = whole, life

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._whole, name)
        return self._counted(attribute) if callable(attribute) else attribute

    def _counted(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any) -> Any:
            self._spend()
            reply = call(*args)
            self._spend()
            return reply

        return counted

    def _spend(self) -> None:
        self._life[0] -= 1
        if self._life[0] == 0:
            raise KilledError


@settings(max_examples=cases(15), deadline=None, suppress_health_check=list(HealthCheck))
@given(acts=_ACTS)
def test_each_end_of_a_job_is_in_history_once_whoever_is_killed(acts: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        client, files = memory_redis(), NamedFiles(folder)
        ends = Ends(client)
        keeper = HistoryKeeper(client, files, 400, JOBS)
        for act, number in acts:
            if act in {"end", "retry"}:
                ends.add(number, again=act == "retry")
                continue
            dying = HistoryKeeper(client, Mortal(files, life := [number]), 400, JOBS)  # type: ignore[arg-type]
            dying.pending = Mortal(dying.pending, life)  # type: ignore[assignment]
            try:
                _do(dying, act)
            except KilledError:
                client.delete(HISTORY_TURN)  # as it does by itself after a while
        search = HistorySearch(keeper.pending, files)
        assert _found(search) == ends.newest(), "while some rows wait"
        while keeper.take_turn(1, 0.0):
            pass
        keeper.tidy(FIRST_MOMENT + 20 * DAY)
        assert not keeper.pending.all()
        assert _found(search) == ends.newest()
        assert _stored(files) == Counter(ends.all), "each once"


def _do(keeper: HistoryKeeper, act: str) -> None:
    if act == "write":
        keeper.take_turn(1, 0.0)
    elif act == "tidy":
        keeper.tidy(FIRST_MOMENT + 20 * DAY)
    else:
        keeper.erase(lambda rows: rows)


def _found(search: HistorySearch) -> list[tuple[str, int]]:
    return sorted((row.id, row.epoch) for row in search.page(WantedHistory(), limit=1000).jobs)


def _stored(files: NamedFiles) -> Counter[tuple[str, int]]:
    import duckdb  # noqa: PLC0415 - as where it is used

    from workers.history.parts import holding, stored_parts  # noqa: PLC0415

    places = [str(files.local(part.name, Path())) for part in holding(stored_parts(files, JOBS.folder))]
    rows = duckdb.connect().read_parquet(places).project("id, epoch").fetchall() if places else []
    return Counter(rows)
