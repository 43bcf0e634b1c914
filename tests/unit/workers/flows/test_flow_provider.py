"""The flows of the batch mode as data: what follows what."""

from typing import Any

import pytest

from hopline.models.jobs import JobState
from workers.core.jobs.flow import PAGE
from workers.core.jobs.work import Done, End, Job, Listed, Phase
from workers.ingest.batch import BATCH, first_phase
from workers.ingest.provider.flow import PROVIDER_BATCH, PROVIDER_CANCEL, cancel_job_of
from workers.ingest.provider.prefill import PREFILL

GROUP = "a" * 64
ENDED = {"standing": "ended", "status": "completed", "input": "i", "output": "o", "errors": "", "why": "",
         "not_before": 0.0}  # fmt: skip
FULL = {**ENDED, "standing": "full", "status": "failed", "why": "token_limit_exceeded: x", "not_before": 7.0}
UPLOADED = {"file": "f", "created": 1.0, "lines": 3, "bound": {}}
READ = {"lines": 3, "kept": 2, "unusable": 0, "unreadable": 0, "failed": 1, "reasons": {"x": 1}, "usage": {}}
RESULTS = {
    "ingest.provider_upload": UPLOADED, "ingest.provider_create": {"batch": "b"},
    "ingest.provider_wait": ENDED, "ingest.provider_read": READ, "ingest.provider_clean": {"removed": 1},
    "ingest.provider_stop": {"batch": "b"},
}  # fmt: skip


def run(flow: Any, job: Job, answers: dict[str, list[Any]] | None = None) -> tuple[list[Any], End]:
    """Drive a flow of one item a phase; answers: results of a step in turn, a text is an error."""
    answers = {step: list(step_results) for step, step_results in (answers or {}).items()}
    results: dict[int, list[Done]] = {}
    items = []
    following = flow.first(job)
    while isinstance(following, Phase):
        (item,) = following.items
        items.append(item)
        answer = answers[item.step].pop(0) if answers.get(item.step) else RESULTS[item.step]
        error = answer if isinstance(answer, str) else None
        result = {} if error else answer
        results[len(items) - 1] = [Done(item_id=item.id, step=item.step, result=result, error=error)]
        assert len({item.id for item in items}) == len(items), "an item's id is its own"
        following = flow.advance(len(items) - 1, results, job)
    return items, following


def job_of(kind: str, **params: Any) -> Job:
    return Job(id="j.1", kind=kind, collection="c", params={"group": GROUP, "turn": 1, **params}, root="j")


def test_a_group_is_uploaded_created_waited_for_read_and_cleaned_up():
    items, end = run(PROVIDER_BATCH, job_of("provider_batch"))
    assert [item.id for item in items] == ["upload", "create:1", "wait:1", "read", "clean"]
    assert items[-1].input == {"files": ["i", "o", ""], "refused": False}
    assert end.state is JobState.DONE
    assert (end.outcome["kept"], end.outcome["failed"]) == (2, 1)


def test_a_group_without_lines_ends_at_once():
    empty = {"ingest.provider_upload": [{"lines": 0}]}
    items, end = run(PROVIDER_BATCH, job_of("provider_batch"), empty)
    assert ([item.id for item in items], end.state) == (["upload"], JobState.DONE)
    assert end.outcome["lines"] == 0


def test_a_batch_that_met_a_limit_is_created_again_later():
    items, end = run(PROVIDER_BATCH, job_of("provider_batch"), {"ingest.provider_wait": [FULL]})
    assert [item.id for item in items][1:5] == ["create:1", "wait:1", "create:2", "wait:2"]
    assert (items[3].input["file"], items[3].input["not_before"]) == ("f", 7.0)
    assert end.state is JobState.DONE
    items, end = run(PROVIDER_BATCH, job_of("provider_batch"), {"ingest.provider_wait": [FULL] * 30})
    assert items[-1].input["refused"]
    assert end.state is JobState.FAILED
    assert "token_limit_exceeded" in end.outcome["error"]


@pytest.mark.parametrize(("step", "after", "kept"), [
    ("ingest.provider_upload", [], 0),
    ("ingest.provider_create", ["stop", "wait:1", "read"], 2),
    ("ingest.provider_wait", ["stop", "wait:2", "read"], 2),
    ("ingest.provider_read", [], 0),
    ("ingest.provider_clean", [], 2),
])  # fmt: skip
def test_a_batch_that_was_given_up_runs_on_nowhere_and_what_is_paid_for_is_read(step, after, kept):
    items, end = run(PROVIDER_BATCH, job_of("provider_batch"), {step: ["it broke"]})
    given_up = next(at for at, item in enumerate(items) if item.step == step)
    assert [item.id for item in items[given_up + 1 :]] == after
    assert (end.state, end.outcome["error"]) == (JobState.FAILED, "it broke")
    assert end.outcome["kept"] == kept


def test_a_batch_that_was_given_up_and_is_not_there_is_not_waited_for():
    answers = {"ingest.provider_create": ["it broke"], "ingest.provider_stop": [{"batch": ""}]}
    items, end = run(PROVIDER_BATCH, job_of("provider_batch"), answers)
    assert items[-1].id == "stop"
    assert items[-1].input == {"keep": True}
    assert (end.state, end.outcome["error"]) == (JobState.FAILED, "it broke")


@pytest.mark.parametrize("again", ["it broke again", FULL])
def test_a_batch_that_cannot_be_waited_for_even_when_it_is_stopped_is_given_up(again: Any):
    items, end = run(PROVIDER_BATCH, job_of("provider_batch"), {"ingest.provider_wait": ["it broke", again]})
    assert [item.id for item in items][-3:] == ["wait:1", "stop", "wait:2"]
    assert end.outcome["error"] == "it broke"


def test_a_stopped_batch_is_waited_for_and_read():
    made_for = job_of("provider_batch")
    job = cancel_job_of(made_for)
    assert (job.root, job.params["intent"]) == ("j", f"j.1.{GROUP[:12]}.1")
    assert job.id == cancel_job_of(made_for).id != cancel_job_of(made_for.model_copy(update={"epoch": 2})).id
    items, end = run(PROVIDER_CANCEL, job)
    assert [item.id for item in items] == ["stop", "wait:1", "read", "clean"]
    assert end.state is JobState.DONE
    nothing, end = run(PROVIDER_CANCEL, job, {"ingest.provider_stop": [{"batch": ""}]})
    assert len(nothing) == 1
    assert end.state is JobState.DONE


PREFILLING = Job(
    id="j.1", kind="prefill", collection="c", params={"manifest": "m", "documents": 3, "window": 7}, root="j"
)
GROUPED = {"groups": "g", "count": 2, "lines": 5, "window": 4}


def grouped(**more: Any) -> Done:
    return Done(item_id="group", step="ingest.group", result={**GROUPED, **more})


def handed(at: int = 0, error: str | None = None, **outcome: Any) -> Done:
    return Done(item_id=f"group:{at}", step="ingest.hand_over", result={"outcome": outcome}, error=error)


def test_the_store_is_filled_from_the_batch_s_own_list_grouped_and_handed_over_some_at_a_time():
    first = PREFILL.first(PREFILLING)
    assert (first.listed, first.window) == (Listed(reference="m", size=3, step="ingest.prepare"), 7)
    prepared = [
        Done(item_id="0:a", step="ingest.prepare", result={"parts": [["p", 1, 9]]}),
        Done(item_id="1:b", step="ingest.prepare", result={}, error="given up"),
        Done(item_id="page:0", step=PAGE, result={"reference": "r", "counts": {}}),
    ]
    phase = PREFILL.advance(0, {0: prepared}, PREFILLING)
    assert phase.items[0].input == {"pages": ["r"], "prepared": [{"parts": [["p", 1, 9]]}]}
    phase = PREFILL.advance(1, {1: [grouped()]}, PREFILLING)
    assert phase.window == 4
    assert [item.input for item in phase.items] == [{"groups": "g", "at": 0}, {"groups": "g", "at": 1}]


def test_what_came_back_is_added_up_and_only_where_all_groups_were_refused_it_failed():
    results = {1: [grouped()], 2: [handed(kept=3, failed=1), handed(1, "refused")]}
    end = PREFILL.advance(2, results, PREFILLING)
    assert end.state is JobState.DONE
    fields = {name: end.outcome[name] for name in ("lines", "batches", "kept", "failed", "window", "refused")}
    assert fields == {"lines": 5, "batches": 2, "kept": 3, "failed": 1, "window": 7, "refused": ["refused"]}

    end = PREFILL.advance(2, {1: [grouped(count=1)], 2: [handed(0, "no such model")]}, PREFILLING)
    assert (end.state, end.outcome["error"]) == (JobState.FAILED, "no such model")


def test_nothing_to_ask_is_done():
    results = {1: [grouped(count=0, lines=0)]}
    assert PREFILL.advance(1, results, PREFILLING).items == ()
    assert PREFILL.advance(2, results, PREFILLING).state is JobState.DONE


def batch_job(**params: Any) -> Job:
    job_params = {"documents": 3, "manifest": "m", "via": "batch", **params}
    return Job(id="j", kind="batch", collection="c", params=job_params)


def prefilled(error: str | None = None) -> Done:
    result = {"outcome": {"window": 7, "kept": 2, **({"error": error} if error else {})}}
    return Done(item_id="prefill", step="ingest.prefill", result=result, error=error)


def test_a_batch_through_the_provider_fills_the_store_before_its_documents():
    (item,) = first_phase("m", 3, 7, "batch").items
    child = BATCH.steps[item.step].do(item.input, None).delegate
    assert (child.kind, child.params) == ("prefill", {"manifest": "m", "documents": 3, "window": 7})
    phase = BATCH.advance(0, {0: [prefilled()]}, batch_job())
    assert phase.listed == Listed(reference="m", size=3, step="ingest.document")
    assert phase.window == 7


def test_its_documents_are_reported_as_always_with_what_the_provider_brought():
    outcome = {"status": "done", "uri": "a", "document_id": "d"}
    done = [Done(item_id=f"{at}:a", step="ingest.document", result={"outcome": outcome}) for at in range(3)]
    results = {0: [prefilled()], 1: done}
    assert BATCH.advance(1, results, batch_job(name="n")).items[0].step == "ingest.report"
    end = BATCH.advance(1, results, batch_job())
    assert end.state is JobState.DONE
    assert end.outcome["counts"] == {"done": 3}
    assert end.outcome["provider"]["kept"] == 2
    report = Done(item_id="report", step="ingest.report", result={})
    assert isinstance(BATCH.advance(2, {**results, 2: [report]}, batch_job(name="n")), End)


def test_where_the_store_could_not_be_filled_no_document_is_begun():
    end = BATCH.advance(0, {0: [prefilled("no batch mode")]}, batch_job())
    assert (end.state, end.outcome["reason"]) == (JobState.FAILED, "no batch mode")
    assert end.outcome["counts"] == {"not done": 3}
