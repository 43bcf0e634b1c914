"""Documents written for questions whose right answer is known."""

from __future__ import annotations

from pathlib import Path

# Every fact joins two key elements, and together they are a tree: each node has one way to it, of one length,
# so it cannot matter in which order nodes are visited.
WORKS = "Alda Works"
EMPLOYED = {
    "Maren Holt": "Vestby",
    "Tove Lindqvist": "Karsund",
    "Ivo Brandl": "Ostrava",
    "Nils Ekdahl": "Ramsholm",
    "Petra Zwick": "Lunden",
}
TREE_QUESTION = "What did those employed by Alda Works praise?"
TREE_VISITS, TREE_FACTS = 6, 10  # a town has no fact but its person's, so nobody visits it

BRIDGE_QUESTION = "Where was the designer of the Alda Bridge born?"


def write_tree(folder: Path) -> Path:
    """Write a company's document and one of each of its five people."""
    folder.mkdir(parents=True, exist_ok=True)
    sentences = " ".join(f"{WORKS} employed {person}." for person in EMPLOYED)
    (folder / "works.txt").write_text(f"{WORKS}\n\n{sentences}\n", encoding="utf-8")
    for person, town in EMPLOYED.items():
        text = f"{person}\n\n{person} praised {town}.\n"
        (folder / f"{person.split()[1].lower()}.txt").write_text(text, encoding="utf-8")
    return folder


def write_reports(folder: Path, count: int, town: str) -> Path:
    """Write documents of one chunk and one fact each: of towns that differ no two ask the model the same."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        text = f"Report {number}\n\nHarbour {number} of {town} was opened by Maren Holt.\n"
        (folder / f"{number:03}.txt").write_text(text, encoding="utf-8")
    return folder


def write_bridge(folder: Path) -> Path:
    """Write two documents that only together tell where a bridge's designer was born."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bridge.md").write_text(
        "# Alda Bridge\n\nThe Alda Bridge was designed by Maren Holt. "
        "The Alda Bridge crosses the Skerne river. The Alda Bridge was opened in 1893.\n",
        encoding="utf-8",
    )
    (folder / "holt.txt").write_text(
        "Maren Holt\n\nMaren Holt was born in Vestby. Maren Holt studied at the Kolder Academy.\n",
        encoding="utf-8",
    )
    return folder
