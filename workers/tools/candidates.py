"""Finds candidate nodes for a name: key elements, index matches, and a bounded scan of the rest."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from hopline.models.graph_schema import GraphSchema, NameIndex
from hopline.models.tools import Candidate
from workers.core.graph.elements import normalise_element, spelled
from workers.core.graph.schema import NAMED_BY
from workers.core.language.text import normalise, words
from workers.tools.queries import Row, run_query
from workers.tools.tool import ToolPorts

_LIMIT = 25  # candidates of each kind
_FETCHED = 200  # of an index, before those of other collections are left out
_LOOKED_AT = 100_000  # nodes that no full-text index covers: about a second
_MAX_WORDS = 12  # of a name
_KEY_ELEMENT = "KeyElement"
# As in the normal form of names: the marks that NFKD sets apart over Latin letters, from grave to ogonek, are
# dropped, and letters that it leaves alone are told in others.
_MARKS = (
    *range(0x300, 0x305),
    *range(0x306, 0x309),
    *range(0x30A, 0x30D),
    0x31B,
    0x323,
    *range(0x326, 0x329),
)
_LETTERS = {"ß": "ss", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i"}
_FOLDS = {chr(mark): "" for mark in _MARKS} | _LETTERS


def candidates_of(name: str, ports: ToolPorts, labels: Sequence[str] = ()) -> list[Candidate]:
    """Return nodes whose names or aliases resemble a name, each once, unordered.

    hopline's own index finds key elements, including typed entities; full-text indexes find nodes with other
    labels; labels without an index are scanned, up to 100,000 nodes.
    """
    whole = ports.schema_source.schema(internal=True)
    wanted = set(labels)
    candidates = _key_elements(name, ports, wanted) if whole.is_own else []
    indexes, bare = _covered(whole, wanted)
    for index in indexes:
        candidates += _indexed(name, index, ports)
    if bare:
        candidates += _scanned(name, bare, ports)
    unique = {candidate.id: candidate for candidate in reversed(candidates)}
    return [candidate for candidate in unique.values() if not wanted or wanted & set(candidate.labels)]


def _key_elements(name: str, ports: ToolPorts, wanted: set[str]) -> list[Candidate]:
    """Return live key elements of the collection; redirects stand for their targets.

    Those that bear the name, or have it as an alias, beat whatever resembles it: then that is not looked for.
    """
    ids = {element.id for element in ports.graph.nodes.elements_named(ports.collection, [name]).get(name, [])}
    scores: dict[str, float] = {}
    if wanted or not ids:
        scores = {
            hit.id: hit.score for hit in ports.graph.nodes.elements_like(ports.collection, name, _LIMIT)
        }
        ids |= {element.id for element in ports.graph.nodes.elements(ports.collection, list(scores))}
    if not ids:
        return []
    ran = run_query("names_elements", ports, ids=sorted(ids))
    return [candidate_of(row, scores.get(row["key"], 0.0)) for row in ran.rows]


def _covered(whole: GraphSchema, wanted: set[str]) -> tuple[list[NameIndex], list[str]]:
    """Return the indexes to ask, and the labels that none of them covers."""
    shown = whole.without_internal()
    labels = (wanted & shown.labels) if wanted else shown.labels
    named = {
        node.label
        for node in shown.nodes
        if {typed_property.name for typed_property in node.properties} & NAMED_BY
    }
    indexes = [
        index for index in whole.indexes if labels & set(index.labels) and set(index.properties) & NAMED_BY
    ]
    covered = {label for index in indexes for label in index.labels}
    return indexes, sorted((labels & named) - covered)


def _indexed(name: str, index: NameIndex, ports: ToolPorts) -> list[Candidate]:
    query = _any_word([field for field in index.properties if field in NAMED_BY], name)
    if not query:
        return []
    ran = run_query("names_indexed", ports, index=index.name, query=query, fetched=_FETCHED, limit=_LIMIT)
    return [candidate_of(row, row["score"]) for row in ran.rows]


def _any_word(fields: Iterable[str], name: str) -> str:
    """Return a Lucene query for some of the name's words, each unchanged or with one letter changed.

    Words are letters and digits; inner points, hyphens and apostrophes stand in quotes, so nothing in a name
    is an operator.
    """
    clauses = []
    for word in list(dict.fromkeys(words(name)))[:_MAX_WORDS]:
        clauses.append(f'"{word}"^2')
        if word.isalpha():
            clauses.append(f"{word}~1")
    return " ".join(f"{field}:({' '.join(clauses)})" for field in fields) if clauses else ""


def _scanned(name: str, labels: list[str], ports: ToolPorts) -> list[Candidate]:
    plain = _without_marks(normalise(name))
    wanted = words(_without_marks(normalise_element(name))) or [plain]
    ran = run_query(
        "names_scanned",
        ports,
        labels,
        words=wanted[:_MAX_WORDS],
        asked=plain,
        folds=[list(fold) for fold in _FOLDS.items()],
        looked_at=_LOOKED_AT,
        limit=_LIMIT,
    )
    return [candidate_of(row, row["score"]) for row in ran.rows]


def _without_marks(text: str) -> str:
    apart = unicodedata.normalize("NFKD", text)
    # Put together again what is a letter of its own only so: 한, が.
    return unicodedata.normalize("NFKC", "".join(_FOLDS.get(letter, letter) for letter in apart))


def candidate_of(row: Row, score: float = 0.0) -> Candidate:
    """Return a row's node as a candidate."""
    named = [row["name"], row.get("title"), row.get("key")]
    aliases = _texts(row.get("aliases")) + _texts(row.get("alias"))
    name = next((str(value) for value in named if value not in (None, "")), "")
    if _KEY_ELEMENT in row["labels"]:
        name = spelled(name, aliases)
    return Candidate(
        id=row["id"], name=name, labels=tuple(row["labels"]), aliases=tuple(aliases), score=score
    )


def _texts(value: Any) -> list[str]:
    many = value if isinstance(value, list) else [value]
    return [text for text in many if isinstance(text, str) and text]
