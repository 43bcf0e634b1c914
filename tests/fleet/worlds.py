"""Documents written for questions whose right answer is known."""

from pathlib import Path

# Every fact joins two key elements, and together they are a tree: each node has one way to it, of one length,
# so it cannot matter in which order nodes are visited.
WORKS = "Alda Works"
EMPLOYED = {
    "Maren Holt": "Vestby", "Tove Lindqvist": "Karsund", "Ivo Brandl": "Ostrava", "Nils Ekdahl": "Ramsholm",
    "Petra Zwick": "Lunden",
}  # fmt: skip
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


# The Alda Bridge is named in one chunk only, so that no fact of the other one is found under its name.
OPENED_QUESTION = "When was the Alda Bridge opened?"
DESIGNED_QUESTION = "Who designed the Alda Bridge?"
# A title is an element of every fact of its document, so it must be another than the bridge's own name.
_TITLE = "About the Alda Bridge"
_FILLER = (
    "Carters waited at the ford in every season. Ferrymen asked a copper for a cart and two for a coach. "
    "In spring the water stood so high that nobody dared to cross. Farmers complained to the council, and "
    "the council wrote letters. Stone came from the quarry by barge, and oak from the hills by ox cart. "
)
# Longer than what chunks share, so that it stands in one of them alone.
_LONG = (
    "and those who kept the books of the council wrote with some patience how many carts had come, how many "
    "had turned round again at the muddy bank, what the ferrymen had said to that, and how the millers, the "
    "carters, the drovers and the pedlars had each in their own way asked for nothing but a dry road"
)


def write_opening(folder: Path) -> Path:
    """Write a document whose first chunk announces what the second one tells."""
    first = f"The Alda Bridge crosses the Skerne. {_FILLER * 5}"
    first += f"The opening of the Alda Bridge was delayed by floods, {_LONG}, as the following shows."
    second = f"In the end the span was opened in 1893 in front of a quiet crowd. {_FILLER * 5}"
    return _written(folder, first, second)


def write_design(folder: Path) -> Path:
    """Write a document whose second chunk refers to what the first one told."""
    first = f"In two long winters Maren Holt designed the span. {_FILLER * 5} So it went on, {_LONG}."
    second = f"This design won the Alda Bridge a medal, which is kept in a drawer. {_FILLER * 5}"
    return _written(folder, first, second)


def _written(folder: Path, *chunks: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    text = "\n\n".join((_TITLE, *(chunk.strip() for chunk in chunks)))
    (folder / "bridge.txt").write_text(f"{text}\n", encoding="utf-8")
    return folder
