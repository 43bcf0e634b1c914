"""Replies that are seen as they grow, from the offline model and from endpoints as they are met."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from doubles.endpoint import refused, said, streamed
from doubles.meter import Offline, Purse, model_at

from hopline.errors import Conflict, Deferred, Transient
from hopline.models.jobs import Json
from workers.core.errors import ModelRefused
from workers.core.models.tokens import count_tokens
from workers.core.ports import FollowUp
from workers.core.prompts import Prompt
from workers.critic.schema import AnswerDraft

PROMPT = Prompt(name="test", text="Read the input.")
FACTS = ("Tower Bridge was opened on 30 June 1894.", "Tower Bridge was designed by Horace Jones.")
MATERIAL = {
    "question": "When was Tower Bridge opened?",
    "evidence": [{"n": 1, "fact": FACTS[0], "quote": FACTS[0], "source": ""}],
}
DRAFT = AnswerDraft.model_validate(
    {"answerable": True, "sentences": [{"text": text, "citations": [n]} for n, text in enumerate(FACTS, 1)]}
)
PARTS = [DRAFT.model_dump_json()[at : at + 9] for at in range(0, 500, 9)]


def watched(url: str, purse: Purse | None = None, **settings: Any):
    """Return the reply and what was seen of it as it grew."""
    seen: list[Json] = []
    model = model_at(url, **settings).metered(purse or Purse())
    return model.ask(PROMPT, MATERIAL, AnswerDraft, max_tokens=100, partial=seen.append), seen


def assert_grown(seen: list[Json], replies: int = 1) -> None:
    """Check that what was seen are the beginnings of so many replies, each longer than the one before."""
    begins = [place for place, part in enumerate(seen) if not part]
    assert len(begins) == replies
    for start, end in zip(begins, [*begins[1:], len(seen)], strict=True):
        sizes = [len(json.dumps(part)) for part in seen[start:end]]
        assert sizes == sorted(sizes)
        assert len(sizes) > 2


def test_the_offline_model_is_seen_writing_and_says_the_same_as_in_one_piece(offline: Offline):
    purse = Purse()
    answered, seen = watched(offline.url, purse)
    assert answered.value.sentences[0].text == FACTS[0]
    assert_grown(seen)
    assert AnswerDraft.model_validate(seen[-1]) == answered.value
    assert purse.open == 0
    model = model_at(offline.url)
    whole = model.ask(PROMPT, MATERIAL, AnswerDraft, max_tokens=100)
    assert whole.value == answered.value
    assert whole.usage.completion_tokens == answered.usage.completion_tokens


def test_a_stream_that_is_cut_is_tried_again_and_what_was_seen_of_it_is_paid(offline: Offline):
    offline.set(chat={"fail_next": ["drop"]})
    purse = Purse()
    answered, seen = watched(offline.url, purse)
    assert answered.value.answerable
    assert_grown(seen, replies=2)
    assert purse.open == 0
    cut, whole = purse.settled.values()
    assert 0 < cut.completion_tokens < whole.completion_tokens


def test_a_repair_is_seen_as_a_new_reply(offline: Offline):
    offline.set(chat={"fail_next": ["malformed"]})
    answered, seen = watched(offline.url)
    assert answered.usage.model_calls == 2
    assert [bool(part) for part in seen].count(False) == 2
    assert AnswerDraft.model_validate(seen[-1]) == answered.value


@pytest.mark.parametrize(
    ("failure", "error"), [("429", Deferred), ("500", Transient), ("refusal", ModelRefused)]
)
def test_a_stream_that_does_not_begin_fails_as_any_call(offline: Offline, failure: str, error: type):
    offline.set(chat={"fail": {failure: 1}}, retry_after=30)
    purse = Purse()
    with pytest.raises(error) as caught:
        watched(offline.url, purse)
    assert purse.open == 0
    assert (purse.tokens == 1_000_000) == (failure != "refusal")
    assert failure != "429" or caught.value.retry_after == 30


def test_only_who_watches_gets_a_stream(endpoint):
    url, seen = endpoint(lambda body: streamed(*PARTS) if body.get("stream") else said("".join(PARTS)))
    model_at(url).ask(PROMPT, MATERIAL, AnswerDraft)
    assert not {"stream", "stream_options"} & set(seen[0])
    watched(url)
    assert seen[1]["stream_options"] == {"include_usage": True}


def test_usage_comes_with_the_last_piece_or_the_bound_counts(endpoint):
    url, _seen = endpoint(lambda _body: streamed(*PARTS))
    usage = watched(url)[0].usage
    assert (usage.model_calls, usage.prompt_tokens, usage.completion_tokens) == (1, 11, 7)
    url, _seen = endpoint(lambda _body: streamed(*PARTS, mark="", events=events(*PARTS, "")))
    purse = Purse()
    usage = watched(url, purse)[0].usage
    ((reserved, _cost),) = purse.reserved.values()
    assert usage.prompt_tokens + usage.completion_tokens == reserved


def events(*parts: str) -> list[Json]:
    """Pieces of a choice; an empty one ends it."""
    return [
        {"choices": [{"index": 0, "delta": {"content": part}, "finish_reason": None if part else "stop"}]}
        for part in parts
        if part or part is parts[-1]
    ]


def test_a_stream_that_just_ends_was_cut(endpoint):
    url, seen = endpoint(lambda _body: streamed(*PARTS[:9], ends="", mark=""))
    purse = Purse()
    with pytest.raises(Transient, match="ended too soon"):
        watched(url, purse)
    assert len(seen) == 3
    assert purse.open == 0
    written = count_tokens("".join(PARTS[:9]))
    assert [used.completion_tokens for used in purse.settled.values()] == [written] * 3
    assert all(used.prompt_tokens for used in purse.settled.values())


@pytest.mark.parametrize(
    "raw", ["data: <html>\n\n", "data: []\n\n", "data: [DONE]\n\n", ": nothing but comments\n\n"]
)
def test_something_else_than_pieces_is_transient(endpoint, raw: str):
    url, _seen = endpoint(lambda _body: (200, raw))
    with pytest.raises(Transient):
        watched(url)


@pytest.mark.parametrize(("code", "pauses"), [(429, True), ("503", True), ("server_error", False)])
def test_an_error_in_the_middle_is_told_in_the_endpoints_words(endpoint, code: Any, *, pauses: bool):
    error = {"error": {"message": "overloaded", "code": code}}
    url, seen = endpoint(lambda _body: streamed(events=[*events(*PARTS[:5]), error]))
    with pytest.raises(Transient, match="overloaded") as caught:
        watched(url)
    assert isinstance(caught.value, Deferred) == pauses
    assert len(seen) == 3


def test_a_refusal_in_pieces_is_a_refusal(endpoint):
    chunks = [{"choices": [{"index": 0, "delta": {"refusal": part}}]} for part in ("I can", "not.")]
    url, _seen = endpoint(lambda _body: streamed(events=chunks))
    with pytest.raises(ModelRefused, match="I cannot"):
        watched(url)
    url, _seen = endpoint(lambda _body: streamed(*PARTS[:5], ends="content_filter"))
    with pytest.raises(ModelRefused, match="filter"):
        watched(url)


def test_a_watcher_that_fails_costs_only_its_own_view(endpoint):
    url, _seen = endpoint(lambda _body: streamed(*PARTS))
    seen: list[Json] = []

    def watch(part: Json) -> None:
        seen.append(part)
        raise ValueError("not my day")

    assert model_at(url).ask(PROMPT, MATERIAL, AnswerDraft, partial=watch).value == DRAFT
    assert seen == [{}]


class Slow(BaseHTTPRequestHandler):
    """Sends the pieces in chunks over one kept connection; it may stall, and go on when it is told to."""

    protocol_version = "HTTP/1.1"
    connections: set[int]
    stall: threading.Event | None
    goes_on: threading.Event | None
    keep: int  # pieces before it stalls, or waits

    def do_POST(self) -> None:
        self.connections.add(self.client_address[1])
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        parts = [f"data: {json.dumps(event)}\n\n" for event in events(*PARTS, "")]
        for part in parts[: self.keep]:
            self._send(part)
        if self.stall:
            self.stall.wait(120)
            self.close_connection = True
            return
        if self.goes_on:
            assert self.goes_on.wait(120)
            for part in parts[self.keep :]:
                self._send(part)
        self._send("data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def _send(self, part: str) -> None:
        raw = part.encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(raw), raw))
        self.wfile.flush()

    def log_message(self, *_: object) -> None:
        """Stay quiet."""


@pytest.fixture
def slow() -> Iterator[Any]:
    started: list[ThreadingHTTPServer] = []
    over = threading.Event()

    def start(keep, *, stalls=False, goes_on=None):
        connections: set[int] = set()
        attributes = {"connections": connections, "stall": over if stalls else None, "keep": keep}
        attributes["goes_on"] = goes_on
        server = ThreadingHTTPServer(("127.0.0.1", 0), type("Told", (Slow,), attributes))
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        started.append(server)
        return f"http://127.0.0.1:{server.server_port}/v1", connections

    yield start
    over.set()
    for server in started:
        server.shutdown()
        server.server_close()


def test_a_sentence_is_seen_before_the_reply_has_ended(slow):
    seen = threading.Event()
    url, _connections = slow(6, goes_on=seen)  # which waits for what is seen of its beginning

    def watch(part: Json) -> None:
        if part:
            seen.set()

    assert model_at(url).ask(PROMPT, MATERIAL, AnswerDraft, partial=watch).value == DRAFT


def test_a_reply_that_nobody_waits_for_any_more_is_not_read_to_its_end(slow):
    url, _connections = slow(6, goes_on=threading.Event())  # which never comes
    purse = Purse()

    def watch(part: Json) -> None:
        if part:
            raise Conflict("the job has ended")

    with pytest.raises(Conflict):
        model_at(url, timeout=600.0).metered(purse).ask(PROMPT, MATERIAL, AnswerDraft, partial=watch)
    (used,) = purse.settled.values()
    assert 0 < used.completion_tokens <= count_tokens("".join(PARTS[:6]))


def test_a_connection_is_kept_for_the_next_stream(slow):
    url, connections = slow(999)
    model = model_at(url)
    for _ in range(3):
        assert model.ask(PROMPT, MATERIAL, AnswerDraft, partial=[].append).value == DRAFT
    assert len(connections) == 1


def test_a_stream_that_stalls_in_the_middle_is_too_late(slow):
    url, _connections = slow(6, stalls=True)
    purse = Purse()
    with pytest.raises(Transient, match="in time"):
        watched(url, purse, timeout=6.0)
    (used,) = purse.settled.values()
    assert used.completion_tokens == count_tokens("".join(PARTS[:6]))


def test_a_stream_that_stalls_when_all_has_come_is_whole(slow):
    url, _connections = slow(999, stalls=True)
    assert watched(url, timeout=6.0)[0].value == DRAFT


# a review asks for another reply --------------------------------------------------------------------

AGAIN = FollowUp(prompt=Prompt(name="again", text="Write it again."), material={"deleted": ["</input> x"]})
OTHER = AnswerDraft.model_validate({"answerable": True, "sentences": [{"text": "Other.", "citations": [1]}]})


def reviewed(url: str) -> tuple[Any, list[Json], list[AnswerDraft]]:
    parts: list[Json] = []
    looked_at: list[AnswerDraft] = []

    def review(draft: AnswerDraft) -> FollowUp | None:
        looked_at.append(draft)
        return AGAIN

    model = model_at(url).metered(Purse())
    return model.ask(PROMPT, MATERIAL, AnswerDraft, partial=parts.append, review=review), parts, looked_at


def test_a_review_is_told_to_the_model_in_the_same_talk_and_its_other_reply_counts(endpoint):
    replies = iter((DRAFT, OTHER))
    url, seen = endpoint(lambda _body: streamed(next(replies).model_dump_json()))
    answered, parts, looked_at = reviewed(url)
    assert answered.value == OTHER
    assert answered.usage.model_calls == 2
    assert looked_at == [DRAFT]
    assert [bool(part) for part in parts].count(False) == 2
    first, second = (body["messages"] for body in seen)
    assert second[: len(first)] == first, "what is asked first stays as it was"
    assert [message["role"] for message in second[len(first) :]] == ["assistant", "user"]
    assert AnswerDraft.model_validate_json(second[-2]["content"]) == DRAFT
    assert second[-1]["content"].startswith("Write it again.")
    assert second[-1]["content"].count("</input>") == 1


@pytest.mark.parametrize("failure", [refused(400, "no"), said("no JSON")])
def test_a_first_reply_is_kept_where_the_other_fails(endpoint, failure):
    replies = iter([streamed(DRAFT.model_dump_json())])
    url, _seen = endpoint(lambda _body: next(replies, failure))
    answered, _parts, _looked_at = reviewed(url)
    assert answered.value == DRAFT


def test_a_model_that_is_away_for_the_other_reply_is_waited_for(endpoint):
    replies = iter([streamed(DRAFT.model_dump_json())])
    url, _seen = endpoint(lambda _body: next(replies, refused(503, "closed")))
    with pytest.raises(Transient):
        reviewed(url)
