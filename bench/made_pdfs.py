"""Makes PDFs of kinds that are hard to read, by other programs than the reader, each with its truth.

Ninety files, ten of each kind: running heads, form fields, vertical Japanese, tables without rules, text from
right to left with Latin words; equations, text around floats, tagged trees, forms of boxes. They are made by
Chromium, LibreOffice and reportlab (pip install reportlab), with the fonts DejaVu and IPA. The truth is
written as JSON: `text` is the blocks in the order of reading, `furniture` running heads and feet, `tables`
triples of row, column and value, `fields` pairs of label and value.

    python bench/made_pdfs.py FILES TRUTH [--seed 1] [--only equations,floats]
"""

from __future__ import annotations

import argparse
import importlib
import json
import random
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

_BROWSER = next(filter(shutil.which, ("chromium", "chromium-headless-shell")), "chromium")
CHROMIUM = (_BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer")
OFFICE = ("soffice", "--headless", "--convert-to", "pdf", "--outdir")
NAMES = (
    "Ana Ruiz",
    "Ben Cole",
    "Clara Voss",
    "Dan Abel",
    "Eve Lund",
    "Finn Moor",
    "Greta Hahn",
    "Hugo Paz",
    "Ida Kern",
    "Jon Falk",
)
PLACES = (
    "Hallow",
    "Lower Marsh",
    "Upper Dale",
    "Stonebridge",
    "Kingsford",
    "Ashby",
    "Thornfield",
    "Wick",
    "Brackwater",
    "Elmstead",
)
THINGS = ("mill", "bridge", "dam", "granary", "lock", "ferry house", "smithy", "tannery", "brewery", "school")
ARABIC = (
    "بنيت المطحنة في عام {year} بواسطة {name} بالقرب من النهر.",
    "بلغت التكلفة {cost} يورو وفقا لتقرير {thing} Report.",
    "تعمل الشركة {name} Ltd منذ عام {year} في {place}.",
    "نشر الباحثون نتائجهم في مجلة River Studies وشارك {name} في العمل.",
    "يحتوي المبنى على ثلاث غرف ومخزن كبير للحبوب.",
)
HEBREW = (
    "הטחנה נבנתה בשנת {year} על ידי {name} ליד הנהר.",
    "העלות הייתה {cost} אירו לפי דוח {thing} Report.",
    "החברה {name} Ltd פועלת מאז שנת {year} בעיר {place}.",
    "החוקרים פרסמו את התוצאות בכתב העת River Studies.",
    "בבניין יש שלושה חדרים ומחסן גדול לתבואה.",
)
JAPANESE = (
    "水車小屋は一七七一年に川のほとりに建てられた。",
    "持ち主は小麦を挽き、町のパン屋に毎朝粉を届けていた。",
    "一八〇二年の火事で屋根が焼けたが、一年以内に建て直された。",
    "「水の音が止まることはなかった」と村の古い記録は伝えている。",
    "橋の向こうには風車があり、北の丘から吹く風で回った。",
    "石の壁は厚く、冬でも中は暖かかったという。",
)


class Made(NamedTuple):
    """A document to be made: a page of HTML, a flat OpenDocument, or a function that draws."""

    name: str
    source: str | Callable[[Path], None]
    truth: dict[str, Any]


def sentence(dice: random.Random) -> str:
    """Return a sentence of some facts."""
    return dice.choice(
        (
            "The {thing} of {place} was built in {year} by {name} and cost {cost} pounds.",
            "In {year} a flood destroyed the {thing}, and {name} rebuilt it within two years.",
            "{name} sold the {thing} to the town of {place} for {cost} pounds.",
            "A record of {year} says that the {thing} near {place} had {few} rooms and a slate roof.",
            "The inspector {name} found {few} cracks in the northern wall of the {thing}.",
        )
    ).format_map(facts(dice))


def facts(dice: random.Random) -> dict[str, str]:
    """Return what fills the sentences."""
    return {
        "thing": dice.choice(THINGS),
        "place": dice.choice(PLACES),
        "year": str(dice.randint(1700, 1990)),
        "name": dice.choice(NAMES),
        "cost": f"{dice.randint(1, 90)},{dice.randint(100, 999)}",
        "few": str(dice.randint(2, 9)),
    }


def paragraph(dice: random.Random, sentences: int) -> str:
    """Return some sentences."""
    return " ".join(sentence(dice) for _ in range(sentences))


def html(body: str, style: str = "", attributes: str = "") -> str:
    """Return a page of HTML."""
    return f"<html {attributes}><meta charset=utf-8><style>{style}</style><body>{body}</body></html>"


def flat_document(
    body: str, *, page: str = "", head: str = "", foot: str = "", paragraph_style: str = ""
) -> str:
    """Return a flat OpenDocument text."""
    header = f"<style:header><text:p>{head}</text:p></style:header>" if head else ""
    footer = f"<style:footer><text:p>{foot}</text:p></style:footer>" if foot else ""
    spaces = " ".join(
        f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for prefix, name in (
            ("office", "office"),
            ("style", "style"),
            ("text", "text"),
            ("table", "table"),
            ("fo", "xsl-fo-compatible"),
        )
    )
    around = "<style:header-style/><style:footer-style/>"
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document {spaces} office:version="1.3" '
        'office:mimetype="application/vnd.oasis.opendocument.text"><office:styles>'
        '<style:default-style style:family="paragraph"><style:paragraph-properties fo:margin-bottom="0.3cm"/>'
        '<style:text-properties fo:font-family="DejaVu Sans" style:font-family-asian="IPAGothic" '
        'style:font-family-complex="DejaVu Sans" fo:font-size="11pt"/></style:default-style>'
        f'<style:style style:name="P" style:family="paragraph">{paragraph_style}</style:style>'
        "</office:styles>"
        f'<office:automatic-styles><style:page-layout style:name="L"><style:page-layout-properties {page} '
        'fo:page-width="21cm" fo:page-height="29.7cm" fo:margin-top="1.5cm" fo:margin-bottom="1.5cm" '
        f'fo:margin-left="2cm" fo:margin-right="2cm"/>{around}</style:page-layout></office:automatic-styles>'
        '<office:master-styles><style:master-page style:name="Standard" style:page-layout-name="L">'
        f"{header}{footer}</style:master-page></office:master-styles>"
        f"<office:body><office:text>{body}</office:text></office:body></office:document>"
    )


def flat_paragraphs(texts: list[str]) -> str:
    """Return the paragraphs of a flat OpenDocument."""
    return "".join(f'<text:p text:style-name="P">{escape(text)}</text:p>' for text in texts)


def heads(dice: random.Random) -> Iterator[Made]:
    """Yield documents of several pages with running heads and feet."""
    for number in range(10):
        texts = [paragraph(dice, dice.randint(4, 7)) for _ in range(30)]
        title = f"Survey of the {dice.choice(THINGS)}s of {dice.choice(PLACES)}"
        truth: dict[str, Any] = {"text": texts, "furniture": [title] * 3}
        source: str | Callable[[Path], None]
        if number % 3 == 0:
            foot = "Printed for the county office"
            fixed = f"<div style='position:fixed;top:0;right:0;font-size:9pt'>{title}</div>"
            fixed += f"<div style='position:fixed;bottom:0;left:0;font-size:9pt'>{foot}</div>"
            truth["furniture"] += [foot] * 3
            body = "".join(f"<p>{text}</p>" for text in texts)
            table = f"<thead><tr><td style='height:2cm'></thead><tbody><tr><td>{body}</tbody>"
            table += "<tfoot><tr><td style='height:1.5cm'></tfoot>"
            source = html(f"{fixed}<table>{table}</table>", "body{font:13pt serif}@page{margin:1cm}")
        elif number % 3 == 1:
            foot = "County office, page <text:page-number/>"
            truth["furniture"] += [f"County office, page {page}" for page in (1, 2, 3)]
            source = flat_document(flat_paragraphs(texts), head=escape(title), foot=foot)
        else:
            truth["text"], truth["furniture"], source = chapters(dice, title)
        yield Made(f"heads-{number}", source, truth)


def chapters(dice: random.Random, title: str) -> tuple[list[str], list[str], Callable[[Path], None]]:
    """Return (text, heads, drawing) of a book: its title on left pages, the chapter's on right ones."""
    pages = []
    for number in range(6):
        chapter = f"{number // 2 + 1} The {THINGS[number // 2]} of {PLACES[number // 2]}"
        head = f"{number + 12}   {title}" if number % 2 == 0 else f"{chapter}   {number + 12}"
        pages.append((head, [paragraph(dice, 6) for _ in range(4)]))

    def draw(path: Path) -> None:
        canvas = importlib.import_module("reportlab.pdfgen.canvas").Canvas(str(path), pagesize=(420, 595))
        for number, (head, texts) in enumerate(pages):
            canvas.setFont("Times-Italic", 9)
            if number % 2:
                canvas.drawRightString(370, 560, head)
            else:
                canvas.drawString(50, 560, head)
            y = 525.0
            for text in texts:
                y = draw_paragraph(canvas, text, 50, y, 320) - 8
            canvas.showPage()
        canvas.save()

    return [text for _, texts in pages for text in texts], [head for head, _ in pages], draw


def draw_paragraph(
    canvas: Any, text: str, x: float, y: float, width: float, font: str = "Times-Roman"
) -> float:
    """Draw a text in lines; return where the next one stands."""
    canvas.setFont(font, 10.5)
    line = ""
    for word in [*text.split(), ""]:
        if not word or canvas.stringWidth(f"{line} {word}", font, 10.5) > width:
            canvas.drawString(x, y, line)
            y, line = y - 13, word
        else:
            line = f"{line} {word}".strip()
    return y


def fields(dice: random.Random) -> Iterator[Made]:
    """Yield filled forms: labels beside their fields, above them, in a grid, in two columns, with boxes."""
    labels = (
        "Name of the lessee",
        "Address",
        "Monthly rent in pounds",
        "First day of the lease",
        "Keeper",
        "Purpose",
    )
    for number in range(10):
        fact = facts(dice)
        values = (
            fact["name"],
            f"{fact['few']} {fact['place']} Road",
            fact["cost"],
            f"{fact['few']} May {fact['year']}",
            dice.choice(NAMES),
            f"Use as a {fact['thing']}",
        )
        pairs = list(zip(labels, values, strict=True))
        boxes = [("Pets allowed", number % 2 == 0), ("Deposit paid", number % 3 == 0)]
        truth = {
            "text": ["Lease form", *labels, *(label for label, _ in boxes)],
            "fields": pairs,
            "optional": list(values),
            "order": False,
        }
        yield Made(f"fields-{number}", form(number, pairs, boxes), truth)


def form(number: int, pairs: list[tuple[str, str]], boxes: list[tuple[str, bool]]) -> Callable[[Path], None]:
    """Return the drawing of a form."""

    def draw(path: Path) -> None:
        canvas = importlib.import_module("reportlab.pdfgen.canvas").Canvas(str(path))
        canvas.setFont("Helvetica-Bold", 16)
        canvas.drawString(60, 780, "Lease form")
        kind = number % 4
        for index, (label, value) in enumerate(pairs):
            column, row = (index % 2, index // 2) if kind == 2 else (0, index)
            x, y = 60 + 250 * column, 730 - row * (50 if kind == 1 else 34)
            canvas.setFont("Helvetica", 10)
            canvas.drawString(x, y + 5, label + (":" if number % 2 else ""))
            if kind == 3:
                canvas.grid([55, 210, 420], [y - 8, y + 26])
            place = {"x": x, "y": y - 18} if kind == 1 else {"x": x + (125 if kind == 2 else 160), "y": y}
            canvas.acroForm.textfield(
                name=f"field{index}",
                value=value,
                width=110 if kind == 2 else 200,
                height=18,
                fontSize=9,
                **place,
            )
        for index, (label, is_checked) in enumerate(boxes):
            y = 400 - 30 * index
            canvas.acroForm.checkbox(name=f"box{index}", x=60, y=y, size=14, checked=is_checked)
            canvas.setFont("Helvetica", 10)
            canvas.drawString(82, y + 3, label)
        canvas.save()

    return draw


def vertical(dice: random.Random) -> Iterator[Made]:
    """Yield Japanese texts in vertical lines."""
    for number in range(10):
        texts = ["".join(dice.sample(JAPANESE, 4)) for _ in range(4)]
        source: str | Callable[[Path], None]
        if number % 2 == 0:
            tiers = "columns:2;column-gap:1cm;" if number % 4 == 0 else ""
            style = f"body{{writing-mode:vertical-rl;font:12pt/1.7 IPAGothic;{tiers}height:24cm}}"
            heading = "<h1 style='font-size:20pt'>水車小屋の歴史</h1>"
            source = html(heading + "".join(f"<p>{text}</p>" for text in texts), style, "lang=ja")
            texts = ["水車小屋の歴史", *texts]
        elif number % 4 == 1:
            source = flat_document(flat_paragraphs(texts), page='style:writing-mode="tb-rl"')
        else:
            source = vertical_lines(texts)
        yield Made(f"vertical-{number}", source, {"text": texts})


def vertical_lines(texts: list[str]) -> Callable[[Path], None]:
    """Return the drawing of texts in vertical lines of 30 signs, in a font that the file does not hold."""

    def draw(path: Path) -> None:
        fonts = importlib.import_module("reportlab.pdfbase.cidfonts")
        metrics = importlib.import_module("reportlab.pdfbase.pdfmetrics")
        metrics.registerFont(fonts.UnicodeCIDFont("HeiseiMin-W3", isVertical=True))
        canvas = importlib.import_module("reportlab.pdfgen.canvas").Canvas(str(path))
        canvas.setFont("HeiseiMin-W3", 12)
        x = 530
        for text in texts:
            for start in range(0, len(text), 30):
                canvas.drawString(x, 760, text[start : start + 30])
                x -= 20
            x -= 10
        canvas.save()

    return draw


def tables(dice: random.Random) -> Iterator[Made]:
    """Yield tables without rules between paragraphs."""
    for number in range(10):
        columns = [
            "Region",
            *dice.sample(["Units", "Rent", "Tax", "Staff", "Cost per unit", "Year built"], 3 + number % 3),
        ]
        rows = [
            [place, *(f"{dice.randint(-40, 90_000):,}" for _ in columns[1:])]
            for place in dice.sample(PLACES, 4 + number % 4)
        ]
        if number % 2:
            columns.insert(1, "Keeper")
            for row in rows:
                row.insert(1, dice.choice(NAMES))
        triples = [
            [row[0], name, value] for row in rows for name, value in zip(columns[1:], row[1:], strict=True)
        ]
        before, after = paragraph(dice, 4), paragraph(dice, 3)
        truth = {
            "text": [before, *(" ".join(row) for row in [columns, *rows]), after],
            "tables": [{"triples": triples}],
        }
        source: str | Callable[[Path], None]
        if number % 3 == 2:
            source = drawn_table(before, columns, rows, after)
        elif number % 3 == 1:
            body = "".join(
                f"<table:table-row>{''.join(map(flat_cell, row))}</table:table-row>"
                for row in [columns, *rows]
            )
            count = f'<table:table-column table:number-columns-repeated="{len(columns)}"/>'
            table = f"<table:table>{count}{body}</table:table>"
            source = flat_document(flat_paragraphs([before]) + table + flat_paragraphs([after]))
        else:
            body = "".join("<tr>" + "".join(map(html_cell, row)) for row in [columns, *rows])
            source = html(f"<p>{before}</p><table>{body}</table><p>{after}</p>", "body{font:11pt serif}")
        yield Made(f"tables-{number}", source, truth)


def flat_cell(text: str) -> str:
    """Return a cell of a flat OpenDocument."""
    return f"<table:table-cell>{flat_paragraphs([text])}</table:table-cell>"


def html_cell(text: str) -> str:
    """Return a cell of HTML; figures stand at its right."""
    align = ";text-align:right" if text[-1].isdigit() else ""
    return f"<td style='padding-right:18pt{align}'>{text}</td>"


def drawn_table(before: str, columns: list[str], rows: list[list[str]], after: str) -> Callable[[Path], None]:
    """Return the drawing of a table between two paragraphs."""

    def draw(path: Path) -> None:
        canvas = importlib.import_module("reportlab.pdfgen.canvas").Canvas(str(path))
        y = draw_paragraph(canvas, before, 60, 780, 470) - 10
        step = 470 / len(columns)
        for row in [columns, *rows]:
            for index, cell in enumerate(row):
                x = 60 + step * index
                if cell[-1].isdigit():
                    canvas.drawRightString(x + step - 25, y, cell)
                else:
                    canvas.drawString(x, y, cell)
            y -= 15
        draw_paragraph(canvas, after, 60, y - 10, 470)
        canvas.save()

    return draw


def right_to_left(dice: random.Random) -> Iterator[Made]:
    """Yield Arabic and Hebrew texts with Latin words and numbers."""
    for number in range(10):
        language, sentences = (("ar", ARABIC), ("he", HEBREW))[number % 2]
        texts = [
            " ".join(text.format_map(facts(dice)) for text in dice.sample(sentences, 4))
            for _ in range(4 + number % 3)
        ]
        if number % 4 < 2:
            body = "".join(f"<p>{text}</p>" for text in texts)
            source = html(body, "body{font:13pt 'DejaVu Sans'}", f"dir=rtl lang={language}")
        else:
            style = '<style:paragraph-properties style:writing-mode="rl-tb" fo:text-align="start"/>'
            source = flat_document(flat_paragraphs(texts), paragraph_style=style)
        yield Made(f"rtl-{number}", source, {"text": texts})


EQUATIONS = (  # MathML, and the words that are read of it whatever stands above or below
    ("<mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup>", "E = mc2"),
    ("<msub><mi>F</mi><mi>n</mi></msub><mo>=</mo><mi>k</mi><mi>x</mi>", "F n = kx"),
    (
        "<mi>v</mi><mo>=</mo><mfrac><mrow><mi>s</mi><mo>+</mo><mi>u</mi></mrow><mi>t</mi></mfrac>",
        "v = s + u t",
    ),
    (
        (
            "<mi>S</mi><mo>=</mo><munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi>"
            "</munderover><msub><mi>a</mi><mi>i</mi></msub>"
        ),
        "S = ai",
    ),
    ("<mi>d</mi><mo>=</mo><msqrt><mi>x</mi><mo>+</mo><mi>y</mi></msqrt>", "d = x + y"),
)


def equations(dice: random.Random) -> Iterator[Made]:
    """Yield texts with equations between the paragraphs and numbers of equations, and within the lines."""
    for number in range(10):
        texts = [paragraph(dice, 3) for _ in range(5)]
        body = ""
        for index, text in enumerate(texts):
            math, _words = EQUATIONS[(number + index) % len(EQUATIONS)]
            shown = f"<math display=block>{math}</math>"
            if number % 3 == 1:
                numbered = f"<span style='flex:1'>{shown}</span><span>({index + 1})</span>"
                shown = f"<div style='display:flex'>{numbered}</div>"
            if number % 3 == 2:
                start, _, end = text.partition(". ")
                body += f"<p>{start} with <math>{math}</math>. {end}</p>"
            else:
                body += f"<p>{text}</p>{shown}"
        if number % 3 == 2:
            texts = [
                part
                for text in texts
                for part in (f"{text.partition('. ')[0]} with", text.partition(". ")[2])
            ]
        optional = [words for _, words in EQUATIONS] + [f"({n})" for n in range(1, 6)] + ["∑ i = 1 n √"]
        yield Made(
            f"equations-{number}", html(body, "body{font:12pt serif}"), {"text": texts, "optional": optional}
        )


def floats(dice: random.Random) -> Iterator[Made]:
    """Yield texts that run around boxes at one side or both, which are read before or after the paragraph."""
    for number in range(10):
        texts = [paragraph(dice, dice.randint(5, 8)) for _ in range(4)]
        notes = [f"Note {index + 1}: {sentence(dice)}" for index in range(2)]
        sides = (("left", "left"), ("right", "right"), ("left", "right"))[number % 3]
        line = "border:1px solid black;" if number % 2 else "background:#eee;"
        body = ""
        for index, text in enumerate(texts):
            if index in (1, 3):
                style = f"float:{sides[index // 2]};width:5cm;margin:0.3cm;padding:0.2cm;font-size:9pt;{line}"
                body += f"<div style='{style}'>{notes[index // 2]}</div>"
            body += f"<p>{text}</p>"
        truth = {"text": [*texts[:1], notes[0], *texts[1:3], notes[1], texts[3]], "order": False}
        yield Made(f"floats-{number}", html(body, "body{font:12pt serif;text-align:justify}"), truth)


def tagged(dice: random.Random) -> Iterator[Made]:
    """Yield documents whose tags say what is a heading, a list, a table, a figure with its caption."""
    for number in range(10):
        title = f"The {dice.choice(THINGS)}s of {dice.choice(PLACES)}"
        texts, body, triples = [title], f"<h1>{title}</h1>", list[list[str]]()
        for index in range(3):
            heading = f"{index + 1}. The {THINGS[(number + index) % 10]}"
            said = paragraph(dice, 4)
            items = [sentence(dice) for _ in range(3)]
            texts += [heading, said, *items]
            kind = "ol" if number % 2 else "ul"
            listed = "".join(f"<li>{item}</li>" for item in items)
            body += f"<h2>{heading}</h2><p>{said}</p><{kind}>{listed}</{kind}>"
        columns, rows = ["Place", "Units", "Rent"], dice.sample(PLACES, 4)
        table = "".join(f"<th scope=col>{name}" for name in columns)
        for place in rows:
            values = [f"{dice.randint(1, 999)}", f"{dice.randint(1, 999)}"]
            triples += [[place, name, value] for name, value in zip(columns[1:], values, strict=True)]
            table += f"<tr><th scope=row>{place}" + "".join(f"<td>{value}" for value in values)
            texts.append(f"{place} {' '.join(values)}")
        caption = f"Figure 1: {sentence(dice)}"
        texts.insert(len(texts) - len(rows), " ".join(columns))
        texts.append(caption)
        body += (
            f"<table><thead><tr>{table}</table><figure><svg width=200 height=60><rect width=200 height=60 />"
        )
        body += f"</svg><figcaption>{caption}</figcaption></figure>"
        style = "body{font:11pt sans-serif}td,th{padding:2pt 12pt;text-align:left}"
        if number % 3 == 0:
            style += "td,th{border:1px solid #888}table{border-collapse:collapse}"
        truth = {"text": texts, "tables": [{"triples": triples}], "optional": ["1. 2. 3."]}
        yield Made(f"tagged-{number}", html(body, style, "lang=en"), truth)


def boxed(dice: random.Random) -> Iterator[Made]:
    """Yield forms whose labels and values stand in boxes: side by side, label above, letter by letter."""
    labels = ("Name", "Address", "Rent a month", "First day", "Keeper", "Purpose")
    for number in range(10):
        fact = facts(dice)
        values = (
            fact["name"],
            f"{fact['few']} {fact['place']} Road",
            f"{fact['cost']} pounds",
            f"{fact['few']} May {fact['year']}",
            dice.choice(NAMES),
            f"Use as a {fact['thing']}",
        )
        pairs = list(zip(labels, values, strict=True))
        box = "border:1px solid black;padding:3pt 6pt;"
        if number % 3 == 0:
            rows = "".join(
                f"<tr><td style='{box}'>{one}<td style='{box}width:8cm'>{two}" for one, two in pairs
            )
            body = f"<table style='border-collapse:collapse'>{rows}</table>"
        elif number % 3 == 1:
            cells = "".join(
                f"<div style='{box}width:7cm;display:inline-block'><div style='font-size:8pt'>{one}</div>"
                f"<div>{two}</div></div>"
                for one, two in pairs
            )
            body = f"<div>{cells}</div>"
        else:
            letter = "border:1px solid black;display:inline-block;width:14pt;height:16pt;text-align:center"
            body = "".join(
                f"<p>{one} "
                + "".join(f"<span style='{letter}'>{sign}</span>" for sign in two.split()[-1])
                + "</p>"
                for one, two in pairs
            )
            pairs = [(one, two.split()[-1]) for one, two in pairs]
        truth = {
            "text": ["Lease of a building", *(f"{one} {two}" for one, two in pairs)],
            "fields": pairs,
            "order": number % 3 != 1,
        }
        yield Made(
            f"boxed-{number}",
            html(f"<h1>Lease of a building</h1>{body}", "body{font:11pt sans-serif}"),
            truth,
        )


def make(made: Made, folder: Path) -> None:
    """Make a PDF."""
    path = folder / f"{made.name}.pdf"
    if callable(made.source):
        made.source(path)
        return
    is_flat = made.source.startswith("<?xml")
    source = folder / f"{made.name}{'.fodt' if is_flat else '.html'}"
    source.write_text(made.source, encoding="utf-8")
    command = (*OFFICE, str(folder)) if is_flat else (*CHROMIUM, f"--print-to-pdf={path}")
    subprocess.run((*command, str(source)), check=True, capture_output=True, timeout=120)
    source.unlink()


def main() -> None:
    """Make all files."""
    parser = argparse.ArgumentParser(
        description="Make PDFs of kinds that are hard to read, with their truth."
    )
    parser.add_argument("files", type=Path)
    parser.add_argument("truth", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="kinds, with commas")
    arguments = parser.parse_args()
    for folder in (arguments.files, arguments.truth):
        folder.mkdir(parents=True, exist_ok=True)
    dice = random.Random(arguments.seed)
    wanted = {name for name in arguments.only.split(",") if name}
    for kind in (heads, fields, vertical, tables, right_to_left, equations, floats, tagged, boxed):
        for made in kind(
            dice
        ):  # all draw from the same dice, so that each is the same with and without others
            if wanted and kind.__name__ not in wanted:
                continue
            make(made, arguments.files)
            name = f"{made.name}.pdf"
            truth = {"name": name, "kind": "pdf", "order": True, "furniture": [], "optional": []} | made.truth
            text = json.dumps(truth, ensure_ascii=False, indent=1)
            (arguments.truth / f"{name}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
