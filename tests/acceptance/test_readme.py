"""What README.md says can be typed, in its order, by a newcomer with an empty home."""

from __future__ import annotations

from pathlib import Path

import pytest
from fleet.walk import Walk


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_blocks_of_the_readme_work_one_after_another(tmp_path: Path) -> None:
    walk = Walk(tmp_path)
    try:
        walk.run(print)
    finally:
        walk.end()
