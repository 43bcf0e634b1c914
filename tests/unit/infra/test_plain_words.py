"""Phrases that have plainer forms may only become fewer."""

from pathlib import Path

import pytest

from infra.plain_words import faults, found, odd_subjects, subject_faults


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a small tree with three counted phrases, and with some that stand in code only."""
    (tmp_path / "hopline").mkdir()
    source = '"""What a module does anew."""\n\nTEXT = "as it is"  # of which one\n'
    (tmp_path / "hopline" / "one.py").write_text(source, encoding="utf-8")
    return tmp_path


def test_docstrings_and_comments_are_counted_and_texts_are_not(tree: Path) -> None:
    assert sorted(found(tree)) == [
        ("What …", "hopline/one.py:1"),
        ("anew", "hopline/one.py:1"),
        ("of which", "hopline/one.py:3"),
    ]


def test_a_phrase_more_often_than_recorded_is_named_with_its_places(tree: Path) -> None:
    record = {"since": "2026-12-01", "verbs": "Add", "counts": {"What …": 1, "of which": 2}}
    assert list(faults(tree, record)) == [
        "“anew” stands in 1 places, of at most 0; reword one: hopline/one.py:1",
    ]


def test_no_repository_has_no_odd_subject(tree: Path) -> None:
    assert odd_subjects(tree, "2026-12-01", frozenset({"Add"})) == []


@pytest.mark.parametrize(("message", "fault"), [
    (f"Add a hook\n\nWhy it is there, in a line that is long{', and long' * 10}", ""),
    ("Mend a hook", "none of the verbs"),
    (f"Add {'x' * 69}", "73 characters"),
    ("Merge branch 'main'", ""),
])  # fmt: skip
def test_the_subject_of_a_message_is_short_and_begins_with_a_verb(message: str, fault: str) -> None:
    assert [fault in line for line in subject_faults(message, frozenset({"Add"}))] == [True] * bool(fault)
