"""Relations of a concept map are listed strongest first, and of equals the older first."""

from workers.core.concepts.maps import ConceptRelation, by_strength


def relation(name: str, created: str, strength: int = 4) -> ConceptRelation:
    fields = {"id": name, "source": "s", "target": "t", "name": name, "strength": strength}
    return ConceptRelation.model_construct(**fields, created=created, updated=created)


def test_of_equals_the_older_comes_first_however_many_digits_its_second_has() -> None:
    for older, newer in (("01.5Z", "01.507Z"), ("01Z", "01.004Z"), ("01.999Z", "02Z")):
        first, second = (f"2026-11-25T12:00:{seconds}" for seconds in (older, newer))
        relations = [relation("a", second), relation("b", first), relation("c", second, 5)]
        assert [each.name for each in sorted(relations, key=by_strength)] == ["c", "b", "a"]
