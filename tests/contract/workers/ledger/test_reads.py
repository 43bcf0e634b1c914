"""What keeps a job from reading twice: the one of a single process and the ledger's."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from doubles.databases import own_redis
from doubles.ledger_moves import begun, to_leaves
from doubles.ledger_play import Play

from hopline.errors import Conflict
from hopline.models.jobs import JobState
from workers.core.graph.paths import OwnReads, Reads
from workers.core.jobs.work import GivenBack
from workers.core.redis_keys import job_key
from workers.ledger.reads import JobReads


@pytest.fixture
def play(redis_url: str) -> Play:
    made = Play(own_redis(redis_url), 3)
    made.submit()
    return made


def of_job(play: Play) -> JobReads:
    record = play.ledger.job(play.name)
    return JobReads(play.ledger.scripts, record.job)


Given = Callable[[str, list[str]], None]


@pytest.fixture(params=("own", "ledger"))
def kept(request: pytest.FixtureRequest) -> tuple[Reads, Given]:
    """What is read, and how a reader gives some of it back."""
    if request.param == "own":
        own = OwnReads()
        return own, lambda reader, names: own.give_back(GivenBack(reader=reader, names=tuple(names)))
    play: Play = request.getfixturevalue("play")
    claims = [begun(play, leaf) for leaf in to_leaves(play)]

    def give_back(reader: str, names: list[str]) -> None:
        given_back = GivenBack(reader=reader, names=tuple(names))
        assert play.finish(claims.pop(), given_back=given_back).verdict == "recorded"

    return of_job(play), give_back


@pytest.fixture
def reads(kept: tuple[Reads, Given]) -> Reads:
    return kept[0]


@pytest.fixture
def give_back(kept: tuple[Reads, Given]) -> Given:
    return kept[1]


def test_what_one_reads_no_other_reads(reads):
    assert reads.take("path:1:1", ["a", "b", "a"]) == ["a", "b"]
    assert reads.take("path:2:1", ["b", "c", "a"]) == ["c"]
    assert reads.by_others("path:1:1", ["a", "b", "c", "d"]) == {"c"}
    assert reads.by_others("path:3:1", ["a", "b", "c", "d"]) == {"a", "b", "c"}
    assert reads.by_others("path:3:1", []) == set()
    assert reads.take("path:3:1", []) == []


def test_an_item_done_again_reads_the_same_although_another_gave_back_something_better(reads, give_back):
    reads.take("path:2:1", ["a"])
    first = reads.take("path:1:1", ["a", "b", "c"], 1)
    give_back("path:2:1", ["a"])
    assert first == reads.take("path:1:1", ["a", "b", "c"], 1) == ["b"]
    assert reads.take("path:1:1", ["a", "b", "c"], 2) == ["a", "b"]
    assert reads.take("path:1:1", ["a", "b", "c"], 1) == ["a"], "at most so many"
    assert reads.by_others("path:3:1", ["a", "b", "c"]) == {"a", "b"}


def test_at_most_so_many_are_taken_the_same_again_and_the_rest_is_left_to_others(reads):
    reads.take("path:1:1", ["b"])
    for _done_again in range(2):
        assert reads.take("path:2:1", ["a", "b", "c", "d"], 2) == ["a", "c"]
    assert reads.by_others("path:3:1", ["a", "b", "c", "d"]) == {"a", "b", "c"}
    assert reads.take("path:3:1", ["x"], 0) == []


def test_what_is_given_back_others_may_read_and_nobody_gives_back_another_s(reads, give_back):
    reads.take("path:1:1", ["a", "b"])
    give_back("path:2:1", ["a"])
    give_back("path:1:1", ["b", "unknown"])
    assert reads.take("path:2:1", ["a", "b"]) == ["b"]
    give_back("path:2:1", [])


def test_one_whose_item_is_done_by_another_gives_nothing_back_that_its_twin_is_shown(play):
    slow = begun(play)
    of_job(play).take("root", ["a"])
    play.wait(11)
    twin = begun(play)
    assert of_job(play).take("root", ["a"]) == ["a"]
    assert play.finish(twin).verdict == "recorded"
    assert play.finish(slow, given_back=GivenBack(reader="root", names=("a",))).verdict == "done"
    assert of_job(play).by_others("path:2:1", ["a"]) == {"a"}


def test_notes_go_with_the_result_and_come_with_the_next_look(play):
    """An item that is done again is told what it was told first, whatever was noted since."""
    first, second = to_leaves(play)[:2]
    claim, late = begun(play, first), begun(play, second)
    early = of_job(play)
    early.take("path:2:1", ["a"])
    assert early.notes("path:2:1") == ()
    assert play.finish(claim, notes=("one", "two")).verdict == "recorded"
    assert play.finish(claim, notes=("three",)).verdict == "done"
    reads = of_job(play)
    assert reads.by_others("path:3:1", ["a"]) == {"a"}
    assert reads.notes("path:3:1") == ("one", "two")
    assert play.finish(late, notes=("four",)).verdict == "recorded"
    again = of_job(play)
    assert again.take("path:3:1", ["b"]) == ["b"]
    assert again.take("path:2:1", ["a", "b"]) == ["a"]
    assert (again.notes("path:3:1"), again.notes("path:2:1")) == (("one", "two"), ())
    again.take("path:4:1", ["c"])
    assert again.notes("path:4:1") == ("one", "two", "four")


def test_a_job_keeps_so_many_notes_and_tells_the_latest(play):
    claim = begun(play, to_leaves(play)[0])
    assert play.finish(claim, notes=tuple(f"note {n}" for n in range(300))).verdict == "recorded"
    reads = of_job(play)
    reads.take("path:1:1", ["a"])
    assert reads.notes("path:1:1") == tuple(f"note {n}" for n in range(160, 200))


def test_paths_that_read_at_once_share_nothing(reads):
    taken: list[list[str]] = []
    names = [f"chunk {n}" for n in range(50)]
    start = threading.Barrier(4)

    def read(path: int) -> None:
        start.wait(120)
        taken.append(
            [name for at in range(0, 50, 5) for name in reads.take(f"path:{path}:1", names[at : at + 5])]
        )

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(read, range(4)))
    assert sorted(name for each in taken for name in each) == sorted(names)


def test_the_ledger_s_reads_end_with_the_job(play):
    reads = of_job(play)
    reads.take("path:1:1", ["a"])
    assert play.client.ttl(job_key(play.name, "reads")) == -1
    play.ledger.end(play.name, 1, JobState.DONE, {})
    play.work_off(play.name)
    assert play.client.ttl(job_key(play.name, "reads")) > 0
    with pytest.raises(Conflict):
        reads.take("path:1:1", ["b"])
