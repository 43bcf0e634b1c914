from __future__ import annotations

import json

import pytest

from producer.console import print_json


def test_json_moves_no_cursor_and_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    signs = "".join(map(chr, (*range(0x20), *range(0x7F, 0xA0), 0x202E, 0x2066))) + "é 山"
    value = {"quote": f"\x9b31m{signs}", "\x85key": [1, None]}
    print_json(json.dumps(value, ensure_ascii=False, indent=1))
    shown = capsys.readouterr().out
    assert json.loads(shown) == value
    assert all(sign.isprintable() or sign == "\n" for sign in shown)
    assert "é 山" in shown
