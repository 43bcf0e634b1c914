"""Step: finds new relations between a concept and other disciplines for its map."""

from __future__ import annotations

from collections.abc import Sequence

from hopline.errors import Permanent
from hopline.events.concepts import RelationsExpanded
from workers.concepts.records import DroppedName, ExpandInput, ExpandResult
from workers.concepts.schema import ConceptExpansion, whole_relations
from workers.concepts.texts import say
from workers.concepts.verdicts import closing, failure
from workers.core.concepts.disciplines import Discipline, discipline_named, open_disciplines
from workers.core.concepts.maps import Related, concept_key, is_written_alike
from workers.core.errors import BudgetExceeded, ModelRefusedSchema
from workers.core.jobs.work import Outcome
from workers.core.ports import Ports
from workers.core.prompts import load_prompt

_TOKENS_A_RELATION = 400
_NAMES = 60  # known and refused ones that the model reads


def expand_concept(wanted: ExpandInput, ports: Ports) -> Outcome:
    """Ask for new relations.

    Of a reply that does not fit its schema after a repair either, the relations that are whole are taken and
    the others dropped.

    Args:
        wanted: how many, and which not.
        ports: the strong model is asked once.
    """
    result = _expanded(wanted, ports)
    event = RelationsExpanded(round=wanted.round, names=tuple(relation.name for relation in result.offered))
    return Outcome(result=result, events=(event,), close=closing(result))


def _expanded(wanted: ExpandInput, ports: Ports) -> ExpandResult:
    open_to = open_disciplines(ports.disciplines, wanted.domain, wanted.taken, wanted.wanted)
    names = [discipline.get_name_for(wanted.concept) for discipline in open_to]
    try:
        relations, malformed = _request_relations(wanted, names, ports)
    except (Permanent, BudgetExceeded) as error:
        return ExpandResult(wanted=wanted.wanted, offered=(), dropped=(), none=False, **dict(failure(error)))
    offered, dropped = _sifted(wanted, relations, open_to)
    lost = [DroppedName(name="", reason=say(wanted.concept, "malformed"))] * malformed
    return ExpandResult(
        wanted=wanted.wanted,
        offered=tuple(offered),
        dropped=(*dropped, *lost),
        none=not relations and not malformed,
    )


def _request_relations(wanted: ExpandInput, names: list[str], ports: Ports) -> tuple[list[Related], int]:
    """Return what the model offers, and how many relations of it were malformed."""
    material = {
        "concept": wanted.concept,
        "domain": wanted.domain,
        "definition": wanted.definition,
        "wanted": wanted.wanted,
        "disciplines": names,
        "known": list(wanted.known[:_NAMES]),
        "refused": list(wanted.refused[:_NAMES]),
    }
    prompt = load_prompt("workers.concepts", "expand")
    room = 200 + _TOKENS_A_RELATION * wanted.wanted
    try:
        reply = ports.model.ask(prompt, material, ConceptExpansion, tier="strong", max_tokens=room)
    except ModelRefusedSchema as error:
        whole, malformed = whole_relations(error.content)
        if not whole:
            raise
        return whole, malformed
    return reply.value.relations, 0


def _sifted(
    wanted: ExpandInput, relations: Sequence[Related], open_to: Sequence[Discipline]
) -> tuple[list[Related], list[DroppedName]]:
    """Return the relations that may go into the map, and why others may not."""
    kept: dict[str, Related] = {}
    dropped: list[DroppedName] = []
    used: set[str] = set()
    for relation in relations:
        discipline = discipline_named(open_to, relation.domain)
        why = _fault(wanted, relation, kept) or _placing_fault(discipline, used)
        if not why and len(kept) == wanted.wanted:
            why = "surplus"
        if why or not discipline:
            dropped.append(DroppedName(name=relation.name, reason=say(wanted.concept, why)))
            continue
        used.add(discipline.name)
        domain = discipline.get_name_for(wanted.concept)
        kept[concept_key(relation.name)] = relation.model_copy(update={"domain": domain})
    return list(kept.values()), dropped


def _fault(wanted: ExpandInput, relation: Related, kept: dict[str, Related]) -> str:
    """Return what is wrong with a relation whichever its discipline; "" if nothing is."""
    key = concept_key(relation.name)
    if key == concept_key(wanted.concept):
        return "itself"
    if key in kept or key in map(concept_key, wanted.known):
        return "there"
    if key in map(concept_key, wanted.refused):
        return "refused"
    # Text by text: a long one would hide that the other is in another language.
    texts = (relation.definition, relation.relation)
    return "" if all(is_written_alike(wanted.concept, text) for text in texts) else "language"


def _placing_fault(discipline: Discipline | None, used: set[str]) -> str:
    if discipline is None:
        return "discipline"
    return "same_discipline" if discipline.name in used else ""
