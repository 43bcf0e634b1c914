"""What documents will cost, before any call: counted as ingestion counts, drawn on within what is told."""

import json
import math
import random
import re
import time
from pathlib import Path

import pytest
from doubles.command_line import run_hopline
from doubles.files import pdf_page
from doubles.scans import scan_of
from simulation import MEASURED, Load, simulate
from sizing import Wanted, make_plan

from hopline.errors import InvalidInput
from hopline.models.estimates import Estimate, Total
from producer.estimate.estimate import Machine, afterwards, estimate_sources
from producer.estimate.factors import USED_OF_MINUTE
from producer.estimate.sample import count_document
from producer.service.batches.estimates import EstimateBounds, EstimateOrder
from producer.service.service import Service
from workers import limits
from workers.core.jobs.params import DocumentParams
from workers.core.ports import Limits
from workers.ingest import requests
from workers.ingest.chunking.split import split_text
from workers.settings import Settings

SENTENCE = "Maren Holt built a lighthouse of stone and slate on the rocks of Vestby in 1893. "
GIGABYTE = 1_000_000_000


def _settings(**fields: object) -> Settings:
    return Settings.model_validate({"model": "plain", "embedding_model": "small", **fields})


def _documents(file: Path, count: int) -> Path:
    """Write so many documents of very different lengths."""
    dice = random.Random(7)
    entries = ({"id": str(n), "text": SENTENCE * dice.randrange(1, 60)} for n in range(count))
    file.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    return file


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    return _documents(tmp_path / "lines.jsonl", 30)


def test_a_document_is_counted_as_ingestion_splits_it(tmp_path: Path) -> None:
    file = tmp_path / "report.txt"
    file.write_text(SENTENCE * 100, encoding="utf-8")
    counted = count_document(DocumentParams(uri=str(file), source=str(file), format="txt"), Limits())
    chunks = split_text("any", SENTENCE * 100, 600, 60)
    assert (counted.chunks, counted.calls, counted.tokens) == (
        len(chunks),
        len(chunks),
        sum(chunk.tokens for chunk in chunks),
    )
    assert counted.tokens < counted.prompt_tokens
    assert counted.reserved_tokens > counted.prompt_tokens + counted.calls * requests.reply_tokens(600)


def test_an_estimate_ends_while_who_asked_still_waits(lines: Path) -> None:
    estimates, order = Service(_settings()).estimates, EstimateOrder(sources=(str(lines),), sample=10)
    assert estimates.make(order, EstimateBounds(30, math.inf)).total.read == 10
    with pytest.raises(InvalidInput, match="sources is 'more than 29 files'"):
        estimates.make(order, EstimateBounds(29, math.inf))
    with pytest.raises(InvalidInput, match="sources is '1 files so far'"):
        estimates.make(order, EstimateBounds(30, time.monotonic()))
    bounds = EstimateBounds(30, time.monotonic())
    with pytest.raises(InvalidInput, match="0 of 10 were read in time"):
        bounds.check(0, 10)


def test_a_sample_comes_near_the_whole_and_says_how_near(tmp_path: Path) -> None:
    lines = _documents(tmp_path / "many.jsonl", 300)
    whole = estimate_sources([str(lines)], _settings(), sample=0).total
    some = estimate_sources([str(lines)], _settings(), sample=60).total
    assert (whole.documents, whole.read, whole.chunks_error) == (300, 300, 0)
    assert (some.documents, some.read) == (300, 60)
    assert some.chunks_error > 0
    assert abs(some.chunks - whole.chunks) < 2 * some.chunks_error
    assert some.tokens == pytest.approx(whole.tokens, rel=0.05)
    again = estimate_sources([str(lines)], _settings(), sample=60)
    assert again.total == some
    assert "60 of 300 documents were read" in " ".join(again.notes)


def test_without_prices_the_cost_is_unknown_and_says_whose(lines: Path) -> None:
    spent = estimate_sources([str(lines)], _settings()).spending
    assert (spent.total, spent.chat, spent.embedding) == (None, None, None)
    assert "'plain'" in spent.unknown[0]
    assert "'small'" in spent.unknown[1]


def test_prices_of_the_file_make_a_range_and_batches_halve_the_calls(lines: Path, tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text(
        'currency = "EUR"\n[models.plain]\ninput = 1.0\noutput = 2.0\n[models.small]\ninput = 0.5\n',
        encoding="utf-8",
    )
    settings = _settings(prices=prices)
    calls, batch = (estimate_sources([str(lines)], settings, via=via).spending for via in ("calls", "batch"))
    assert calls.chat is not None
    assert batch.chat is not None
    assert calls.total is not None
    assert 0 < calls.chat.low < calls.chat.high
    assert batch.chat.high == pytest.approx(calls.chat.high / 2)
    million = 1_000_000
    assert calls.chat.low == pytest.approx((calls.prompt_tokens + 2 * calls.reply_tokens.low) / million)
    assert calls.total.low == pytest.approx(calls.chat.low + 0.5 * calls.embedding_tokens / million)


def test_the_tightest_limit_decides_of_those_that_are_known(lines: Path) -> None:
    estimate = estimate_sources([str(lines)], _settings(model_rpm=60, model_tpm=10_000_000))
    assert estimate.decides is not None
    assert estimate.decides.limit == "model_rpm"
    assert estimate.decides.high == pytest.approx(estimate.total.calls / 60 / 60 / USED_OF_MINUTE)
    settings = _settings(model_calls_cluster=8)
    unknown = estimate_sources([str(lines)], settings)
    known = estimate_sources([str(lines)], settings, latency=2.0)
    bound = {bound.limit: bound for bound in unknown.bounds}["model_calls_cluster"]
    assert bound.high is None
    assert "unknown" in bound.told
    assert known.decides is not None
    assert known.decides.limit == "model_calls_cluster"
    assert known.decides.high == pytest.approx(known.total.calls * 2 / 6 / 3600), "a quarter is for questions"


def _total(tokens: float) -> Total:
    calls = tokens / 500
    counted = {"chunks": calls, "calls": calls, "prompt_tokens": 2 * tokens, "reserved_tokens": 9 * tokens}
    rest = {"documents": 1, "read": 1, "bytes": 1, "unreadable": 0, "refused_count": 0, "chunks_error": 0}
    return Total.model_validate(counted | rest | {"tokens": tokens})


@pytest.mark.parametrize(("tokens", "memory", "disk", "words"), [
    (1_000_000, 24, 500, ()),
    (200_000_000, 240, 900, ("compares a question with every vector",)),
    (200_000_000, 24, 900, ("of memory: set HOPLINE_QDRANT_URL", "one machine like this one is not")),
    (20_000_000, 24, 1, ("the disk is too small",)),
])  # fmt: skip
def test_it_warns_where_one_machine_or_the_local_endpoint_is_not_enough(tokens, memory, disk, words):
    machine = Machine(memory=memory * GIGABYTE, disk_free=disk * GIGABYTE, local_vectors=True)
    forecast = afterwards(_total(tokens), dimension=256, embed_facts=False, machine=machine)
    assert forecast.search_measured is (tokens < 10_000_000)
    text = " / ".join(forecast.warnings)
    assert all(word in text for word in words)
    assert bool(forecast.warnings) == bool(words)


def test_pages_that_are_to_be_recognised_are_counted(tmp_path: Path) -> None:
    card = pdf_page("BT /F1 14 Tf 20 60 Td (Ada kept the light.) Tj ET", page="/MediaBox [0 0 200 100]")
    (tmp_path / "scan.pdf").write_bytes(scan_of([(card, 1), (card, 1)]))
    total = estimate_sources([str(tmp_path)], _settings()).total
    assert (total.documents, total.unreadable, total.pictured) == (1, 0, 2)


def test_what_is_no_document_is_counted_and_shown(tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text(SENTENCE, encoding="utf-8")
    (tmp_path / "empty.txt").write_text("", encoding="utf-8")
    (tmp_path / "picture.gif").write_bytes(b"no text")
    total = estimate_sources([str(tmp_path)], _settings()).total
    assert (total.documents, total.unreadable, total.refused_count) == (2, 1, 1)
    assert len(total.refused) == 2


def test_the_command_needs_no_server_and_prints_one_object_or_what_people_ask(lines: Path) -> None:
    reply = run_hopline("estimate", lines, "--json", "--sample", "20")
    assert not reply.stderr, "no server is missed"
    assert Estimate.model_validate(json.loads(reply.stdout)).total.documents == 30
    shown = run_hopline("estimate", lines, "--sample", "20", "--quiet").stdout
    for word in ("documents", "chunks", "model calls", "cost", "unknown", "nodes", "vectors", "a search"):
        assert word in shown


def test_a_text_of_a_named_encoding_is_estimated_as_it_is_ingested(tmp_path: Path) -> None:
    file = tmp_path / "toll.txt"
    file.write_bytes("Мост".encode("koi8-r"))
    unread, read = (
        json.loads(run_hopline("estimate", file, "--json", *options).stdout)["total"]["unreadable"]
        for options in ((), ("--encoding", "koi8-r"))
    )
    assert (unread, read) == (1, 0)
    refused = run_hopline("estimate", file, "--encoding", "koi9")
    assert (refused.exit_code, "encoding is 'koi9'" in refused.stderr) == (2, True)


# bench/ingest.py, two cores: documents of ten chunks, seconds of a call, calls in flight -> seconds in all.
RUNS = [(128, 2.0, 64, 42.97), (30, 0.2, 8, 8.46), (30, 0.0, 64, 5.58)]


@pytest.mark.parametrize(("documents", "latency", "calls", "seconds"), RUNS)
def test_a_simulated_run_takes_as_long_as_the_measured_one(documents, latency, calls, seconds):
    shape = {"documents": documents, "chunks": 10, "window": 50, "latency": latency, "calls": calls}
    machine = {"processes": 2, "threads": calls // 2 + 8, "cores": 2, "offline_model": True}
    load = Load(**shape, **machine)
    assert simulate(load, MEASURED).seconds == pytest.approx(seconds, rel=0.1)


def test_limits_of_requests_tokens_and_calls_are_used_up_and_not_passed() -> None:
    wanted = Wanted(documents=2_000, chunks=2, latency=1.0, rpm=600)
    plan = make_plan(wanted)
    best = plan.rows[-1]
    assert plan.limits[0].calls_per_second == pytest.approx(10 * USED_OF_MINUTE)
    assert 0.97 <= (best.of_limit or 0) <= 1.001
    assert best.hours == pytest.approx(4_000 / (10 * USED_OF_MINUTE) / 3600, rel=0.05)
    plan = make_plan(Wanted(documents=500, chunks=2, latency=1.0, rpm=6_000, tpm=600_000, tokens=5_000))
    assert [limit.name for limit in plan.limits] == ["tokens", "requests"]
    assert plan.rows[-1].calls_per_second == pytest.approx(2 * USED_OF_MINUTE, rel=0.03)
    plan = make_plan(Wanted(documents=500, chunks=4, latency=1.0, calls=16, interactive_share=0.25))
    assert plan.limits[0].calls_per_second == 12
    assert plan.rows[-1].calls_per_second == pytest.approx(12, rel=0.03)


def test_processes_are_as_many_as_hold_slow_calls_and_no_more_than_cores_where_they_are_the_limit() -> None:
    """100 calls a second of 4 seconds are 400 at a time, and a process holds 64."""
    slow = make_plan(Wanted(documents=20_000, chunks=10, latency=4.0, rpm=6_000))
    assert slow.processes in {6, 8}, "the numbers of processes that are tried"
    assert make_plan(Wanted(documents=1_000, chunks=10, latency=0.0, cores=2)).processes <= 2


def test_the_share_of_a_minute_is_what_the_limiter_lets_go() -> None:
    script = (Path(limits.__file__).parent / "lua" / "turns_prelude.lua").read_text(encoding="utf-8")
    window, fill = (
        re.search(rf"^local {name} = ([\d.]+)", script, re.MULTILINE) for name in ("WINDOW", "FILL")
    )
    assert window
    assert fill
    assert pytest.approx(float(fill[1]) * 60 / float(window[1])) == USED_OF_MINUTE
