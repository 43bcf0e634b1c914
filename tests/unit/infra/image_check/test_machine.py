"""A machine that cannot run the check is told why, by an error or, where that is wanted, by a skip."""

from __future__ import annotations

import os
import shutil
import sys

import pytest

from infra.image_check import __main__ as check
from infra.image_check.machine import fault


@pytest.mark.parametrize(
    ("words", "code", "beginning"), [(["--or-skip"], 0, "skipped: "), ([], 1, "error: ")]
)
def test_without_rights_it_is_skipped_where_asked_or_an_error(words, code, beginning, monkeypatch, capsys):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(sys, "argv", ["check", *words])
    assert check.main() == code
    printed = capsys.readouterr().out
    assert printed.startswith(beginning)
    assert "it needs root's rights" in printed


def test_without_its_tools_or_name_spaces_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    there = {"setpriv", "unshare", "nsenter", "debootstrap"}
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(shutil, "which", lambda name: name if name in there else None)
    assert fault(spaces=["true"]) == "it needs buildah, and here is no apt-get to install it"
    refusing = ("sh", "-c", "echo not permitted >&2; exit 1")
    assert fault(refusing) == "it may not make name spaces: not permitted"
