import random
from http.server import BaseHTTPRequestHandler, HTTPServer
from io import BytesIO
from pathlib import Path
from threading import Thread

import pytest
from doubles.files import archive, docx, locked_pdf, pdf

from hopline.errors import DocumentUnreadable
from workers.core.jobs.params import DocumentParams
from workers.core.ports import Limits
from workers.ingest.reading.document_file import DocumentFile
from workers.ingest.reading.pdf.reader import read as read_pdf
from workers.ingest.reading.read import read_text
from workers.sources.addresses import InPlace
from workers.sources.lines import documents_of_lines, text_of_line

CASES = Path(__file__).parents[3] / "data" / "reading"


def read(data, kind="txt", uri="", title="", **limits):
    params = DocumentParams(uri=uri or f"/docs/some file.{kind}", source="x", format=kind, title=title)
    return read_text(DocumentFile.of(data), params, Limits(**limits))


def refusal(data, kind="txt", **limits):
    with pytest.raises(DocumentUnreadable) as caught:
        read(data, kind, **limits)
    return str(caught.value)


def test_plain_text_is_stored_as_it_is_and_a_byte_order_mark_names_its_encoding():
    text = "# Zürich\r\n\r\n  trailing blanks  \n\n\n\n…and a tab\t.\n"
    assert read(text.encode(), "txt").text == read(text.encode(), "md").text == text
    for encoding in ("utf-8-sig", "utf-16", "utf-32"):
        assert read("Zürich 日本".encode(encoding)).text == "Zürich 日本"


def test_random_bytes_named_txt_are_refused():
    noise = random.Random(1)
    for size in (40, 3_000, 30_000):
        assert "text" in refusal(noise.randbytes(size).replace(b"\0", b"\1"))
    assert "zero bytes" in refusal(noise.randbytes(30_000))
    assert "control characters" in refusal(b"\x01\x02\x03 hello \x04\x05")


def test_html_becomes_markdown_without_its_scripts():
    head = "<title>Lake\n Zürich</title><script>var evil</script><style>p {}</style>"
    body = "<h1>The lake</h1><p>It is <b>deep</b>.</p><script>alert(1)</script>"
    got = read(f"<html><head>{head}</head><body>{body}</body></html>".encode(), "html")
    assert got.text == "# The lake\n\nIt is deep."
    assert got.title == "Lake Zürich"


PAGE = """<!DOCTYPE html><html><head><title>Tower Bridge</title></head><body>
<a class="skip-link" href="#content">Skip to content</a>
<header class="site"><a href="/">The Bridge Post</a><nav><ul><li><a href="/">Home</a></li></ul></nav>
<form role="search"><label>Search the site</label><input></form></header>
<div id="breadcrumbs"><a href="/">Start</a> &gt; <a href="/b">Bridges</a></div>
<div class="wrapper"><main>
<h1>Tower Bridge<a class="headerlink" href="#tb">¶</a></h1>
<p class="byline">By Ada Quill</p>
<nav class="toc"><a href="#h">History</a></nav>
<article><header><h2>History</h2><p>Written in 1894.</p></header>
<p>It was opened in 1894. See <a href="/thames">the Thames</a>.</p>
<aside><p>The towers are 65 m high.</p></aside>
<aside class="related"><h3>More</h3><ul><li><a href="/1">London Bridge</a></li></ul></aside>
<ul><li><a href="/barry">John Wolfe Barry</a></li></ul>
<footer><p>Revised in 2020.</p></footer></article>
<button>Share this</button></main>
<div class="sideBar-menu"><ul><li><a href="/2">Latest news</a></li>
<li><a href="/3">Sport</a></li></ul></div></div>
<footer><p>© 2024 The Bridge Post. All rights reserved.</p><a href="/privacy">Privacy</a></footer>
</body></html>"""


def test_the_navigation_of_a_page_is_no_text():
    text = read(PAGE.encode(), "html").text
    kept = "# Tower Bridge\n|By Ada Quill|## History|Written in 1894.|opened in 1894|65 m high|the Thames"
    assert [part for part in f"{kept}|John Wolfe Barry|Revised in 2020.".split("|") if part not in text] == []
    dropped = "Skip Post Home Search Start Bridges ¶ #h London Share news Privacy"
    assert [part for part in dropped.split() if part in text] == []


def test_only_what_leads_elsewhere_is_navigation():
    for page, text in [
        ("<header><h1>Notes</h1><p>Ada, 1843</p></header><p>Text.</p>", "Notes Ada, 1843 Text."),
        ("<body><nav><a href='/a'>Ada</a></nav></body>", "Ada"),
        ("<p class='navy'>The <a href='/s'>Bergen</a></p><p>Text.</p>", "The Bergen Text."),
        ("<div class='has-sidebar'><h1>Lakes</h1><a href='/u'>Uri</a></div>Text.", "Lakes Uri Text."),
        ("<main class='beside-nav'><a href='/u'>Uri</a></main><p>Text.</p>", "Uri Text."),
        ("<p class='menu'>Two <a href='/s'>eggs</a> and toast.</p>", "Two eggs and toast."),
        ("<div role='navigation'>Home</div><div role='contentinfo'>Imprint</div><p>Text.</p>", "Text."),
        ("<header><h1><a href='/'>The Post</a></h1></header><p>Text.</p>", "Text."),
    ]:
        assert " ".join(read(page.encode(), "html").text.replace("#", "").split()) == text, page


def test_html_says_its_encoding_itself_and_has_tags():
    page = '<html><head><meta charset="iso-8859-2"></head><body><p>Łódź</p></body></html>'
    assert read(page.encode("iso8859-2"), "html").text == "Łódź"
    for name, text in [
        ("gb2312-means-gbk", "朱镕基于1998年任职。价格为€20。"),
        ("shift-jis-means-cp932", "①髙橋さんは㈱みどりで働いている。"),
    ]:
        assert read((CASES / f"html-{name}.html").read_bytes(), "html").text == text
    assert "contains no tags" in refusal(b"just words", "html")
    saved = read((CASES / "html-mhtml-saved-as-html.html").read_bytes(), "html")
    assert (saved.text, saved.format) == ("The mill was built in 1771. Größe", "mhtml")


def test_links_of_a_page_are_not_followed():
    paths = []

    class Listener(BaseHTTPRequestHandler):
        def do_GET(self):
            paths.append(self.path)

    with HTTPServer(("127.0.0.1", 0), Listener) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        at = f"http://127.0.0.1:{server.server_port}"
        page = f'<p><a href="{at}/a">a</a><img src="{at}/b"><iframe src="{at}/c"></iframe></p>'
        got = read(f'<link rel="stylesheet" href="{at}/d"><p>{page}</p>'.encode(), "html")
        server.shutdown()
    assert got.text == "a"
    assert paths == []


def test_a_pdf_and_a_docx_give_their_text():
    got = read(pdf("Ada Lovelace wrote the first program.", title="On Engines"), "pdf")
    assert (got.text, got.title) == ("Ada Lovelace wrote the first program.", "On Engines")
    got = read(docx("Grace Hopper found a moth.", "It was 1947."), "docx")
    assert got.text == "Grace Hopper found a moth.\n\nIt was 1947."


def test_a_pdf_that_gives_none_is_refused_by_its_reason():
    assert refusal(pdf(""), "pdf") == "empty: it holds no text"
    assert "password" in refusal(locked_pdf(), "pdf")
    assert "cannot be parsed" in refusal(b"%PDF-1.7\n" + random.Random(2).randbytes(5_000), "pdf")
    assert "not a PDF" in refusal(b"\0hello, I am none", "pdf")


def test_a_bomb_and_what_only_calls_itself_docx_are_refused_before_they_are_unpacked():
    bomb = docx("x", repeat=1_000_000)
    assert len(bomb) < 200_000
    assert "zip bomb" in refusal(bomb, "docx")
    assert "not a zip archive" in refusal(b"\0hello", "docx")
    assert "not a .docx" in refusal(archive({"a.txt": "x"}), "docx")
    assert "password" in refusal(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "docx")


def test_parsing_ends_with_its_time_and_with_its_memory():
    large = docx(*(f"{n} some text" for n in range(300_000)))
    assert "longer than 1 seconds" in refusal(large, "docx", parse_seconds=1)
    assert "memory" in refusal(large, "docx", parse_memory_mb=300, parse_seconds=600)


def test_too_many_characters_are_refused_read_or_parsed():
    assert "at most 10 are read" in refusal(b"eleven chars", max_document_characters=10)
    long = docx("some text", repeat=100)
    assert "at most 100 characters" in refusal(long, "docx", max_document_characters=100)


def test_the_title_is_given_or_found_in_the_text_or_else_the_file_name():
    for data, kind, expected in [
        (b"intro\n\n# The *real* [title](x) #\n\ntext", "md", "The real title"),
        (b"# not a heading in plain text\nmore", "txt", "some file"),
        (b"\nA short first line\nmore", "txt", "A short first line"),
    ]:
        assert read(data, kind).title == expected, data
    assert read(b"# Heading", "md", title="Given").title == "Given"
    assert "front matter" in refusal(b"---\ntitle: On Engines\n---\n\n", "md")


def test_a_part_of_the_text_is_no_title():
    for line in [
        "- Apples", "* Apples", "• Apples", "1. Apples", "| Region | Units |", "> Apples", "```python",
        "<b>Apples</b>",
        '{"a": 1}', '"name": "Ana"', "2024-05-01 10:00:01 ERROR pump 1", "[12:00] Apples",
    ]:  # fmt: skip
        assert read(f"{line}\nmore".encode(), "md").title == "some file", line


def test_a_heading_that_stands_first_is_the_title_and_one_below_the_text_is_not():
    badges = "<!-- a comment -->\n[![Build](https://ci.test/badge.svg?long=yes)](https://ci.test)\n" * 5
    assert read(f"{badges}\n# The mill".encode(), "md").title == "The mill"
    assert read(b"By Ada Quill\n\n# The mill", "md").title == "The mill"
    assert read(b"- It has a wheel.\n" * 20 + b"\n## Rent\n\n900", "md").title == "some file"


def test_a_title_that_is_none_gives_way():
    for title in ("(anonymous)", "Untitled", "Untitled Document"):
        assert read(f"<title>{title}</title><h1>The mill</h1>".encode(), "html").title == "The mill"


def test_a_line_of_a_list_is_called_by_its_id_or_its_first_words():
    def title_of(line):
        [found] = documents_of_lines(BytesIO(line), "/docs/all.jsonl", InPlace())
        return read_text(DocumentFile.of(text_of_line(line).encode()), found.document, Limits()).title

    text = b'"text": "The North Gate was built in 1771 by the masons of Vestby, who were twelve."'
    assert title_of(b"{" + text + b"}") == "The North Gate was built in 1771 by the masons of Vestby"
    assert title_of(b'{"id": "gate-1", ' + text + b"}") == "gate-1"
    assert title_of(b'{"id": "gate-1", "title": "Gates", ' + text + b"}") == "Gates"


def test_a_first_line_that_ends_as_a_sentence_does_is_no_title():
    for line in [
        "वह दिल्ली में रहता है।", "وہ دہلی میں رہتا ہے۔", "Who opened it?", "هل فتح الجسر؟", "It went on…",
        "She said: “I am leaving.”", "他说：『我走了。』", "彼は去った！", "It is closed (it rained.)",
        "Նա եկավ։", "እሱ መጣ።", "သူလာသည်။", "គាត់មក។", "Πότε άνοιξε;", "อะไรนะ?",
        "המורה אמר שהספר נפתח אתמול.", "「行く。」", "word " * 30,
    ]:  # fmt: skip
        assert read(f"{line}\nmore".encode(), "txt").title == "some file", line
    for line in [
        "Report (2019)",
        "“Silence”",
        "《静夜思》",
        "「雨」",
        "تقرير المكتبة",
        "รายงานห้องสมุด",
        "O'Neill & Co",
    ]:
        assert read(f"{line}\nmore".encode(), "txt").title == line


def test_a_pdf_has_its_own_title_or_its_headline():
    for title, headline, expected in [
        ("On Engines", ("Something", "Else"), "On Engines"),
        ("Microsoft Word - On Engines", (), "On Engines"),
        ("Microsoft Word - engines_v2.doc", ("On the Engines", "of Babbage"), "On the Engines of Babbage"),
        ("untitled", ("On the Engines",), "On the Engines"),
        ("2004-17_b", (), ""),
        ("\xfe\xff\x00\xc9\x00t\x00\xe9", (), "Été"),
    ]:
        data = pdf("Ada wrote of engines", title=title, headline=headline)
        assert read_pdf(data, {}).title == expected, title


def test_front_matter_names_the_title_and_is_no_line_of_the_text():
    for text, expected in [
        ("---\ntitle: On Engines\ndate: 1843-01-02\n---\n\nAda wrote.", "On Engines"),
        ('---\r\nTitle: "On: Engines"\r\ntags:\r\n  - a\r\n- b\r\n...\r\nAda wrote.', "On: Engines"),
        ("---\ntitle: >\n  On Engines\n---\n# Heading\n", "Heading"),
        ("---\n# a comment\nlayout: post\n---\n# Heading\n", "Heading"),
        ('+++\ntitle = "On Engines"\n[extra]\na = 1\n+++\nAda wrote.', "On Engines"),
    ]:
        got = read(text.encode(), "md")
        assert (got.title, got.text) == (expected, text), text
