"""A named batch over a folder in which everything is wrong that can be, good documents among it."""

import json
import os
from pathlib import Path

from doubles.files import archive, docx, locked_pdf, pdf
from fleet.checks import one_object
from fleet.crew import Crew

from hopline.models.ingest_reports import IngestReport
from hopline.models.reports import Report

GOOD = "The keeper {who} lit the lamp of Karsund in 1901. {who} wrote the log of the lighthouse by hand."
PEOPLE = ("Ada Holm", "Bo Lind", "Cai Berg", "Dag Moen", "Eva Rye", "Finn Dahl", "Gro Vik", "Hans Strand")
ODD = (
    "with space.txt", "-dash.txt", "brackets [1].txt", "per%20cent.txt", "a#b?.txt", "näme 灯台 🗼.txt",
    "two::colons.txt", "new\nline.txt", "quote'\".txt", "UPPER.TXT", "trailing .txt", "semi;colon.md",
)  # fmt: skip


def good(number: int) -> str:
    return GOOD.format(who=f"{PEOPLE[number % len(PEOPLE)]} the {number + 1}th")


def write_good(folder: Path) -> set[str]:
    """Write documents that must all go in; return how they are known."""
    names = set()
    for number, name in enumerate(ODD):
        (folder / name).write_text(good(number), encoding="utf-8")
        names.add(str(folder / name))
    deep = folder.joinpath(*(f"level{n}" for n in range(60)))
    deep.mkdir(parents=True)
    for path, data in (
        (deep / "bottom.txt", good(40).encode()),
        (folder / "report.pdf", pdf(good(41))),
        (folder / "letter.docx", docx(good(42))),
        (folder / "page.html", f"<html><body><p>{good(43)}</p></body></html>".encode()),
        (folder / "western.txt", good(44).replace("Karsund", "Øresund").encode("cp1252")),
        (folder / "marked.txt", good(45).encode("utf-16")),
        (folder / "pack.zip", archive({"deep/a.txt": good(46), "b.pdf": pdf(good(47))})),
    ):
        path.write_bytes(data)
        names |= {f"{path}!/deep/a.txt", f"{path}!/b.pdf"} if path.suffix == ".zip" else {str(path)}
    lines = [{"id": f"line-{n}", "text": good(50 + n)} for n in range(3)]
    (folder / "all.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    return names | {f"{folder}/all.jsonl#line-{n}" for n in range(3)}


def write_bad(folder: Path) -> dict[str, str]:
    """Write what must not go in; return where each is told, and a word of the reason."""
    bad = folder / "bad"
    bad.mkdir()
    contents = {
        "empty.txt": (b"", "empty"),
        "blank.md": (b" \n\t\n", "empty"),
        "noise.txt": (bytes(range(256)) * 64, "not text"),
        "broken.pdf": (b"%PDF-1.7 and then nothing", "parse"),
        "locked.pdf": (locked_pdf(), "encrypted"),
        "broken.docx": (b"PK\x03\x04 broken", "zip archive"),
        "nested.docx": (archive({"inner.zip": "PK", "word/x.docx": "PK"}), "not a .docx"),
        "picture.png": (b"\x89PNG", "not a picture"),
        "bomb.zip": (archive({"a.txt": "0" * 200_000_000}), "a zip bomb?"),
        "damaged.zip": (archive({"a.txt": "text"})[:-9], "damaged"),
        "none": (b"\0no suffix", "unknown suffix"),
    }
    for name, (data, _) in contents.items():
        (bad / name).write_bytes(data)
    with (bad / "huge.txt").open("wb") as huge:
        huge.truncate(200_000_000)  # of which the disk holds nothing
    reasons = {str(bad / name): word for name, (_, word) in contents.items()} | {
        str(bad / "huge.txt"): "too large"
    }
    return reasons | write_links(bad) | write_lists(folder)


def write_links(bad: Path) -> dict[str, str]:
    targets = {
        "loop": bad, "itself.txt": bad / "itself.txt", "nowhere.txt": bad / "nothing",
        "out.txt": Path("/etc/hosts"), "folder": bad.parent / "level0", "twin.txt": bad.parent / ODD[0],
    }  # fmt: skip
    for name, target in targets.items():
        (bad / name).symlink_to(target)
    os.mkfifo(bad / "pipe.txt")
    return {str(bad / name): "link" for name in targets} | {str(bad / "pipe.txt"): "not a file"}


def write_lists(folder: Path) -> dict[str, str]:
    lines = folder / "bad" / "lines.jsonl"
    wrong = ("not json", "[1]", '{"id": "x"}', '{"text": " "}', '{"id": "line-1", "text": "The same id."}')
    lines.write_text("\n".join(wrong) + "\n", encoding="utf-8")
    uris = folder / "more.uris"
    uris.write_text("# a list\nmissing.txt\nfolder/\ngopher://x/y.txt\nletter.docx\n", encoding="utf-8")
    words = ("JSON", "an object", "the field is missing", "not empty", "all.jsonl line 2")
    return {f"{lines} line {n}": word for n, word in enumerate(words, start=1)} | {
        f"{folder}/missing.txt": "no such file",
        f"{uris} line 3: {folder}/folder": "unknown suffix",
        f"{uris} line 4: gopher://x/y.txt": "reaches no further than its own",
        f"{uris} line 5": f"{folder}/letter.docx",
    }


def all_told(report: Report, crew: Crew, name: str) -> dict[str, str]:
    """Return every document and place that is not in, with its reason."""
    services = crew.services
    record = services.batches.get(name)
    refused = {
        refusal["place"]: refusal["reason"] for refusal in json.loads(services.blobs.get(record.refused))
    }
    outcome = crew.client.jobs.get(record.job_id).outcome
    assert isinstance(outcome, IngestReport)
    failed = {document.uri: document.error or "" for document in outcome.documents}
    assert report.refused == len(refused)
    assert sum(cause.count for cause in report.causes) == len(refused) + len(failed)
    return refused | failed


def test_of_a_source_of_horrors_the_good_go_in_and_the_bad_are_told(crew, collection, tmp_path):
    folder = tmp_path / "source"
    folder.mkdir()
    wanted = write_good(folder)
    horrors = write_bad(folder)
    name = f"horrors-{collection}"
    sources = (str(folder), str(folder / "gone"))
    done = crew.run("ingest", *sources, "-c", collection, "--batch", name, "--wait", "--json", seconds=200)
    assert done.returncode == 4, done.stderr
    assert one_object(done.stdout)["state"] == "partial"
    documents = crew.client.documents.iterate(collection=collection)
    held = {document.uri: document.status for document in documents}
    assert {uri for uri, status in held.items() if status == "indexed"} == wanted

    report = one_object(crew.run("batches", "report", name, "--json").stdout)
    assert report.pop("retry") == f"hopline batches retry {name}"
    reasons = all_told(Report.model_validate(report), crew, name)
    horrors[str(folder / "gone")] = "nothing there"
    assert set(reasons) == set(horrors)
    wrong = {place: reasons[place] for place, word in horrors.items() if word not in reasons[place]}
    assert not wrong
