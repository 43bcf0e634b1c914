"""The links of the documentation lead to headings and to code that exist."""

import ast
import re
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
_CODE = re.compile(r"\[`([\w.]+)`\]\(([^)#\s]+\.py)\)")
_LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)")


def test_every_link_to_a_heading_names_one_of_its_page() -> None:
    links = [(page, *link) for page in _pages() for link in _LINK.findall(_prose(page))]
    assert links
    missing = [
        f"{page.relative_to(ROOT)}: {name}#{heading}"
        for page, name, heading in links
        if (target := _target(page, name)).suffix == ".md" and heading not in _headings(target)
    ]
    assert not missing


def test_every_link_to_code_names_something_that_its_file_defines() -> None:
    links = [(page, *link) for page in _pages() for link in _CODE.findall(_prose(page))]
    assert links
    missing = [
        f"{page.relative_to(ROOT)}: {name} in {file}"
        for page, name, file in links
        if name not in _definitions(_target(page, file))
    ]
    assert not missing


def test_the_index_of_the_documentation_lists_every_page() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    pages = [page.name for page in (ROOT / "docs").glob("*.md") if page.name != "README.md"]
    assert not [name for name in pages if f"({name})" not in index]


def test_the_index_lists_every_decision_by_its_title_and_marks_what_is_overtaken() -> None:
    index = (ROOT / "docs" / "adr" / "README.md").read_text(encoding="utf-8").splitlines()
    for page in sorted((ROOT / "docs" / "adr").glob("[0-9]*.md")):
        text = page.read_text(encoding="utf-8")
        title = text.partition("\n")[0].removeprefix("# ")
        (line,) = (line for line in index if line.startswith(f"- [{title}]({page.name})"))
        status = re.search(
            r"^\*\*Status:\*\* (superseded in part|superseded|merged into)", text, re.MULTILINE
        )
        assert line.endswith(")") if status is None else f" — *{status[1]}" in line, line


def _pages() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split()
    return [ROOT / name for name in listed if (ROOT / name).exists()]


def _target(page: Path, name: str) -> Path:
    return (page.parent / name).resolve() if name else page


@cache
def _prose(page: Path) -> str:
    return _FENCED.sub("", page.read_text(encoding="utf-8"))


@cache
def _headings(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    plain = (heading.replace("`", "").replace("*", "") for heading in _HEADING.findall(_prose(page)))
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in plain}


@cache
def _definitions(module: Path) -> set[str]:
    """Return the names that a module defines, those within classes behind the name of their class."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    within = {f"{each.name}.{name}" for each in classes for node in each.body for name in _names(node)}
    return within.union(*(_names(node) for node in tree.body))


def _names(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return {target.id for target in targets if isinstance(target, ast.Name)}
