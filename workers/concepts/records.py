"""Inputs and results of a concept map's steps, as jobs store them."""

from __future__ import annotations

from hopline.models.base import Frozen
from workers.core.concepts.graph import MapGraph
from workers.core.concepts.maps import BrokenRelation, ConceptRelation, Related, Retired


class ModelResult(Frozen):
    """What every step that asks a model says of a call that failed."""

    failed: str | None = None  # why
    spent: bool = False  # the budget is used up


class ConceptInput(Frozen):
    """What a map grows from."""

    concept: str  # its name


class ConceptResult(ModelResult):
    """Whether it is a concept."""

    valid: bool | None  # None without a verdict
    reason: str  # "" where it is valid
    domain: str  # the discipline that it belongs to; "" where it is not valid
    definition: str  # one sentence; "" where it is not valid, or in another language


class MapResult(Frozen):
    """What is kept of a map."""

    version: int  # 0 where there is none
    relations: tuple[ConceptRelation, ...]  # strongest first
    retired: tuple[str, ...]  # names of those that were taken out
    banned: tuple[str, ...] = ()  # of these, those that a person took out
    broken: tuple[BrokenRelation, ...]


class RelationInput(Frozen):
    """A new relation, to be judged."""

    concept: str
    relation: Related
    domain: str = ""  # of the concept; "" where it is not known
    definition: str = ""  # of the concept, one sentence; "" where there is none


class CheckInput(RelationInput):
    """A kept relation, to be judged again."""

    id: str


class RelationResult(ModelResult):
    """Whether a relation holds."""

    valid: bool | None  # None without a verdict
    reason: str  # "" where it is valid


class CheckResult(RelationResult):
    """Whether a kept relation still holds."""

    id: str


class ExpandInput(Frozen):
    """What new relations are looked for."""

    concept: str
    domain: str
    definition: str
    round: int  # from 1 on
    wanted: int
    known: tuple[str, ...]  # names that the map has
    refused: tuple[str, ...]  # names that are not to be offered
    taken: tuple[str, ...]  # disciplines that the map has


class DroppedName(Frozen):
    """A relation that is not taken."""

    name: str
    reason: str


class ExpandResult(ModelResult):
    """New relations, not judged yet."""

    wanted: int
    offered: tuple[Related, ...]
    dropped: tuple[DroppedName, ...]
    none: bool  # the model said that it knows no further relation


class SaveInput(Frozen):
    """What becomes of a map."""

    concept: str
    domain: str
    definition: str
    related: tuple[Related, ...]  # new and valid
    deleted: tuple[Retired, ...]
    abnormal: tuple[Retired, ...]
    unchecked: tuple[str, ...]  # ids of kept ones that nobody could judge


class SaveResult(MapGraph):
    """The saved map."""

    version: int  # 0 where there is none
    saved: bool  # the job changed it
    changes: dict[str, int]  # how many relations, by what became of them
    relations: int  # how many it has
