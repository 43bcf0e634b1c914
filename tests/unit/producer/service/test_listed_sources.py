"""What requests may ingest from is listed, and nothing beside it."""

from pathlib import Path

import fsspec
import pytest

from hopline.errors import InvalidInput
from hopline.models.sources import SourceEntry
from producer.service.service import Service
from workers.settings import Settings


@pytest.fixture
def place(tmp_path: Path) -> str:
    """A folder that requests may read, with links out of it."""
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "s.txt").write_text("Nobody's business.", encoding="utf-8")
    folder = tmp_path / "open"
    (folder / "deep").mkdir(parents=True)
    for name in ("a.txt", "a.txt.meta.json", "b#1.txt", ".hidden.txt"):
        (folder / name).write_text("A bridge.", encoding="utf-8")
    (folder / "out").symlink_to(tmp_path / "secret")
    (folder / "s.txt").symlink_to(tmp_path / "secret" / "s.txt")
    return f"file://{folder}"


def service(*places: str) -> Service:
    return Service(Settings(_env_file=None, api_sources=", ".join(places)))


def test_the_places_are_listed_and_what_lies_in_them_page_by_page(place: str) -> None:
    listing = service(f"{place}/", "s3://archive/contracts").sources
    assert [entry.address for entry in listing.page().entries] == [place, "s3://archive/contracts"]
    assert listing.page(place).entries == (
        SourceEntry(name="a.txt", kind="file", size=9, address=f"{place}/a.txt"),
        SourceEntry(name="b#1.txt", kind="file", size=9),
        SourceEntry(name="deep", kind="folder", address=f"{place}/deep"),
    )
    assert listing.page(f"{place}/deep/").entries == ()
    assert service().sources.page().entries == ()
    listing = service(place).sources
    first = listing.page(place, limit=2)
    assert ([entry.name for entry in first.entries], first.next) == (["a.txt", "b#1.txt"], "b#1.txt")
    last = listing.page(place, limit=2, cursor="b#1.txt")
    assert ([entry.name for entry in last.entries], last.next, last.cut) == (["deep"], None, False)
    cut = listing.page(place, most=2)
    assert (len(cut.entries), cut.cut) == (2, True)


@pytest.mark.parametrize(
    "place_of", ["{}/..", "{}/out", "{}/s.txt", "{}/a.txt", "{}/gone", "{}/*", "/etc", "{}ed"]
)
def test_nothing_else_is_listed(place: str, place_of: str) -> None:
    with pytest.raises(InvalidInput, match="place is "):
        service(place).sources.page(place_of.format(place))


def test_a_store_is_listed_too() -> None:
    shelf = fsspec.filesystem("memory")
    shelf.pipe("/listed/reports/a.txt", b"One.")
    shelf.pipe("/listed/b.txt", b"Two.")
    page = service("memory://listed").sources.page("memory://listed")
    assert [(entry.name, entry.kind, entry.address) for entry in page.entries] == [
        ("b.txt", "file", "memory://listed/b.txt"),
        ("reports", "folder", "memory://listed/reports"),
    ]
    shelf.rm("/listed", recursive=True)


def test_who_names_a_path_is_told_how_files_are_sent(place: str) -> None:
    with pytest.raises(InvalidInput, match=r"is '/reports', .*`hopline ingest PATH -c NAME` sends"):
        service(place).sources.page("/reports")
