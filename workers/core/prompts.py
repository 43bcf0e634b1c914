"""Loads prompts from */prompts/*.txt; the first line of each is a comment that says what it does."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection
from functools import cache
from importlib.resources import files

from hopline.models.base import Frozen

_TOOL = re.compile(r"`([a-z]\w*)`")


class Prompt(Frozen):
    """A system text and its name; the material goes into the user message, never into the text."""

    name: str
    text: str

    def for_tools(self, offered: Collection[str]) -> Prompt:
        """Return the prompt without the lines that name, in backticks, a tool or input that is not there."""
        lines = (line for line in self.text.split("\n") if set(_TOOL.findall(line)).issubset(offered))
        return self.model_copy(update={"text": "\n".join(lines)})

    @property
    def version(self) -> str:
        """An id of this text among all versions of the prompt: 12 hex digits of its SHA-256."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]


@cache
def load_prompt(package: str, name: str) -> Prompt:
    """Return the prompt `<package>/prompts/<name>.txt` without its comment line."""
    raw = (files(package) / "prompts" / f"{name}.txt").read_text(encoding="utf-8")
    _comment, _, text = raw.partition("\n")
    return Prompt(name=name, text=text.strip())


@cache
def prompt_versions(*packages: str) -> dict[str, str]:
    """Return the version of each prompt of the packages, by name."""
    return {
        name: load_prompt(package, name).version
        for package in packages
        for name in sorted(
            entry.name.removesuffix(".txt")
            for entry in (files(package) / "prompts").iterdir()
            if entry.name.endswith(".txt")
        )
    }
