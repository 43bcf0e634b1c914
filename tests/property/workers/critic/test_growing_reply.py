"""However a reply is cut on its way, the same sentences are told, each once and in order."""

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from hopline.models.jobs import Json
from hopline.visible import visible_value
from workers.adapters.openai.endpoint import Pieces, events_of
from workers.adapters.openai.partial_reply import Growing
from workers.core.jobs.work import Event
from workers.core.records import FactSource, FinalFact
from workers.critic.draft import Writing
from workers.critic.gather import Evidence, Placed
from workers.critic.schema import AnswerDraft, DraftSentence
from workers.critic.synthesize import Showing

YEARS = (1815, 1833, 1843)


def _evidence(n: int) -> Evidence:
    text = f"Ada wrote in {YEARS[n - 1]}."
    found = {"fact_text": text, "source_node_id": "k", "source_fact_id": f"f{n}", "extracted_from_depth": 0}
    scored = {"score": 0.9, "source_description": "", "scored_by": "critic", "final_decayed_score": 0.9}
    place = {"chunk_id": "c", "document_id": "d", "title": "Ada"}
    place |= {"uri": "ada.txt", "start": 0, "end": len(text)}
    quoted = {"fact_id": f"f{n}", "fact": text, "match": 1.0, "grounded": True, "quote": text}
    fact, source = FinalFact.model_validate(found | scored), FactSource.model_validate(place | quoted)
    return Evidence(n, text, (Placed(fact, source),))


EVIDENCE = {n: _evidence(n) for n in range(1, len(YEARS) + 1)}
# Right and wrong years, odd characters, and what looks like JSON inside a text.
texts = st.builds(
    "Ada {} in {}.".format,
    st.sampled_from(("wrote", 'wrote "a, b]}"', "wrote {\\", "wrote 🙂 ü \u2028", "wrote\n")),
    st.sampled_from((*YEARS, 1999)),
)
sentences = st.builds(DraftSentence, text=texts, citations=st.lists(st.integers(1, 4), max_size=3))
drafts = st.builds(
    AnswerDraft,
    answerable=st.just(True),
    sentences=st.lists(sentences, max_size=6),
    conflicts=st.lists(st.lists(st.integers(1, 3), max_size=3), max_size=2),
)


class Told(list[Event]):
    @property
    def standing(self) -> list[Json]:
        sentence_data: list[Json] = []
        for event in self:
            sentence_data = [*sentence_data, event.data] if event.name == "answer.sentence" else []
        return sentence_data


def showing_to(stream: Told) -> Showing:
    return Showing(lambda: Writing(EVIDENCE, "When did Ada write?", lambda _ids: ""), stream.extend, {})


def pieces(content: str, cuts: Sequence[int]) -> Iterator[str]:
    """Yield the content as far as it has come, cut after cut."""
    yield from (content[:cut] for cut in sorted({*(cut % (len(content) + 1) for cut in cuts), len(content)}))


@given(draft=drafts, cuts=st.lists(st.integers(0, 5000)), fenced=st.booleans(), spaced=st.booleans())
def test_any_cutting_tells_the_same(draft, cuts, fenced, spaced):
    seen = AnswerDraft.model_validate(visible_value(draft.model_dump()))  # as a whole reply is read
    whole, stream = Told(), Told()
    writing, events = showing_to(whole).finish(seen)
    written = writing.written
    whole.extend(events)
    showing = showing_to(stream)
    growing = Growing(showing.grow)
    content = json.dumps(draft.model_dump(), indent=1) if spaced else draft.model_dump_json()
    for far in pieces(f"Sure:\n```json\n{content}\n```" if fenced else content, cuts):
        growing(far)
    other, events = showing.finish(seen)
    again = other.written
    stream.extend(events)
    assert stream == whole, "nothing twice, nothing out of order, nothing taken back"
    assert (again.text, again.dropped) == (written.text, written.dropped)
    assert " ".join(sentence["text"] for sentence in stream.standing) == written.text
    assert [cited for sentence in stream.standing for cited in sentence["citations"]] == written.citations()


@given(first=drafts, second=drafts, cut=st.integers(0, 5000), cuts=st.lists(st.integers(0, 5000)))
def test_a_reply_that_was_cut_and_asked_for_again_leaves_the_second(first, second, cut, cuts):
    stream = Told()
    showing = showing_to(stream)
    growing = Growing(showing.grow)
    content = first.model_dump_json()
    for far in pieces(content[: cut % (len(content) + 1)], cuts):
        growing(far)
    growing.begin()
    for far in pieces(second.model_dump_json(), cuts):
        growing(far)
    writing, events = showing.finish(second)
    written = writing.written
    stream.extend(events)
    assert " ".join(sentence["text"] for sentence in stream.standing) == written.text
    assert [sentence["n"] for sentence in stream.standing] == list(range(1, len(written.sentences) + 1))


@given(
    texts=st.lists(st.text(), max_size=8),
    cuts=st.lists(st.integers(0, 3000)),
    end=st.sampled_from(("\n\n", "\r\n\r\n", "\r\r", "\n")),
    noise=st.sampled_from((": keep-alive", "event: message", "id: 7", "retry: 100", "")),
)
def test_any_cutting_of_the_bytes_gives_the_same_completion(texts, cuts, end, noise):
    chunks = [{"choices": [{"index": 0, "delta": {"content": text}}]} for text in texts]
    chunks += [
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": None},
        {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}},
    ]
    lines = [f"data: {json.dumps(chunk, ensure_ascii=False)}" for chunk in chunks]
    raw = end.join([noise, *(part for line in lines for part in (line, noise)), "data: [DONE]"])
    body = raw.encode("utf-8", "surrogatepass")
    at = sorted({cut % (len(body) + 1) for cut in cuts} | {0, len(body)})
    got = Pieces()
    for event in events_of(body[start:stop] for start, stop in pairwise(at)):
        got.take(event)
    completion = got.completion()
    assert got.whole
    assert completion["choices"][0]["message"]["content"] == "".join(texts)
    assert completion["choices"][0]["finish_reason"] == "stop"
    assert completion["usage"] == {"prompt_tokens": 3, "completion_tokens": 2}
