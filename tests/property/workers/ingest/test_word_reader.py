"""Word files of any shape are read or refused with a sentence; what Word shows of a paragraph is its text."""

import copy
import random
import zipfile
from contextlib import suppress
from pathlib import Path

from doubles.files import archive, word
from fleet.cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from workers.ingest.reading.blocks import UnreadableError
from workers.ingest.reading.docx.document import read
from workers.ingest.reading.stored_text import stored_text

FILES = sorted((Path(__file__).parents[3] / "data/reading").glob("docx-*.docx"))
VALUES = (
    "",
    "-1",
    "0",
    "99999999999",
    "true",
    "none",
    "é\U0001f600",
    "../../x",
    "%9%9%9",
    "Heading1",
    "restart",
)


def damaged(part, dice):
    """The XML of a part after some of its elements were moved, doubled or taken away, and values changed."""
    root = etree.fromstring(part)
    for _ in range(dice.randint(1, 12)):
        elements = list(root.iter())
        one, other = dice.choice(elements), dice.choice(elements)
        if one is root or any(ancestor is one for ancestor in other.iterancestors()) or one is other:
            continue
        match dice.randrange(4):
            case 0:
                one.getparent().remove(one)
            case 1:
                other.append(copy.deepcopy(one))
            case 2:
                other.append(one)
            case _:
                one.attrib.update({key: dice.choice(VALUES) for key in one.attrib})
    return etree.tostring(root)


@settings(max_examples=cases(200), deadline=None)
@given(path=st.sampled_from(FILES), seed=st.integers(0, 2**32))
def test_a_damaged_file_is_read_or_refused(path, seed):
    dice = random.Random(seed)
    with zipfile.ZipFile(path) as packed:
        entries = {name: packed.read(name) for name in packed.namelist()}
    entries |= {
        name: damaged(part, dice) for name, part in entries.items() if name.endswith((".xml", ".rels"))
    }
    with suppress(UnreadableError):
        stored_text(read(archive(entries), {}))


WORDS = st.text(st.sampled_from("abc é漢ש.1"), min_size=1, max_size=8)
WRAPPERS = st.sampled_from(("{}", "<w:ins>{}</w:ins>", "<w:sdt><w:sdtContent>{}</w:sdtContent></w:sdt>"))
MARKS = st.sampled_from(("", "<w:b/>", '<w:vertAlign w:val="baseline"/>', '<w:vanish w:val="false"/>'))


@settings(max_examples=cases(200), deadline=None)
@given(st.lists(st.tuples(WORDS, WRAPPERS, MARKS), max_size=8))
def test_a_paragraph_is_its_runs_whatever_they_are_wrapped_in(runs):
    inside = "".join(
        wrapper.format(f'<w:r><w:rPr>{marks}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>')
        for text, wrapper, marks in runs
    )
    got = stored_text(read(word(f"<w:p>{inside}</w:p>"), {}))[0]
    assert got.split() == "".join(text for text, _, _ in runs).split()
