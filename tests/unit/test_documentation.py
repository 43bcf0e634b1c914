"""The links of the documentation lead to headings and to code that exist."""

import re
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
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
