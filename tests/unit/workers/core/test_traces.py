"""A job's trace: read and written as W3C Trace Context has it, and ids that anybody can derive."""

import pytest

from hopline.errors import InvalidInput
from hopline.traces import TraceContext, current_traceparent, in_trace, read_traceparent
from workers.core.jobs.traces import log_fields, trace_id_of

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
HEADER = f"00-{TRACE}-{SPAN}-01"


def test_a_traceparent_that_is_not_valid_is_as_good_as_none() -> None:
    forms = ("", "none", "00-{}-{}", "ff-{}-{}-01", "00-{}-{}-01-more", "00-{}-{}-0١")
    zeros = (f"00-{'0' * 32}-{SPAN}-01", f"00-{TRACE}-{'0' * 16}-01", f"00-{TRACE.upper()}-{SPAN}-01")
    for header in (*(form.format(TRACE, SPAN) for form in forms), *zeros):
        assert not read_traceparent(header), header


def test_a_traceparent_names_the_span_that_asks_and_whether_it_is_sampled() -> None:
    assert read_traceparent(f" {HEADER} ") == HEADER
    assert read_traceparent(f"cc-{TRACE}-{SPAN}-03-more") == HEADER, "of a later version, with what it adds"
    context = TraceContext.read(f"00-{TRACE}-{SPAN}-00")
    assert context == TraceContext(trace_id=TRACE, parent=SPAN, sampled=False)


def test_a_trace_that_begins_with_a_job_is_read_as_it_was_written() -> None:
    root = TraceContext(trace_id=TRACE)
    assert TraceContext.read(str(root)) == root
    assert not read_traceparent(str(root)), "no caller sends one"


def test_ids_of_spans_are_those_of_what_they_stand_for_alone() -> None:
    context = TraceContext(trace_id=TRACE)
    names = [
        context.job_span("j", 1), context.job_span("j", 2), context.job_span("k", 1),
        context.phase_span("j", 1, 0), context.phase_span("j", 1, 1), context.item_span("j", 1, "a"),
        context.item_span("j", 2, "a"), context.item_span("j", 1, "b"),
    ]  # fmt: skip
    assert len(set(names)) == len(names)
    assert all(len(name) == 16 and int(name, 16) for name in names)
    # Fixed: workers of two versions, side by side, must agree.
    assert context.item_span("j", 1, "a") == "6468bc9d299f1b3b"
    assert context.below("j", 1) == TraceContext(trace_id=TRACE, parent=names[0])
    assert len(trace_id_of("j.1")) == 32


def test_log_lines_say_what_is_known() -> None:
    assert log_fields("r1", HEADER) == {"request_id": "r1", "trace_id": TRACE}
    assert log_fields("", "") == {}


def test_calls_of_a_client_belong_to_the_trace_that_is_given() -> None:
    assert not current_traceparent()
    with in_trace(HEADER):
        assert current_traceparent() == HEADER
    assert not current_traceparent()
    with pytest.raises(InvalidInput, match="traceparent"), in_trace("mine"):
        pass
