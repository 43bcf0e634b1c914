import re
import zipfile
from io import BytesIO

import pytest
from doubles.files import archive, word

from workers.ingest.reading.blocks import UnreadableError
from workers.ingest.reading.docx.document import read
from workers.ingest.reading.docx.numbering import numeral
from workers.ingest.reading.stored_text import stored_text


def run(text, properties=""):
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(inside="", properties=""):
    content = inside if inside.startswith("<") else run(inside)
    return f"<w:p><w:pPr>{properties}</w:pPr>{content}</w:p>"


def item(text, level=0, number=1):
    numbering = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>'
    return paragraph(text, numbering)


def level(index, form, pattern, more=""):
    return (
        f'<w:lvl w:ilvl="{index}"><w:start w:val="1"/><w:numFmt w:val="{form}"/>'
        f'<w:lvlText w:val="{pattern}"/>{more}</w:lvl>'
    )


def numbering(*levels, lists='<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'):
    return f'<w:abstractNum w:abstractNumId="0">{"".join(levels)}</w:abstractNum>{lists}'


def style(identity, called, inside="", kind="paragraph"):
    return f'<w:style w:type="{kind}" w:styleId="{identity}"><w:name w:val="{called}"/>{inside}</w:style>'


def cell(inside, properties=""):
    content = inside if inside.startswith("<") else paragraph(inside)
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{content}</w:tc>"


def row(*cells, properties=""):
    made = (one if one.startswith("<w:tc>") else cell(one) for one in cells)
    return f"<w:tr><w:trPr>{properties}</w:trPr>{''.join(made)}</w:tr>"


def table(*rows):
    return f"<w:tbl>{''.join(rows)}</w:tbl>"


def text(body, **parts):
    return stored_text(read(word(body, **parts), {}))[0]


def lines(body, **parts):
    return [line for line in text(body, **parts).split("\n") if line]


def equation(inside):
    return text(f"<w:p><m:oMath>{inside}</m:oMath></w:p>").strip("$")


def m(inside):
    return f"<m:r><m:t>{inside}</m:t></m:r>"


def m_of(shape, properties="", **parts):
    made = {part: re.sub("[^<>]+(?=<|$)", lambda found: m(found[0]), one) for part, one in parts.items()}
    inside = "".join(f"<m:{part}>{one}</m:{part}>" for part, one in made.items())
    return f"<m:{shape}><m:{shape}Pr>{properties}</m:{shape}Pr>{inside}</m:{shape}>"


@pytest.mark.parametrize(
    ("form", "numbers"),
    [
        ("decimal", {1: "1", 12: "12"}),
        ("decimalZero", {1: "01", 12: "12"}),
        ("lowerLetter", {1: "a", 26: "z", 27: "aa", 28: "bb", 10**9: "1000000000"}),
        ("upperRoman", {4: "IV", 1994: "MCMXCIV", 4000: "4000"}),
        ("ordinal", {1: "1st", 2: "2nd", 11: "11th", 23: "23rd"}),
        ("chineseCounting", {3: "三", 10: "十", 12: "十二", 20: "二十", 105: "一百零五", 1010: "一千零一十"}),
        ("decimalEnclosedCircle", {1: "①", 20: "⑳", 21: "21"}),
        ("hebrew2", {1: "א", 2: "ב"}),
        ("hebrew1", {1: "א", 15: "טו", 16: "טז", 17: "יז", 123: "קכג", 1000: "1000"}),
        ("cardinalText", {1: "One", 12: "Twelve", 20: "Twenty", 21: "Twenty-one", 100: "100"}),
        ("ordinalText", {1: "First", 12: "Twelfth", 20: "Twentieth", 43: "Forty-third", 101: "101st"}),
        ("decimalFullWidth", {10: "１０"}),
        ("thaiNumbers", {12: "๑๒"}),
        ("of a later Word", {7: "7"}),
    ],
)
def test_numbers_have_the_form_that_the_list_asks_for(form, numbers):
    assert {number: numeral(number, form) for number in numbers} == numbers


def test_a_list_counts_by_levels_and_a_deeper_level_begins_again():
    levels = [
        level(0, "upperRoman", "%1."),
        level(1, "decimal", "%1.%2", "<w:isLgl/>"),
        level(2, "lowerLetter", "%3)"),
    ]
    body = item("A") + item("a", 1) + item("x", 2) + item("b", 1) + item("y", 2) + item("B") + item("c", 1)
    assert lines(body, numbering=numbering(*levels)) == [
        "I. A", "  1.1 a", "    a) x", "  1.2 b", "    a) y", "II. B", "  2.1 c",
    ]  # fmt: skip


def test_a_level_may_count_on_and_one_that_was_skipped_counts_as_one():
    levels = [level(0, "decimal", "%1."), level(1, "decimal", "%1.%2", '<w:lvlRestart w:val="0"/>')]
    body = item("a", 1) + item("A") + item("b", 1) + item("B") + item("c", 1)
    assert lines(body, numbering=numbering(*levels)) == [
        "  1.1 a",
        "2. A",
        "  2.2 b",
        "3. B",
        "  3.3 c",
    ]


def test_lists_of_one_definition_count_on_unless_one_states_its_start():
    lists = (
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
        '<w:num w:numId="2"><w:abstractNumId w:val="0"/></w:num>'
        '<w:num w:numId="3"><w:abstractNumId w:val="0"/>'
        '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>'
    )
    body = item("a") + item("b", number=2) + item("c", number=3) + item("d", number=3) + item("e", number=2)
    got = lines(body, numbering=numbering(level(0, "decimal", "%1."), lists=lists))
    assert got == ["1. a", "2. b", "7. c", "8. d", "9. e"]


def test_a_list_may_be_defined_by_a_style_and_styles_may_run_in_a_circle():
    linked = (
        '<w:abstractNum w:abstractNumId="1"><w:numStyleLink w:val="Clauses"/></w:abstractNum>'
        '<w:abstractNum w:abstractNumId="2"><w:styleLink w:val="Clauses"/>'
        f"{level(0, 'decimal', '§ %1')}</w:abstractNum>"
        '<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>'
    )
    circle = style("A", "A", '<w:basedOn w:val="B"/>') + style("B", "B", '<w:basedOn w:val="A"/>')
    body = item("Rent") + paragraph("Text", '<w:pStyle w:val="A"/>')
    assert text(body, numbering=linked, styles=circle) == "§ 1 Rent\n\nText"


def test_a_heading_takes_level_and_number_from_its_style():
    numbered = "<w:pPr><w:numPr><w:numId w:val='1'/></w:numPr></w:pPr>"
    styles = (
        style("H1", "heading 1", numbered)
        + style("H2", "heading 2", numbered)
        + style("My", "My", "<w:basedOn w:val='H2'/>")
    )
    levels = [
        level(0, "decimal", "%1", '<w:pStyle w:val="H1"/>'),
        level(1, "decimal", "%1.%2", '<w:pStyle w:val="H2"/>'),
    ]
    body = "".join(paragraph(called, f'<w:pStyle w:val="{called}"/>') for called in ("H1", "H2", "My"))
    body += paragraph("Plain", '<w:outlineLvl w:val="2"/>') + paragraph(
        "Text", '<w:pStyle w:val="H1"/><w:outlineLvl w:val="9"/><w:numPr><w:numId w:val="0"/></w:numPr>'
    )
    assert text(body, numbering=numbering(*levels), styles=styles).split("\n\n") == [
        "# 1 H1", "## 1.1 H2", "## 1.2 My", "### Plain", "Text",
    ]  # fmt: skip


def test_tracked_changes_are_accepted():
    deleted = "<w:del><w:r><w:delText>800</w:delText></w:r></w:del>"
    body = paragraph(run("The rent is ") + deleted + f"<w:ins>{run('900')}</w:ins>" + run(" euros."))
    body += paragraph("A paragraph that", "<w:rPr><w:del/></w:rPr>") + paragraph(" goes on.")
    body += table(
        row("Kept", "1"), row("Gone", "2", properties="<w:del/>"), row("Last", "3", cell("4", "<w:cellDel/>"))
    )
    assert text(body) == (
        "The rent is 900 euros.\n\nA paragraph that goes on.\n\n| Kept | 1 |\n| --- | --- |\n| Last | 3 |"
    )
    assert read(word(body), {}).left_out == {"deleted passage": 1}


def test_a_paragraph_whose_end_was_deleted_stays_before_what_follows_it():
    note_mark = run("Dam") + '<w:r><w:footnoteReference w:id="1"/></w:r>'
    ends_deleted = "<w:rPr><w:del/></w:rPr>"
    heading = paragraph("Rents", f'<w:outlineLvl w:val="0"/>{ends_deleted}')
    rents = table(row("Mill", "900"), row("Barn", "50"))
    body = heading + rents + paragraph(note_mark, ends_deleted) + "<w:bookmarkEnd/>" + paragraph(" and weir.")
    body += paragraph("It is", ends_deleted) + f"<m:oMathPara><m:oMath>{m('x')}</m:oMath></m:oMathPara>"
    body += paragraph("Imported:", ends_deleted) + "<w:altChunk/>" + paragraph("Last.", ends_deleted)
    assert text(body, footnotes=note(1, "Of stone")).split("\n\n") == [
        "# Rents", "| Mill | 900 |\n| --- | --- |\n| Barn | 50 |", "Dam[1] and weir.", "[1] Of stone",
        "It is", "$$x$$", "Imported:", "Last.",
    ]  # fmt: skip


def sign(kind, inside=""):
    return f'<w:r><w:fldChar w:fldCharType="{kind}">{inside}</w:fldChar></w:r>'


def field(instruction, result):
    asked = f"<w:r><w:instrText>{instruction}</w:instrText></w:r>"
    return sign("begin") + asked + sign("separate") + run(result) + sign("end")


def test_a_field_shows_its_result_and_a_form_what_was_filled_in():
    within = sign("begin") + field("REF x", "hidden") + sign("separate") + run("shown") + sign("end")
    box = '<w:ffData><w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox></w:ffData>'
    grains = '<w:listEntry w:val="wheat"/><w:listEntry w:val="rye"/>'
    choice = f'<w:ffData><w:ddList><w:result w:val="1"/>{grains}</w:ddList></w:ffData>'
    for inside, expected in [
        (run("It is ") + within + run("."), "It is shown."),
        (sign("begin", box) + sign("end") + run(" paid"), "☒ paid"),
        (run("Grain: ") + sign("begin", choice) + sign("end"), "Grain: rye"),
        (sign("begin") + "</w:p><w:p>" + run("Never closed."), "Never closed."),
    ]:
        assert text(paragraph(inside)) == expected


def note(identity, inside, more=""):
    return f'<w:footnote w:id="{identity}"{more}>{paragraph(inside)}</w:footnote>'


def test_notes_stand_after_the_paragraph_that_refers_to_them_each_once():
    first = '<w:r><w:footnoteReference w:id="1"/></w:r>'
    own = '<w:r><w:footnoteReference w:id="2" w:customMarkFollows="1"/><w:t>*</w:t></w:r>'
    end = '<w:r><w:endnoteReference w:id="1"/></w:r>'
    body = paragraph(run("One") + first + run(" and two") + own + run(".")) + paragraph(
        run("Three") + end + first
    )
    footnotes = note(0, "separator") + note(1, run("First, see ") + first) + note(2, "Second")
    assert text(body, footnotes=footnotes, endnotes=note(1, "Third")).split("\n\n") == [
        "One[1] and two[*].", "[1] First, see [1]", "[*] Second", "Three[i][1]", "[i] Third",
    ]  # fmt: skip


def test_headers_and_footers_stand_once_after_the_text_without_page_numbers():
    page = '<w:fldSimple w:instr=" PAGE "><w:r><w:t>7</w:t></w:r></w:fldSimple>'
    footer = '<w:footerReference w:type="default" r:id="footer"/>'
    section = f'<w:sectPr><w:headerReference w:type="{{}}" r:id="{{}}"/>{footer}</w:sectPr>'
    body = paragraph("Text", section.format("first", "header2")) + section.format("default", "header")
    parts = {
        "header": paragraph("Contract 4711"),
        "header2": paragraph("Never shown"),
        "footer": paragraph(run("Hallow ") + page),
    }
    assert text(body, **parts) == "Text\n\nPage footer: Hallow\n\nPage header: Contract 4711"
    shown = body.replace("</w:sectPr>", "<w:titlePg/></w:sectPr>", 1)
    assert "Page header: Never shown" in text(shown, **parts)


@pytest.mark.parametrize(
    ("footer", "expected"),
    [
        ("Hallow, page # of #", "Hallow,"),
        ("Seite # von #", ""),
        ("Page #", ""),
        ("# / #", ""),
        ("第 # 页 共 # 页", ""),
        ("Page by Ada, #", "Page by Ada,"),
        ("Contract 4711 – #", "Contract 4711 –"),
    ],
)
def test_page_numbers_and_the_words_about_them_are_no_text(footer, expected):
    simple = f'<w:fldSimple w:instr=" PAGE ">{run("7")}</w:fldSimple>'
    parts = footer.split("#")
    inside = "".join(run(part) + (simple, field("NUMPAGES", "9"))[n % 2] for n, part in enumerate(parts[:-1]))
    section = '<w:sectPr><w:footerReference r:id="footer"/></w:sectPr>'
    got = text(paragraph("Text") + section, footer=paragraph(inside + run(parts[-1])))
    assert got == "Text" + (f"\n\nPage footer: {expected}" if expected else "")


def test_a_large_initial_belongs_to_the_paragraph_below_it_and_a_soft_hyphen_to_no_word():
    initial = paragraph("T", '<w:framePr w:dropCap="drop"/>')
    assert text(initial + paragraph("he re\u00adconstruction")) == "The reconstruction"


def test_cells_that_reach_over_others_stand_in_each_row_and_column():
    wide, begins, goes_on = '<w:gridSpan w:val="2"/>', '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    rows = [
        row(cell("Region", begins), cell("Units", wide), properties="<w:tblHeader/>"),
        row(cell("", goes_on), "2023", "2024", properties="<w:tblHeader/>"),
        row(cell("North", begins), "7", "8"),
        row(
            cell("", goes_on),
            cell("9", '<w:hMerge w:val="restart"/>'),
            cell("", '<w:hMerge w:val="continue"/>'),
        ),
        row("5", properties='<w:gridBefore w:val="2"/>'),
    ]
    assert text(table(*rows)).split("\n") == [
        "| Region | Units | Units |", "| --- | --- | --- |", "| Region | 2023 | 2024 |", "| North | 7 | 8 |",
        "| North | 9 | 9 |", "|  |  | 5 |",
    ]  # fmt: skip
    assert read(word(table(*rows)), {}).blocks[0].head_rows == 2


def test_names_of_columns_are_counted_without_empty_rows_and_guessed_where_none_is_marked():
    marked = [
        row("", "", properties="<w:tblHeader/>"),
        row("Item", "Price", properties="<w:tblHeader/>"),
        row("Rent", "900"),
    ]
    assert [
        read(word(table(*rows)), {}).blocks[0].head_rows for rows in (marked, marked[1:], marked[2:] * 2)
    ] == [1, 1, 0]
    assert read(word(table(*marked[1:2] * 2)), {}).blocks[0].head_rows == 0
    rows = [
        row(cell("Region", '<w:vMerge w:val="restart"/>'), cell("Units", '<w:gridSpan w:val="2"/>')),
        row(cell("", "<w:vMerge/>"), "2023", "2024"),
        row("North", "7", "8"),
    ]
    assert stored_text(read(word(table(*rows)), {}))[1]["tables"][0][2] == 2


def test_empty_rows_and_columns_are_no_part_of_a_table():
    assert (
        text(table(row("a", "", "b"), row("", "", ""), row("c", "", "")))
        == "| a | b |\n| --- | --- |\n| c |  |"
    )
    assert text(table(row("", "")) + paragraph("Text")) == "Text"


def test_a_frame_and_columns_of_a_page_are_text_and_no_table():
    framed = table(row(cell(paragraph("One.") + paragraph("Two."))))
    columns = table(row(cell(paragraph("A.") + paragraph("B.") + paragraph("C.")), "D."))
    assert text(framed + columns) == "One.\n\nTwo.\n\nA.\n\nB.\n\nC.\n\nD."
    framed = table(row("One."), row(cell(paragraph("Two.") + paragraph("Three.")), ""))
    assert text(framed) == "One.\n\nTwo.\n\nThree."


def test_a_table_in_a_cell_stands_once_after_the_one_that_holds_it_under_the_name_of_its_row():
    inner = table(row("e", "f"), row("g", "h"))
    got = text(table(row("a", "b"), row("c", cell(inner + paragraph()))))
    assert got == "| a | b |\n| --- | --- |\n| c |  |\n\nc\n\n| e | f |\n| --- | --- |\n| g | h |"


def test_a_table_of_one_row_in_a_cell_is_text_of_the_cell():
    got = text(table(row("a", "b"), row("c", cell(table(row("e", "f")) + paragraph()))))
    assert got == "| a | b |\n| --- | --- |\n| c | e f |"


def test_a_table_in_a_table_in_a_cell_stands_once_after_the_one_that_holds_it():
    nested = table(row("deepest", "x"), row("y", "z"))
    for depth in (3, 2, 1):
        nested = table(row(f"a{depth}", "b"), row("c", cell(nested + paragraph())))
    got = text(nested)
    assert got.count("deepest") == 1
    assert got.startswith(
        "| a1 | b |\n| --- | --- |\n| c |  |\n\nc\n\n| a2 | b |\n| --- | --- |\n| c |  |\n\nc\n\n| a3 "
    )


def series(called, categories, values, names=("cat", "val")):
    points = [
        "".join(f'<c:pt idx="{n}"><c:v>{one}</c:v></c:pt>' for n, one in enumerate(ones))
        for ones in (categories, values)
    ]
    category, value = (
        f"<c:{name}><c:x>{ones}</c:x></c:{name}>" for name, ones in zip(names, points, strict=True)
    )
    return f"<c:ser><c:tx><c:v>{called}</c:v></c:tx>{category}{value}</c:ser>"


DRAWN = (
    "<w:p><w:r><w:drawing><a:graphic><a:graphicData>{}</a:graphicData></a:graphic></w:drawing></w:r></w:p>"
)


def test_a_chart_is_a_table_of_its_values():
    title = (
        "<c:title><c:tx><c:rich><a:p><a:r><a:t>Flour in tonnes</a:t></a:r></a:p></c:rich></c:tx></c:title>"
    )
    bars = series("Wheat", ("North", "South"), (12, 7)) + series("Rye", ("North", "South"), (3,))
    body = DRAWN.format('<c:chart r:id="chart"/>') * 2
    assert text(body, chart=f"<c:chart>{title}{bars}</c:chart>") == (
        "Flour in tonnes\n\n|  | Wheat | Rye |\n| --- | --- | --- |\n| North | 12 | 3 |\n| South | 7 |  |"
    )
    points = series("Mills", (1771, 1802), (1, 2), ("xVal", "yVal"))
    assert "| 1802 | 2 |" in text(body, chart=f"<c:chart>{points}</c:chart>")
    assert read(word(body, chart="<c:chart/>"), {}).left_out == {"chart without values": 1}


@pytest.mark.parametrize(
    ("form", "value", "shown"),
    [
        ("General", "0.30000000000000004", "0.3"),
        ("0%", "0.255", "25.5%"),
        ("m/d/yyyy", "45416", "2024-05-04"),
        ('#,##0 "per year"', "900", "900"),
        ("[Yellow]0", "7", "7"),
        ("General", "n/a", "n/a"),
        ("yyyy", "99999999", "99999999"),
    ],
)
def test_a_value_of_a_chart_is_shown_as_its_format_says(form, value, shown):
    ones = series("Rent", ("North",), (value,)).replace(
        "<c:val><c:x>", f"<c:val><c:x><c:formatCode>{form}</c:formatCode>"
    )
    got = text(DRAWN.format('<c:chart r:id="chart"/>'), chart=f"<c:chart>{ones}</c:chart>")
    assert got.endswith(f"| North | {shown} |")


def test_a_diagram_gives_its_labels_and_a_picture_its_description():
    points = "".join(
        f"<dgm:pt><dgm:t><a:p><a:r><a:t>{one}</a:t></a:r></a:p></dgm:t></dgm:pt>" for one in ("Mill", "Dam")
    )
    assert text(DRAWN.format('<dgm:relIds r:dm="diagramData"/>'), diagramData=points) == "- Mill\n- Dam"
    told = '<w:p><w:r><w:drawing><wp:docPr descr="{}"/><a:blip r:embed="none"/></w:drawing></w:r></w:p>'
    assert text(told.format("The mill in snow")) == "Picture: The mill in snow"
    unread = '<w:p><w:r><w:object><v:imagedata r:id="x"/><o:OLEObject/></w:object></w:r></w:p>'
    assert read(word(unread), {}).left_out == {"embedded object": 1}
    for said in ("", "IMG_0001.jpg", "A dog&#10;&#10;Description automatically generated"):
        assert read(word(told.format(said)), {}).left_out == {"picture without text": 1}


def test_of_two_forms_of_a_drawing_one_is_read():
    box = "<v:textbox><w:txbxContent>{}</w:txbxContent></v:textbox>".format
    new, old = box(paragraph("Boxed.")), box(paragraph("Boxed as before."))
    both = f"<mc:Choice>{new}</mc:Choice><mc:Fallback>{old}</mc:Fallback>"
    drawn = f"<w:r><w:pict><mc:AlternateContent>{both}</mc:AlternateContent></w:pict></w:r>"
    assert text(paragraph(drawn + run("Text."))) == "Text.\n\nBoxed."


@pytest.mark.parametrize(
    ("omml", "latex"),
    [
        (m_of("f", num="a", den="b"), r"\frac{a}{b}"),
        (m_of("f", '<m:type m:val="lin"/>', num="a", den="b"), "{a}/{b}"),
        (m_of("sSubSup", e="x", sub="i", sup="2"), "x_{i}^{2}"),
        (m_of("sPre", sub="6", sup="14", e="C"), "{}_{6}^{14}C"),
        (m_of("rad", deg="3", e="x"), r"\sqrt[3]{x}"),
        (m_of("rad", '<m:degHide m:val="1"/>', deg="3", e="x"), r"\sqrt{x}"),
        (m_of("nary", '<m:chr m:val="∑"/>', sub="1", e="n"), r"\sum_{1} n"),
        (m_of("d", e="a"), "(a)"),
        (m_of("d", '<m:begChr m:val="{"/><m:endChr m:val=""/>', e="a"), r"\left\{a\right."),
        (m_of("func", fName="sin", e="θ"), r"\sin θ"),
        (m_of("limLow", e="lim", lim="n→∞"), "lim_{n→∞}"),
        (m_of("acc", e="x"), r"\hat{x}"),
        (m_of("bar", '<m:pos m:val="top"/>', e="x"), r"\overline{x}"),
        (m_of("box", e="50%"), r"50\%"),
        (m_of("m", mr="<m:e>1</m:e><m:e>0</m:e>"), r"\begin{matrix}1 & 0\end{matrix}"),
        (m_of("eqArr", e="a=b"), r"\begin{aligned}a=b\end{aligned}"),
        (m("cos\u2061 x"), r"\cos x"),
        ("<m:r><m:rPr><m:nor/></m:rPr><m:t>if</m:t></m:r>", r"\text{if}"),
        (f"<w:del>{m('old')}</w:del><w:ins>{m('new')}</w:ins>", "new"),
    ],
)
def test_an_equation_becomes_latex(omml, latex):
    assert equation(omml) == latex


def test_raised_and_lowered_signs_are_marked_but_endings_of_words_are_not():
    up, down = '<w:vertAlign w:val="superscript"/>', '<w:vertAlign w:val="subscript"/>'
    for before, raised, properties, expected in [
        ("10", "6", up, "10^6"), ("10", "−3", up, "10^−3"), ("x", "n+1", up, "x^(n+1)"),
        ("x", "n", up, "x^n"), ("v", "max", down, "v_max"), ("1", "st", up, "1st"), ("2", "e", up, "2e"),
        ("Mill", "™", up, "Mill™"),
    ]:  # fmt: skip
        assert text(paragraph(run(before) + run(raised, properties))) == expected
    styles = style("Up", "Up", f"<w:rPr>{up}</w:rPr>", "character")
    assert text(paragraph(run("10") + run("6", '<w:rStyle w:val="Up"/>')), styles=styles) == "10^6"
    assert text(paragraph(run("10") + run("-", up) + run("3", up) + run(" m"))) == "10^-3 m"


def test_small_text_at_a_height_of_its_own_is_raised_or_lowered_as_libreoffice_writes_it():
    usual = "<w:docDefaults><w:rPrDefault><w:rPr><w:sz w:val='24'/></w:rPr></w:rPrDefault></w:docDefaults>"
    for height, size, expected in [(8, 19, "10^6"), (-8, 19, "10_6"), (8, 24, "106"), (0, 19, "106")]:
        properties = f'<w:position w:val="{height}"/><w:sz w:val="{size}"/>'
        assert text(paragraph(run("10") + run("6", properties)), styles=usual) == expected


def test_hidden_text_is_left_out_and_counted():
    body = paragraph(
        run("Shown.")
        + run(" Hidden", "<w:vanish/>")
        + run(".", "<w:vanish/>")
        + run(" Not so.", '<w:vanish w:val="0"/>')
    )
    assert text(body) == "Shown. Not so."
    assert read(word(body), {}).left_out == {"hidden part": 1}


def test_signs_of_symbol_fonts_are_read_as_unicode_has_them():
    fonts = '<w:rFonts w:ascii="Symbol"/>'
    body = paragraph(
        run("10 ") + run("\uf06d", fonts) + run("m ") + '<w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>'
    )
    assert text(body) == "10 μm ☑"
    ticked = paragraph('<w:r><w:sym w:font="MS Gothic" w:char="2612"/></w:r>' + run(" Pets allowed"))
    assert text(ticked) == "☒ Pets allowed"
    assert text(paragraph('<w:r><w:sym w:font="MS Gothic" w:char="D800"/></w:r>' + run("x"))) == "x"
    unknown = paragraph('<w:r><w:sym w:font="Webdings" w:char="F0FE"/></w:r>')
    assert read(word(unknown), {}).quality.signs_without_meaning == 1


def test_breaks_keep_lines_apart_but_in_headings():
    lines = "<w:r><w:t>Rent: 900</w:t><w:br/><w:t> Term:</w:t><w:tab/><w:t>5 years</w:t></w:r>"
    heading = paragraph(lines, '<w:outlineLvl w:val="0"/>')
    assert text(paragraph(lines) + heading) == "Rent: 900\nTerm: 5 years\n\n# Rent: 900 Term: 5 years"


def test_controls_and_links_are_read_through():
    control = "<w:sdt><w:sdtPr/><w:sdtContent>{}</w:sdtContent></w:sdt>".format
    link = f'<w:hyperlink r:id="x">{run("The mill")}</w:hyperlink>'
    assert text(control(paragraph(link + control(run(" stands."))))) == "The mill stands."


def entries(document):
    with zipfile.ZipFile(BytesIO(document)) as packed:
        return {name: packed.read(name).decode() for name in packed.namelist()}


def test_a_file_saved_as_strict_open_xml_is_read():
    spaces = re.compile("http://schemas.openxmlformats.org/(wordprocessingml|officeDocument)/2006/")
    usual = entries(word(item("Strict."), numbering=numbering(level(0, "decimal", "%1."))))
    parts = {name: spaces.sub(r"http://purl.oclc.org/ooxml/\1/", content) for name, content in usual.items()}
    assert stored_text(read(archive(parts), {}))[0] == "1. Strict."


def test_an_entity_is_not_resolved_and_a_file_of_this_machine_is_not_read():
    parts = entries(word(paragraph("Text &evil; &file;")))
    declared = '<!DOCTYPE x [<!ENTITY evil "boom"><!ENTITY file SYSTEM "file:///etc/passwd">]>'
    parts["word/document.xml"] = declared + parts["word/document.xml"]
    assert [block.text for block in read(archive(parts), {}).blocks] == ["Text"]


def test_what_nests_too_deep_is_refused_and_what_nests_less_is_read():
    def nested(depth):
        return "<w:tbl><w:tr><w:tc>" * depth + paragraph("Deep.") + "</w:tc></w:tr></w:tbl>" * depth

    assert text(nested(80)) == "Deep."
    with pytest.raises(UnreadableError, match="cannot be read"):
        read(word(nested(100)), {})
    omml = "<m:rad><m:e>" * 120 + m("x") + "</m:e></m:rad>" * 120
    assert equation(omml) == r"\sqrt{" * 120 + "x" + "}" * 120


def test_a_cell_over_a_billion_columns_reaches_over_those_that_there_are():
    got = read(word(table(row(cell("a", '<w:gridSpan w:val="999999999"/>'), "b"), row("c", "d"))), {})
    assert [(one.column, one.columns) for one in got.blocks[0].cells] == [(0, 2), (0, 1), (1, 1)]


def test_a_broken_part_is_counted_and_the_others_are_read():
    parts = entries(word(paragraph("Text."), styles="", numbering="")) | {"word/styles.xml": "<w:styles"}
    reading = read(archive(parts), {})
    assert ([block.text for block in reading.blocks], reading.left_out) == (["Text."], {"broken part": 1})
    with pytest.raises(UnreadableError, match=r"document\.xml cannot be read"):
        read(archive(parts | {"word/document.xml": "<w:document"}), {})
    with pytest.raises(UnreadableError, match=r"not a \.docx"):
        read(archive({"a.txt": "x"}), {})
