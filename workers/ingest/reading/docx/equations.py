r"""Equations of Office (OMML; ECMA-376, part 1, 22.1) as LaTeX.

Letters and signs stay in Unicode ("θ", "≤"), so that searches find them as typed; only structures become
commands: \frac, \sqrt, ^{}, _{}, matrices, accents.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from workers.ingest.reading.docx.names import Element, below, is_on, name, value

_ESCAPED = str.maketrans(
    {"\\": r"\backslash ", "{": r"\{", "}": r"\}", "%": r"\%", "#": r"\#", "$": r"\$", "&": r"\&"}
)
_APPLICATION = "\u2061"  # the invisible sign between a function and its argument
_INTEGRAL = "∫"  # the sign of an operator that names none
_OPERATORS = {
    "∑": r"\sum",
    "∏": r"\prod",
    "∐": r"\coprod",
    "∫": r"\int",
    "∬": r"\iint",
    "∭": r"\iiint",
    "∮": r"\oint",
    "⋃": r"\bigcup",
    "⋂": r"\bigcap",
    "⋁": r"\bigvee",
    "⋀": r"\bigwedge",
}
_ACCENTS = {
    "\u0300": r"\grave",
    "\u0301": r"\acute",
    "\u0302": r"\hat",
    "\u0303": r"\tilde",
    "\u0304": r"\bar",
    "\u0305": r"\overline",
    "\u0306": r"\breve",
    "\u0307": r"\dot",
    "\u0308": r"\ddot",
    "\u030c": r"\check",
    "\u20d7": r"\vec",
    "⏞": r"\overbrace",
    "⏟": r"\underbrace",
}
_FUNCTIONS = frozenset(
    (
        "arccos",
        "arcsin",
        "arctan",
        "arg",
        "cos",
        "cosh",
        "cot",
        "coth",
        "csc",
        "deg",
        "det",
        "dim",
        "exp",
        "gcd",
        "hom",
        "inf",
        "ker",
        "lg",
        "lim",
        "liminf",
        "limsup",
        "ln",
        "log",
        "max",
        "min",
        "Pr",
        "sec",
        "sin",
        "sinh",
        "sup",
        "tan",
        "tanh",
    )
)
_FUNCTION = re.compile(r"\\text\{(\w+)\}|(?<!\\)\b(\w+)\b")  # in a function's name
_APPLIED = re.compile(rf"()([a-zA-Z]{{1,40}}){_APPLICATION}")
_PLAIN_BRACKETS = frozenset("()[]|")
_BRACKETS = {
    "": ".",
    "{": r"\{",
    "}": r"\}",
    "‖": r"\|",
    "⌊": r"\lfloor ",
    "⌋": r"\rfloor ",
    "⌈": r"\lceil ",
    "⌉": r"\rceil ",
    "⟨": r"\langle ",
    "⟩": r"\rangle ",
    "〈": r"\langle ",
    "〉": r"\rangle ",
}


def latex(element: Element) -> str:
    """Return an equation, or a part of one, as LaTeX without dollar signs."""
    shape = _SHAPES.get(element.tag)
    return shape(element) if shape else _inside(element)


def _inside(element: Element | None) -> str:
    if element is None:
        return ""
    text = ""
    for child in element:  # a plain loop: an equation may nest as deep as a file may
        text += latex(child)
    return text


def _part(element: Element, part: str) -> str:
    return _inside(below(element, part)).strip()


def _property(element: Element, where: str, default: str = "") -> str:
    """Return a property such as "m:naryPr/m:chr", or a default if it is not given."""
    found = below(element, *where.split("/"))
    return default if found is None else value(found)


def _is_set(element: Element, where: str) -> bool:
    return is_on(below(element, *where.split("/")))


def _run(element: Element) -> str:
    text = "".join(part.text or "" for part in element.iterchildren(name("m:t"), name("w:t")))
    escaped = _APPLIED.sub(_command, text.translate(_ESCAPED)).replace(_APPLICATION, "")
    if _is_set(element, "m:rPr/m:nor") and any(map(str.isalpha, text)):
        return rf"\text{{{escaped}}}"
    return escaped


def _fraction(element: Element) -> str:
    above, below = _part(element, "m:num"), _part(element, "m:den")
    match _property(element, "m:fPr/m:type", "bar"):
        case "noBar":
            return rf"\binom{{{above}}}{{{below}}}"
        case "lin" | "skw":
            return f"{{{above}}}/{{{below}}}"
        case _:
            return rf"\frac{{{above}}}{{{below}}}"


def _scripts(element: Element) -> str:
    base, below, above = (_part(element, part) for part in ("m:e", "m:sub", "m:sup"))
    scripts = (f"_{{{below}}}" if below else "") + (f"^{{{above}}}" if above else "")
    return f"{{}}{scripts}{base}" if element.tag == name("m:sPre") else base + scripts


def _root(element: Element) -> str:
    degree = "" if _is_set(element, "m:radPr/m:degHide") else _part(element, "m:deg")
    command = rf"\sqrt[{degree}]" if degree else r"\sqrt"
    return f"{command}{{{_part(element, 'm:e')}}}"


def _operator(element: Element) -> str:
    sign = _property(element, "m:naryPr/m:chr", _INTEGRAL)
    below, above = _part(element, "m:sub"), _part(element, "m:sup")
    limits = (f"_{{{below}}}" if below else "") + (f"^{{{above}}}" if above else "")
    return f"{_OPERATORS.get(sign, sign)}{limits} {_part(element, 'm:e')}"


def _delimited(element: Element) -> str:
    opening = _property(element, "m:dPr/m:begChr", "(")
    closing = _property(element, "m:dPr/m:endChr", ")")
    between = _property(element, "m:dPr/m:sepChr", "|")
    content = between.join(_inside(part) for part in element.iterchildren(name("m:e")))
    if "\\" not in content and opening in _PLAIN_BRACKETS and closing in _PLAIN_BRACKETS:
        return opening + content + closing  # of one line's height
    return rf"\left{_BRACKETS.get(opening, opening)}{content}\right{_BRACKETS.get(closing, closing)}"


def _function(element: Element) -> str:
    called = _FUNCTION.sub(_command, _part(element, "m:fName"))
    return f"{called.strip()} {_part(element, 'm:e')}"


def _command(match: re.Match[str]) -> str:
    word = match[1] or match[2]
    return f"\\{word} " if word in _FUNCTIONS else match[0]


def _limit(element: Element) -> str:
    base, limit = _part(element, "m:e"), _part(element, "m:lim")
    if element.tag == name("m:limLow"):
        return f"{base}_{{{limit}}}"
    return f"{base}^{{{limit}}}"


def _accent(element: Element) -> str:
    properties = "m:accPr" if element.tag == name("m:acc") else "m:groupChrPr"
    sign = _property(element, f"{properties}/m:chr", "\u0302" if properties == "m:accPr" else "⏟")
    command = _ACCENTS.get(sign, rf"\overset{{{sign}}}")
    return f"{command}{{{_part(element, 'm:e')}}}"


def _bar(element: Element) -> str:
    where = _property(element, "m:barPr/m:pos", "bot")
    command = r"\overline" if where == "top" else r"\underline"
    return f"{command}{{{_part(element, 'm:e')}}}"


def _matrix(element: Element) -> str:
    rows = (
        " & ".join(_inside(cell).strip() for cell in row.iterchildren(name("m:e")))
        for row in element.iterchildren(name("m:mr"))
    )
    return _environment("matrix", rows)


def _lines(element: Element) -> str:
    lines = (_inside(line).strip() for line in element.iterchildren(name("m:e")))
    return _environment("aligned", lines)


def _environment(called: str, lines: Iterable[str]) -> str:
    content = r" \\ ".join(lines)
    return rf"\begin{{{called}}}{content}\end{{{called}}}"


_SHAPES: dict[str, Callable[[Element], str]] = {
    name("m:r"): _run,
    name("m:f"): _fraction,
    name("m:sSup"): _scripts,
    name("m:sSub"): _scripts,
    name("m:sSubSup"): _scripts,
    name("m:sPre"): _scripts,
    name("m:rad"): _root,
    name("m:nary"): _operator,
    name("m:d"): _delimited,
    name("m:func"): _function,
    name("m:limLow"): _limit,
    name("m:limUpp"): _limit,
    name("m:acc"): _accent,
    name("m:groupChr"): _accent,
    name("m:bar"): _bar,
    name("m:m"): _matrix,
    name("m:eqArr"): _lines,
    name("w:del"): lambda _element: "",
    name("w:moveFrom"): lambda _element: "",
}
