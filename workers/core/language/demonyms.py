"""Recognises the adjective of a country or region, and its people, as the place's name: Canadian, Canada."""

from __future__ import annotations

# What no rule derives.
_IRREGULAR = """
    argentina argentine; britain british briton; cyprus cypriot; denmark danish dane; england english;
    finland finnish finn; france french; greece greek; holland netherlands dutch; iceland icelandic;
    ireland irish; kosovo kosovar; lebanon lebanese; norway norwegian; philippines filipino filipina;
    poland polish pole; portugal portuguese; scotland scottish scots scot; slovakia slovak; spain spanish
    spaniard; sweden swedish swede; switzerland swiss; thailand thai; turkey turkish turk; wales welsh;
    congo congolese; afghanistan afghan; peru peruvian; monaco monegasque; quebec quebecois; naples
    neapolitan; venice venetian; genoa genoese; florence florentine; bavaria bavarian; flanders flemish
"""
_PLACES = tuple(frozenset(line.split()) for line in _IRREGULAR.split(";"))
# Endings of adjectives, and of the places that they are made from; where a place only grows, as Brazil to
# Brazilian, the two begin alike.
_DERIVED = {"ian": ("y", "e", "a"), "an": ("o",), "ese": ("a",), "ish": ("en", "and", "ey")}
_STEM = 4  # letters that are left


def is_same_place(word: str, other: str) -> bool:
    """Return whether one of two case-folded words names a place and the other is its adjective or demonym."""
    if any(word in names and other in names for names in _PLACES):
        return True
    return _derives(word, other) or _derives(other, word)


def _derives(adjective: str, place: str) -> bool:
    singular = adjective.removesuffix("s")
    return any(
        singular.endswith(ending)
        and len(stem := singular.removesuffix(ending)) >= _STEM
        and place == stem + whole
        for ending, places in _DERIVED.items()
        for whole in places
    )
