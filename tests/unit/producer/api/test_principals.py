"""What a key with principals is shown of jobs and events."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

import pytest
from doubles.desk import Desk
from starlette.datastructures import Headers

from hopline.errors import InvalidInput, NotFound
from hopline.events.jobs import ItemBegun, PhaseClosed
from hopline.events.questions import AnswerSentence, AnswerWritten
from hopline.models.documents import Document
from hopline.models.jobs import JobState
from hopline.principals import common
from hopline.transport import ACT_AS_HEADER
from producer.api.access import Caller, seen_document
from producer.api.principals.events import SeenEvents, shown_event
from producer.api.principals.header import WITHIN_PRINCIPALS, acting_as
from producer.api.principals.jobs import rests_on_seen, shown_job
from producer.api.problems import Problem
from producer.service.keys import ApiKey
from workers.core.jobs.records import JobRecord
from workers.core.jobs.work import Event, Job, Phase
from workers.core.scope import check_reads_less

ANN, BO = ("user:ann",), ("user:bo",)


def caller(principals: tuple[str, ...] | None = None, acting: tuple[str, ...] | None = None) -> Caller:
    key = ApiKey(
        id="mine", name="mine", digest="", scopes=frozenset({"submit", "act-as"}), collections=None,
        created=0.0, principals=principals,
    )  # fmt: skip
    return Caller(key, acting)


def job_for(principals: tuple[str, ...] | None, **known: Any) -> JobRecord:
    ledger = Desk().ledger
    job = Job(id="j", kind="query", collection="c", caller="mine", principals=principals)
    ledger.submit(job, Phase(items=()))
    record = ledger.job("j")
    assert record is not None
    return record.model_copy(update=known)


class Everything:
    """An API that knows which documents are visible, and nothing else."""

    def __init__(self, *visible: str) -> None:
        self.visible_ids = frozenset(visible)
        self.calls: list[str] = []

    @property
    def service(self) -> Everything:
        return self

    @property
    def documents(self) -> Everything:
        return self

    def visible(self, _collection: str, ids: Iterable[str], _principals: tuple[str, ...]) -> frozenset[str]:
        self.calls.append("visible")
        return self.visible_ids & set(ids)

    def seen(self, document_id: str, _principals: tuple[str, ...]) -> Document | None:
        self.calls.append("seen")
        if document_id not in self.visible_ids:
            return None
        return Document(id=document_id, collection="c", uri="", title="", content_hash="")


def test_a_job_is_there_for_who_may_see_all_that_it_saw() -> None:
    assert not caller().saw_more(job_for(None).job)
    assert not caller(ANN).saw_more(job_for(ANN).job)
    assert not caller(ANN).saw_more(job_for(("*",)).job)
    assert caller(ANN).saw_more(job_for(None).job)
    assert caller(ANN).saw_more(job_for((*ANN, *BO)).job)
    asked_by_ann = job_for(ANN)
    assert caller(acting=ANN).own(asked_by_ann, "j") is asked_by_ann
    assert caller().own(asked_by_ann, "j") is asked_by_ann
    for principals in (BO, (*ANN, *BO), None):
        with pytest.raises(NotFound):
            caller(acting=ANN).own(job_for(principals), "j")


def test_who_acts_for_others_names_those_of_the_key_and_reads_what_both_may() -> None:
    named = Headers({ACT_AS_HEADER: "user:ann,user:bo"})
    assert acting_as(named, caller((*ANN, *BO)).key) == (*ANN, *BO)
    assert acting_as(named, caller().key) == (*ANN, *BO)
    with pytest.raises(Problem, match="may not act as user:bo"):
        acting_as(named, caller(ANN).key)
    assert common((*ANN, *BO), BO) == BO
    assert common(ANN, BO) == ()
    assert (common(None, ANN), common(ANN, None), common(None, None)) == (ANN, ANN, None)


def test_counts_and_reasons_are_shown_as_far_as_a_job_read_no_more_than_may_be_seen() -> None:
    record = job_for(ANN, closed_for="the visit of Mara has found the whole answer", dead=2)
    everything, own, less = (shown_job(who, record) for who in (caller(), caller(ANN), caller(BO)))
    assert everything.closed_for == record.closed_for
    assert (own.closed_for, own.items, own.dead) == ("its work was ended early", record.items, 2)
    assert (less.closed_for, less.items, less.dead, less.usage.model_calls) == (own.closed_for, {}, 0, 0)
    assert shown_job(caller(BO), job_for(ANN)).closed_for is None


@pytest.mark.parametrize(("outcome", "seen"), [
    ({"rests_on": ["d1"]}, True),
    ({"rests_on": ["d1", "d2"]}, False),
    ({"citations": [{"document": {"id": "d1"}}]}, True),
    ({"citations": [{"document": {"id": "d1"}}], "rests_on": ["d2"]}, False),
    ({"citations": [{"kind": "graph"}], "rests_on": []}, False),
    ({}, True),
])  # fmt: skip
def test_an_answer_is_seen_by_who_sees_all_that_it_rests_on(outcome: dict[str, Any], seen: object) -> None:
    record = job_for(ANN, outcome=outcome, state=JobState.DONE)
    assert rests_on_seen(Everything("d1"), record, ANN) is seen  # type: ignore[arg-type]


def test_events_tell_how_far_a_question_is_and_nothing_of_the_way() -> None:
    closed = shown_event(Event.of(PhaseClosed(phase=2, why="the visit of Mara has found the whole answer")))
    assert closed.data == {"phase": 2, "why": "its work was ended early"}
    written = AnswerWritten(
        state=JobState.PARTIAL, sentences=1, dropped=3, citations=1, facts={"uncitable": 2}, reason="Mara",
        missing=("Mara",), analysis="Mara",
    )  # fmt: skip
    data = shown_event(Event.of(written)).data
    assert (data["sentences"], data["dropped"], data["facts"]) == (1, 0, {})
    assert "Mara" not in str(data)


def test_steps_are_told_once_and_sentences_while_what_they_cite_may_be_seen() -> None:
    begun = [Event.of(ItemBegun(item=f"visit:{name}", step="traverse.visit")) for name in ("mara", "ann")]
    entries = [(str(n), event) for n, event in enumerate(begun)]
    shown = asyncio.run(SeenEvents(Everything(), job_for(ANN).job, ANN).shown(entries))  # type: ignore[arg-type]
    assert shown is not None
    assert [event.data for _name, event in shown] == [{"item": "", "step": "traverse.visit"}]
    cited = [AnswerSentence(n=n, text="So [1].", citations=({"document": {"id": f"d{n}"}},)) for n in (1, 2)]
    entries = [(str(sentence.n), Event.of(sentence)) for sentence in cited]
    events = SeenEvents(Everything("d1"), job_for(ANN).job, ANN)  # type: ignore[arg-type]
    assert asyncio.run(events.shown(entries[:1])) == entries[:1]
    assert asyncio.run(events.shown(entries)) is None
    assert asyncio.run(events.shown(entries[:1])) is None


def test_tools_and_unlisted_routes_are_not_for_some_principals() -> None:
    with pytest.raises(InvalidInput, match="strategy"):
        check_reads_less("tools")
    for method, path in WITHIN_PRINCIPALS - {("DELETE", "/v1/documents/{document_id}")}:  # it looks itself
        assert (
            method == "GET"
            or "/jobs/" in path
            or "/sessions/" in path
            or "/conversations/" in path
            or path in {"/v1/queries", "/v1/queries/check", "/v1/chat/completions"}
        )
    # they read a whole collection
    assert not [path for _method, path in WITHIN_PRINCIPALS if "{name}" in path]


def test_a_hidden_document_takes_one_query_until_its_404_as_does_one_that_never_was() -> None:
    calls = []
    for name in ("hidden", "unknown"):
        api = Everything("d")
        with pytest.raises(NotFound, match=f"no document {name}"):
            seen_document(api, caller(ANN), name)  # type: ignore[arg-type]
        calls.append(api.calls)
    assert calls == [["seen"]] * 2
    assert seen_document(Everything("d"), caller(ANN), "d").id == "d"  # type: ignore[arg-type]
