"""How the tests themselves are run: whose turn it is, what is set aside, which tests a file touches."""

import tomllib
from collections import Counter
from datetime import date, timedelta
from pathlib import Path

import pytest
from proof.processor import ProcessorSeconds
from proof.touched import HOUSE, touched
from proof.turns import QUARTERS, LongTests, turn

ROOT = Path(__file__).resolve().parents[2]
ASIDE = tomllib.loads((ROOT / "tests" / "set_aside.toml").read_text(encoding="utf-8"))
OLDEST = timedelta(days=14)


def report_of(nodeid: str, *, outcome: str = "passed", seconds: float = 1.0) -> pytest.TestReport:
    where = (nodeid.partition("::")[0], None, "")
    return pytest.TestReport(nodeid, where, {}, outcome, None, "call", duration=seconds)  # type: ignore[arg-type]


def test_no_test_is_set_aside_for_longer_than_two_weeks() -> None:
    for name, entry in ASIDE.items():
        file, _, function = name.partition("::")
        assert f"def {function.rpartition('::')[2]}(" in (ROOT / file).read_text(encoding="utf-8"), name
        assert entry["reason"], name
        assert date.today() - entry["since"] <= OLDEST, f"{name}: mend it, or drop it"  # noqa: DTZ011 - a day


def test_the_quarters_hold_every_long_file_once_and_take_about_as_long(tmp_path: Path) -> None:
    table = tmp_path / "long.toml"
    run = LongTests(None, table, commit="abc")
    sizes = dict(enumerate((300, 200, 120, 80, 75, 60, 60, 40, 30, 30, 5)))
    files = {f"tests/unit/test_{nth}.py": seconds for nth, seconds in sizes.items()}
    for path in (ROOT / "tests" / "unit").glob("test_*.py"):
        files[path.relative_to(ROOT).as_posix()] = 10
    for file, seconds in files.items():
        run.pytest_runtest_logreport(report_of(f"{file}::test_x", seconds=seconds))
    run.record()
    filled = Counter[int]()
    for file, seconds in files.items():
        filled[LongTests(0, table).quarter_of(file)] += seconds
    assert set(filled) == set(range(QUARTERS))
    assert max(filled.values()) <= 300


def test_a_file_that_failed_keeps_the_commit_at_which_it_passed(tmp_path: Path) -> None:
    table, file = tmp_path / "long.toml", "tests/unit/test_proof.py"
    first = LongTests(None, table, commit="first")
    first.pytest_runtest_logreport(report_of(f"{file}::test_x"))
    first.record()
    second = LongTests(None, table, commit="second")
    second.pytest_runtest_logreport(report_of(f"{file}::test_x", outcome="failed"))
    second.record()
    assert LongTests(None, table).table[file]["passed"] == "first"
    assert second.failed == {file}


def test_there_is_a_turn() -> None:
    assert turn() >= 0


def test_what_went_over_its_budget_is_seen() -> None:
    seconds = ProcessorSeconds()
    seconds.folders["tests/unit/workers"] = 12.4
    seconds.tests["tests/unit/workers"] = 3
    seconds.add_ended("redis", 2.0)
    _, folder, server, whole = seconds.table({"tests/unit/workers": 10})
    assert folder.split() == ["tests/unit/workers", "3", "12", "10", "over", "its", "budget"]
    assert server.split() == ["server", "redis", "2"]
    assert whole.split() == ["all", "3", "14"]


@pytest.mark.parametrize(("file", "test"), [
    ("workers/core/language/numerals.py", "tests/property/workers/core/test_checks.py"),
    ("tests/fleet/ask_view.py", "tests/browser/test_ask.py"),
    ("tests/unit/test_proof.py", "tests/unit/test_proof.py"),
    ("workers/ledger/lua/finish.lua", "tests/property/workers/ledger"),
    ("docker-compose.yml", "tests/unit/infra/docker"),
])  # fmt: skip
def test_a_file_touches_the_tests_that_depend_on_it(file: str, test: str) -> None:
    assert (ROOT / file).is_file()
    tests, _ = touched([file])
    assert {test, HOUSE} <= set(tests)
    assert all((ROOT / name).exists() for name in tests)
