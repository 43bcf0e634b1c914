"""A machine that cannot run the check is told why, by an error or, where that is wanted, by a skip."""

from __future__ import annotations

import sys

import pytest

from infra.image_check import __main__ as check
from infra.image_check import machine


@pytest.fixture
def user(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user without root's rights."""
    monkeypatch.setattr(machine.os, "geteuid", lambda: 1000)


@pytest.mark.usefixtures("user")
@pytest.mark.parametrize(("words", "code"), [(["--or-skip"], 0), ([], 1)])
def test_without_rights_it_is_skipped_where_asked_and_an_error_by_hand(
    words: list[str], code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["check", *words])
    assert check.main() == code
    printed = capsys.readouterr().out
    assert printed.startswith("skipped: " if words else "error: ")
    assert "it needs root's rights" in printed


def test_without_its_tools_and_a_way_to_install_them_it_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine.os, "geteuid", lambda: 0)
    there = {"setpriv", "unshare", "nsenter", "debootstrap"}
    monkeypatch.setattr(machine.shutil, "which", lambda name: name if name in there else None)
    assert machine.fault(spaces=["true"]) == "it needs buildah, and here is no apt-get to install it"


def test_a_machine_that_makes_no_name_spaces_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine.os, "geteuid", lambda: 0)
    monkeypatch.setattr(machine.shutil, "which", lambda name: name)
    refusing = ("sh", "-c", "echo not permitted >&2; exit 1")
    assert machine.fault(refusing) == "it may not make name spaces: not permitted"
