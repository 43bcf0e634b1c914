"""Keeps words out that were counted: `python -m infra.plain_words --check`; `--write` records lower counts.

`--subject FILE` checks the message of one commit, as git's hook commit-msg gives it.

The counts of `plain_words.json` may only fall: of docstrings that begin with a question word, and of phrases
that have plainer forms. They are those of the whole tree, so that no history is needed. The subjects of
commits begin with one of its verbs since the date in it; without a repository of Git these are not checked.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LONGEST_SUBJECT = 72  # characters: `git log` in a terminal of 80
RECORD = Path(__file__).with_suffix(".json")
PACKAGES = ("bench", "hopline", "infra", "producer", "workers", "tests")
_OPENINGS = re.compile(r"(What|Who|Whom|How|As|Of)\b")
_PHRASES = re.compile(r"\b(anew|is told|of whom|of which|that there are|as it is)\b")
_DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def found(root: Path) -> Iterator[tuple[str, str]]:
    """Yield a phrase and its place, for each that stands in a docstring or a comment."""
    for path in sorted(path for package in PACKAGES for path in (root / package).rglob("*.py")):
        if path == Path(__file__):
            continue
        source = path.read_text(encoding="utf-8")
        name = path.relative_to(root).as_posix()
        for node in ast.walk(ast.parse(source)):
            if not isinstance(node, _DOCUMENTED) or not (text := ast.get_docstring(node)):
                continue
            place = f"{name}:{getattr(node, 'lineno', 1)}"
            if opening := _OPENINGS.match(text):
                yield f"{opening[1]} …", place
            yield from ((phrase, place) for phrase in _PHRASES.findall(" ".join(text.split())))
        with path.open("rb") as file:
            for token in tokenize.tokenize(file.readline):
                if token.type == tokenize.COMMENT:
                    yield from (
                        (phrase, f"{name}:{token.start[0]}") for phrase in _PHRASES.findall(token.string)
                    )


def odd_subjects(root: Path, since: str, verbs: frozenset[str]) -> list[str]:
    """Return the subjects of commits since a date that do not begin with one of these verbs."""
    asked = subprocess.run(  # noqa: S603 - fixed arguments
        ("git", "-C", str(root), "log", "--no-merges", f"--since={since}", "--format=%s"),  # noqa: S607
        capture_output=True,
        text=True,
        check=False,
    )
    return [line for line in asked.stdout.splitlines() if line.partition(" ")[0] not in verbs]


def subject_faults(message: str, verbs: frozenset[str]) -> Iterator[str]:
    """Yield what is wrong with the subject of a commit's message; git's own subjects are left alone."""
    subject = message.partition("\n")[0]
    if subject.startswith(("Merge ", "Revert ", "fixup! ", "squash! ")):
        return
    if len(subject) > LONGEST_SUBJECT:
        yield f"the subject has {len(subject)} characters, of at most {LONGEST_SUBJECT}: {subject}"
    if subject.partition(" ")[0] not in verbs:
        yield f"the subject begins with none of the verbs in {RECORD.name}: {subject}"


def faults(root: Path, record: dict[str, Any]) -> Iterator[str]:
    """Yield a line for each phrase that stands more often than recorded, and for each odd subject."""
    most: dict[str, int] = record["counts"]
    places = list(found(root))
    for phrase, count in sorted(Counter(phrase for phrase, _ in places).items()):
        if count > most.get(phrase, 0):
            where = ", ".join(place for other, place in places if other == phrase)
            most_here = most.get(phrase, 0)
            yield f"“{phrase}” stands in {count} places, of at most {most_here}; reword one: {where}"
    for subject in odd_subjects(root, record["since"], frozenset(record["verbs"].split())):
        yield f"a commit's subject begins with none of the verbs in {RECORD.name}: {subject}"


def main(arguments: list[str]) -> int:
    """Check the tree or a message, or record the counts of the tree where they have fallen."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    if arguments[:1] == ["--subject"]:
        message = Path(arguments[1]).read_text(encoding="utf-8")
        lines = [f"{line}\n" for line in subject_faults(message, frozenset(record["verbs"].split()))]
        sys.stderr.writelines(lines)
        return 1 if lines else 0
    if "--write" in arguments:
        now = Counter(phrase for phrase, _ in found(ROOT))
        record["counts"] = {phrase: min(most, now[phrase]) for phrase, most in record["counts"].items()}
        RECORD.write_text(json.dumps(record, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    lines = [f"{line}\n" for line in faults(ROOT, record)]
    sys.stderr.writelines(lines)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
