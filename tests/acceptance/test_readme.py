"""The commands of README.md, the user guide and the page on HTTP work in order, from an empty home."""

from pathlib import Path

import pytest
from fleet.walk import Walk


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_the_commands_of_the_first_pages_work_one_after_another(tmp_path: Path) -> None:
    walk = Walk(tmp_path)
    try:
        walk.run(print)
    finally:
        walk.end()
