"""Models of concept maps: a core concept, its relations to other disciplines, and their history."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Literal, Protocol

from pydantic import AfterValidator, Field

from hopline.errors import Permanent
from hopline.models.base import Frozen
from hopline.models.concepts import MOST_REASON, ConceptVersion, RelationEdited
from hopline.visible import visible
from workers.core import ids
from workers.core.graph.elements import normalise_element
from workers.core.language.text import CHINESE, normalise, sentences

REASON, SHORT_REASON = 80, 50  # characters of why a concept, and why a relation, is invalid
SHOWN = 4  # relations of a map's graph: with the core five nodes
_CHINESE_SHARE = (
    0.3  # of a text's letters: a Chinese text may hold names in Latin ones, and the other way round
)
# Of scholarly texts, besides those of core.text; points that end no sentence.
_SCHOLARLY = re.compile(r"\b(et al|Eqs?|Secs?|Chs?|Thms?|Figs)\.(?=\s)")

RelationState = Literal["active", "abnormal", "deleted"]
EditAction = Literal["delete", "abnormal", "correct", "undo"]


def sentence_count(text: str) -> int:
    """Count the sentences of a text; abbreviations such as Eq. 3 and et al. do not end one."""
    return sum(1 for _ in sentences(_SCHOLARLY.sub(r"\1", text)))


def _of_sentences(count: int, text: str) -> str:
    line = " ".join(visible(text).split())
    number = sentence_count(line)
    if number != count:
        raise ValueError(f"{count} sentence{'s' if count > 1 else ''}, not {number}")
    return line


def _one_line(text: str) -> str:
    if not (line := " ".join(visible(text).split())):
        raise ValueError("a name, not only white space")
    return line


Line = Annotated[str, AfterValidator(_one_line)]
OneSentence = Annotated[str, AfterValidator(lambda text: _of_sentences(1, text))]
TwoSentences = Annotated[str, AfterValidator(lambda text: _of_sentences(2, text))]


class Related(Frozen):
    """A concept of another discipline, and how it relates to the core concept."""

    name: Line = Field(min_length=1, max_length=100)
    domain: Line = Field(min_length=1, max_length=60)  # its discipline
    definition: OneSentence = Field(min_length=1, max_length=400)  # one sentence
    relation: TwoSentences = Field(min_length=1, max_length=800)  # two sentences
    strength: int = Field(ge=1, le=5)


class ConceptRelation(Related):
    """The newest version of a relation as stored in the graph."""

    id: str
    source: str  # id of the core
    target: str  # id of the other concept
    state: RelationState = "active"
    reason: str = ""  # why it is not active
    version: int = Field(default=1, ge=1)
    by: str = ""  # who changed it last by hand; "" where a job did
    created: str  # ISO 8601, by the graph's clock
    updated: str

    @property
    def offered(self) -> Related:
        """The relation in the form a model proposed it."""
        return Related.model_construct(**{name: getattr(self, name) for name in Related.model_fields})


class BrokenRelation(Frozen):
    """An active relation whose stored fields are invalid; it is to be marked abnormal."""

    id: str
    name: str
    why: str


class Concept(Frozen):
    """The core concept of a map."""

    id: str
    collection: str
    name: str  # as it was first spelled
    domain: str = ""
    definition: str = ""


class ConceptMap(Frozen):
    """A core concept with its relations, strongest first."""

    concept: Concept
    version: int = Field(ge=1)
    created: str
    updated: str
    relations: tuple[ConceptRelation, ...] = ()  # the active ones
    retired: tuple[str, ...] = ()  # names of the abnormal and the deleted
    banned: tuple[str, ...] = ()  # those among them that a person took out
    broken: tuple[BrokenRelation, ...] = ()


class Correction(Frozen):
    """Corrected fields of a relation; those that are None stay unchanged."""

    domain: Line | None = Field(default=None, min_length=1, max_length=60)
    definition: OneSentence | None = Field(default=None, min_length=1, max_length=400)
    relation: TwoSentences | None = Field(default=None, min_length=1, max_length=800)
    strength: int | None = Field(default=None, ge=1, le=5)


class RelationEdit(Frozen):
    """A person's edit of one relation of a map.

    Args:
        action: delete removes it; abnormal marks it as one that cannot be right; correct writes other fields,
            and restores a removed one; undo reverts its newest change, and a second undo reverts the first.
        by: author of the edit.
        reason: reason stored with the version.
        correction: the new fields, for action correct.
        seen: version of the relation that the person looked at; None for whichever is the newest.
    """

    action: EditAction
    by: Line = Field(min_length=1, max_length=100)
    reason: str = Field(default="", max_length=MOST_REASON)
    correction: Correction = Correction()
    seen: int | None = Field(default=None, ge=1)


class Retired(Frozen):
    """A relation to be left out of the map, and the reason."""

    id: str
    reason: str


class MapDraft(Frozen):
    """A job's proposal for a map."""

    concept: Concept
    related: tuple[Related, ...] = ()  # valid
    deleted: tuple[Retired, ...] = ()
    abnormal: tuple[Retired, ...] = ()


class ConceptStore(Protocol):
    """Port of the concept map store; every method is idempotent, and nothing is ever deleted."""

    def concept_map(self, collection: str, name: str) -> ConceptMap | None:
        """Return a concept's map; None if it has none yet."""

    def links_among(self, collection: str, ids: Sequence[str]) -> list[ConceptRelation]:
        """Return the active relations between the given concepts, whichever map they belong to."""

    def save_map(self, draft: MapDraft, job: str) -> ConceptMap | None:
        """Save a job's changes to a map as one new version; return the new map.

        Saving again for the same job changes nothing, and there is no new version if nothing changes. Returns
        None if there is no map and nothing to make one from.
        """

    def edit_relation(self, collection: str, relation: str, edit: RelationEdit, name: str) -> RelationEdited:
        """Save a person's edit of a relation as one new version of its map.

        If the edit changes nothing, there is no new version. Jobs neither remove nor restore a relation that
        a person changed.

        Args:
            collection: collection of the map.
            relation: id of the relation.
            edit: the change.
            name: unique name of this edit: repeating it changes the relation only once.

        Raises:
            NotFound: the collection has no such relation.
            Outdated: it has a newer version than the one the person saw.
            InvalidInput: the relation would be invalid with these fields.
        """

    def concept_versions(
        self, collection: str, name: str, *, limit: int = 100, before: int | None = None
    ) -> list[ConceptVersion]:
        """Return versions of a concept's map, newest first, optionally only those before `before`."""


class NoConcepts:
    """Stands in for a missing store of concept maps."""

    def concept_map(self, collection: str, name: str) -> ConceptMap | None:
        """Raise Permanent."""
        raise Permanent(f"no concept maps are kept here: {collection}, {name}")

    def links_among(self, collection: str, ids: Sequence[str]) -> list[ConceptRelation]:
        """Raise Permanent."""
        raise Permanent(f"no concept maps are kept here: {collection}, {len(ids)} concepts")

    def save_map(self, draft: MapDraft, job: str) -> ConceptMap | None:
        """Raise Permanent."""
        raise Permanent(f"no concept maps are kept here: {draft.concept.name}, {job}")

    def edit_relation(self, collection: str, relation: str, edit: RelationEdit, name: str) -> RelationEdited:
        """Raise Permanent."""
        raise Permanent(f"no concept maps are kept here: {collection}, {relation}, {edit.action}, {name}")

    def concept_versions(
        self, collection: str, name: str, *, limit: int = 100, before: int | None = None
    ) -> list[ConceptVersion]:
        """Raise Permanent."""
        raise Permanent(f"no concept maps are kept here: {collection}, {name}, {limit}, {before}")


def concept_key(name: str) -> str:
    """Return the normal form under which two spellings are the same concept.

    It is the form of key elements, but ignores hyphens and capitals: Markov Chains is a plural here, not a
    name like Adams.
    """
    spaced = name.replace("-", " ").replace("\u2010", " ").replace("\u2011", " ")
    return normalise_element(normalise(spaced)) or normalise(name)


def relation_between(collection: str, concept: str, other: str) -> str:
    """Return the id of the relation from a concept's map to another concept."""
    core = ids.concept_id(collection, concept_key(concept))
    return ids.relation_id(core, ids.concept_id(collection, concept_key(other)))


def is_chinese(text: str) -> bool:
    """Return whether a text contains Chinese characters; if so, its concept map is written in Chinese."""
    return bool(CHINESE.search(text))


def is_written_alike(concept: str, text: str) -> bool:
    """Return whether a text is in the concept's language, judged by its script."""
    letters = sum(1 for letter in text if letter.isalpha())
    chinese = len(CHINESE.findall(text))
    return is_chinese(concept) == (chinese >= _CHINESE_SHARE * letters and chinese > 0)


def by_strength(relation: ConceptRelation) -> tuple[int, str, str]:
    """Return a sort key for relations: strongest first, then oldest, then by name."""
    # The graph's clock leaves zeros out: with its Z, 12:00:01.5Z would come behind 12:00:01.507Z.
    return (-relation.strength, relation.created.removesuffix("Z"), relation.name)
