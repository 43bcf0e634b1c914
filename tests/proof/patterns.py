"""Times over hostile text the regular expressions that modules compile as they are imported, or pass to re.

Run as a program: prints each pattern whose time grows faster than the text, as a JSON line. Texts are made of
the characters that a pattern takes and, where node finds the package recheck (`npm install recheck`), of the
attacks that it finds.
"""

import ast
import importlib
import json
import pkgutil
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("hopline", "workers", "producer", "infra")
# Patterns that are matched at one place, or searched in the few characters around one; not by their names.
_AT_ONE_PLACE = frozenset({"workers/ingest/naming/patterns.py"})
_SHORT = 1000  # characters; texts four times as long are compared with them
_MOST_GROWTH = 10.0  # of the time for four times the text: 4 where it is linear, 16 where it is quadratic
_PATIENCE = 10  # seconds of processor time that one text gets; a linear pattern takes a thousandth of it
_COUNTED = 0.05  # seconds of processor time at least that are measured
_MOST_PLACES = 60  # of a pattern, in which a part of the text is repeated
_SAMPLES = " \t\n\r\u00a0aA1_-.,;:!?'\"()[]{}<>/\\|*#=+&%$@~^`é中ア・。「ü\u2028"
_CLASSES = {"s": " ", "S": "a", "d": "1", "D": "a", "w": "a", "W": " ", "n": "\n", "t": "\t", "r": "\r"}


class Place(NamedTuple):
    """Where a pattern is compiled."""

    file: str  # from the project's root
    line: int


class Found(NamedTuple):
    place: Place
    pattern: str
    flags: int
    method: str = ""  # by which it is used, where that is known


@contextmanager
def collecting() -> Iterator[list[Found]]:
    """Note every pattern that one of our modules compiles."""
    found: list[Found] = []
    original: Any = re.compile

    def compile_noted(pattern: Any, flags: Any = 0) -> Any:
        frame = sys._getframe(1)
        file = Path(frame.f_code.co_filename)
        if isinstance(pattern, str) and file.is_relative_to(ROOT) and ".venv" not in file.parts:
            found.append(Found(Place(str(file.relative_to(ROOT)), frame.f_lineno), pattern, int(flags)))
        return original(pattern, flags)

    re.compile = compile_noted
    try:
        yield found
    finally:
        re.compile = original


def import_all() -> None:
    """Import every module of the project."""
    for package in PACKAGES:
        module = importlib.import_module(package)
        for each in pkgutil.walk_packages(module.__path__, f"{package}."):
            if not each.name.endswith("__main__"):
                importlib.import_module(each.name)


def written_in_calls() -> Iterator[Found]:
    """Yield the patterns that stand in a call of re itself: re.sub("a+$", "", text)."""
    for file in sorted(path for name in PACKAGES for path in (ROOT / name).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="re"), attr=method),
                    args=[ast.Constant(value=str(pattern)), *_],
                ) if method not in {"compile", "escape"}:
                    named = (word.value for word in node.keywords if word.arg == "flags")
                    given = [*named, *node.args[3 if method.startswith("sub") else 2 :]]
                    flags = re.NOFLAG
                    for each in ast.walk(given[0]) if given else ():
                        if isinstance(each, ast.Attribute):
                            flags |= re.RegexFlag[each.attr]
                    place = Place(str(file.relative_to(ROOT)), node.lineno)
                    anchored = method in {"match", "fullmatch"}
                    yield Found(place, pattern, int(flags), method if anchored else "finditer")


def methods_of(found: Found) -> set[str]:
    """Return by which methods a pattern is used, all of them where that is not plain to see."""
    if found.method:
        return {found.method}
    source = (ROOT / found.place.file).read_text(encoding="utf-8")
    names = [
        target.id
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Assign | ast.AnnAssign)
        and node.lineno <= found.place.line <= (node.end_lineno or 0)
        and isinstance(node.value, ast.Call)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    ]
    if len(names) != 1:
        return {"finditer"}
    folders = ROOT.joinpath(found.place.file) if names[0].startswith("_") else None
    files = [folders] if folders else [path for name in PACKAGES for path in (ROOT / name).rglob("*.py")]
    uses: set[str] = set()
    for file in files:
        text = file.read_text(encoding="utf-8")
        if names[0] not in text:
            continue
        called = set(re.findall(rf"\b{names[0]}\.(\w+)", text))
        bare = re.search(rf"\b{names[0]}\b(?!\.\w|\s*[:=][^=]|\s*: )", text.replace(f"import {names[0]}", ""))
        uses |= called | ({"finditer"} if bare else set())
    return (
        {"match", "fullmatch"} & uses if uses and uses <= {"match", "fullmatch", "pattern"} else {"finditer"}
    )


def atoms(pattern: str) -> list[str]:
    """Return one character for each part of a pattern that takes one, in order."""
    made: list[str] = []
    at = 0
    while at < len(pattern):
        sign = pattern[at]
        if sign == "\\" and at + 1 < len(pattern):
            escape = re.match(r"\\(?:u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}|.)", pattern[at:])
            made += _taken(escape[0])
            at += len(escape[0])
        elif sign == "[":
            end = at + 1
            end += pattern[end : end + 1] == "^"
            end += pattern[end : end + 1] == "]"
            while end < len(pattern) and pattern[end] != "]":
                end += 2 if pattern[end] == "\\" else 1
            made += _taken(pattern[at : end + 1])
            at = end + 1
        elif sign == "{" or pattern.startswith(("(?P<", "(?<", "(?"), at):
            skipped = re.match(
                r"\{\d*,?\d*\}[+?]?|\(\?(?:P?<\w+>|P=\w+|<?[=!]|[a-zA-Z-]*[:)]|>)?|.", pattern[at:], re.DOTALL
            )
            made += ["{"] if skipped[0] == "{" else []
            at += len(skipped[0])
        else:
            if sign not in "()|*+?^$.{}":
                made.append(sign)
            elif sign == ".":
                made.append("a")
            at += 1
    return made


def _taken(part: str) -> list[str]:
    """Return up to two characters that a class or an escape takes."""
    if len(part) == 2 and part[1] in "bBAZzXKG":
        return []
    try:
        compiled = re.compile(part)
    except re.error:
        return ["a"]
    return [sign for sign in _SAMPLES if compiled.fullmatch(sign)][:2]


def hostile(pattern: str) -> Iterator[tuple[str, str, str]]:
    """Yield beginnings, parts to be repeated, and ends of texts."""
    parts = atoms(pattern)
    places = list(range(len(parts)))
    if len(places) > _MOST_PLACES:
        places = places[:: len(places) // _MOST_PLACES + 1]
    seen: set[tuple[str, str]] = set()
    for place in places:
        for size in (1, 2, 3):
            pump = "".join(parts[place : place + size])
            for begin in {"", "".join(parts[max(0, place - 8) : place])}:
                if pump and (begin, pump) not in seen:
                    seen.add((begin, pump))
                    yield begin, pump, ""
                    yield begin, pump, "\x00"
    whole = "".join(parts[:200])
    if whole:
        yield "", whole, "\x00"
    for pump in (" ", "\n", "a", "1", "a ", "A ", ". "):
        yield "", pump, "\x00"


class _OutOfPatience(Exception):
    """It takes too long."""


def _stop(_signal: int, _frame: object) -> None:
    raise _OutOfPatience


def _use(compiled: re.Pattern[str], methods: set[str], text: str) -> None:
    for method in methods:
        if method == "finditer":
            for _match in compiled.finditer(text):
                pass
        else:
            getattr(compiled, method)(text)


def glance(compiled: re.Pattern[str], methods: set[str], text: str) -> float:
    """Return about how long one use takes: the least of three, by the wall clock, which is finer."""
    best = float("inf")
    for _ in range(3):
        begun = time.perf_counter()
        _use(compiled, methods, text)
        best = min(best, time.perf_counter() - begun)
    return best


def measured(compiled: re.Pattern[str], methods: set[str], text: str) -> float:
    """Return the processor seconds of one use, of as many as the clock can tell from none."""
    uses, begun = 0, time.process_time()
    while (spent := time.process_time() - begun) < _COUNTED:
        _use(compiled, methods, text)
        uses += 1
    return spent / uses


def growth(
    compiled: re.Pattern[str], methods: set[str], texts_of: Iterable[tuple[str, str, str]]
) -> tuple[float, str] | None:
    """Return how much more a text four times as long takes, and of what it is made, where it is too much."""
    for begin, pump, end in texts_of:
        texts = [begin + pump * (size // len(pump)) + end for size in (_SHORT, 4 * _SHORT, 16 * _SHORT)]
        made = f"{begin!r} + {pump!r} * n + {end!r}"
        signal.setitimer(signal.ITIMER_VIRTUAL, _PATIENCE)
        try:
            if glance(compiled, methods, texts[1]) < _MOST_GROWTH * glance(compiled, methods, texts[0]):
                continue
            ratio = measured(compiled, methods, texts[2]) / measured(compiled, methods, texts[1])
            if ratio > _MOST_GROWTH:
                return ratio, made
        except _OutOfPatience:
            return float("inf"), made
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return None


def attacks(patterns: Iterable[Found]) -> dict[tuple[str, int], list[tuple[str, str, str]]]:
    """Return beginnings, parts to be repeated and ends that recheck finds; none where it is not installed."""
    given = "\n".join(json.dumps({"pattern": each.pattern, "flags": each.flags}) for each in patterns)
    try:
        words = ["node", str(Path(__file__).with_name("recheck.js"))]
        told = subprocess.run(words, input=given, capture_output=True, text=True, check=True)
    except (FileNotFoundError, subprocess.CalledProcessError):
        return {}
    found = (json.loads(line) for line in told.stdout.splitlines())
    return {(each["pattern"], each["flags"]): [tuple(pump) for pump in each["pumps"]] for each in found}


def main() -> None:
    """Print what grows too fast, and in the last line how many patterns were looked at."""
    signal.signal(signal.SIGVTALRM, _stop)
    with collecting() as found:
        import_all()
    elsewhere = (each for each in (*written_in_calls(), *found) if each.place.file not in _AT_ONE_PLACE)
    unique = {(each.pattern, each.flags): each for each in elsewhere}
    known = attacks(unique.values())
    for key, each in unique.items():
        texts = [*known.get(key, ()), *hostile(each.pattern)]
        grown = growth(re.compile(each.pattern, each.flags), methods_of(each), texts)
        if grown:
            times, text = grown
            told = {"place": ":".join(map(str, each.place)), "growth": times, "text": text}
            print(json.dumps(told | {"pattern": each.pattern}), flush=True)  # noqa: T201 - a program's output
    print(json.dumps({"patterns": len(unique), "attacks": len(known)}))  # noqa: T201


if __name__ == "__main__":
    main()
