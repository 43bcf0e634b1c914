from fleet.cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.core.language.text import sentences
from workers.ingest.spans import SentenceIndex

WORDS = st.lists(
    st.sampled_from(["Ada", "Zürich", "1843", "wrote", "the", "of", "engine", "東京", "bridges", "it's"]),
    min_size=1,
    max_size=12,
)
TEXTS = st.lists(WORDS.map(lambda row: " ".join(row) + "."), min_size=1, max_size=8).map(" ".join)


@given(st.one_of(TEXTS, st.text(min_size=1, max_size=200)), st.one_of(TEXTS, st.text(max_size=100)))
@settings(max_examples=cases(200), deadline=None)
def test_a_span_lies_inside_the_text_and_its_score_in_0_to_1(text, fact):
    match = SentenceIndex(text).locate(fact)
    assert 0 <= match.start < match.end <= len(text)
    assert -1e-9 <= match.score <= 1 + 1e-9


@given(TEXTS)
@settings(max_examples=cases(100), deadline=None)
def test_a_span_is_one_sentence_or_two_adjacent_ones(text):
    borders = list(sentences(text))
    starts, ends = [start for start, _ in borders], [end for _, end in borders]
    match = SentenceIndex(text).locate(text)
    assert ends.index(match.end) - starts.index(match.start) in (0, 1)


@given(TEXTS, st.data())
@settings(max_examples=cases(100), deadline=None)
def test_a_sentence_taken_word_for_word_is_found_whole(text, data):
    spans = list(sentences(text))
    start, end = data.draw(st.sampled_from(spans))
    match = SentenceIndex(text).locate(text[start:end])
    assert match.score > 0.999
    assert (match.start, match.end) in spans
