"""Concept maps in dictionaries; keeps the same contract as the real store."""

import itertools
import threading
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from doubles.blobs import MemoryBlobs
from doubles.flow_run import FlowRun
from doubles.library import Library, Script, ScriptedModel
from doubles.vectors import MemoryVectors
from hopline.errors import NotFound
from hopline.models.concepts import ConceptVersion, RelationEdited
from hopline.models.times import timestamp
from workers.concepts.flow import CONCEPT
from workers.concepts.schema import ConceptExpansion, ConceptVerdict, RelationCheck, RelationVerdict
from workers.core import ids
from workers.core.concepts.changes import RETIRED, change_of, changes_of, left_to
from workers.core.concepts.maps import (
    ConceptMap,
    ConceptRelation,
    MapDraft,
    Related,
    RelationEdit,
    concept_key,
)
from workers.core.concepts.rows import to_map, to_relation
from workers.core.jobs.params import ConceptParams
from workers.core.jobs.work import End, Job
from workers.core.ports import Limits, Ports


class MemoryConcepts:
    """The same properties as Neo4j's nodes and relationships have."""

    def __init__(self) -> None:
        self.concepts: dict[str, dict[str, Any]] = {}
        self.relations: dict[str, dict[str, Any]] = {}
        self.versions: dict[str, tuple[str, ConceptVersion]] = {}  # by id, with their core's
        self._clock = (f"2026-01-01T00:00:{second:02}Z" for second in itertools.count())
        self._lock = threading.RLock()

    def concept_map(self, collection: str, name: str) -> ConceptMap | None:
        concept = self.concepts.get(ids.concept_id(collection, concept_key(name)))
        return to_map(concept, self._of(concept["id"])) if concept else None

    def links_among(self, collection: str, ids: Sequence[str]) -> list[ConceptRelation]:
        rows = [
            row
            for row in self.relations.values()
            if row["source"] in ids and row["target"] in ids and row["state"] == "active"
            if self.concepts[row["source"]]["collection"] == collection
        ]
        return [relation for row in rows if isinstance(relation := to_relation(row), ConceptRelation)]

    def save_map(self, draft: MapDraft, job: str) -> ConceptMap | None:
        concept = draft.concept
        with self._lock:
            if not draft.related and self.concept_map(concept.collection, concept.name) is None:
                return None
            self._name(concept.collection, concept.id, concept.name)
            for target in draft.related:
                self._name(
                    concept.collection,
                    ids.concept_id(concept.collection, concept_key(target.name)),
                    target.name,
                )
            made = ids.concept_version_id(concept.id, job)
            core = self.concepts[concept.id]
            held = {row["id"]: row for row in self._of(concept.id)}
            changes = changes_of(draft, core if core["version"] else None, held)
            if changes and made not in self.versions:
                defined = {"domain": concept.domain, "definition": concept.definition}
                version = ConceptVersion(version=0, job=job, made=timestamp(0), changes=changes)
                self._apply(concept.id, made, version, defined)
            return self.concept_map(concept.collection, concept.name)

    def edit_relation(self, collection: str, relation: str, edit: RelationEdit, name: str) -> RelationEdited:
        with self._lock:
            before = self.relations.get(relation)
            core = self.concepts[before["source"]] if before else {}
            if before is None or core["collection"] != collection:
                raise NotFound(f"collection {collection} has no concept map with the relation {relation}")
            made = ids.concept_version_id(core["id"], name)
            if made not in self.versions:
                versions = self.concept_versions(collection, core["name"])
                own = [
                    (change, each.by) for each in versions for change in each.changes if change.id == relation
                ]
                change = change_of(edit, before, [change for change, _by in own])
                if change is not None:
                    version = ConceptVersion(version=0, by=edit.by, made=timestamp(0), changes=(change,))
                    self._apply(core["id"], made, version, {})
                    before["by"] = left_to(edit, [by for _one, by in own])
            done = self.versions.get(made)
            if done is None:
                return RelationEdited(concept=core["name"], version=core["version"])
            return RelationEdited(concept=core["name"], version=done[1].version, change=done[1].changes[0])

    def concept_versions(
        self, collection: str, name: str, *, limit: int = 100, before: int | None = None
    ) -> list[ConceptVersion]:
        concept = ids.concept_id(collection, concept_key(name))
        mine = [version for core, version in self.versions.values() if core == concept]
        older = [version for version in mine if before is None or version.version < before]
        return sorted(older, key=lambda version: -version.version)[:limit]

    def _of(self, concept: str) -> list[dict[str, Any]]:
        return [row for row in self.relations.values() if row["source"] == concept]

    def _name(self, collection: str, concept: str, name: str) -> None:
        core = {"id": concept, "collection": collection, "name": name, "version": 0, "created": self._now()}
        self.concepts.setdefault(concept, core)

    def _now(self) -> str:
        return next(self._clock)

    def _apply(self, core_id: str, made: str, version: ConceptVersion, defined: dict[str, str]) -> None:
        core, now = self.concepts[core_id], self._now()
        core.update(version=core["version"] + 1, updated=now)
        for change in version.changes:
            if change.change == "defined":
                core.update(defined)
                continue
            target = ids.concept_id(core["collection"], concept_key(change.name))
            row = self.relations.setdefault(
                change.id, {"id": change.id, "source": core["id"], "target": target, "created": now}
            )
            state = change.change if change.change in RETIRED else "active"
            row.update(state=state, reason=change.reason, by=version.by, version=change.version, updated=now)
            if state == "active":
                row.update(change.model_dump(include=set(Related.model_fields)))
        made_now = version.model_copy(update={"version": core["version"], "made": now})
        self.versions[made] = (core_id, made_now)


def related(name: str, domain: str = "biology", strength: int = 3, **more: Any) -> Related:
    """A relation whose text is whole."""
    texts = {
        "definition": f"{name} is a thing of {domain}.",
        "relation": f"{name} and the core share a law. One follows from the other.",
    }
    return Related(name=name, domain=domain, strength=strength, **{**texts, **more})


_NAMES = {
    "mathematics": "Measure", "chemistry": "Reaction", "biology": "Selection", "medicine": "Therapy",
    "earth science": "Erosion", "computer science": "Compression", "engineering": "Control",
    "economics": "Market", "sociology": "Segregation", "psychology": "Attention", "linguistics": "Redundancy",
    "philosophy": "Holism",
}  # fmt: skip
VALID = ConceptVerdict(verdict="valid", domain="physics", definition="Entropy measures disorder.")


def expand_by_discipline(material: Mapping[str, Any]) -> ConceptExpansion:
    """One concept per discipline that is open, as many as are wanted."""
    open_to = [domain for domain in material["disciplines"] if _NAMES[domain] not in material["refused"]]
    return ConceptExpansion(
        relations=[related(_NAMES[domain], domain) for domain in open_to[: material["wanted"]]]
    )


def refusing(*names: str, verdict: str = "invalid", reason: str = "invented") -> Script:
    """Judge relations valid but for these."""

    def judge(material: Mapping[str, Any]) -> RelationVerdict:
        bad = material["relation"]["name"] in names
        return RelationCheck(verdict=verdict, reason=reason) if bad else RelationCheck(verdict="valid")

    return judge


class ConceptRun(FlowRun):
    """One concept map with a model that says what a script says, and maps in memory."""

    def __init__(
        self,
        script: Mapping[type[BaseModel], Script] | None = None,
        *,
        concepts: MemoryConcepts | None = None,
        job: str = "j1",
        seed: int = 0,
        given_up: Collection[str] = (),
        dropped: Collection[str] = (),
        **params: Any,
    ) -> None:
        replies = {
            ConceptVerdict: VALID, ConceptExpansion: expand_by_discipline, RelationVerdict: refusing(),
            RelationCheck: refusing(),
        }  # fmt: skip
        fields = ConceptParams.model_validate({"concept": "Entropy", **params}).model_dump()
        self.model = ScriptedModel({**replies, **(script or {})})
        self.concepts = concepts or MemoryConcepts()
        ports = Ports(
            job=Job(id=job, kind="concept", collection="default", params=fields),
            graph=Library(),
            vectors=MemoryVectors(),
            model=self.model,
            blobs=MemoryBlobs(),
            limits=Limits(),
            concepts=self.concepts,
        )
        super().__init__(CONCEPT, ports, seed=seed, given_up=given_up, dropped=dropped)

    def read(self, end: End) -> End:
        return end

    def asked(self, name: str) -> list[Any]:
        """Return what the model was given with a prompt, call by call."""
        return [material for prompt, _tier, material in self.model.asked if prompt == name]
