from email.message import EmailMessage

import pytest

from hopline.errors import DocumentUnreadable
from workers.core.jobs.params import DocumentParams
from workers.core.places import place_of
from workers.core.ports import Limits
from workers.ingest.chunking.split import place_map
from workers.ingest.reading.document_file import DocumentFile
from workers.ingest.reading.read import read_text

PARAMS = DocumentParams(uri="/mails/a.eml", source="/mails/a.eml", format="eml")


def read(data):
    return read_text(DocumentFile.of(data if isinstance(data, bytes) else data.as_bytes()), PARAMS, Limits())


def mail(text="The rent is 430 euros.", **heads):
    message = EmailMessage()
    for name, value in {"Subject": "Rent of the mill", "From": "Ann <ann@x.invalid>", **heads}.items():
        message[name] = value
    message.set_content(text)
    return message


def test_a_mail_is_its_heads_and_its_text():
    said = read(mail(To='"Holm, Bo" <bo@x.invalid>, cy@x.invalid', Date="Tue, 1 Oct 2024 23:30:00 +0200"))
    assert said.text.split("\n\n") == [
        "Subject: Rent of the mill",
        "From: Ann <ann@x.invalid>",
        'To: "Holm, Bo" <bo@x.invalid>, cy@x.invalid',
        "Date: Tue, 01 Oct 2024 23:30:00 +0200",
        "The rent is 430 euros.",
    ]
    assert said.title == "Rent of the mill"
    assert {name: str(value) for name, value in said.metadata.items()} == {
        "from": "Ann <ann@x.invalid>",
        "to": "('\"Holm, Bo\" <bo@x.invalid>', 'cy@x.invalid')",
        "date": "2024-10-01",
    }


def test_what_a_mail_quotes_stands_apart_from_what_it_says():
    said = read(mail("It is 450 now.\nOn Monday Bo wrote:\n> It is 430.\n>\n> Or is it?\nNo.\n"))
    assert said.text.split("\n\n")[2:] == [
        "It is 450 now.\nOn Monday Bo wrote:",
        "> It is 430.\n>\n> Or is it?",
        "No.",
    ]


def test_lines_of_a_flowed_text_are_joined():
    message = mail("The rent \nis 430 euros.\n-- \nAnn\n")
    message.replace_header("Content-Type", "text/plain; charset=utf-8; format=flowed")
    assert read(message).text.endswith("The rent is 430 euros.\n-- \nAnn")


def test_of_a_text_in_two_forms_the_plain_one_is_read_unless_a_table_needs_the_other():
    message = mail("Plain.")
    message.add_alternative("<p>Shown.</p>", subtype="html")
    assert read(message).text.endswith("Plain.")
    message = mail("Mill 430")
    table = "<table><tr><th>Name</th><th>Rent</th></tr><tr><td>Mill</td><td>430</td></tr></table>"
    message.add_alternative(table, subtype="html")
    assert "| Mill | 430 |" in read(message).text


def test_pictures_and_attachments_are_counted():
    message = mail("Plain.")
    message.add_alternative("<p>Shown <img src='cid:a'></p>", subtype="html")
    shown = message.get_payload()[1]
    shown.add_related(b"GIF89a", "image", "gif", cid="<a>")
    message.add_attachment(b"Text.", maintype="text", subtype="plain", filename="b.txt")
    assert read(message).left_out == {"picture": 1, "attachment": 1}


@pytest.mark.parametrize("charset", ["iso-8859-8", "koi8-r", "no-such-charset", "utf-8"])
def test_a_text_is_read_in_its_charset(charset):
    known = "utf-8" if charset == "no-such-charset" else charset
    text = {"iso-8859-8": "שלום", "koi8-r": "Мост"}.get(charset, "Größe")
    heads = f"Subject: x\nContent-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: 8bit\n\n"
    assert read(heads.encode() + text.encode(known)).text.endswith(text)


@pytest.mark.parametrize(
    "data",
    [
        b"no heads at all",
        b"\x00\xff" * 1000,
        b"Subject: x\n"
        + b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(3000)),
    ],
)
def test_what_is_no_mail_says_so(data):
    with pytest.raises(DocumentUnreadable, match=r"not a mail|parts"):
        read(data)


@pytest.mark.parametrize("head", ["", "Content-Type: text/plain; charset=us-ascii\n"])
def test_a_text_in_no_charset_or_a_wrong_one_is_read_as_it_looks(head):
    data = f"From: a@x.invalid\nSubject: Straße\n{head}\nDie “Mühle” kostet 12 €.\n".encode("cp1252")
    assert read(data).text == "Subject: Straße\n\nFrom: a@x.invalid\n\nDie “Mühle” kostet 12 €."
    page = "<meta charset=windows-1251><p>Мельница стоит у реки."
    data = f"From: a@x.invalid\nContent-Type: text/html\n\n{page}".encode("cp1251")
    assert read(data).text == "From: a@x.invalid\n\nМельница стоит у реки."


def test_heads_that_are_damaged_do_not_stop_the_reading():
    said = read(b'Subject: =?utf-8?B?w4Q\nFrom: <<>>,@@ ;:\xff\nTo: "\nDate: yesterday\n\nThe text.\n')
    assert said.text.endswith("The text.")
    assert "date" not in said.metadata


def test_a_place_in_a_mail_is_its_head_or_its_body():
    said = read(mail("The rent.\n\n> Is it due?"))
    known = place_map(said.text, said.places, "eml").cut(0, len(said.text))
    found = [
        place_of(known, at := said.text.index(quote), at + len(quote))
        for quote in ("Rent of", "The rent", "Is it")
    ]
    assert [place and place.words for place in found] == ["message head", "message body", "message body"]


def test_a_place_in_an_attached_file_names_it():
    known = place_map("| a |", {}, "md", "/mails/a.eml!/deep/b.md").cut(0, 5)
    place = place_of(known, 0, 5)
    assert place is not None
    assert place.words == "attachment deep/b.md, line 1"
