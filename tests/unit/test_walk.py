"""The walk through the first pages: which lines it runs, and that it notices what does not work."""

import subprocess
from pathlib import Path

import pytest
from fleet.walk import BlockFailed, as_script, check_output, read_blocks

PAGE = """\
# A page

<!-- walk: not run: make test: it would call itself -->
<!-- walk: ended: sleep: it would stay -->
```sh
name=value            # kept for the next block
make test
sleep 3600            # as long as one likes
echo at :8400 =7688
```

```
at :1111 …2222
```

<!-- walk: not run: needs another machine -->
```sh
false
```

```python
print("from Python")
raise SystemExit(7)
```

```json
{}
```
"""
PORTS = {"API": 1111, "TOOLS": 2222}


def bash(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False, timeout=180)


def test_blocks_have_their_lines_marks_and_output() -> None:
    blocks = read_blocks(PAGE)
    shown = [(block.line, block.language, block.is_run, block.output) for block in blocks]
    assert shown == [(6, "sh", True, "at :1111 …2222"), (18, "sh", False, ""), (22, "python", True, "")]
    with pytest.raises(ValueError, match="line 1 is no mark"):
        read_blocks("<!-- walk: perhaps -->")


def test_marked_lines_are_left_out_or_ended_and_ports_are_own(tmp_path, monkeypatch):
    monkeypatch.setattr("fleet.walk.ENDED_AFTER", 0.2)
    block = read_blocks(PAGE)[0]
    ran = bash(as_script(block, PORTS, tmp_path / "kept"))
    assert (ran.returncode, ran.stdout) == (0, "at :1111 =2222\n")
    check_output(block, ran.stdout)
    with pytest.raises(BlockFailed, match=r"line 6 ff\. should print"):
        check_output(block, "at :1111 and nothing else\n")
    assert bash(f'. {tmp_path / "kept"}; echo "$name"').stdout == "value\n"


def test_what_fails_is_told_with_its_line(tmp_path: Path) -> None:
    first, _second, python = read_blocks(PAGE)
    ran = bash(as_script(python, PORTS, tmp_path / "kept"))
    assert (ran.returncode, ran.stdout) == (7, "from Python\n")
    failing = first._replace(text="true\nfalse\ntrue", marks=())
    assert "failed at line 7: false" in bash(as_script(failing, PORTS, tmp_path / "other")).stderr
