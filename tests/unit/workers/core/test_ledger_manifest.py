from doubles.blobs import MemoryBlobs
from doubles.manifests import pages_of

from workers.core.jobs.manifest import PAGE, ManifestWriter, load_page, stow
from workers.core.jobs.work import Item, Phase


def item(number: int) -> Item:
    return Item(id=f"{number}:a", step="ingest.document", input={"uri": f"a/{number}.txt"})


def write(blobs: MemoryBlobs, count: int, window: int = 200):
    writer = ManifestWriter(blobs, window)
    for number in range(count):
        writer.add(item(number))
    return writer.finish()


def test_a_list_is_read_back_page_by_page_through_its_directories():
    blobs = MemoryBlobs()
    count = 2 * 500 + 3  # three directories of pages of one item
    manifest = write(blobs, count, window=2)
    assert manifest.size == count
    for cursor in (0, 1, 499, 500, 999, 1000, count - 1):
        assert load_page(blobs, manifest.reference, cursor) == (item(cursor),)
    pages = pages_of(blobs, manifest.reference)
    assert [item for page in pages for item in page] == [item(number) for number in range(count)]
    stored = dict(blobs.stored)
    assert write(blobs, count, window=2) == manifest
    assert blobs.stored == stored, "writing it again stores nothing new"


def test_what_names_a_list_stays_small_however_long_the_list_is():
    blobs = MemoryBlobs()
    manifest = write(blobs, 60_000)
    assert len(blobs.stored[manifest.reference]) < 500
    assert max(map(len, blobs.stored.values())) < 50_000


def test_the_last_page_is_shorter_and_an_empty_list_has_none():
    blobs = MemoryBlobs()
    manifest = write(blobs, PAGE + 1)
    assert len(load_page(blobs, manifest.reference, 0)) == PAGE
    assert load_page(blobs, manifest.reference, PAGE) == (item(PAGE),)
    assert list(pages_of(blobs, write(blobs, 0).reference)) == []


def test_a_small_phase_is_opened_whole_and_a_large_one_by_its_first_page():
    blobs = MemoryBlobs()
    small = Phase(items=tuple(map(item, range(7))), window=10)
    assert stow(blobs, small) == (small, None)
    large = Phase(items=tuple(map(item, range(11))), window=10)
    first, manifest = stow(blobs, large)
    assert first.items == large.items[:5]
    assert manifest is not None
    assert manifest.size == 11
    assert load_page(blobs, manifest.reference, 5) == large.items[5:10]
