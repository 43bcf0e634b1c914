"""The disciplines of concept maps, parsed from a setting, each with an English and a Chinese name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hopline.errors import InvalidInput
from hopline.models.base import Frozen
from workers.core.concepts.maps import concept_key, is_chinese

DISCIPLINES = (
    "mathematics=数学, physics=物理学, chemistry=化学, biology=生物学, medicine=医学, "
    "earth science=地球科学, computer science=计算机科学, engineering=工程学, "
    "economics=经济学, sociology=社会学, psychology=心理学, linguistics=语言学, philosophy=哲学"
)
_FEWEST = 2  # one is the core's own


class Discipline(Frozen):
    """A discipline, with its English and its Chinese name."""

    name: str
    chinese: str

    def get_name_for(self, concept: str) -> str:
        """Return its name in the language of the given concept."""
        return self.chinese if is_chinese(concept) else self.name


def parse_disciplines(text: str) -> tuple[Discipline, ...]:
    """Read `physics=物理学, law`; a discipline without a Chinese name has the same name in both languages.

    Raises:
        InvalidInput: there are fewer than two disciplines, or one has no name.
    """
    pairs = [part.partition("=") for part in text.split(",")]
    disciplines = tuple(
        Discipline(name=name.strip(), chinese=chinese.strip() or name.strip()) for name, _, chinese in pairs
    )
    if len(disciplines) < _FEWEST or not all(discipline.name for discipline in disciplines):
        allowed = "two or more names between commas, each with its Chinese name after = where it has one"
        raise InvalidInput("concept_disciplines", text, allowed)
    return disciplines


def discipline_named(known: Sequence[Discipline], name: str) -> Discipline | None:
    """Return the discipline with this name in either language; None if it is not listed."""
    key = concept_key(name)
    return next(
        (
            discipline
            for discipline in known
            if key in {concept_key(discipline.name), concept_key(discipline.chinese)}
        ),
        None,
    )


def open_disciplines(
    known: Sequence[Discipline], core: str, taken: Iterable[str], wanted: int
) -> tuple[Discipline, ...]:
    """Return the disciplines that still need relations.

    Disciplines that the map already has are left out, unless too few would remain.

    Args:
        known: all configured disciplines.
        core: discipline of the core concept, in either language; never returned.
        taken: disciplines of the map's relations.
        wanted: number of relations wanted, each of a different discipline.
    """
    own = discipline_named(known, core)
    used = {match.name for name in taken if (match := discipline_named(known, name))}
    others = tuple(discipline for discipline in known if discipline != own)
    free = tuple(discipline for discipline in others if discipline.name not in used)
    return free if len(free) >= wanted else others
