"""The page's texts: both catalogues are complete, and the modules use what is in them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from producer.api.problems import _TITLES
from workers.core.work import JobState

WEB = Path(__file__).resolve().parents[2] / "producer" / "web"
MODULES = sorted(path for path in WEB.rglob("*.js") if WEB / "vendor" not in path.parents)
CODE = "\n".join(path.read_text(encoding="utf-8") for path in [*MODULES, WEB / "index.html"])
# Families of texts for words that the server sends: known("state", word), isKnown("state", word).
FAMILIES = set(re.findall(r"""(?:known|isKnown)\(\s*"([\w.]+)",""", CODE))
_KEY = re.compile(r"""\bt\(\s*"([^"]+)"|data-(?:text|label)="([^"]+)"|"([a-z]\w*(?:\.[\w-]+)+)\"""")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


def catalogue(language: str) -> dict[str, Any]:
    """Return a language's texts; one that depends on a number is a text per plural."""
    return dict(json.loads((WEB / "texts" / f"{language}.json").read_text(encoding="utf-8")))


ENGLISH, CHINESE = catalogue("en"), catalogue("zh")


def forms(entry: str | dict[str, str]) -> list[str]:
    """Return the texts of an entry: one, or one per plural."""
    return [entry] if isinstance(entry, str) else list(entry.values())


def test_both_languages_hold_the_same_texts_in_the_same_order() -> None:
    assert list(ENGLISH) == list(CHINESE)


@pytest.mark.parametrize("texts", [ENGLISH, CHINESE], ids=["en", "zh"])
def test_no_text_is_empty_or_stands_twice(texts: dict[str, Any]) -> None:
    assert all(form.strip() for entry in texts.values() for form in forms(entry))
    language = "en" if texts is ENGLISH else "zh"
    pairs = json.loads(
        (WEB / "texts" / f"{language}.json").read_text(encoding="utf-8"), object_pairs_hook=lambda told: told
    )
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("key", ENGLISH)
def test_a_text_has_the_same_placeholders_in_both_languages(key: str) -> None:
    wanted = [set(_PLACEHOLDER.findall(form)) for form in forms(ENGLISH[key]) + forms(CHINESE[key])]
    if isinstance(ENGLISH[key], dict):  # "1" may be a word: "the other one"
        assert set(ENGLISH[key]) == {"one", "other"}
        wanted = [one | {"n"} for one in wanted]
    assert all(one == wanted[0] for one in wanted)


def test_every_text_that_the_page_asks_for_is_there_and_every_text_is_asked_for() -> None:
    asked = {key for found in _KEY.findall(CODE) for key in found if key}
    called = {key for found in _KEY.findall(CODE) for key in found[:2] if key}
    assert not sorted(called - set(ENGLISH))
    of_families = tuple(f"{name}." for name in FAMILIES)
    assert not [key for key in ENGLISH if key not in asked and not key.startswith(of_families)]


def test_what_the_server_calls_by_its_own_words_has_texts() -> None:
    assert {state.value for state in JobState} <= family("state")
    assert {name for name, _ in _TITLES.values()} == family("problem")
    for name, title in _TITLES.values():
        assert ENGLISH[f"problem.{name}"] == title


def family(name: str) -> set[str]:
    """Return the words that a family of texts knows."""
    return {key.removeprefix(f"{name}.") for key in ENGLISH if key.startswith(f"{name}.")}
