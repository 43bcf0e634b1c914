"""Measures how sure a guess of a text's encoding has to be.

Sentences in 45 languages (tests/data/short_sentences.tsv) are encoded as old files of that language are, in
samples of one sentence, half of them and all; those that have no sign above ASCII are left out. A guess is
right if the text comes back as it was. Per bound: how many samples are read rightly, wrongly, and refused.
Below, what `decode_text` reads of the samples and of pieces of 1 to 12 words, and what of it as Western.

    python bench/encoded_texts.py [--wrong]
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import chardet
from w3lib.encoding import resolve_encoding

from hopline.errors import DocumentUnreadable
from workers.ingest.reading.encoding import decode_text

_TEXTS = Path(__file__).parents[1] / "tests" / "data" / "short_sentences.tsv"
_ENCODINGS = {
    "zh": ("gbk", "big5", "gb18030", "utf-16-le", "utf-16-be", "iso2022_jp_2"),
    "ja": ("cp932", "euc_jp", "iso2022_jp", "utf-16-le"),
    "ko": ("cp949", "utf-16-le"),
    **dict.fromkeys(("ru", "uk", "bg", "sr"), ("cp1251", "koi8_u", "iso8859_5", "cp866", "utf-16-le")),
    **dict.fromkeys(("pl", "cs", "sk", "hu", "ro"), ("cp1250", "iso8859_2")),
    **dict.fromkeys(("el",), ("cp1253", "iso8859_7")),
    **dict.fromkeys(("tr",), ("cp1254", "iso8859_9")),
    **dict.fromkeys(("he",), ("cp1255",)),
    **dict.fromkeys(("ar", "fa", "ur"), ("cp1256", "iso8859_6")),
    "th": ("cp874",),
    "vi": ("cp1258",),
}
_WESTERN = ("cp1252", "iso8859_15", "mac_roman", "cp850")
_PIECES = (1, 2, 3, 5, 8, 12)  # words
_BOUNDS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)


def samples(*, in_pieces: bool = False) -> Iterator[tuple[str, str, str]]:
    """Yield (language, encoding, text): sentences and more, or pieces of sentences."""
    sentences = defaultdict(list)
    for line in _TEXTS.read_text("utf-8").splitlines():
        language, text = line.split("\t")[:2]
        sentences[language].append(text)
    for language, texts in sentences.items():
        whole = {*texts, " ".join(texts), " ".join(texts[: max(1, len(texts) // 2)])}
        parts = {piece for text in texts for piece in _pieces(text.split())} if in_pieces else whole
        for encoding in _ENCODINGS.get(language, _WESTERN):
            for text in sorted(parts):
                try:
                    if not text.isascii() and text.encode(encoding).decode(encoding) == text:
                        yield language, encoding, text
                except UnicodeError:
                    continue


def _pieces(words: list[str]) -> Iterator[str]:
    for size in _PIECES:
        for start in range(max(1, len(words) - size + 1)):
            yield " ".join(words[start : start + size])


def _print_read(name: str, found: Iterator[tuple[str, str, str]]) -> None:
    counts: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for language, encoding, text in found:
        try:
            decoded = decode_text(text.encode(encoding))
        except DocumentUnreadable:
            counts["refused"] += 1
            continue
        kind = "right" if decoded.text == text else "wrong"
        counts[kind] += 1
        if decoded.encoding in ("cp1252", "iso8859-15"):
            counts[f"{kind} as Western"] += 1
            if kind == "wrong":
                wrong[language] += 1
    print(f"{name}: {dict(sorted(counts.items()))}; wrong as Western by language: {dict(wrong)}")


def main() -> None:
    """Print what each bound reads."""
    parser = argparse.ArgumentParser(description="Measure how sure a guess of an encoding has to be.")
    parser.add_argument("--wrong", action="store_true", help="print the wrong guesses, the surest first")
    shows_wrong = parser.parse_args().wrong
    guesses = []
    for language, encoding, text in samples():
        data = text.encode(encoding)
        guess = chardet.detect(data, compat_names=False)
        read = data.decode(resolve_encoding(guess["encoding"] or "") or "ascii", errors="replace")
        sure = guess["confidence"] if guess["encoding"] else 0.0  # "binary" is a refusal
        guesses.append((sure, read == text, language, encoding, guess["encoding"], text, read))
    print(f"{len(guesses)} samples\nbound  right  wrong  refused")
    for bound in _BOUNDS:
        kept = [is_right for confidence, is_right, *_ in guesses if confidence >= bound]
        print(f"{bound:5.2f} {sum(kept):6} {len(kept) - sum(kept):6} {len(guesses) - len(kept):8}")
    _print_read("samples", samples())
    _print_read("pieces", samples(in_pieces=True))
    for row in sorted(guesses, key=lambda row: -row[0]) if shows_wrong else ():
        if not row[1]:
            print(*row)


if __name__ == "__main__":
    main()
