"""No regular expression takes more than a text's length in time, whatever the text."""

import json
import os
import subprocess
import sys

import pytest


@pytest.mark.long
def test_no_pattern_grows_faster_than_the_text() -> None:
    program = [sys.executable, "-m", "proof.patterns"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    told = subprocess.run(program, env=env, capture_output=True, text=True, check=True)
    *grown, last = map(json.loads, told.stdout.splitlines())
    assert last["patterns"] > 100
    assert not grown, "\n".join(json.dumps(each, ensure_ascii=False) for each in grown)
