"""How the check of an answer's sentences judges claims whose support is known (WiCE).

    python bench/claims.py EVAL_FOLDER/wice_dev.jsonl [--show "supported, gold, tuned"]

Each claim is checked as a sentence of an answer that cites sentences of its article: all that the annotators
say carry it ("gold"), those of the first set that does ("first set"), or all ("article"). What nothing
carries has no such sentences: it is checked against the article, and against the five sentences that share
most words with it ("nearest"). As in the pipeline the document's title counts, and the text of the chunks
around what is cited, in hopline's own sizes.

Prints one JSON object: how many of each kind are refused, with the 95% interval, in both halves of the file;
a claim's half is its hash's. No server is started and no model asked.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Container, Iterator, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from elements import wilson

from hopline.models.documents import Chunk
from hopline.models.jobs import Json
from workers.core.answers.lexical_rank import overlap, terms
from workers.core.ports import Limits
from workers.core.records import FactSource
from workers.critic.context import ChunkText
from workers.critic.verify import fault
from workers.ingest.chunking.split import split_text

NEAREST = 5
_TITLE = "(meta data) TITLE:"


class Claim:
    """A sentence, and the article that it was written from."""

    def __init__(self, row: Json) -> None:
        self.text: str = row["claim"]
        self.label: str = row["label"]
        self._article: list[str] = row["evidence"]
        self._supporting: list[list[int]] = [places for places in row["supporting_sentences"] if places]

    @property
    def half(self) -> str:
        """The half of the file that it belongs to."""
        return "held out" if sha256(self.text.encode()).digest()[0] % 2 else "tuned"

    @property
    def title(self) -> str:
        """The title of the article, with the name of its site if there is one."""
        return self._article[0].removeprefix(_TITLE).strip()

    def cited(self) -> Iterator[tuple[str, Sequence[int]]]:
        """Yield kinds of evidence with the places that are cited."""
        yield "article", range(len(self._article))
        if self._supporting:
            yield "gold", sorted({place for places in self._supporting for place in places})
            yield "first set", self._supporting[0]
        else:
            words = terms(self.text)
            best = sorted(range(len(self._article)), key=lambda place: -overlap(words, self._article[place]))
            yield "nearest", sorted(best[:NEAREST])

    def fault(self, places: Sequence[int]) -> str | None:
        """Return why the check refuses the claim where it cites these places; None if it passes."""
        sources = [source for place in places for source in self._sources(place)]
        return fault(self.text, sources, self._around)

    def _around(self, chunk_ids: Sequence[str]) -> Sequence[ChunkText]:
        return [ChunkText(self._chunks[name].text, self._chunks[name].start) for name in chunk_ids]

    @cached_property
    def _chunks(self) -> dict[str, Chunk]:
        sizes = Limits()
        chunks = split_text("", "\n".join(self._article), sizes.chunk_tokens, sizes.chunk_overlap)
        return {chunk.id: chunk for chunk in chunks}

    def _sources(self, place: int) -> Iterator[FactSource]:
        quote = self._article[place]
        start = sum(len(line) + 1 for line in self._article[:place])
        end = start + len(quote)
        for chunk in self._chunks.values():
            if chunk.start <= start < chunk.end:
                yield FactSource(
                    fact_id="",
                    fact=quote,
                    chunk_id=chunk.id,
                    document_id="",
                    title=self.title,
                    uri="",
                    start=start,
                    end=end,
                    match=1.0,
                    grounded=True,
                    quote=quote,
                )
                return


def main() -> None:
    """Check all claims and print what was refused."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("file", type=Path, help="the claims of WiCE, as JSON lines")
    parser.add_argument("--show", help="print the claims of a kind, with why each is refused")
    arguments = parser.parse_args()
    refused: dict[str, dict[str, list[bool]]] = {}
    for claim, kind, why in judged(arguments.file):
        for half in (claim.half, "all"):
            refused.setdefault(kind, {}).setdefault(half, []).append(why is not None)
        if arguments.show == f"{kind}, {claim.half}":
            print(f"{why or 'passes'}\n    {claim.title}\n    {claim.text}")
    shares = {kind: {half: _share(of) for half, of in halves.items()} for kind, halves in refused.items()}
    if not arguments.show:
        print(json.dumps(shares, indent=2))


def judged(file: Path, kinds: Container[str] | None = None) -> Iterator[tuple[Claim, str, str | None]]:
    """Yield claims with a kind ("supported, gold") and why the check refuses each, if it does.

    Args:
        file: the claims, as JSON lines.
        kinds: those to judge; all unless given.
    """
    for line in file.read_text("utf-8").splitlines():
        claim = Claim(json.loads(line))
        for evidence, places in claim.cited():
            kind = f"{claim.label}, {evidence}"
            if kinds is None or kind in kinds:
                yield claim, kind, claim.fault(places)


def _share(refused: list[bool]) -> Json:
    count, of = sum(refused), len(refused)
    return {"refused": count, "of": of, "percent": round(100 * count / of, 1), "95%": wilson(count, of)}


if __name__ == "__main__":
    main()
