from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.ingest.reading.blocks import UnreadableError
from workers.ingest.reading.html.reader import read
from workers.ingest.reading.stored_text import stored_text

CASES = Path(__file__).parents[3] / "data" / "reading"

TEX = "<annotation encoding=application/x-tex>{\\displaystyle E=m}</annotation>"
TAGS = (
    "<table> <tr> <td> <th> </table> <ol> <li> </ol> <sup> </sup> <pre> <p> <a_href=#1> </a> <nav> <h1> <br>"
    " <td_rowspan=3> x 1"
)


def text_of(page):
    return stored_text(read(page.encode() if isinstance(page, str) else page, {}))[0]


def table(rows, head="<tr><th>Region<th>Units</tr>"):
    return f"<table>{head}{rows}</table>"


@pytest.mark.parametrize("text", sorted(CASES.glob("html-*.txt")), ids=lambda path: path.stem)
def test_a_page_gives_what_a_browser_shows(text):
    assert text_of(text.with_suffix("").read_bytes()) + "\n" == text.read_text("utf-8")


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("the 1<sup>st</sup> of x<sup>n</sup>", "the 1st of x^n"),
        ("e<sup>a b</sup>, C<sub>i,j</sub>", "e^(a b), C_(i,j)"),
        ("3<sup>1</sup>/<sub>2</sub> or <sup>1</sup>&frasl;<sub>4</sub> cup", "3 1/2 or 1/4 cup"),
        ("It is. <a href='#fn1'><sup>1</sup></a> So.", "It is.[1] So."),
        ("It is.<sup>[<a href=/c>citation needed</a>]</sup> So.", "It is.[citation needed] So."),
        ("<p>Note. <a href='#ref1'>↩</a></p>", "Note."),
        ("<h2>Mill<span class=mw-editsection>[<a href=/e>edit</a>]</span></h2>Text.", "## Mill\n\nText."),
        ("<del>100</del> 80, <s><del>twice</del></s>", "~~100~~ 80, ~~twice~~"),
        ("Ana<br>Ruiz<br><br>Mill 3", "Ana\nRuiz\n\nMill 3"),
        ("<h2>The<br>mill</h2>", "## The mill"),
        ("<div role=heading aria-level=3>Mill</div>", "### Mill"),
        ("Do&shy;nau <q>flows</q> o<wbr>n &amp; <code>a_b</code>", "Donau “flows” on & a_b"),
        ("<pre>a = 1\n  b = 2</pre>", "```\na = 1\n  b = 2\n```"),
        ("<listing>a  b</listing><xmp><b>x</b></xmp>", "```\na  b\n```\n\n```\n<b>x</b>\n```"),
        ("Done <progress value=3 max=10>3/10</progress><meter>60%</meter>.", "Done ."),
        (f"E is <math><mi>E</mi>{TEX}</math>.", "E is $E=m$."),
        ("<ruby>東京<rp>(</rp><rt>とうきょう</rt><rp>)</rp></ruby>タワー", "東京タワー"),
        ("<label>Name</label><input value='Ana Ruiz'><input type=hidden value=x>", "Name Ana Ruiz"),
        ("<input type=checkbox checked>paid<input type=radio>due", "☑ paid ☐ due"),
        ("Kind <select><option>flat<option selected>mill</select>.", "Kind mill ."),
        ("<select multiple><option selected label=A>x<option selected>B</select>", "A, B"),
        ("<select><option value='' selected>Choose a kind<option>mill</select>Text.", "Text."),
        ("<span style='display: block'>One.</span><span>Two.</span>", "One.\n\nTwo."),
        ("<dialog>Closed.</dialog><dialog open>Open.</dialog><b style='opacity:0'>No.</b>", "Open."),
        ("<?xml version='1.0'?><head><title/></head><body><p/>Text.<br/>More.</body>", "Text.\nMore."),
        ("<ol type=I start=3><li>x<li>y</ol>", "III. x\nIV. y"),
        ("<ol style='list-style: lower-alpha'><li>x<li>y</ol>", "a. x\nb. y"),
        ("<ul style='list-style-type:none'><li>x</ul>", "x"),
        ("<ol><li><h3>Rent</h3><p>900</p></ol>", "### 1. Rent\n\n  900"),
        ("<blockquote>Oak floats.<footer>Ana Ruiz</footer></blockquote>", "Oak floats.\n\nAna Ruiz"),
        ("<img alt='mill.jpg'><img alt='A mill'><img alt='[Note]'>Text.", "A mill Text."),
        ("<p>Text. <a href='#top'><img alt=top></a><a href='#a'><img alt=1></a>", "Text. 1"),
        ("<p>Next: <a rel=next href=3>Oak</a>, Up: <a rel=up href=0>Wood</a></p>Text.", "Text."),
        ("<h2 class=aboveStickyNavbar>Mill<a href='#mill'>\u200b#</a></h2>", "## Mill"),
        ("<a rel=prev href=1>before</a><a class=next_page href=3>after</a>Text.", "Text."),
        ("<ol><li><span class=back-link>^ <a href='#x'><sup>a</sup></a></span> Ruiz</ol>", "1. Ruiz"),
        ("<table><tr><td rowspan=2><img alt='[Tip]'><th>Tip<tr><td>Oil it.</table>", "Tip\n\nOil it."),
        ("<table><tr><td>Name<td><input><tr><td>Age<td><input></table>",
         "| Name |\n| --- |\n| Age |"),
    ],
)  # fmt: skip
def test_signs_of_the_page_say_what_its_markup_said(page, text):
    assert text_of(page) == text


def test_a_cell_that_spans_stands_in_each_row_and_column():
    rows = "<tr><td rowspan=0>North<td>1</tr><tr><td>2</tr></tbody><tbody><tr><td colspan=2>closed</tr>"
    assert text_of(table(rows)).split("\n")[2:] == [
        "| North | 1 |",
        "| North | 2 |",
        "| closed | closed |",
    ]


def test_a_footer_stands_below_the_body_of_its_table():
    rows = "<tfoot><tr><td>All<td>3</tfoot><tbody><tr><td>North<td>3</tbody>"
    assert text_of(table(rows)).split("\n")[2:] == ["| North | 3 |", "| All | 3 |"]


@pytest.mark.parametrize(
    ("rows", "heads"),
    [
        ("<thead><tr><th><th><tr><th>Item<th>Price<tbody><tr><td>Rent<td>900<tr><td>Gas<td>50", 1),
        ("<thead><tr><td>Item<td>Price<tbody><tr><td>Rent<td>900<tr><td>Gas<td>50", 1),
        ("<tr><th colspan=2>Costs<tr><th>Item<th>Price<tr><td>Rent<td>900", 2),
        ("<tr><td><th>2023<th>2024<tr><th>Rent<td>900<td>910", 1),
        ("<tr><th>Rent<td>900<tr><th>Gas<td>50", 0),
        ("<tr><th>North<td><td><tr><td>Rent<td>900<td>910", 0),
        ("<tr><td>Item<td>Price<tr><td>Rent<td>900", 0),
        ("<tr><th>Item<th>Price<tr><th>Rent<th>900", 0),
    ],
)
def test_rows_name_columns_where_the_page_says_so(rows, heads):
    assert read(f"<table>{rows}</table>".encode(), {}).blocks[0].head_rows == heads


def test_a_sign_with_a_column_of_its_own_belongs_to_its_number():
    head = "<tr><th>Year<th colspan=3>Profit<th colspan=2>Share</tr>"
    rows = "<tr><td>2023<td>$<td>(1,200<td>)<td>5<td>%</tr><tr><td>2024<td>$<td>300<td><td>7<td>%</tr>"
    assert text_of(table(rows, head)).split("\n")[2:] == ["| 2023 | $(1,200) | 5% |", "| 2024 | $300 | 7% |"]


def test_a_unit_with_a_name_stays_in_its_column():
    page = table("<tr><td>Gain<td>5<td>%</tr>", "<tr><th>What<th>Value<th>Unit</tr>")
    assert text_of(page).split("\n")[2] == "| Gain | 5 | % |"


def test_what_only_lays_out_a_page_is_no_table():
    inner = table("<tr><td>North<td>1</tr>")
    page = f"<table><tr><td>Menu<td>Text.</tr><tr><td>{inner}<td>Side.</tr></table>"
    assert text_of(page) == "Menu Text.\n\n| Region | Units |\n| --- | --- |\n| North | 1 |\n\nSide."


def test_tables_in_cells_of_tables_are_said_once():
    page = "Deep."
    for depth in range(5):
        page = f"<table><tr><th>a{depth}<th>b<tr><td>c<td>{page}</table>"
    assert text_of(page).count("Deep.") == 1


def test_a_table_in_a_cell_stands_after_the_one_that_holds_it_under_the_name_of_its_row():
    inner = table("<tr><td>North<td>1</tr>")
    page = table(f"<tr><td>Ana<td>sold {inner}</tr><tr><td>Ben<td>none</tr>", "<tr><th>Who<th>What</tr>")
    assert text_of(page) == (
        "| Who | What |\n| --- | --- |\n| Ana | sold |\n| Ben | none |\n\nAna\n\n"
        "| Region | Units |\n| --- | --- |\n| North | 1 |"
    )


def test_a_table_has_its_caption_and_the_places_of_its_cells():
    reading = read(
        table("<tr><td>North<td>1|2</tr>", "<caption>Rents</caption><tr><th>A<th>B</tr>").encode(), {}
    )
    text, places = stored_text(reading)
    assert text == "Rents\n\n| A | B |\n| --- | --- |\n| North | 1\\|2 |"
    assert [text[start:end] for start, end, *_ in places["cells"]] == ["A", "B", "North", "1\\|2"]
    assert [cell[2:4] for cell in places["cells"]] == [[0, 0], [0, 1], [1, 0], [1, 1]]


def test_what_leads_to_the_pages_before_and_after_is_no_text_and_a_table_of_data_is():
    links = "<tr><th colspan=2>The mill<tr><td><a href=1>Prev</a><td><a href=3>Next</a></table>"
    assert text_of(f"<table summary='Navigation header'>{links}<h1>Wheel</h1>Text.") == "# Wheel\n\nText."
    assert text_of(f"<div class=navheader><table>{links}</div><h1>Wheel</h1>Text.") == "# Wheel\n\nText."
    related = "<tr><th>Modules<th>Settings<tr><td><a href=1>core</a><td><a href=2>port</a></table>"
    assert text_of(f"<table class=related>{related}Text.").startswith("| Modules | Settings |")


def test_what_was_left_out_is_counted():
    page = "<nav><a href=/>Home</a></nav><p>Text.<img src=x><iframe src=y></iframe><p hidden>No.</p>"
    assert dict(read(page.encode(), {}).left_out) == {
        "navigation": 1, "picture without text": 1, "embedded page": 1, "hidden part": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    "page",
    [
        "<p>Text.<p hidden>Secret.",
        "<table><tr><td>a<td>Text.<tr><td>b<td hidden>Secret.</table>",
        "<table><tr><td>a<td>Text.<tr hidden><td>b<td>Secret.</table>",
        "<table><tr><td>a<td>Text.<tbody hidden><tr><td>b<td>Secret.<tr><td>c<td>Secret.</table>",
        "<table><caption hidden>Secret.</caption><tr><td>a<td>Text.<tr><td>b<td>c</table>",
        "<pre>Text.<span hidden>Secret.<b>Secret.</b></span></pre>",
        "Text.<select hidden><option selected>Secret.</select>",
    ],
)
def test_what_is_hidden_is_no_text_wherever_it_stands_and_is_counted(page):
    reading = read(page.encode(), {})
    assert "Text." in stored_text(reading)[0]
    assert "Secret." not in stored_text(reading)[0]
    assert dict(reading.left_out) == {"hidden part": 1}


@pytest.mark.parametrize(
    ("sheet", "said"),
    [
        (".old { display: none }", "Text. New. Last."),
        ("p.old{color:red;display:none!important}", "Text. New. Last."),
        ("#last, .b { visibility: hidden }", "Text. Old. New."),
        ("div .old { display:none } div > p.old.x { display:block }", "Text. Old. New. Last."),
        ("div > p.x { display:block } .old { display:none }", "Text. Old. New. Last."),
        (".old{display:none} .x{display:block}", "Text. Old. New. Last."),
        (".x{display:block} .old{display:none}", "Text. New. Last."),
        (".shown { display: none }", "Text. Old. New. Last."),
        (".shown { display: none !important }", "Text. Old. Last."),
        ("/* .old{display:none} */ p:hover{display:none}", "Text. Old. New. Last."),
        ("@media print { p { display: none } } @import 'a.css'; .old{display:none}", "Text. New. Last."),
        ("@media screen and (max-width: 600px) { .old { display: none } }", "Text. Old. New. Last."),
        ("body, html { visibility: hidden }", "Text. Old. New. Last."),
        ("p { display: none ", "Text. Old. New. Last."),
        (f"div{' ' * 1000}.x {{ display: none }}", "Text. Old. New. Last."),
    ],
)
def test_what_a_style_sheet_of_the_page_hides_is_no_text(sheet, said):
    texts = "Text.<p class='old x'>Old.<p class=shown style='display:block'>New.<p id=last>Last."
    assert " ".join(text_of(f"<style>{sheet}</style><div>{texts}</div>").split()) == said


def test_sheets_for_other_media_or_without_scripts_hide_nothing():
    sheet = "<style media=print>p{display:none}</style><noscript><style>p{display:none}</style></noscript>"
    reading = read(f"{sheet}<style>b{{display:none}}</style><p>Text.<b>Secret.</b>".encode(), {})
    assert (stored_text(reading)[0], dict(reading.left_out)) == ("Text.", {"hidden part": 1})


def test_sections_of_xhtml_are_text():
    head = '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><style>/*<![CDATA[*/'
    page = (
        f"{head} .old{{display:none}} /*]]>*/</style></head><body><p class='old'>No.</p><p>If <![CDATA[a < b"
    )
    assert text_of(f"{page} & c]]>, stop.</p></body></html>") == "If a < b & c, stop."
    assert text_of("<?xml version='1.0'?><html><p>Text. <![CDATA[open") == "Text."


def test_style_sheets_without_end_are_bounded():
    rules = "".join(f".c{n} .d{n}{{display:none}}" for n in range(30_000))
    text = text_of(f"<style>{rules}{'a{' * 50_000}{'/*' * 50_000}</style>{'<p class=c1>x' * 20_000}")
    assert text.startswith("x")
    wide = " " * 100_000
    for sheet in (f"p{{display:none{wide}x}}", f"a{wide}b{{display:none}}", f"p{{{wide}display{wide}:none}}"):
        assert text_of(f"<style>{sheet}</style><p>x") == "x"


def test_a_page_nested_without_end_is_read_and_spans_without_end_are_bounded():
    for page in [
        "<div>" * 5_000 + "x",
        "<table><tr><td>" * 3_000 + "x",
        "<sup>" * 5_000 + "x",
        "<ol><li>" * 1_000 + "x",
        table("<tr>" + "<td rowspan=65534 colspan=9999>x" * 30 + "</tr>"),
        f"<p style='font-size:{'0' * 200_000}x'>x",
        f"<ol style='{'list-style:x ' * 100_000}'><li>x</ol>",
        f"<img alt='{{\\displaystyle{' ' * 200_000}x'>",
    ]:
        assert "x" in text_of(page)


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        ("<div>" * 100_000, "nested too deep"),
        ("<ol><li>" * 50_000, "nested too deep"),
        ("<div></i>" * 50_000, "nested too deep"),
        ("<div><table><td></div>" * 50_000, "nested too deep"),
        ("<select>" + "<option>" * 100_000, "nested too deep"),
        (f"<p {' '.join(f'a{n}' for n in range(100_000))}>x", "too many attributes"),
        ("<p>x" + "<i></i>" * 1_000_001, "more than 1,000,000 elements"),
        (
            "<p>" + "".join(f"<i id={n}>" for n in range(400)) + "</p>" + "<p>x</p>" * 2_600,
            "1,000,000 elements",
        ),
        ("<table>" + ("<tr>" + "<td colspan=500>x" * 2) * 5_000, "span more than 4,000,000 places"),
    ],
    ids=lambda text: text[:30],
)
def test_a_page_that_asks_for_too_much_work_is_refused(page, reason):
    with pytest.raises(UnreadableError, match=reason):
        read(page.encode(), {})


def test_long_attributes_and_many_choices_are_no_work():
    path = "M 0 0 " + "L 10 10 " * 5_000
    choices = "".join(f"<option selected value={n}>x{n}" for n in range(2_000))
    assert text_of(f"<i d='{path}'>x</i>" * 200).count("x") == 200
    assert text_of(f"<select>{choices}</select>").endswith("x1999")


@settings(max_examples=60)
@given(st.lists(st.sampled_from(TAGS.split()), max_size=40))
def test_no_order_of_tags_breaks_the_reader(tags):
    page = "".join(tags).replace("_", " ")
    text, places = stored_text(read(page.encode(), {}))
    assert all(text[start:end].strip() for start, end, *_ in places["cells"])
