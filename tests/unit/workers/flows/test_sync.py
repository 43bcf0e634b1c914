"""What a sync finds and does, over a graph in memory."""

import io
import os
import zipfile
from dataclasses import replace
from pathlib import Path

import orjson
import pytest
from doubles.files import archive
from doubles.manifests import pages_of
from doubles.model import FlowRunner, Ingestion
from doubles.replies import MemoryReplies

from hopline.errors import DocumentUnreadable, InvalidInput
from hopline.models.jobs import JobState
from workers.core import ids
from workers.core.jobs.work import Done, Job, NoInput
from workers.core.metadata.changes import MetadataChange
from workers.ingest.flow import DOCUMENT
from workers.ingest.load import LoadInput, load_document
from workers.ingest.sync.compare import CompareInput, compare_documents
from workers.ingest.sync.flow import COMPARE, LIST, REMOVE, SURVEY, SYNC, WRITE
from workers.ingest.sync.remove import RemoveInput, remove_document
from workers.ingest.sync.scope import Doubtful, scope_of
from workers.ingest.sync.survey import SurveyInput, list_documents, survey_page


class Stand(Ingestion):
    """A folder and the collection that is kept in step with it."""

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def compare(self, *sources: str | Path, **params):
        job_params = {"sources": [str(source) for source in sources or (self.folder,)], **params}
        ports = self.ports(kind="sync", params=job_params)
        listed = list_documents(NoInput(), ports).result
        pages = pages_of(self.blobs, listed.surveys.reference)
        inputs = [SurveyInput.read_stored(item.input) for page in pages for item in page]
        made = [survey_page(page, ports).result for page in inputs]
        surveyed = tuple((survey.page, survey.made) for survey in made)
        compare = CompareInput(surveyed=surveyed, refusals=listed.refusals, scopes=listed.scopes)
        return compare_documents(compare, ports).result

    def items(self, result, name):
        return [item.input for page in pages_of(self.blobs, getattr(result, name).reference) for item in page]

    def sync(self, *sources: str | Path, **params):
        result = self.compare(*sources, **params)
        for change in self.items(result, "changes"):
            FlowRunner(DOCUMENT, self.ports(params=change)).run()
        for removal in self.items(result, "removals"):
            if remove_document(RemoveInput.read_stored(removal), self.ports()).delegate:
                self.graph.store.delete_document(removal["document_id"])
        return {kind: count for kind, count in result.counts.items() if count}

    def uris(self):
        return {Path(document.uri).name for document in self.graph.store.documents("default")}


@pytest.fixture
def stand(tmp_path: Path) -> Stand:
    return Stand(tmp_path / "source")


def test_new_changed_moved_and_removed_documents_are_told_apart(stand: Stand):
    for name in ("a", "b", "c", "d"):
        stand.write(f"{name}.txt", f"Text of {name}. It was written in Bern.")
    assert stand.sync() == {"new": 4}
    stand.write("b.txt", "Text of b. It was written in Basel.")
    (stand.folder / "c.txt").rename(stand.folder / "e.txt")
    (stand.folder / "d.txt").unlink()
    stand.write("f.txt", "Another one.")
    assert stand.sync() == {"unchanged": 1, "changed": 1, "moved": 1, "removed": 1, "new": 1}
    assert stand.uris() == {"a.txt", "b.txt", "e.txt", "f.txt"}
    assert stand.sync() == {"unchanged": 4}


def test_a_moved_document_says_what_it_was_and_goes_when_it_is_in_at_its_new_place(stand: Stand):
    old = stand.write("a.txt", "Anna built a bridge.")
    stand.write("b.txt", "Bern lies on the Aare.")
    stand.sync()
    new = old.rename(stand.folder / "z.txt")
    result = stand.compare()
    (change,) = stand.items(result, "changes")
    assert (change["uri"], change["moved_from"]) == (str(new), ids.document_id("default", str(old)))
    assert change["known_as"] == "a"
    assert change["keeps_command"] is True  # what came by --meta is not taken away
    (stored,) = stand.items(result, "removals")
    removal = RemoveInput.read_stored(stored)
    stays = remove_document(removal, stand.ports())
    assert stays.delegate is None
    assert "not in yet" in stays.result.kept
    FlowRunner(DOCUMENT, stand.ports(params=change)).run()
    assert remove_document(removal, stand.ports()).delegate is not None


def test_a_moved_document_keeps_the_metadata_that_was_set_by_hand_or_by_a_command(stand: Stand):
    old = stand.write("a.txt", "Anna built a bridge.")
    stand.write("b.txt", "Bern lies on the Aare.")
    stand.sync()
    params = {"uri": str(old), "source": str(old), "format": "txt", "command_metadata": {"author": "Ann"}}
    FlowRunner(DOCUMENT, stand.ports(params=params)).run()
    before = ids.document_id("default", str(old))
    stand.graph.store.change_metadata([before], MetadataChange(values={"priority": 2}))
    new = old.rename(stand.folder / "z.txt")
    assert stand.sync() == {"moved": 1, "unchanged": 1}
    held = stand.graph.store.document(ids.document_id("default", str(new)))
    assert held.metadata == {"author": "Ann", "priority": 2}
    assert (held.ingested_metadata, held.command_fields) == ({"author": "Ann"}, ("author",))


def test_two_sources_of_one_collection_leave_one_another_alone(stand: Stand):
    stand.write("one/a.txt", "Anna built a bridge.")
    stand.write("two/b.txt", "Bern lies on the Aare.")
    stand.write("one-more/c.txt", "Chur is old.")
    for name in ("one", "two", "one-more"):
        assert stand.sync(stand.folder / name) == {"new": 1}
    (stand.folder / "one" / "a.txt").rename(stand.folder / "one" / "z.txt")
    assert stand.sync(stand.folder / "one") == {"moved": 1}
    assert stand.uris() == {"z.txt", "b.txt", "c.txt"}


def test_what_a_request_named_is_read_where_it_may_be_read_when_it_begins(stand: Stand):
    """A schedule may have been made when HOPLINE_API_SOURCES named more."""
    stand.write("a.txt", "Anna built a bridge.")
    params = {"sources": [str(stand.folder)], "confined": True}
    ports = stand.ports(kind="sync", params=params)
    assert list_documents(NoInput(), replace(ports, places=f"file://{stand.folder}")).result.documents == 1
    for places in ("", f"file://{stand.folder}/reports, s3://archive"):
        end = FlowRunner(SYNC, replace(ports, places=places)).run()
        assert end.state is JobState.FAILED
        assert f"a place in this worker's current HOPLINE_API_SOURCES: {places}" in end.outcome["error"]
    own = stand.ports(kind="sync", params={"sources": [str(stand.folder)]})
    assert list_documents(NoInput(), own).result.documents == 1


def test_a_document_that_has_become_a_link_out_of_its_place_is_not_read(stand: Stand, tmp_path: Path):
    document = stand.write("a.txt", "Anna built a bridge.")
    (listed,) = stand.items(stand.compare(), "changes")
    document.unlink()
    document.symlink_to(tmp_path / "elsewhere.txt")
    (tmp_path / "elsewhere.txt").write_text("Nobody's business.", encoding="utf-8")
    ports = replace(stand.ports(params=listed | {"confined": True}), places=f"file://{stand.folder}")
    with pytest.raises(DocumentUnreadable, match="HOPLINE_API_SOURCES"):
        load_document(LoadInput(), ports)


def test_a_pattern_answers_for_what_it_means_only(stand: Stand):
    stand.write("a.md", "Anna built a bridge.")
    stand.write("b.txt", "Bern lies on the Aare.")
    stand.sync()
    (stand.folder / "b.txt").unlink()
    assert stand.sync(stand.folder / "*.md") == {"unchanged": 1}
    assert stand.uris() == {"a.md", "b.txt"}
    assert stand.sync() == {"unchanged": 1, "removed": 1}


def test_lines_of_a_list_come_go_and_change(stand: Stand):
    rows = [{"id": name, "text": f"Text of {name}."} for name in ("a", "b", "c")]
    lines = stand.folder / "lines.jsonl"
    stand.write("lines.jsonl", "\n".join(orjson.dumps(row).decode() for row in rows))
    assert stand.sync(lines) == {"new": 3}
    rows = [rows[1] | {"text": "Other text of b."}, rows[0]]
    stand.write("lines.jsonl", "\n".join(orjson.dumps(row).decode() for row in rows))
    assert stand.sync(lines) == {"changed": 1, "unchanged": 1, "removed": 1}


def test_a_line_that_cannot_be_read_removes_nothing_of_its_list(stand: Stand):
    stand.write("lines.jsonl", '{"id": "a", "text": "Text."}\n{"id": "b", "text": "More text."}')
    stand.sync()
    stand.write("lines.jsonl", '{"id": "a", "text": "Text."}\n{"id": "b", ')
    assert stand.sync() == {"unchanged": 1, "doubtful": 1}


def test_a_source_that_is_not_there_stops_it_all(stand: Stand):
    stand.write("a.txt", "Anna built a bridge.")
    stand.sync()
    (stand.folder / "a.txt").unlink()
    with pytest.raises(InvalidInput, match="nothing there"):
        stand.compare()
    with pytest.raises(InvalidInput, match="nothing there"):
        stand.compare(stand.folder, stand.folder / "gone")


def test_a_source_that_has_lost_most_of_it_stops_unless_that_is_allowed(stand: Stand):
    for nth in range(60):
        stand.write(f"{nth}.txt", f"Document {nth} is here.")
    stand.sync()
    for nth in range(40):
        (stand.folder / f"{nth}.txt").unlink()
    with pytest.raises(InvalidInput, match="40 of 60 documents"):
        stand.compare()
    assert stand.compare(dry_run=True).counts["removed"] == 40
    assert stand.sync(most_removed=1) == {"unchanged": 20, "removed": 40}


def test_a_document_is_done_again_with_another_profile_or_where_it_failed_and_not_for_want_of_a_note(stand):
    stand.write("a.txt", "Anna built a bridge.")
    stand.sync()
    document = stand.graph.store.documents("default")[0]
    assert stand.compare(profile="a-reference").counts == {"changed": 1, "doubtful": 0}
    stand.graph.store.note_source(document.id, document.version, "", document.uri)
    assert stand.sync() == {"unchanged": 1}, "it is known by its text"
    stand.graph.store.set_status(document.id, document.version, "partial", "a chunk failed")
    assert stand.sync() == {"changed": 1}
    assert stand.sync() == {"unchanged": 1}


def test_unchanged_documents_of_before_languages_were_stored_are_given_them(stand: Stand):
    stand.write("a.txt", "Die Brücke wurde von ihr eröffnet und nicht vom Bürgermeister.")
    stand.write("b.txt", "12")
    stand.sync()
    for node in stand.graph.store.stored.values():
        node.document = node.document.model_copy(update={"languages": ()})
    assert stand.compare(dry_run=True).counts["unchanged"] == 2
    assert {document.languages for document in stand.graph.store.documents("default")} == {()}
    assert stand.sync() == {"unchanged": 2}
    held = {Path(each.uri).name: each.languages for each in stand.graph.store.documents("default")}
    assert held == {"a.txt": ("de",), "b.txt": ()}
    assert stand.graph.store.without_languages("default", 10) == []


def test_what_lies_below_a_refused_place_is_in_doubt():
    doubtful = Doubtful(["/a/closed", "/a/list.jsonl line 7", "/a/x.uris line 2: /b/c"])
    held = ["/a/closed/deep/b.txt", "/a/closed", "/a/list.jsonl#7", "/a/list.jsonl#other"]
    assert all(doubtful.holds(uri) for uri in held)
    assert not any(doubtful.holds(uri) for uri in ("/a/closed2/b.txt", "/a/list2.jsonl#7", "/a"))


def test_scopes_know_what_lies_under_them(tmp_path: Path):
    (tmp_path / "a[1].txt").write_text("x")
    folder, file = scope_of(str(tmp_path)), scope_of(str(tmp_path / "a[1].txt"))
    assert (folder.kind, file.kind) == ("folder", "file")
    assert folder.holds(f"{tmp_path}/deep/b.txt")
    assert not folder.holds(f"{tmp_path}2/b.txt")
    assert file.holds(f"{tmp_path}/a[1].txt")
    assert not file.holds(f"{tmp_path}/a1.txt")
    (tmp_path / "some.uris").write_text("b.txt\n")
    assert not scope_of(str(tmp_path / "some.uris")).holds(f"{tmp_path}/b.txt")


class Drive:
    """The flow's phases, their items done by hand."""

    def __init__(self, **params):
        fields = {"sources": ["/s"], "dry_run": False, **params}
        self.job = Job(id="j1", kind="sync", collection="default", params=fields)
        surveys = {"reference": "ref-surveys", "size": 2}
        listed = {"surveys": surveys, "documents": 2, "refused": 1, "refusals": "r", "scopes": []}
        self.results = {LIST: [Done(item_id="list", step="ingest.list", result=listed)]}

    def done(self, phase, *done):
        self.results[phase] = list(done)
        return SYNC.advance(phase, self.results, self.job)

    def compared(self, changes: int, removals: int):
        made = [
            Done(item_id=f"survey:{nth}", step="ingest.survey", result={"page": f"p{nth}", "made": f"m{nth}"})
            for nth in (1, 0)
        ]
        phase = self.done(SURVEY, *made)
        assert phase.items[0].input["surveyed"] == [["p0", "m0"], ["p1", "m1"]]
        lists = {"changes": changes, "removals": removals}
        references = {name: {"reference": f"ref-{name}", "size": size} for name, size in lists.items()}
        result = {"counts": {"new": changes}, "examples": {}, **references}
        return self.done(COMPARE, Done(item_id="compare", step="ingest.compare", result=result))


GONE = {"state": "done", "outcome": {}}
STAYS = {"uri": "/s/b", "kept": "not in yet"}


@pytest.mark.parametrize(("status", "removal", "state", "removals", "failed"), [
    ("done", GONE, "done", {"removed": 1}, []),
    ("failed", GONE, "partial", {"removed": 1}, ["failed"]),
    ("done", STAYS, "partial", {"kept": 1}, ["kept"]),
])  # fmt: skip
def test_what_is_written_comes_before_what_is_removed_and_what_fails_or_stays_makes_it_partial(
    status, removal, state, removals, failed
):
    drive = Drive()
    writing = drive.compared(1, 1)
    assert (writing.listed.reference, writing.listed.step) == ("ref-changes", "ingest.document")
    written = {"state": "done", "outcome": {"status": status, "uri": "/s/a"}}
    removing = drive.done(WRITE, Done(item_id="0:a", step="ingest.document", result=written))
    assert (removing.listed.reference, removing.listed.step) == ("ref-removals", "ingest.remove")
    end = drive.done(REMOVE, Done(item_id="remove:0", step="ingest.remove", result=removal))
    assert (end.state, end.outcome["removals"], end.outcome["documents"]) == (state, removals, {status: 1})
    assert [failure.get("status", "failed") for failure in end.outcome.get("failed", [])] == failed


def test_a_dry_run_ends_with_what_it_found_and_a_listing_that_fails_with_its_reason():
    end = Drive(dry_run=True).compared(2, 1)
    assert (end.state, end.outcome["counts"]) == ("done", {"new": 2})
    assert end.outcome["refused"] == 1
    nothing_written = Drive()
    assert nothing_written.compared(0, 1).items == ()
    assert nothing_written.done(WRITE).listed.step == "ingest.remove"
    failed = Done(item_id="list", step="ingest.list", result={}, error="nothing there")
    end = Drive().done(LIST, failed)
    assert (end.state, end.outcome["error"]) == ("failed", "nothing there")


def test_a_document_moved_onto_one_that_all_may_see_stays_hidden(stand: Stand):
    secret = stand.write("secret.txt", "Anna built a bridge.")
    public = stand.write("public.txt", "Bern is old.")
    stand.sync()
    by_hand = stand.graph.store.change_metadata
    by_hand([ids.document_id("default", str(secret))], MetadataChange(values={"allow": ("user:ann",)}))
    by_hand([ids.document_id("default", str(public))], MetadataChange(values={"tags": ("a",)}))
    secret.rename(public)
    stand.sync()
    held = stand.graph.store.document(ids.document_id("default", str(public)))
    assert held.metadata == {"allow": ("user:ann",), "tags": ("a",)}


@pytest.mark.parametrize("unchanged", [3, 2])
def test_files_in_an_archive_are_read_again_only_once_it_has_changed(tmp_path: Path, unchanged: int):
    stand = Stand(tmp_path / "source", replies=MemoryReplies() if unchanged == 3 else None)
    path = stand.folder / "a.zip"
    texts = {f"{name}.txt": f"Text of {name}: {os.urandom(20_000).hex()}." for name in "abc"}
    stand.folder.mkdir(parents=True, exist_ok=True)
    path.write_bytes(archive(texts))
    assert stand.sync() == {"new": 3}
    stand.compare()
    then, whole = path.stat(), path.read_bytes()
    path.write_bytes(damaged(whole))
    os.utime(path, ns=(then.st_atime_ns, then.st_mtime_ns))
    assert stand.compare().counts["unchanged"] == unchanged, "it is not unpacked again"
    os.utime(path, ns=(then.st_atime_ns, then.st_mtime_ns + 1_000_000_000))
    assert stand.compare().counts["changed"] == 1, "a file in it cannot be unpacked"
    path.write_bytes(archive(texts | {"b.txt": "Another text of b."}))
    assert stand.compare().counts == {"unchanged": 2, "changed": 1, "doubtful": 0}


def damaged(packed: bytes) -> bytes:
    """Return a zip whose second file cannot be unpacked, although its list of files is the same."""
    with zipfile.ZipFile(io.BytesIO(packed)) as opened:
        second = opened.infolist()[1]
    at = second.header_offset + 30 + len(second.filename) + 4
    return packed[:at] + bytes(255 - byte for byte in packed[at : at + 4]) + packed[at + 4 :]
