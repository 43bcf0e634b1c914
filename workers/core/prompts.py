"""Loads prompts from */prompts/*.txt; the first line of each is a comment that says what it does."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from workers.core.model import Frozen


class Prompt(Frozen):
    """A system text and its name; the material goes into the user message, never into the text."""

    name: str
    text: str


@cache
def load_prompt(package: str, name: str) -> Prompt:
    """Return the prompt `<package>/prompts/<name>.txt` without its comment line."""
    raw = (files(package) / "prompts" / f"{name}.txt").read_text(encoding="utf-8")
    _comment, _, text = raw.partition("\n")
    return Prompt(name=name, text=text.strip())
