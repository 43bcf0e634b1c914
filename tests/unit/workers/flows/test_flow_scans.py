"""A document with pages that are pictures: these are recognised first, once, then it is read as any other."""

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from doubles.files import pdf_page
from doubles.model import ExtractingModel, Ingestion
from doubles.pictures import size_of
from doubles.replies import MemoryReplies
from doubles.scans import picture_of, scan_of

from hopline.errors import Permanent
from hopline.models.jobs import JobState
from workers.core.errors import ModelRefused
from workers.core.ports import Limits, Ports
from workers.ingest import load
from workers.ingest.reading import read

KEEPERS = ("Ada", "Ben", "Cleo", "Dan", "Eve")
SLOW = Limits(parse_seconds=120, ocr_seconds=240)


def card(sentence: str) -> bytes:
    return pdf_page(f"BT /F1 14 Tf 20 60 Td ({sentence}) Tj ET", page="/MediaBox [0 0 300 100]")


SCAN = scan_of([(card(f"{name} kept the light of Skarholm."), 1) for name in KEEPERS])


def mixed() -> bytes:
    """A PDF with a page of text and one that is a picture."""
    with pypdfium2.PdfDocument(card("Finn built the light of Skarholm.")) as pdf:
        with pypdfium2.PdfDocument(scan_of([(card("Ada kept the light of Skarholm."), 1)])) as scan:
            pdf.import_pages(scan)
        data = io.BytesIO()
        pdf.save(data)
    return data.getvalue()


MIXED = mixed()


def blurred() -> bytes:
    """A noisy picture of two sentences, of which recognition doubts the second."""
    sentences = "(Ada kept the light of Skarholm.) Tj 0 -30 Td (Ben built its tower in 1840.)"
    page = pdf_page(f"BT /F1 14 Tf 20 60 Td {sentences} Tj ET", page="/MediaBox [0 0 300 100]")
    data = io.BytesIO()
    picture_of((page, 1), 45, noise=30).save(data, "PNG", dpi=(45, 45))
    return data.getvalue()


BLURRED = blurred()


class Scans(Ingestion):
    """Documents whose pages are pictures."""

    def __init__(self, folder: Path, **more: Any) -> None:
        super().__init__(folder, **{"limits": SLOW, **more})
        self.recognised = MemoryReplies()

    def ports(self, **more: Any) -> Ports:
        return replace(super().ports(**more), recognised=self.recognised)

    def counts(self) -> list[tuple[int, int, int]]:
        """Return how many pages each item recognised, found kept, and could not recognise."""
        told = [event.data for event in self.runner.told if event.name == "pages.recognised"]
        return [(data["recognised"], data["kept"], data["failed"]) for data in told]


@pytest.fixture
def scans(tmp_path: Path) -> Scans:
    return Scans(tmp_path)


def test_pages_are_recognised_four_at_a_time_and_then_read_in_their_order(scans: Scans) -> None:
    end = scans.ingest(SCAN, "scan.pdf", format="pdf")
    assert (end.state, scans.counts()) == (JobState.DONE, [(4, 0, 0), (1, 0, 0)])
    document = scans.document("scan.pdf")
    assert document
    assert document.reading
    assert (document.reading.pages, document.reading.recognised_pages, document.reading.doubts) == (5, 5, ())
    [text] = [asked["text"] for asked in scans.model.asked]
    places = [text.index(f"{name} kept the light of Skarholm.") for name in KEEPERS]
    assert places == sorted(places)


def test_a_page_is_recognised_once_whatever_runs_again_and_wherever_it_comes_back(scans: Scans) -> None:
    scans.ingest(SCAN, "scan.pdf", format="pdf", twice=True)
    assert scans.counts() == [(0, 4, 0), (0, 1, 0)], "the second run of each item"
    scans.ingest(SCAN, "scan.pdf", format="pdf", collection="other")
    assert scans.counts() == [(0, 4, 0), (0, 1, 0)]
    scans.ingest(SCAN, "scan.pdf", format="pdf")
    assert scans.counts() == [], "its bytes are those of the live version"


def test_what_is_kept_of_its_pages_goes_with_a_document(scans: Scans) -> None:
    scans.ingest(SCAN, "scan.pdf", format="pdf")
    assert len(scans.recognised.entries) > len(KEEPERS)
    scans.delete("scan.pdf")
    assert scans.recognised.entries == {}


def test_pages_that_cannot_be_recognised_in_time_are_told(tmp_path: Path) -> None:
    hasty = Scans(tmp_path, limits=Limits(parse_seconds=120, ocr_memory_mb=400))
    end = hasty.ingest(SCAN, "scan.pdf", format="pdf")
    assert end.state is JobState.FAILED
    assert end.outcome["error"] == "5 pages are pictures that could not be recognised"


def test_a_page_that_recognition_doubts_is_read_by_the_vision_model_once(scans: Scans) -> None:
    scans.model.looks, scans.model.on_pictures = (
        "seer",
        ["Ada kept the light.", "Ben built its tower in 1840."],
    )
    end = scans.ingest(BLURRED, "letter.png", format="png", twice=True)
    assert end.state is JobState.DONE
    [text] = {asked["text"] for asked in scans.model.asked}
    assert "Ben built its tower in 1840." in text
    assert "Skarholm" in text, "a line that was read with confidence stays"
    [picture] = scans.model.pictures
    assert size_of(picture)[0] == 188, "a picture is not made larger"
    document = scans.document("letter.png")
    assert document
    assert document.reading
    assert (document.reading.transcribed_lines, document.reading.doubts) == ({"1": 1}, ())
    scans.ingest(BLURRED, "letter.png", format="png", collection="other")
    assert len(scans.model.pictures) == 1, "it is kept by its picture"
    scans.delete("letter.png")
    assert not [key for _content, key in scans.recognised.entries if key.startswith("vision")]


def test_a_doubtful_page_is_read_again_when_asked_once_there_is_a_vision_model(scans: Scans) -> None:
    scans.ingest(BLURRED, "letter.png", format="png")
    scans.model.on_pictures = ["Ada kept the light.", "Ben built its tower in 1840."]
    for looks, status in (("", "unchanged"), ("seer", "done"), ("seer", "unchanged")):
        scans.model.looks = looks
        end = scans.ingest(BLURRED, "letter.png", format="png", reread=True)
        assert end.outcome["status"] == status
    assert len(scans.model.pictures) == 1


def test_no_page_is_sent_without_a_vision_model_or_below_its_share_of_doubtful_lines(tmp_path: Path) -> None:
    for looks, share in (("", 0.0), ("seer", 0.9)):
        scans = Scans(tmp_path, limits=SLOW.model_copy(update={"vision_from": share}))
        scans.model.looks = looks
        assert scans.ingest(BLURRED, "letter.png", format="png").state is JobState.DONE
        assert scans.model.pictures == []


@pytest.mark.parametrize("failure", [ModelRefused("I do not read letters"), Permanent("no pictures here")])
def test_a_page_that_the_vision_model_refuses_keeps_what_was_recognised(
    scans: Scans, failure: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask(*given: Any, **more: Any) -> Any:
        if more.get("pictures"):
            raise failure
        return ExtractingModel.ask(scans.model, *given, **more)

    scans.model.looks = "seer"
    monkeypatch.setattr(scans.model, "ask", ask)
    end = scans.ingest(BLURRED, "letter.png", format="png")
    assert (end.state, end.outcome["doubts"]) == (JobState.DONE, ["doubtful lines"])
    [text] = {asked["text"] for asked in scans.model.asked}
    assert "Ben b" in text


def test_where_nothing_recognises_a_scan_is_refused_and_read_again_once_something_does(
    scans: Scans, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as without:
        for module in (load, read):
            without.setattr(module, "can_recognise", lambda: False)
        end = scans.ingest(SCAN, "scan.pdf", format="pdf")
        assert end.outcome["error"] == "5 pages are pictures; install hopline-server[ocr] to read them"
        end = scans.ingest(MIXED, "mixed.pdf", format="pdf")
        assert (end.state, end.outcome["doubts"]) == (
            JobState.DONE,
            ["pages without text", "pages are pictures"],
        )
    end = scans.ingest(MIXED, "mixed.pdf", format="pdf")
    assert end.outcome["status"] == "unchanged"
    end = scans.ingest(MIXED, "mixed.pdf", format="pdf", reread=True)
    assert (end.outcome["status"], scans.counts()) == ("done", [(1, 0, 0)])
    assert "doubts" not in end.outcome
