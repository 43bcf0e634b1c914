"""Texts with known themes, seeded: reviews of a hotel, and which complaint stands in which."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

QUESTION = "What do guests complain about?"
_THEMES = {
    "breakfast": (
        "the cold coffee at breakfast",
        "the stale bread at breakfast",
        "the long queue for breakfast",
    ),
    "noise": ("the loud street at night", "the noise of the lift at night", "the noisy bar below at night"),
    "beds": ("the hard mattress of the bed", "the short bed", "the thin blanket on the bed"),
    "wifi": ("the slow wifi", "the wifi that broke off", "the wifi that cost extra"),
    "bathroom": (
        "the mould in the bathroom",
        "the broken shower of the bathroom",
        "the bathroom tap",
    ),
    "reception": (
        "the rude reception",
        "the long wait at the reception",
        "the reception that lost a booking",
    ),
    "parking": ("the narrow parking garage", "the price of the parking garage", "the full parking garage"),
    "heating": ("the heating that stayed off", "the broken heating", "the heating that hissed"),
    "pool": ("the dirty pool", "the closed pool", "the crowded pool"),
    "windows": ("the windows that did not shut", "the dirty windows", "the windows without curtains"),
}
_PASTIMES = (
    "{who} walked along the harbour.",
    "{who} took the ferry to the island.",
    "{who} visited the old castle.",
    "{who} bought postcards at the market.",
    "{who} watched the sunset from the pier.",
    "{who} hired a bicycle for the coast road.",
)
_FIRST = ("Ada", "Bela", "Cora", "Dina", "Edda", "Fenja", "Greta", "Hanna", "Ilse", "Jonna", "Karla", "Lotte")
_LAST = (
    "Brook",
    "Carver",
    "Dale",
    "Ekman",
    "Frost",
    "Garner",
    "Holt",
    "Ives",
    "Joyner",
    "Kemp",
    "Lund",
    "Norr",
)


@dataclass(frozen=True)
class Corpus:
    """Texts by title, and which of them state which theme."""

    texts: dict[str, str]
    themes: dict[str, tuple[str, ...]]  # titles by theme
    question: str = QUESTION  # to which the themes are the answer
    phrases: Mapping[str, Sequence[str]] = field(default_factory=lambda: _THEMES)  # that name each theme

    def above(self, share: float) -> list[str]:
        """Return the themes that at least this share of the texts states."""
        return sorted(name for name, titles in self.themes.items() if len(titles) >= share * len(self.texts))

    def write(self, folder: Path) -> Path:
        """Write each text to a file."""
        folder.mkdir(parents=True, exist_ok=True)
        for title, text in self.texts.items():
            (folder / f"{title.lower().replace(' ', '-')}.txt").write_text(text, encoding="utf-8")
        return folder


def reviews(count: int, *, themes: int = 6, rare: bool = True, seed: int = 0) -> Corpus:
    """Return reviews of which two thirds hold one complaint or two, all of them pastimes.

    Args:
        count: of reviews.
        themes: of complaints, of about the same share each.
        rare: whether two reviews complain of one theme more.
        seed: of all choices.
    """
    rng = random.Random(seed)
    names = rng.sample(sorted(_THEMES), themes + 1)
    common, last = names[:-1], names[-1]
    texts: dict[str, str] = {}
    stated: dict[str, list[str]] = {}
    for n in range(count):
        title, who = f"Review {n + 1}", f"{rng.choice(_FIRST)} {rng.choice(_LAST)}"
        complaints = rng.sample(common, rng.choice((0, 1, 1, 2)))
        if rare and n in (count // 3, 2 * count // 3):
            complaints = [last]
        for theme in complaints:
            stated.setdefault(theme, []).append(title)
        texts[title] = _text(title, who, complaints, rng)
    return Corpus(texts, {name: tuple(titles) for name, titles in stated.items()})


def named(corpus: Corpus, text: str) -> set[str]:
    """Return the themes that an answer names."""
    answer = text.casefold()
    return {theme for theme in corpus.themes if any(what in answer for what in corpus.phrases[theme])}


def theme_of(quote: str) -> str | None:
    """Return the theme that a sentence of a review complains of; None where it does not."""
    return next((theme for theme, whats in _THEMES.items() if any(what in quote for what in whats)), None)


def _text(title: str, who: str, complaints: Sequence[str], rng: random.Random) -> str:
    sentences = [
        f"{who} and other guests complain about {rng.choice(_THEMES[theme])}." for theme in complaints
    ]
    spent = [pastime.format(who=who) for pastime in rng.sample(_PASTIMES, 2)]
    return f"{title}\n\n{' '.join([spent[0], *sentences, spent[1]])}\n"
