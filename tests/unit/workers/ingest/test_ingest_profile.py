"""Profile files: what they may say, and how a mistake in one is told."""

import tracemalloc

import pytest
from doubles.blobs import MemoryBlobs

from hopline.errors import InvalidInput
from workers.ingest.profile.profile import get_profile, load_profile, named_profile, put_profile

PARTY = '[entities]\nParty = "who signs"\n'
OWES = '[relations.OWES]\ndescription = "has to pay"\n'


@pytest.fixture
def written(tmp_path):
    def write(text):
        path = tmp_path / "contracts.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_a_file_of_ones_own_is_read(written):
    text = PARTY + 'Contract = "a contract"\n' + OWES + 'from = ["Party"]\n[events]\nbreach = "broken"\n'
    profile = load_profile(written(text))
    owes = {"description": "has to pay", "from": ["Party"], "to": ["Party", "Contract"], "symmetric": False}
    assert profile.for_model()["relations"]["OWES"] == owes
    assert profile.joins("OWES", frozenset({"Party"}), frozenset({"Contract"}))
    assert not profile.joins("OWES", frozenset({"Contract"}), frozenset({"Party"}))
    assert not profile.joins("OWES", frozenset(), frozenset({"Party"}))


def test_a_profile_travels_by_reference_and_another_content_is_another_reference(written):
    blobs = MemoryBlobs()
    reference = put_profile(blobs, load_profile(written(PARTY + OWES)))
    other = put_profile(blobs, load_profile(written(PARTY + OWES.replace("pay", "repay"))))
    assert reference != other
    assert get_profile(blobs, reference) == load_profile(written(PARTY + OWES))


def test_a_stored_profile_that_does_not_fit_is_no_crash():
    for stored, field, allowed in [
        (b'{"entities": {}}', "entities", "at least one"),
        (b"a document's text", "profile", "JSON"),
        (b"\xff\xfe", "profile", "JSON"),
    ]:
        blobs = MemoryBlobs()
        reference = blobs.put(stored, ".profile.json")
        with pytest.raises(InvalidInput) as refused:
            get_profile(blobs, reference)
        assert refused.value.field == f"stored profile {reference}: {field}", stored
        assert allowed in refused.value.allowed, stored


def test_a_mistake_is_told_with_file_field_and_what_is_allowed(written):
    for text, field, hint in [
        ("", "entities", "required"),
        ("[entities", "", "TOML"),
        (PARTY + '"legal party" = "x"', "entities.legal party", "CamelCase"),
        (PARTY + 'KeyElement = "x"', "entities.KeyElement", "does not use itself"),
        (PARTY + 'Thing = ""', "entities.Thing", "not empty"),
        (PARTY + f'Thing = "{"x" * 301}"', "entities.Thing", "300 characters"),
        (PARTY + "".join(f'P{n} = "x"\n' for n in range(30)), "entities", "30 at most"),
        (PARTY + OWES.replace("OWES", "owes"), "relations.owes", "MEMBER_OF"),
        (PARTY + OWES.replace("OWES", "EXPERIENCES"), "relations.EXPERIENCES", "does not use itself"),
        (PARTY + OWES + 'to = ["Bank"]', "relations.OWES.to", "one of: Party"),
        (PARTY + OWES + 'too = ["Party"]', "relations.OWES.too", "one of: description, from, to, symmetric"),
        (PARTY + OWES + 'from = ["Party"]\nsymmetric = true', "relations.OWES.symmetric", "are the same"),
        (PARTY + '[events]\nBreach = "x"', "events.Breach", "small letters"),
        ("colour = 1\n" + PARTY, "colour", "one of: description, entities, relations, events"),
    ]:
        path = written(text)
        with pytest.raises(InvalidInput) as caught:
            load_profile(path)
        message = str(caught.value)
        assert message.startswith(f"{path}: {field}"), text
        assert hint in message, text


def test_an_unknown_name_is_told_with_those_that_there_are(tmp_path):
    for name in ("narative", str(tmp_path)):
        with pytest.raises(InvalidInput, match=r"there is no .*narrative"):
            load_profile(name)


def test_a_file_that_is_no_text_or_too_large_is_refused(tmp_path):
    path = tmp_path / "bad.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match="TOML in UTF-8"):
        load_profile(path)
    with path.open("wb") as file:
        file.truncate(200_000_000)  # of which no more is read than it takes to know
    tracemalloc.start()
    try:
        with pytest.raises(InvalidInput, match="at most 100000 bytes"):
            load_profile(path)
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


def test_the_text_of_a_profile_is_never_a_path_and_what_nests_too_deep_is_none(written):
    path = written(PARTY)
    assert named_profile(path.read_text(encoding="utf-8")) == load_profile(path)
    assert named_profile("narrative") == load_profile("narrative")
    with pytest.raises(InvalidInput, match=r"there is no profile .* there are: .*narrative"):
        named_profile(str(path))
    with pytest.raises(InvalidInput, match="did you mean narrative"):
        named_profile("narative")
    with pytest.raises(InvalidInput, match="the home folder of ~nobody-here is unknown;"):
        load_profile("~nobody-here/p.toml")
    with pytest.raises(InvalidInput, match="TOML in UTF-8"):
        named_profile("a = " + "[" * 50_000)
