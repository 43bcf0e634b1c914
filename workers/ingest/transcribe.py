"""Step ingest.transcribe: has a vision model read a scanned page that recognition doubts.

A page is sent once: what was read is kept beside what was recognised on its picture, by the model's name.
"""

from __future__ import annotations

import orjson
import structlog

from hopline.events.documents import PageTranscribed
from hopline.models.base import Frozen
from workers.core import ids
from workers.core.jobs.params import DocumentParams, read_input
from workers.core.jobs.work import Outcome
from workers.core.ports import Ports
from workers.core.prompts import load_prompt
from workers.ingest.pages import get_recognised, put_recognised
from workers.ingest.reading.parse import draw_page
from workers.ingest.reading.scans.recognised import RecognisedPage
from workers.ingest.reading.scans.transcript import with_transcript
from workers.ingest.reading.source import open_document
from workers.ingest.recognise import DoubtfulPage, check_unchanged
from workers.ingest.schema import TranscribedPage

# Larger pictures are made smaller at most endpoints, and cost more at the others.
_LONG_SIDE = 1568  # pixels
_REPLY_TOKENS = 8192  # a page of 5,000 characters of any script

_log = structlog.get_logger()


class TranscribeInput(Frozen):
    """A page that recognition doubts."""

    page: DoubtfulPage
    recognised: str  # blob of pages, this one among them
    source: str  # sha-256 of the file


class TranscribeResult(Frozen):
    """What was read on it."""

    pages: str = ""  # blob of the page; "" where what was recognised stays
    kept: bool = False  # sent before, and not again


def transcribe_page(part: TranscribeInput, ports: Ports) -> Outcome:
    """Have a page read by the vision model, unless it was before.

    Raises:
        DocumentUnreadable: the file is another one now, or the page cannot be drawn.
        ModelRefusedSchema, ModelRefused, Transient, Permanent, BudgetExceeded: as `Model.ask`; what was
            recognised stays.
    """
    params = read_input(DocumentParams, ports.job.params)
    number = part.page.number
    recognised = get_recognised(ports.blobs, part.recognised)[number]
    prompt = load_prompt("workers.ingest", "transcribe")
    name = ports.model.name_of("vision")
    if not name:  # it was set when the page was recognised
        return Outcome(result=TranscribeResult())
    key = f"vision-{ids.content_hash(f'{prompt.version} {name}')}"
    stored = ports.recognised.get(part.page.picture, key)
    if stored is not None:
        lines: list[str] = orjson.loads(stored)
    else:
        picture = _picture(part, recognised, params, ports)
        reply = ports.model.ask(
            prompt,
            {"page": number},
            TranscribedPage,
            tier="vision",
            max_tokens=_REPLY_TOKENS,
            pictures=(picture,),
        )
        lines = reply.value.lines
        ports.recognised.put(part.page.picture, key, orjson.dumps(lines))
    page = with_transcript(recognised, lines)
    if page is None:
        _log.warning("page.transcript_unused", uri=params.uri, page=number, lines=len(lines))
    event = PageTranscribed(
        uri=params.uri, page=number, lines=page.transcribed if page else 0, kept=stored is not None
    )
    pages = put_recognised(ports.blobs, {number: page}) if page else ""
    return Outcome(result=TranscribeResult(pages=pages, kept=stored is not None), events=(event,))


def _picture(part: TranscribeInput, page: RecognisedPage, params: DocumentParams, ports: Ports) -> bytes:
    """Return the page as a PNG, the right way up."""
    width = max(1, round(_LONG_SIDE * page.width / max(page.width, page.height)))
    with open_document(params, ports) as file:
        check_unchanged(file, part.source)
        form = file.format_as(params.format)
        return draw_page(file.file, part.page.number, width, ports.limits, form, page.turns).png
