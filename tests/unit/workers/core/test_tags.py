"""Tags of jobs: what is taken, and that a job without any is stored as before."""

from __future__ import annotations

import pytest

from workers.core.errors import InvalidInput
from workers.core.jobs.tags import checked_tags, has_tags, parse_tags
from workers.core.jobs.work import Job, Terms


def test_tags_are_names_and_values() -> None:
    assert parse_tags(["team=legal", "run=a=b"]) == {"team": "legal", "run": "a=b"}
    assert parse_tags(["team=legal", "team=legal"]) == {"team": "legal"}


def test_other_tags_are_refused() -> None:
    single = ("team", "=legal", "team=", "Team=legal", "a b=c", "t=\n", "a" * 41 + "=b", "a=" + "b" * 101)
    for pairs in (
        *([pair] for pair in single),
        ["team=a", "team=b"],
        [f"n{number}=v" for number in range(11)],
    ):
        with pytest.raises(InvalidInput, match="tag"):
            parse_tags(pairs)


def test_all_tags_that_are_wanted_must_be_there() -> None:
    tags = checked_tags({"team": "legal", "run": "1"})
    assert has_tags(tags, {})
    assert has_tags(tags, {"run": "1"})
    assert not has_tags(tags, {"run": "2"})
    assert not has_tags({}, {"run": "1"})


def test_a_job_without_tags_is_stored_as_before_there_were_any() -> None:
    plain = Job(id="j1", kind="query", collection="c")
    assert "tags" not in plain.model_dump_json(exclude={"request_id"})
    assert "request_id" not in plain.model_dump_json(exclude={"request_id"})
    tagged = plain.model_copy(update={"tags": {"team": "legal"}})
    assert Job.read_stored(tagged.model_dump_json()) == tagged
    terms = Terms.model_validate(tagged.model_dump(include=set(Terms.model_fields)))
    assert terms.tags == {"team": "legal"}
