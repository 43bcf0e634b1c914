import time

import pytest

from hopline.errors import DocumentUnreadable
from workers.core.jobs.params import DocumentParams
from workers.core.places import place_of
from workers.core.ports import Limits
from workers.ingest.chunking.split import place_map
from workers.ingest.reading.document_file import DocumentFile
from workers.ingest.reading.read import read_text
from workers.ingest.reading.source_code import read as read_code

FILES = {
    "a.py": (
        '"""Dates."""\nimport re\n\n# Parses.\n@cache\ndef parse_date(text):\n    def inner():\n'
        "        return 1\n    return text\n\n\nclass Mill(Base):\n    rent = 430\n\n"
        "    async def pay(self):\n        return 1\n\n    x = 1\n\n\nprint(3)\n"
    ),
    "broken.py": ("print 'x'\n\ndef pay(a):\n    return a\n"),
    "a.ts": (
        'import { x } from "y";\n\n/** Pays. */\n'
        "export async function pay(rent: number): Promise<void> {\n  function inner() {}\n}\n\n"
        "export class Mill {\n  getRent(): number { return 1; }\n}\n"
        "export const tax = (a: number) => a * 2;\n"
    ),
    "A.java": (
        "package a;\npublic class Mill extends Base {\n    private int rent = 430;\n\n"
        "    @Override\n    public int getRent(int year) throws IOException {\n"
        "        if (year > 3) {\n            return rent;\n        }\n        return 0;\n    }\n"
        "}\n"
    ),
    "a.go": (
        "package mill\n// Pay pays.\nfunc (m *Mill) Pay(rent int) error {\n\treturn nil\n}\n"
        "type Mill struct {\n}\n"
    ),
    "a.rs": (
        "pub struct Mill { rent: u32 }\n\nimpl Mill {\n    /// Pays\n"
        "    pub fn pay(&self) -> u32 {\n    }\n}\n"
    ),
    "a.c": ("#include <x.h>\n\nint main(int argc, char **argv)\n{\n}\n"),
    "a.sh": ("set -e\nbuild() {\n  make\n}\n"),
    "a.sql": ("CREATE TABLE IF NOT EXISTS mills (id int);\n\n-- v\nCREATE VIEW rents AS SELECT 1;\n"),
    "a.toml": ("[server]\nport = 80\n\n# the db\n[database]\nx = 1\n"),
    "a.yml": ("services:\n  web:\n    image: x\nvolumes:\n  a: {}\n"),
    "a.tf": ('resource "aws_x" "mill" {\n}\n'),
    "plain.conf": ("port 80\n"),
}
DEFINED = {
    "a.py": [
        ("", 1),
        ("function parse_date", 4),
        ("class Mill", 12),
        ("function Mill.pay", 15),
        ("class Mill", 18),
        ("", 21),
    ],
    "broken.py": [
        ("", 1),
        ("function pay", 3),
    ],
    "a.ts": [
        ("", 1),
        ("function pay", 3),
        ("class Mill", 8),
        ("function tax", 11),
    ],
    "A.java": [
        ("", 1),
        ("class Mill", 2),
        ("function Mill.getRent", 5),
    ],
    "a.go": [
        ("", 1),
        ("function Pay", 2),
        ("class Mill", 6),
    ],
    "a.rs": [
        ("class Mill", 1),
        ("class Mill", 3),
        ("function Mill.pay", 4),
    ],
    "a.c": [
        ("", 1),
        ("function main", 3),
    ],
    "a.sh": [
        ("", 1),
        ("function build", 2),
    ],
    "a.sql": [
        ("definition mills", 1),
        ("definition rents", 3),
    ],
    "a.toml": [
        ("section server", 1),
        ("section database", 4),
    ],
    "a.yml": [
        ("section services", 1),
        ("section volumes", 4),
    ],
    "a.tf": [
        ("section aws_x.mill", 1),
    ],
    "plain.conf": [
        ("", 1),
    ],
}


def read(name, text):
    params = DocumentParams(uri=f"/code/{name}", source=f"/code/{name}", format="code")
    return read_text(DocumentFile.of(text.encode()), params, Limits())


@pytest.mark.parametrize("name", FILES)
def test_code_is_read_by_definition(name):
    text = FILES[name]
    suffix = f".{name.rpartition('.')[2]}"
    blocks = read_code(text.encode(), {"suffix": suffix}).blocks
    assert [(block.part, block.line) for block in blocks] == DEFINED[name]
    lines = text.split("\n")
    for block in blocks:
        assert block.text.split("\n")[0] == lines[block.line - 1]
    assert "".join("".join(block.text.split()) for block in blocks) == "".join(text.split())


def test_a_place_in_code_is_its_function_and_line():
    said = read("a.py", FILES["a.py"])
    assert said.text.startswith(
        '```\n"""Dates."""\nimport re\n```\n\n```\n# Parses.\n@cache\ndef parse_date(text):'
    )
    known = place_map(said.text, said.places, "code").cut(0, len(said.text))
    found = [
        place_of(known, at := said.text.index(quote), at + 4)
        for quote in ("return text", "rent = 430", "print")
    ]
    assert [place and place.words for place in found] == [
        "function parse_date, line 9",
        "class Mill, line 13",
        "line 21",
    ]
    assert said.title == "a"


@pytest.mark.parametrize(
    "text",
    [
        "a " * 100_000, "a<" * 100_000, "int " * 100 + "x(", "a b c d e f g(\n" * 10_000, "[[[[" * 1_000,
        ("export " * 280 + "\n") * 200, ("a::" * 600 + "\n") * 200, ("int a<b<" * 200 + "\n") * 200,
        "(" * 100_000,
        "x = " + "-" * 50_000 + "1", "/*" * 100_000,
    ],
)  # fmt: skip
def test_code_that_is_made_to_harm_is_read_in_time(text):
    began = time.process_time()
    for suffix in (".cpp", ".py", ".ts"):
        assert read_code(text.encode(), {"suffix": suffix}).blocks
    assert time.process_time() - began < 20


def test_code_without_text_is_refused():
    with pytest.raises(DocumentUnreadable, match="empty"):
        read("a.py", "\n \n")
