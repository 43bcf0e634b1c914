"""What a vision model read on a page takes the places of the lines that recognition doubts."""

from __future__ import annotations

import pytest

from workers.ingest.reading.scans.page import recognised_page
from workers.ingest.reading.scans.recognised import RecognisedLine, RecognisedPage
from workers.ingest.reading.scans.transcript import with_transcript

SURE, DOUBTFUL = 0.99, 0.8


def line(text: str, top: float, confidence: float = SURE, left: float = 50.0) -> RecognisedLine:
    words = [(text, left, left + 200.0)]
    return RecognisedLine(text, confidence, left, top, left + 200.0, top + 12.0, words=words)


def page(*lines: RecognisedLine, unread: tuple[float, ...] = ()) -> RecognisedPage:
    boxes = [(50.0, top, 250.0, top + 12.0) for top in unread]
    return RecognisedPage(300.0, 400.0, lines=list(lines), unread=len(boxes), unread_boxes=boxes)


def texts(read: RecognisedPage | None) -> list[tuple[str, float]]:
    assert read is not None
    return sorted(((each.text, each.top) for each in read.lines), key=lambda pair: pair[1])


def test_doubtful_and_unread_lines_are_replaced_in_their_places_and_sure_ones_stay() -> None:
    found = page(
        line("The mill was built in 1840.", 100),
        line("lt b3longs to 8en Co1e.", 120, DOUBTFUL),
        line("It grinds rye and oats.", 160),
        unread=(140,),
    )
    transcript = [
        "The mill was built in 1841.",
        "It belongs to Ben Cole.",
        "Мельница у реки.",
        "It grinds rye and oats.",
    ]
    read = with_transcript(found, transcript)
    assert texts(read) == [
        ("The mill was built in 1840.", 100),
        ("It belongs to Ben Cole.", 120),
        ("Мельница у реки.", 140),
        ("It grinds rye and oats.", 160),
    ]
    assert read
    assert (read.doubtful, read.unread, read.transcribed) == (0, 0, 2)
    [mended] = [each for each in read.lines if each.text.startswith("It belongs")]
    assert [word for word, _left, _right in mended.words] == mended.text.split()
    assert all(50 <= left < right <= 250 for _word, left, right in mended.words)


def test_columns_are_aligned_in_their_reading_order() -> None:
    left = [line(f"The north tower has room {n} below its roof.", 100 + 20 * n) for n in range(4)]
    right = [
        line(f"A south gate keeps door {n} behind its wall.", 100 + 20 * n, left=350.0) for n in range(4)
    ]
    right[2] = line("A s0uth g4te k33ps d00r 2 b3hind", 140, DOUBTFUL, left=350.0)
    found = RecognisedPage(
        600.0, 400.0, lines=[each for row in zip(left, right, strict=True) for each in row]
    )
    for each in found.lines:
        each.words = [(word, each.left, each.right) for word in each.text.split()]
    read = with_transcript(
        found,
        [each.text for each in left] + [f"A south gate keeps door {n} behind its wall." for n in range(4)],
    )
    assert read
    [mended] = [each for each in read.lines if each.confidence == 1.0]
    assert (mended.text, mended.left, mended.top) == (
        "A south gate keeps door 2 behind its wall.",
        350.0,
        140,
    )


@pytest.mark.parametrize(
    "transcript",
    [
        pytest.param([], id="nothing"),
        pytest.param(["I cannot help with that."], id="a refusal in words"),
        pytest.param(["A cat sat on a mat.", "Dogs bark.", "Birds sing at dawn."], id="another page"),
    ],
)
def test_a_transcript_that_lacks_what_was_read_with_confidence_is_not_used(transcript: list[str]) -> None:
    found = page(
        line("The mill was built in 1840.", 100),
        line("8en Co1e", 120, DOUBTFUL),
        line("It grinds rye and oats.", 160),
    )
    assert with_transcript(found, transcript) is None


def test_lines_that_were_not_found_follow_the_line_before_them_and_unseen_doubtful_ones_go() -> None:
    found = page(
        line("The mill was built in 1840.", 100),
        line("~~ ,,; ~", 130, DOUBTFUL),
        line("It grinds rye and oats.", 160),
    )
    transcript = ["The mill was built in 1840.", "It grinds rye and oats.", "Signed: Ada Berg"]
    assert texts(with_transcript(found, transcript)) == [
        ("The mill was built in 1840.", 100),
        ("It grinds rye and oats. Signed: Ada Berg", 160),
    ]


def test_a_page_whose_script_recognition_lacks_is_read_as_a_whole() -> None:
    read = with_transcript(page(unread=(100, 120)), ["Первая строка.", "Вторая строка."])
    assert texts(read) == [("Первая строка.", 100), ("Вторая строка.", 120)]


def test_a_page_on_which_no_line_was_found_is_read_in_stripes() -> None:
    found = RecognisedPage(300.0, 400.0, is_blank=False)
    assert found.doubtful_share == 1.0
    assert texts(with_transcript(found, ["Dear Ada,", "", "the mill runs."])) == [
        ("Dear Ada,", 0.0),
        ("the mill runs.", 200.0),
    ]
    assert RecognisedPage(300.0, 400.0).doubtful_share == 0.0


def test_the_cells_of_a_row_are_lines_of_their_own() -> None:
    found = page(
        line("Winter rent", 100),
        line("43O,S", 100, DOUBTFUL, left=300.0),
        line("Summer rent", 120),
        line("5l0", 120, DOUBTFUL, left=300.0),
    )
    read = with_transcript(found, ["Winter rent | 430.5", "Summer rent | 510"])
    assert read
    assert [(each.text, each.left, each.top) for each in read.lines] == [
        ("Winter rent", 50.0, 100),
        ("430.5", 300.0, 100),
        ("Summer rent", 50.0, 120),
        ("510", 300.0, 120),
    ]


def test_text_above_the_first_line_stands_before_it() -> None:
    found = page(line("The mill was built in 1840.", 100), line("8en Co1e", 200, DOUBTFUL))
    read = with_transcript(found, ["Town of Vestby", "The mill was built in 1840.", "Ben Cole"])
    assert texts(read) == [("Town of Vestby The mill was built in 1840.", 100), ("Ben Cole", 200)]


def test_a_doubtful_line_beside_lines_that_were_not_seen_stays() -> None:
    found = page(
        line("The mill was built in 1840.", 100),
        line("8en Co1e", 120, DOUBTFUL),
        line("It grinds rye and oats.", 140),
        line("Ov r th ri er", 160, DOUBTFUL),
        line("Closed in May.", 180),
    )
    read = with_transcript(found, ["The mill was built in 1840.", "Ben Cole", "It grinds rye and oats."])
    assert [text for text, _top in texts(read)][1:] == [
        "Ben Cole",
        "It grinds rye and oats.",
        "Ov r th ri er",
        "Closed in May.",
    ]
    assert read
    assert read.doubtful == 1


def test_a_square_line_is_read_like_others_and_a_tall_one_as_vertical() -> None:
    square = RecognisedLine("l2", DOUBTFUL, 50.0, 100.0, 60.0, 112.0, words=[("l2", 50.0, 60.0)])
    found = RecognisedPage(300.0, 400.0, lines=[square], unread=1, unread_boxes=[(200.0, 50.0, 212.0, 200.0)])
    read = with_transcript(found, ["12", "縦書き"])
    assert read
    told = recognised_page(read, 1)
    assert sorted(line.text for region in told.regions for line in region) == ["12", "縦書き"]
