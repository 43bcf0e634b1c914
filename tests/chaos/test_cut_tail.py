"""The end of Redis's file is lost with its host: what was acknowledged may be gone, and may be repeated."""

from pathlib import Path

import pytest
from fleet.asked import Asked
from fleet.checks import assert_done_as, assert_nothing_left
from fleet.crew import Crew, PrivateRedis

from hopline.errors import NotFound


def cut_tail(server: PrivateRedis, size: int) -> None:
    """Kill the server and cut its append-only file down to this size, in the middle of a command."""
    server.kill()
    file = newest_part(server)
    assert file.stat().st_size > size
    with file.open("r+b") as opened:
        opened.truncate(size)
    server.start()


def newest_part(server: PrivateRedis) -> Path:
    """Return the file that commands are appended to: the newest of several."""
    files = server.folder.glob("appendonlydir/*.incr.aof")
    return max(files, key=lambda file: file.stat().st_mtime)


@pytest.mark.parametrize("kept", ["nothing of the submission", "the submission, and not its first items"])
def test_submitting_again_with_the_same_key_is_safe(crew: Crew, tree: Asked, kept: str) -> None:
    server = crew.server
    assert server is not None
    crew.have(a="interactive")
    crew.model.set()
    before = newest_part(server).stat().st_size
    first = tree.submit(crew, key=kept)
    size = newest_part(server).stat().st_size if kept.startswith("the") else before
    assert crew.answer(first).text
    cut_tail(server, size + 10)
    if kept.startswith("nothing"):
        with pytest.raises(NotFound):
            crew.client.jobs.get(first)
    again = tree.submit(crew, key=kept)
    assert again == first
    assert_done_as(crew, again, tree.answer)
    assert tree.submit(crew, key=kept) == first
    assert_nothing_left(crew)
