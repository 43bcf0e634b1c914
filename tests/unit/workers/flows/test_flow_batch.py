from hopline.models.jobs import JobState
from hopline.models.reports import DocumentLine
from hopline.models.times import STORED
from workers.core.jobs.params import DocumentParams
from workers.core.jobs.work import Done, Job
from workers.engine.submit import message_priority
from workers.ingest.batch import BATCH, delegate_document, documents_phase
from workers.ingest.flow import DOCUMENT


def params(name):
    return DocumentParams(uri=f"/docs/{name}", source=f"/docs/{name}", format="txt")


def done(at, status, error=None, **more):
    state = {"unchanged": "done"}.get(status, status)
    outcome = {"uri": f"/docs/{at}", "document_id": f"d{at}", "status": status, "chunks": 2, "facts": 5}
    result = {"state": state, "outcome": {**outcome, "error": error, **more}}
    return Done(item_id=f"{at}:/docs/{at}", step="ingest.document", result=result, error=error)


def end_of(*items, documents=None):
    job = Job(id="j", kind="batch", collection="c", params={"documents": documents or len(items)})
    return BATCH.advance(0, {0: items}, job)


def test_each_document_is_an_item_that_is_delegated():
    phase = documents_phase([params("a.txt"), params("b.txt")], window=7)
    assert [item.id for item in phase.items] == ["0:/docs/a.txt", "1:/docs/b.txt"]
    assert {item.step for item in phase.items} == {"ingest.document"}
    assert phase.window == 7
    child = delegate_document(DocumentParams.read_stored(phase.items[0].input), None).delegate
    assert child.kind == "document"
    assert DocumentParams.model_validate(child.params) == params("a.txt")


def test_what_is_opened_goes_before_what_is_to_be_opened():
    opening = message_priority("normal", BATCH.priority_of("ingest.document"))
    assert all(message_priority("normal", DOCUMENT.priority_of(step)) < opening for step in DOCUMENT.steps)


def test_an_item_is_named_after_its_document_readably():
    first, second = documents_phase([params("x" * 500 + ".txt"), params("a\nb\x1b.txt")], window=1).items
    assert (len(first.id) < 70, first.id[-5:], second.id) == (True, "x.txt", "1:/docs/a?b?.txt")


def test_a_batch_lists_its_documents_in_the_order_given():
    end = end_of(done(10, "done"), done(2, "unchanged"), done(1, "done"))
    assert end.state is JobState.DONE
    assert [document["uri"] for document in end.outcome["documents"]] == ["/docs/1", "/docs/2", "/docs/10"]
    assert end.outcome["counts"] == {"done": 2, "unchanged": 1}
    line = {"uri": "/docs/1", "document_id": "d1", "status": "done", "chunks": 2, "facts": 5}
    stored = DocumentLine.model_validate(line).model_dump(mode="json", context=STORED)
    assert end.outcome["documents"][0] == stored


def test_pages_stand_for_the_documents_that_they_hold():
    counted = {"reference": "abc", "counts": {"done": 399, "failed": 1}}
    page = Done(item_id="page:0", step="flow.page", result=counted)
    end = end_of(page, done(400, "unchanged"), documents=402)
    assert end.state is JobState.PARTIAL
    assert end.outcome["counts"] == {"done": 399, "failed": 1, "unchanged": 1, "not done": 1}
    assert end.outcome["pages"] == ["abc"]
    assert [document["uri"] for document in end.outcome["documents"]] == ["/docs/400"]


def test_a_line_tells_whether_a_retry_does_the_document_again():
    again = {"done": False, "unchanged": False, "partial": True, "failed": True}
    lines = [BATCH.line(done(0, status, "x")) for status in again]
    assert {line.status: line.again for line in lines} == again


def test_one_failed_document_makes_a_batch_partial_and_all_make_it_failed():
    for last in (done(1, "failed", "empty"), done(1, "partial", "1 of 2")):
        assert end_of(done(0, "done"), last).state is JobState.PARTIAL
    assert end_of(done(0, "partial", "1 of 2")).state is JobState.PARTIAL
    end = end_of(done(0, "failed", "empty"), done(1, "failed", "not text"))
    assert end.state is JobState.FAILED
    assert [document["error"] for document in end.outcome["documents"]] == ["empty", "not text"]


def test_a_document_whose_job_left_no_outcome_is_reported_by_its_item():
    lost = Done(item_id="0:/docs/a.txt", step="ingest.document", result={}, error="given up")
    (document,) = end_of(lost).outcome["documents"]
    assert (document["uri"], document["status"], document["error"]) == ("/docs/a.txt", "failed", "given up")


def test_documents_that_were_never_done_are_counted():
    job = Job(id="j", kind="batch", collection="c", params={"documents": 3})
    end = BATCH.cut_short({0: [done(0, "done")]}, job, "the deadline passed")
    assert end.state is JobState.PARTIAL
    assert end.outcome["counts"] == {"done": 1, "not done": 2}
    assert end.outcome["reason"] == "the deadline passed"
