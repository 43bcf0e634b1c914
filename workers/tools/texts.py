"""Catalogues of the tools' messages, one per language."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from workers.core.language.text import CHINESE

Language = Literal["en", "zh"]

_KANA = re.compile(r"[\u3041-\u30ff\uac00-\ud7af]")
_IN_ANY_LANGUAGE = frozenset(("relation", "translations"))
LANGUAGES: tuple[Language, ...] = ("en", "zh")
_LANGUAGE: ContextVar[Language] = ContextVar("language of the tools", default="en")


@cache
def catalogue(language: Language) -> dict[str, str]:
    """Return a language's texts by key (`table.name`); {names} are placeholders."""
    tables = tomllib.loads((files("workers.tools") / "catalogues" / f"{language}.toml").read_text("utf-8"))
    return {f"{table}.{name}": text for table, texts in tables.items() for name, text in texts.items()}


@contextmanager
def speaking(language: Language) -> Iterator[None]:
    """Use a language for texts within the block."""
    before = _LANGUAGE.set(language)
    try:
        yield
    finally:
        _LANGUAGE.reset(before)


def say(key: str, **values: object) -> str:
    """Return a text of the language that is spoken."""
    return catalogue(_LANGUAGE.get())[key].format(**values)


def say_many(key: str, count: int, **values: object) -> str:
    """Return a text that speaks of one or of several: `key_one` or `key`."""
    return say(f"{key}_one" if count == 1 else key, count=count, **values)


def joined(*sentences: str) -> str:
    """Return sentences one after another, empty ones left out."""
    return say("mark.join").join(filter(None, sentences))


def language_of(text: str) -> Language:
    """Return the main language of a text; English if it is neither Chinese nor English."""
    letters = sum(map(str.isalpha, text))
    chinese = len(CHINESE.findall(text))
    return "zh" if 2 * chinese > letters and not _KANA.search(text) else "en"


def language_of_call(arguments: Mapping[str, Any]) -> Language:
    """Return the language of a call that is made without a question: of its names and words."""
    return language_of(
        " ".join(
            value
            for name, value in arguments.items()
            if isinstance(value, str) and name not in _IN_ANY_LANGUAGE
        )
    )


def event_type_name(kind: str) -> str:
    """Return the display name of an event type; a custom profile's types keep their names."""
    return catalogue(_LANGUAGE.get()).get(f"event_type.{kind.casefold()}", kind)


def property_name(key: str) -> str:
    """Return a property's display name; its name in the graph if the catalogue has none."""
    return catalogue(_LANGUAGE.get()).get(f"property.{key}", key)


def event_type_of(name: str) -> str:
    """Return the event type that is called so in any language, in small letters: sacrifice of 牺牲."""
    small = name.strip().lower()
    for language in LANGUAGES:
        for key, called in catalogue(language).items():
            if key.startswith("event_type.") and called == small:
                return key.partition(".")[2]
    return small


def event_type_spellings(kind: str) -> list[str]:
    """Return all that a graph may call an event type, in small letters: sacrifice and 牺牲 of sacrifice."""
    key = f"event_type.{kind}"
    return list(
        dict.fromkeys(
            (kind, *(catalogue(language)[key] for language in LANGUAGES if key in catalogue(language)))
        )
    )
