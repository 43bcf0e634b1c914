"""ConceptVerdict, ConceptExpansion, RelationVerdict, RelationCheck from a table; SameThings by spelling.

A concept or relation that is not in the table is doubtful: the parser cannot judge, and does not guess.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import orjson

from workers.core.concepts.maps import concept_key, is_chinese
from workers.ingest.resolution.spellings import spelled_alike

_LANGUAGES = ("en", "zh")
_UNKNOWN_CONCEPT = (
    "the stand-in knows {count} concepts; a model endpoint knows more",
    "内置模型只认识 {count} 个概念；接入模型端点可了解更多",
)
_UNKNOWN_RELATION = ("not in the offline model's table", "不在离线模型的概念表中")
_ALTERED = ("its text is not that of the table", "其文本与概念表不符")
_TEXTS = ("domain", "definition", "relation", "strength")


@cache
def concept_table() -> dict[str, dict[str, Any]]:
    """Return {domain, definition, relations: {key: relation}} by the key of every core, in both languages."""
    raw = (files("infra.offline_model.parser") / "concept_table.json").read_bytes()
    table: dict[str, dict[str, Any]] = {}
    for entry in orjson.loads(raw):
        for language in _LANGUAGES:
            core = entry[language]
            related = [
                {**relation[language], "strength": relation["strength"]} for relation in entry["relations"]
            ]
            relations = {concept_key(relation["name"]): relation for relation in related}
            table[concept_key(core["name"])] = {**core, "relations": relations}
    return table


@cache
def _named() -> dict[str, dict[str, Any]]:
    """Return {domain, definition} of every concept of the table, those that relations lead to included."""
    cores = concept_table()
    related = {key: relation for core in cores.values() for key, relation in core["relations"].items()}
    return related | cores


def judge_concept(material: dict[str, Any]) -> dict[str, Any]:
    """Return {verdict, reason, domain, definition} for {concept}."""
    concept = str(material.get("concept") or "")
    known = _named().get(concept_key(concept))
    if known is None:
        return {
            "verdict": "doubtful",
            "reason": _choose_text(concept, _UNKNOWN_CONCEPT).format(
                count=len(concept_table()) // len(_LANGUAGES)
            ),
            "domain": "",
            "definition": "",
        }
    return {"verdict": "valid", "reason": "", "domain": known["domain"], "definition": known["definition"]}


def expand_concept(material: dict[str, Any]) -> dict[str, Any]:
    """Return {relations} for {concept, disciplines, wanted, known, refused}, strongest first."""
    core = concept_table().get(concept_key(str(material.get("concept") or "")))
    if core is None:
        return {"relations": []}
    named = [*(material.get("known") or []), *(material.get("refused") or [])]
    there = {concept_key(str(name)) for name in named}
    open_to = [str(discipline) for discipline in material.get("disciplines") or []]
    fitting = [
        relation
        for key, relation in core["relations"].items()
        if key not in there and relation["domain"] in open_to
    ]
    ranked = sorted(fitting, key=lambda relation: -relation["strength"])
    return {"relations": ranked[: int(material.get("wanted") or 0)]}


def judge_relation(material: dict[str, Any]) -> dict[str, Any]:
    """Return {verdict, reason} for {concept, relation}."""
    concept, relation = str(material.get("concept") or ""), material.get("relation") or {}
    core = concept_table().get(concept_key(concept)) or {"relations": {}}
    known = core["relations"].get(concept_key(str(relation.get("name") or "")))
    if known is None:
        return {"verdict": "doubtful", "reason": _choose_text(concept, _UNKNOWN_RELATION)}
    if any(relation.get(name) != known[name] for name in _TEXTS):
        return {"verdict": "doubtful", "reason": _choose_text(concept, _ALTERED)}
    return {"verdict": "valid", "reason": ""}


def _choose_text(concept: str, texts: tuple[str, str]) -> str:
    return texts[is_chinese(concept)]


_WHY = {"spelling": "Both are spelled with the same letters.", "typo": "One letter of a long word differs."}


def judge_pairs(material: dict[str, Any]) -> dict[str, Any]:
    """Return a verdict on each pair of names."""
    return {"things": [_judged(pair) for pair in material.get("pairs") or () if isinstance(pair, dict)]}


def _judged(pair: dict[str, Any]) -> dict[str, Any]:
    name, other = (str((pair.get(end) or {}).get("name") or "") for end in ("one", "other"))
    rule = spelled_alike(name, other)
    why = _WHY.get(rule or "", "The names are not spelled alike.")
    return {"n": pair.get("n"), "why": why, "same": rule is not None}
