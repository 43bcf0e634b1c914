"""Tickets of customers of a laptop with known themes: which problem stands in which, seeded.

Unlike reviews of the hotel they are of unlike length, themes are of unlike size, and much else is said.
"""

from __future__ import annotations

import random

from themes import Corpus

QUESTION = "Which problems do customers report?"
_THEMES = {
    "battery": (
        "a battery that drains within an hour",
        "the battery that swells",
        "the charging of the battery",
    ),
    "screen": ("a cracked screen", "a flickering screen", "dead pixels on the screen"),
    "delivery": (
        "a delivery that came two weeks late",
        "a delivery to the wrong address",
        "the missing delivery note",
    ),
    "invoice": ("a wrong invoice", "an invoice sent twice", "the currency of the invoice"),
    "keyboard": ("sticky keys of the keyboard", "the layout of the keyboard", "a loose keyboard cable"),
    "fan": ("the loud fan", "a fan that stands still", "dust in the fan"),
    "password": (
        "the reset of the password",
        "a password that expires daily",
        "the length of the password",
    ),
    "update": ("a firmware update that fails", "an update without a way back", "the size of the update"),
    "hinge": ("the broken hinge of the lid", "a squeaking hinge", "a hinge without screws"),
    "speaker": ("the crackling speaker", "a silent speaker", "the weak bass of the speaker"),
    "manual": ("the manual without pictures", "a manual in the wrong language", "errors in the manual"),
}
_REPORTS = (
    "{who} reports a problem with {what}.",
    "{who} reported problems with {what}.",
    "{who} called to report {what} as a problem.",
    "Another problem that {who} reported is {what}.",
)
_REMARKS = (
    "{who} bought the laptop in {town}.",
    "The parcel for {who} left the depot in {town}.",
    "{who} prefers to be written to.",
    "{who} has been a customer since {year}.",
    "A technician from {town} called {who} back.",
    "{who} paid by card.",
    "{who} recommends the shop in {town}.",
    "The warranty of {who} ends in {year}.",
    "{who} asked for a newsletter.",
    "{who} uses the laptop for drawing.",
)
_FIRST = [
    "Amir",
    "Bao",
    "Celia",
    "Dario",
    "Esme",
    "Farid",
    "Gwen",
    "Hugo",
    "Ines",
    "Jamal",
    "Kira",
    "Liam",
    "Mona",
    "Nils",
    "Oona",
    "Pavel",
    "Quinn",
    "Rosa",
    "Sven",
    "Tara",
    "Umar",
    "Vera",
    "Wim",
    "Xenia",
    "Yann",
    "Zoe",
]
_LAST = [
    "Abbot",
    "Birk",
    "Castro",
    "Dorn",
    "Ebert",
    "Fink",
    "Gray",
    "Haas",
    "Innes",
    "Jung",
    "Kovac",
    "Lang",
    "Moss",
    "Nagel",
    "Orth",
    "Pike",
    "Quist",
    "Ruiz",
    "Stone",
    "Toth",
    "Unger",
    "Voss",
    "Wolf",
    "Yule",
    "Zorn",
    "Amsel",
    "Bruch",
    "Corda",
]
_TOWNS = [
    "Aachen",
    "Bergen",
    "Calais",
    "Derby",
    "Essen",
    "Faro",
    "Ghent",
    "Hull",
    "Izmir",
    "Jena",
    "Kiel",
    "Lund",
    "Metz",
    "Narva",
    "Oslo",
    "Porto",
    "Reims",
    "Siena",
    "Turku",
    "Ulm",
]
_YEARS = range(1998, 2026)
_STEEPNESS = 0.7  # of the sizes of themes: the n-th is as likely as n to the power of minus it


def tickets(count: int, *, themes: int = 9, rare: bool = True, seed: int = 0) -> Corpus:
    """Return tickets of which most report up to three problems, all of them with other remarks.

    Args:
        count: of tickets.
        themes: of problems, the first several times as frequent as the last.
        rare: whether two tickets report one problem more.
        seed: of all choices.
    """
    rng = random.Random(seed)
    names = rng.sample(sorted(_THEMES), themes + 1)
    common, last = names[:-1], names[-1]
    weights = [(n + 1) ** -_STEEPNESS for n in range(themes)]
    texts: dict[str, str] = {}
    stated: dict[str, list[str]] = {}
    for n in range(count):
        title, who = f"Ticket {n + 1}", f"{rng.choice(_FIRST)} {rng.choice(_LAST)}"
        reported = list(dict.fromkeys(rng.choices(common, weights, k=rng.choice((0, 1, 1, 1, 2, 3)))))
        if rare and n in (count // 3, 2 * count // 3):
            reported = [last]
        for theme in reported:
            stated.setdefault(theme, []).append(title)
        sentences = [
            rng.choice(_REPORTS).format(who=who, what=rng.choice(_THEMES[theme])) for theme in reported
        ]
        sentences += [
            remark.format(who=who, town=rng.choice(_TOWNS), year=rng.choice(_YEARS))
            for remark in rng.sample(_REMARKS, rng.randint(2, 6))
        ]
        rng.shuffle(sentences)
        texts[title] = f"{title}\n\n{' '.join(sentences)}\n"
    held = {name: tuple(titles) for name, titles in stated.items()}
    return Corpus(texts, held, question=QUESTION, phrases=_THEMES)
