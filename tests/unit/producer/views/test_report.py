"""What is printed of an ingestion, and a batch's report in every form."""

import io
import json
import tracemalloc
from html.parser import HTMLParser
from typing import get_args

import pytest
from doubles.blobs import MemoryBlobs
from doubles.graph import MemoryGraph
from rich.cells import cell_len
from rich.console import Console

from hopline.models.answers import Answer
from hopline.models.documents import DocumentReport
from hopline.models.ingest_reports import IngestReport
from hopline.models.jobs import JobState, Usage
from hopline.models.reports import DocumentLine, FailedChunk, Growth, PauseSpan, Report
from hopline.views.answers import print_answer
from hopline.views.batches.report import ReportForm, render_report
from hopline.views.reports import print_report, summary
from hopline.views.words import share
from workers.core.jobs.batches import BatchRecord
from workers.core.jobs.report import BatchFacts
from workers.core.jobs.result_pages import Entry, put_entries
from workers.core.jobs.work import Job, as_json
from workers.core.ports import Limits, Ports
from workers.ingest.report import (
    Causes,
    ReportInput,
    ReportResult,
    cause_of,
    lines_of,
    make_report,
    report_batch,
)

BEGAN = 1_763_762_400.0


def facts(documents, **record):
    kept = BatchRecord(
        name="night", job_id="j1", collection="c", documents=documents, created=BEGAN, **record
    )
    return BatchFacts(
        record=kept,
        state="running",
        created=BEGAN,
        usage=Usage(model_calls=9, prompt_tokens=100, completion_tokens=20),
        waited={"model.rpm": 30.0},
        pauses=(PauseSpan(kind="user", why="asked for", since=BEGAN + 60, until=BEGAN + 120),),
    )


def line(at, status="done", **more):
    fields = {"uri": f"/docs/{at}.txt", "chunks": 2, "facts": 5, "seconds": 1.0 + at, "ended": BEGAN + at}
    return DocumentLine(status=status, **fields | more)


def entry(document):
    return Entry(item="x", step="ingest.document", status=document.status, line=as_json(document), again=None)


def small_report():
    failed = FailedChunk(index=1, error="Transient: the model failed (500): id 7")
    lines = [
        line(0), line(1, kept=2), line(2, "unchanged"), line(3, "partial", failed_chunks=(failed,)),
        line(4, "failed", error="DocumentUnreadable: /docs/4.txt: empty"),
        line(5, "failed", error="DocumentUnreadable: /docs/5.txt: empty"),
    ]  # fmt: skip
    before = {"elements": 10, "hubs": {"rome": 4}}
    after = Growth(elements=25, hubs={"rome": 9, "paris <b>": 5})
    return make_report(facts(7, **before), lines, [("/docs/x.zip", "unknown suffix '.zip'")], after)


def test_a_report_adds_up_what_this_batch_read_and_failures_of_one_cause() -> None:
    report = small_report()
    assert report.documents == {"done": 2, "unchanged": 1, "partial": 1, "failed": 2, "not done": 1}
    assert sum(report.documents.values()) == report.listed == 7
    assert (report.refused, report.whole, report.facts) == (1, 3, 15)
    assert report.chunks == {"read": 5, "kept": 2, "failed": 1}
    grown = [(hub.name, hub.before, hub.after) for hub in report.hubs]
    assert grown == [("paris <b>", None, 5), ("rome", 4, 9)], "hubs that grew most come first"
    causes = {(cause.kind, cause.cause): cause for cause in small_report().causes}
    unreadable = causes["document", "DocumentUnreadable: PATH: empty"]
    assert unreadable.count == unreadable.documents == 2
    assert [example.uri for example in unreadable.examples] == ["/docs/4.txt", "/docs/5.txt"]
    assert ("chunk", "Transient: the model failed (500): id N") in causes
    assert causes["source", "unknown suffix …"].count == 1
    listed = tuple(FailedChunk(index=at, error="no") for at in range(20))
    cut = line(0, "partial", chunks=50, error="30 of 50 chunks failed: …", failed_chunks=listed)
    report = make_report(facts(1), [cut])
    assert (report.chunks["failed"], report.causes_left_out) == (30, 10)


@pytest.mark.parametrize(("first", "second"), [
    ("line 17 column 3 of reply 8f3a9c01", "line 1 column 200 of reply 77e0aa12"),
    ("cannot read /a/b c.pdf", "cannot read /x/y/z c.pdf"),
    ("no answer from http://a.example/v1", "no answer from https://b.example:8080/v2?x=1"),
    ("'Anna' is no name", "'Berta' is no name"),
    ("job 0b5c9a4e-11d2-4f6b-9d0a-aaaaaaaaaaaa", "job 1b5c9a4e-22d2-4f6b-9d0a-bbbbbbbbbbbb"),
])  # fmt: skip
def test_numbers_paths_and_ids_make_no_cause(first, second):
    assert cause_of(first) == cause_of(second)


def test_causes_are_told_apart_and_endlessly_many_take_bounded_memory() -> None:
    assert cause_of("the model failed (500): x") != cause_of("the model failed (429): x")
    assert cause_of("it can't be read, and wasn't") == "it can't be read, and wasn't"
    assert cause_of("a name of ours.pdf is empty", "a name of ours.pdf") == "PATH is empty"
    assert cause_of("") == "no reason recorded"
    causes = Causes()
    words = [f"{chr(97 + a)}{chr(97 + b)}{chr(97 + c)}" for a in range(9) for b in range(9) for c in range(9)]
    for word in words:
        causes.add("document", "/x", word)
    ranked = causes.ranked()
    assert sum(cause.count for cause in ranked) + causes.left_out == len(words)
    assert len(ranked) <= 50


def test_the_lines_of_a_hundred_pages_are_read_one_page_at_a_time():
    blobs = MemoryBlobs()
    pages = [put_entries(blobs, [entry(line(page * 100 + at)) for at in range(100)]) for page in range(100)]
    tracemalloc.start()
    report = make_report(facts(10_000), lines_of(blobs, pages))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert report.documents == {"done": 10_000}
    assert most < 1_000_000  # the lines of all take 15 MB
    lost = make_report(facts(200), lines_of(blobs, [pages[0], "0" * 64]))
    assert lost.documents == {"done": 100, "not done": 100}


class _Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.seen, self.addresses = [], [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.addresses += [value for name, value in attrs if name in ("src", "href")]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("form", get_args(ReportForm))
def test_every_form_tells_the_same(form):
    text = render_report(small_report(), form)
    for part in ("night", "hopline batches retry night", "model.rpm", "rome", "paris"):
        assert part in text, part
    assert "PATH: empty" in text
    assert form == "json" or "DocumentUnreadable" not in text
    if form == "json":
        body = json.loads(text)
        assert body.pop("retry") == "hopline batches retry night"
        assert Report.model_validate(body) == small_report()
    assert form == "json" or "0 of 0" in render_report(make_report(facts(0), []), form)


def test_the_page_is_whole_and_texts_of_documents_break_nothing() -> None:
    page = render_report(small_report(), "html")
    tags = _Tags()
    tags.feed(page)
    assert (tags.open, tags.addresses) == ([], [])
    assert {"svg", "rect", "table", "style"} <= set(tags.seen)
    assert "script" not in tags.seen
    assert "stored replies: 2<" in page
    assert not [word for word in ("url(", "@import") if word in page]
    assert "paris &lt;b&gt;" in page
    odd = [line(0, "failed", uri="a|b\x1b[31m<i>", error="x | y\n<script>alert(1)</script> \x1b[2J")]
    for form in ("md", "text", "html"):
        text = render_report(make_report(facts(1), odd), form)
        assert "\x1b" not in text
        if form != "text":
            assert "<script>" not in text
    rows = [row for row in render_report(make_report(facts(1), odd), "md").splitlines() if "a\\|b" in row]
    assert len(rows) == 1 or all(row.startswith("|") for row in rows)


def test_the_page_of_a_night_draws_its_course() -> None:
    hours = [line(at, ended=BEGAN + 900 * at) for at in range(40)]
    hours[20] = line(20, "failed", error="empty", chunks=0, ended=BEGAN + 900 * 20)
    report = make_report(facts(40), hours)
    page = render_report(report, "html")
    assert 'aria-label="Chunks a minute over the night"' in page
    assert ": 1 of " in page
    assert "documents not wholly in</title>" in page
    assert "<title>paused (user): asked for</title>" in page
    assert "Over time" in render_report(report, "text")
    assert "took 9 h 45 min" in " ".join(render_report(report, "text").split())
    assert 'aria-label="Chunks' not in render_report(make_report(facts(1), [line(0)]), "html")


@pytest.mark.parametrize(("part", "shown"), [(1, "< 0.1%"), (9_999, "> 99.9%"), (3_333, "33.3%")])
def test_a_share_is_none_or_all_only_where_it_is(part: int, shown: str) -> None:
    assert share(part, 10_000) == shown


class OneBook:
    def __init__(self, batch):
        self.told, self.entered = batch, []

    def of_job(self, job_id):
        return self.told if self.told and self.told.record.job_id == job_id else None

    def enter(self, name, job_id, reference):
        self.entered.append((name, job_id, reference))
        return True


def ports_with(books, blobs):
    job = Job(id="j1", kind="batch", collection="c", params={"name": "night"})
    return Ports(job, MemoryGraph(), None, None, blobs, Limits(), books=books)


def test_the_step_stores_the_report_and_enters_it_into_the_batchs_record():
    blobs = MemoryBlobs()
    refused = blobs.put(json.dumps([{"place": "/docs/x.zip", "reason": "unknown suffix"}]).encode())
    books = OneBook(facts(3, refused=refused))
    page = put_entries(blobs, [entry(line(0))])
    ended = ReportInput(pages=(page,), lines=(line(1, "failed", error="empty"),))
    reference = report_batch(ended, ports_with(books, blobs)).result.report
    assert books.entered == [("night", "j1", reference)]
    report = Report.model_validate_json(blobs.get(reference))
    assert report.documents["failed"] == report.documents["not done"] == 1
    assert report.refused == 1
    assert report.after == Growth(elements=0)
    without = OneBook(None)
    assert report_batch(ended, ports_with(without, blobs)).result == ReportResult(report="")
    assert without.entered == []


WHOLE = DocumentReport(uri="a.md", document_id="d1", status="done", chunks=2, facts=5)
CUT = DocumentReport(
    uri="b.md", document_id="d2", status="partial", chunks=3, facts=1, error="1 of 3 chunks failed"
)


def test_of_a_very_large_batch_all_documents_are_counted_and_nothing_is_added_up_over_a_few() -> None:
    report = IngestReport(
        job_id="j1", status=JobState.PARTIAL, documents=(WHOLE, CUT), counts={"done": 1, "partial": 1}
    )
    assert summary(report).startswith("2 documents (1 done, 1 failed) · chunks: 5 · facts: 6 · ")
    counts = {"done": 1200, "unchanged": 290, "partial": 4, "failed": 6}
    typed = CUT.model_copy(update={"entities": 2})
    report = IngestReport(job_id="j1", status=JobState.PARTIAL, documents=(typed,), counts=counts)
    assert summary(report).startswith("1,500 documents (1,200 done, 10 failed, 290 unchanged) · ")
    assert not [word for word in ("chunks", "facts", "entities") if word in summary(report)]


def test_failures_are_told_and_a_retry_is_offered_only_where_it_can_help() -> None:
    report = IngestReport(
        job_id="j1", status=JobState.PARTIAL, documents=(CUT,), counts={"failed": 9, "partial": 1}
    )
    page = io.StringIO()
    print_report(Console(file=page, width=100), report)
    assert "b.md" in page.getvalue()
    assert "9 further documents failed" in page.getvalue()
    assert "hopline jobs retry j1" in page.getvalue()
    unreadable = CUT.model_copy(
        update={"status": "failed", "error": "DocumentUnreadable: not a PDF, whatever its name says"}
    )

    def shown(*documents: DocumentReport) -> str:
        page = io.StringIO()
        report = IngestReport(
            job_id="j1", status=JobState.PARTIAL, documents=documents, counts={"failed": len(documents)}
        )
        print_report(Console(file=page, width=100), report)
        return page.getvalue()

    assert "not a PDF, whatever its name says" in shown(unreadable)
    assert "DocumentUnreadable" not in shown(unreadable)
    assert "retry" not in shown(unreadable)
    assert "`hopline jobs retry j1` tries again what can be read." in shown(unreadable, CUT)
    assert "`hopline jobs retry j1` tries them again." in shown(CUT)


_FILTERED = "the model's filter stopped the request"


@pytest.mark.parametrize(("status", "reason", "failed", "offered"), [
    ("failed", _FILTERED, {}, False),
    ("failed", "the model endpoint does not answer", {}, True),
    ("failed", None, {}, True),
    ("partial", None, {"visits_failed": {"count": 1, "items": [{"reason": _FILTERED}]}}, False),
    ("partial", None, {"visits_failed": {"count": 2, "items": [{"reason": _FILTERED}]}}, True),  # of two
    ("partial", None, {"plan_failed": "it does not answer"}, True),
    ("partial", "not all was read", {}, False),
])  # fmt: skip
def test_a_retry_of_a_question_is_offered_where_something_else_than_a_filter_failed(
    status: str, reason: str | None, failed: dict[str, object], *, offered: bool
) -> None:
    page = io.StringIO()
    answer = Answer(job_id="j1", status=JobState(status), reason=reason, details=failed)
    print_answer(Console(file=page, width=100), answer)
    assert ("hopline jobs retry j1" in page.getvalue()) is offered


@pytest.mark.parametrize(
    ("text", "opening"),
    [
        ("הגשר נבנה בידי Alan Reed [1]. הוא ישן מאוד [2].", "\u2067"),
        ("The bridge is called גשר הנהר [1], and is old [2].", "\u2066"),
    ],
)
def test_lines_written_from_right_to_left_keep_their_order_on_a_terminal(text, opening):
    page = io.StringIO()
    answer = Answer(job_id="j", status=JobState.DONE, text=text)
    print_answer(Console(file=page, width=30, force_terminal=True, color_system=None), answer)
    shown = page.getvalue().split("\n\n")[0]
    for line in shown.splitlines():
        assert (line[0], line[-1]) == (opening, "\u2069"), line
        assert line.count("\u2069") == line.count("\u2066") + line.count("\u2067"), line
        assert cell_len(line) <= 30
    assert "\u2066[1]\u2069" in shown
    plain = io.StringIO()
    print_answer(Console(file=plain, width=30), answer)
    assert plain.getvalue().startswith(f"{text}\n")
