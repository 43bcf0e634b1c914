"""The page's texts: both catalogues are complete, and the modules use what is in them."""

import json
import re
from pathlib import Path
from typing import Any, get_args

import pytest

from hopline.models.concepts import Change
from hopline.models.jobs import JobState, Priority
from hopline.models.questions import Strategy
from producer.api.problems import TITLES
from workers.flows.registry import FLOWS, STRATEGIES

WEB = Path(__file__).resolve().parents[4] / "producer" / "web"
MODULES = sorted(path for path in WEB.rglob("*.js") if WEB / "vendor" not in path.parents)
CODE = "\n".join(path.read_text(encoding="utf-8") for path in [*MODULES, WEB / "index.html"])
# Families of texts for words that the server sends: known("state", word), isKnown("state", word).
FAMILIES = set(re.findall(r"""(?:known|isKnown)\(\s*"([\w.-]+)",""", CODE))
_KEY = re.compile(r"""\bt\(\s*"([^"]+)"|data-(?:text|label)="([^"]+)"|"([a-z]\w*(?:\.[\w-]+)+)\"""")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


def catalogue(language: str) -> dict[str, Any]:
    """Return a language's texts; one that depends on a number is a text per plural."""
    return dict(json.loads((WEB / "texts" / f"{language}.json").read_text(encoding="utf-8")))


ENGLISH, CHINESE = catalogue("en"), catalogue("zh")


def forms(entry: str | dict[str, str]) -> list[str]:
    """Return the texts of an entry: one, or one per plural."""
    return [entry] if isinstance(entry, str) else list(entry.values())


def test_both_languages_hold_the_same_texts_and_placeholders() -> None:
    assert list(ENGLISH) == list(CHINESE)
    different = {key: placeholders(key) for key in ENGLISH if len(set(placeholders(key))) > 1}
    assert not different
    plurals = [entry for entry in ENGLISH.values() if isinstance(entry, dict)]
    assert all(set(entry) == {"one", "other"} for entry in plurals)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_text_is_empty_or_stands_twice(language: str) -> None:
    text = (WEB / "texts" / f"{language}.json").read_text(encoding="utf-8")
    keys = [key for key, _ in json.loads(text, object_pairs_hook=lambda pairs: pairs)]
    assert len(keys) == len(set(keys))
    assert all(form.strip() for entry in catalogue(language).values() for form in forms(entry))


def placeholders(key: str) -> list[frozenset[str]]:
    """Return the placeholders of each form of a text; a plural may do without its number: "the other one"."""
    more = {"n"} if isinstance(ENGLISH[key], dict) else set()
    return [
        frozenset(_PLACEHOLDER.findall(form)) | more for form in forms(ENGLISH[key]) + forms(CHINESE[key])
    ]


def test_every_text_that_page_or_server_asks_for_is_there_and_every_text_asked_for() -> None:
    keys = {key for groups in _KEY.findall(CODE) for key in groups if key}
    called = {key for groups in _KEY.findall(CODE) for key in groups[:2] if key}
    assert not sorted(called - set(ENGLISH))
    of_families = tuple(f"{name}." for name in FAMILIES)
    assert not [key for key in ENGLISH if key not in keys and not key.startswith(of_families)]
    assert {state.value for state in JobState} <= family("state")
    flows = [*FLOWS.values(), *STRATEGIES.values()]
    assert {step for flow in flows for step in flow.steps} == family("step")
    assert {*FLOWS} == family("kind")
    assert {*get_args(Strategy)} == family("strategy") == family("strategy-choice")
    assert {*get_args(Priority)} == family("priority")
    assert {*get_args(Change)} == family("concept-change")
    assert {name for name, _ in TITLES.values()} == family("problem")
    for name, title in TITLES.values():
        assert ENGLISH[f"problem.{name}"] == title


def family(name: str) -> set[str]:
    """Return the words that a family of texts knows."""
    return {key.removeprefix(f"{name}.") for key in ENGLISH if key.startswith(f"{name}.")}


_TOKENS = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<regex>(?<=[=(,:!&|?]\s)/(?![/*])(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\n])+/[a-z]*)"""
    r"""|(?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?P<template>`(?:\\.|[^`\\])*`)""",
    re.DOTALL,
)
_FILLED = re.compile(r"\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}")
# Text that people read has words with spaces between them, begins with a capital, or is not in Latin letters.
_PROSE = re.compile(r"[A-Za-z]{2,}[,.:]? [A-Za-z]{2,}|^\W*[A-Z][a-z]+|[\u3000-\u9fff\uff00-\uffef]")
# A child of an element, or a label of one.
_SHOWN = re.compile(
    r"""(?:\},\s*|aria-(?:label|roledescription)": |placeholder: )["`]([^"`]*[a-z]{2}[^"`]*)["`]\s*[,)}]"""
)
# Words of the browser, the API and file formats, names that no language changes, and examples of concepts.
_TECHNICAL = {
    "AbortError", "Bearer", "Content-Type", "DateTimeFormat", "English", "Enter", "Escape", "Europe/Berlin",
    "Files", "If-Match", "Last-Event-ID", "Markdown", "NumberFormat", "PluralRules", "Retry-After", "hop_…",
    *("ArrowLeft", "ArrowRight", "Page-Height", "Page-Width"),
    *("(prefers-color-scheme: dark)", "(prefers-reduced-motion: reduce)", "is-chosen is-near is-far"),
    "is-cited is-dim", "Hopline-Browser",
    *("a[href], button, summary, input, select, [tabindex]", "key-why key-error", "node, edge", "team=legal"),
    *("hopline ingest --batch", "hopline keys create NAME", "hopline keys open"),
    *("natural selection", "there is none any more", 'tags has "', "中文", "博弈论", "熵"),
}  # fmt: skip


def literals(code: str) -> list[str]:
    """Return the fixed parts of all strings of a module."""
    texts = []
    for match in _TOKENS.finditer(code):
        if match.lastgroup == "string":
            texts.append(match[0][1:-1])
        elif match.lastgroup == "template":
            inner = _FILLED.findall(match[0])
            texts += [
                *_FILLED.sub("\0", match[0][1:-1]).split("\0"),
                *(t for expression in inner for t in literals(expression)),
            ]
    return texts


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(WEB).as_posix())
def test_a_module_holds_no_text_that_people_read(path: Path) -> None:
    code = path.read_text(encoding="utf-8")
    texts = [text for text in literals(code) if _PROSE.search(text)]
    written = _TOKENS.sub(lambda match: "" if match.lastgroup == "comment" else match[0], code)
    texts += [text for text in _SHOWN.findall(written) if "$" not in text]
    assert not [text for text in texts if text.strip() not in _TECHNICAL]


def test_a_reason_that_has_texts_is_one_that_a_worker_gives() -> None:
    workers = WEB.parents[1] / "workers"
    code = "".join(path.read_text(encoding="utf-8") for path in workers.rglob("*.py"))
    for word in family("reason"):
        sentence = ENGLISH[f"reason.{word}"]
        assert word == "-".join(re.findall("[a-z]+", sentence.lower()))
        assert sentence.rstrip(".") in code, sentence
