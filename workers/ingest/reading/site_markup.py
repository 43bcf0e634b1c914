"""Takes out of Markdown what only site generators follow: shortcodes, in MDX components and expressions.

Lines stay lines, so that a place in the text is a line of the file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator

from workers.ingest.reading.markdown_tables import fence_after

_CODE = re.compile(r"(?<!`)(`{1,3})(?!`)[^`\n]{1,1000}\1(?!`)")  # within a line
# Of Hugo {{< x >}} and {{% x %}}; of Liquid, Nunjucks and Jinja {% x %}; attributes of Kramdown {: x}.
_SHORTCODE = re.compile(
    r"\{\{[<%](?:[^{}]|\{(?!\{)|\}(?!\})){0,2000}?[>%]\}\}|\{%[^%\n]{0,1000}%\}|\{:[^{}\n]{1,300}\}"
)
_IMPORT = re.compile(r"^(?:import|export)[ \t{*][^\n]*(?:\n(?![ \t]*\n)[^\n]*){0,200}", re.MULTILINE)
_COMMENT = re.compile(r"\{/\*(?:[^*]|\*(?!/\})){0,2000}\*/\}")
_TAG = re.compile(
    r"</?(?:[A-Za-z][\w.]{0,60}(?=[\s/>])(?:[^<>{}\"']|\"[^\"]{0,500}\"|'[^']{0,500}'"
    r"|\{(?:[^{}]|\{[^{}]{0,500}\}){0,1000}\}){0,60})?>"
)
_TITLE = re.compile(r"\b(?:title|label|header|heading)=(?:\"([^\"\n]{1,300})\"|'([^'\n]{1,300})')")
_EXPRESSION = re.compile(r"(?<!\\)\{(?:[^{}\n]|\{[^{}\n]{0,500}\}){0,1000}\}")


def without_site_markup(text: str, *, is_mdx: bool) -> tuple[str, Counter[str]]:
    """Remove markup meant only for the site generator, except in code; return the text and what was removed.

    Args:
        text: Markdown without its front matter.
        is_mdx: whether it is MDX, where components, imports and expressions in braces are not text.
    """
    left_out = Counter[str]()

    def out(kind: str) -> Callable[[re.Match[str]], str]:
        def replaced(found: re.Match[str]) -> str:
            left_out[kind] += 1
            said = (
                next((one[1] or one[2] for one in _TITLE.finditer(found[0])), "")
                if kind == "component"
                else ""
            )
            return said + "\n" * found[0].count("\n")

        return replaced

    steps = [(_SHORTCODE, "shortcode")]
    if is_mdx:
        steps += [
            (_COMMENT, "comment"),
            (_IMPORT, "import"),
            (_TAG, "component"),
            (_EXPRESSION, "expression"),
        ]
    parts, at = [], 0
    for start, end in [*_code_in(text), (len(text), len(text))]:
        prose = text[at:start]
        for pattern, kind in steps:
            prose = pattern.sub(out(kind), prose)
        parts += [prose, text[start:end]]
        at = end
    return "".join(parts), left_out


def _code_in(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each piece of code: lines between fences, and spans between backticks."""
    at, fence = 0, ""
    for line in text.split("\n"):
        was_code, fence = bool(fence), fence_after(line.removesuffix("\r"), fence)
        if was_code or fence:
            yield at, at + len(line)
        else:
            yield from ((at + found.start(), at + found.end()) for found in _CODE.finditer(line))
        at += len(line) + 1
