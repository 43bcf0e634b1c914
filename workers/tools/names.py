"""Resolves a name to a node: exact names first, then aliases, then full-text search."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product

from hopline.models.base import Frozen
from hopline.models.graph_schema import INTERNAL_LABELS
from hopline.models.tools import Candidate
from workers.core.graph.elements import element_spellings, normalise_element
from workers.core.graph.schema import EVENT_LABEL
from workers.core.language.text import normalise, words
from workers.tools.candidates import candidates_of
from workers.tools.texts import joined, say
from workers.tools.tool import ToolPorts

# How well a candidate fits, best first: to the letter, in the normal form of names, by most of its words.
_NAME, _ALIAS, _NAME_FORM, _ALIAS_FORM, _LIKE, _NEAR = range(6)
_SHOWN = 5  # other candidates
_MOST_FITTING = 10  # nodes that one name is taken for together
_KIND = re.compile(r"(?P<name>.*\S)\s*+[(（](?P<label>[^()（）]+)[)）]")
_LOOSE_FROM = 5  # letters; shorter words with a letter changed are other words


class Resolved(Frozen):
    """What a name was taken for."""

    asked: str
    chosen: Candidate | None = None
    others: tuple[Candidate, ...] = ()  # that fit as well, or are near where nothing fits
    exact: bool = False  # it is the chosen node's name or alias

    @property
    def note(self) -> str:
        """Explain the choice to a reader; empty if it is obvious."""
        listed = say("mark.parts").join(candidate.shown for candidate in self.others)
        if self.chosen is None:
            similar = say("name.similar", listed=listed) if listed else ""
            return joined(say("name.none", asked=self.asked), similar)
        taken = "" if self.exact else say("name.taken", asked=self.asked, shown=self.chosen.shown)
        if not listed:
            return taken
        begun = taken or say("name.several", asked=self.asked, shown=self.chosen.shown)
        return joined(begun, say("name.others", listed=listed))


class Fitting(Frozen):
    """The nodes that a name fits."""

    asked: str
    chosen: tuple[Candidate, ...] = ()  # best first
    lesser: tuple[Candidate, ...] = ()  # that fit less well than those, best first
    exact: bool = False  # it is the first one's name or alias

    @property
    def note(self) -> str:
        """Explain the choice to a reader; empty if it is obvious."""
        listed = say("mark.parts").join(candidate.shown for candidate in self.lesser)
        if not self.chosen:
            similar = say("name.similar", listed=listed) if listed else ""
            return joined(say("name.none", asked=self.asked), similar)
        taken = "" if self.exact else say("name.taken", asked=self.asked, shown=self.chosen[0].shown)
        if len(self.chosen) > 1:
            taken = say("name.fits", asked=self.asked, count=len(self.chosen))
        return joined(taken, say("name.lesser", listed=listed) if listed else "")


def taken_for(*names: Resolved | None) -> dict[str, str]:
    """Return the name of the node for each that was asked for by another: the Heron is Ilse Varn."""
    return {
        name.asked: name.chosen.name
        for name in names
        if name and name.chosen and normalise_element(name.asked) != normalise_element(name.chosen.name)
    }


def resolve(name: str, ports: ToolPorts, labels: Sequence[str] = ()) -> Resolved:
    """Return which node a name means.

    An exact name or alias beats everything; then nodes with aliases are preferred, then the higher score. A
    name may say its kind, as candidates are shown: Mercury (Place).

    Args:
        name: as a person or a model wrote it.
        ports: where to look.
        labels: only nodes with one of these labels; any by default.
    """
    resolution = _resolved(name, ports, labels)
    match = _KIND.fullmatch(name.strip())
    if match is None or resolution.exact:
        return resolution  # Mercury (planet) may be a whole name
    known = {label.casefold(): label for label in ports.schema_source.schema().labels}
    label = known.get(match["label"].strip().casefold())
    if label is None or (labels and label not in labels):
        return resolution
    return _resolved(match["name"], ports, [label]).model_copy(update={"asked": name})


def resolve_all(name: str, ports: ToolPorts, labels: Sequence[str] = ()) -> Fitting:
    """Return all nodes that a name fits, best first.

    An exact match wins alone; otherwise all nodes match whose name is the same in normal form, or contains
    all its words.

    Args:
        name: as a person or a model wrote it.
        ports: where to look.
        labels: only nodes with one of these labels; any by default.
    """
    match = _KIND.fullmatch(name.strip())
    ranked = _ranked(name, ports, labels)
    if match and match["label"].casefold() in map(str.casefold, labels) and not _fits_wholly(ranked):
        ranked = _ranked(match["name"], ports, labels)
    least = _ALIAS if ranked and ranked[0][0] <= _ALIAS else _LIKE
    chosen = [candidate for fit, candidate in ranked if fit <= least][:_MOST_FITTING]
    lesser = [candidate for _, candidate in ranked if candidate not in chosen][:_SHOWN]
    return Fitting(asked=name, chosen=tuple(chosen), lesser=tuple(lesser), exact=_fits_wholly(ranked))


def _fits_wholly(ranked: Sequence[tuple[int, Candidate]]) -> bool:
    return bool(ranked) and ranked[0][0] < _LIKE


def _ranked(name: str, ports: ToolPorts, labels: Sequence[str]) -> list[tuple[int, Candidate]]:
    """Return candidates with how well each fits, best first."""
    fits = [(_fit(name, candidate), candidate) for candidate in candidates_of(name, ports, labels)]
    fits.sort(key=lambda pair: (pair[0], not pair[1].aliases, -pair[1].score, pair[1].name, pair[1].id))
    return [(fit, _hide_internal_labels(candidate)) for fit, candidate in fits]


def _resolved(name: str, ports: ToolPorts, labels: Sequence[str]) -> Resolved:
    ranked = _ranked(name, ports, labels)
    if not ranked or ranked[0][0] == _NEAR:
        return Resolved(asked=name, others=tuple(candidate for _, candidate in ranked[:_SHOWN]))
    best, chosen = ranked[0]
    exact = best < _LIKE
    # Who bears the name is not in doubt because another has it as a nickname.
    others = [
        candidate for fit, candidate in ranked[1:] if fit == best and _is_alternative(candidate, chosen)
    ]
    return Resolved(asked=name, chosen=chosen, others=tuple(others[:_SHOWN]), exact=exact)


def _is_alternative(candidate: Candidate, chosen: Candidate) -> bool:
    """An event about somebody contains their name in its own, but the name does not mean the event."""
    return EVENT_LABEL not in candidate.labels or EVENT_LABEL in chosen.labels


def _hide_internal_labels(candidate: Candidate) -> Candidate:
    kinds = tuple(label for label in candidate.labels if label not in INTERNAL_LABELS)
    return candidate.model_copy(update={"labels": kinds})


def _fit(name: str, candidate: Candidate) -> int:
    for same, by_name, by_alias in ((_letters, _NAME, _ALIAS), (_forms, _NAME_FORM, _ALIAS_FORM)):
        wanted = same(name)
        if wanted & same(candidate.name):
            return by_name
        if any(wanted & same(alias) for alias in candidate.aliases):
            return by_alias
    return _LIKE if any(_resembles(name, other) for other in (candidate.name, *candidate.aliases)) else _NEAR


def _letters(name: str) -> set[str]:
    return {normalise(name)} - {""}


def _forms(name: str) -> set[str]:
    return {normalise_element(name), *element_spellings(name)} - {""}


def _resembles(name: str, other: str) -> bool:
    """Return whether one name has all words of the other, except for a letter; single words must match."""
    pairs = product(map(words, sorted(_forms(name))), map(words, sorted(_forms(other))))
    return any(wanted and held and _holds(wanted, held) for wanted, held in pairs)


def _holds(wanted: list[str], held: list[str]) -> bool:
    # Scripts without spaces have one word per name, so there one has to be a part of the other.
    if not wanted[0].isascii() and len(wanted) == len(held) == 1:
        return wanted[0] in held[0] or held[0] in wanted[0] or alike(wanted[0], held[0])
    if all(any(alike(word, other) for other in held) for word in wanted):
        return True
    return len(held) > 1 and all(any(alike(word, other) for other in wanted) for word in held)


def alike(word: str, other: str) -> bool:
    """Return whether two words differ only in one letter that is changed, left out, added or swapped."""
    if word == other:
        return True
    if min(len(word), len(other)) < _LOOSE_FROM or abs(len(word) - len(other)) > 1:
        return False
    start = next((at for at, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), len(word))
    rest, left = word[start:], other[start:]
    swapped = rest[1::-1] + rest[2:] == left
    return rest[1:] == left[1:] or rest[1:] == left or rest == left[1:] or swapped
