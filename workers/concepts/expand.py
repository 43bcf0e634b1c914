"""Step: finds new relations between a concept and other disciplines for its map."""

from __future__ import annotations

from collections.abc import Sequence

from workers.concepts.schema import ConceptExpansion, whole_relations
from workers.concepts.texts import say
from workers.concepts.verdicts import closing, failed
from workers.core.concepts.disciplines import Discipline, discipline_named, open_disciplines
from workers.core.concepts.maps import Related, concept_key, is_written_alike
from workers.core.errors import BudgetExceeded, ModelRefusedSchema, Permanent
from workers.core.jobs.work import Event, Json, Outcome
from workers.core.ports import Ports
from workers.core.prompts import load_prompt

_TOKENS_A_RELATION = 400
_NAMES = 60  # known and refused ones that the model is told


def expand_concept(given: Json, ports: Ports) -> Outcome:
    """Return {wanted, offered: [relation], dropped: [{name, reason}], none, failed?, spent?}.

    `none` is true where the model itself says that it knows no further relation. Of a reply that does not fit
    its schema after a repair either, the relations that are whole are taken and the others dropped.

    Args:
        given: {concept, domain, definition, round, wanted, known: [name], refused: [name], taken: [domain]}.
        ports: the strong model is asked once.
    """
    concept: str = given["concept"]
    open_to = open_disciplines(ports.disciplines, given["domain"], given["taken"], given["wanted"])
    result: Json = {"wanted": given["wanted"], "offered": [], "dropped": [], "none": False}
    try:
        said, malformed = _asked(given, [one.told(concept) for one in open_to], ports)
    except (Permanent, BudgetExceeded) as error:
        result |= failed(error)
    else:
        offered, dropped = _sifted(given, said, open_to)
        lost = [{"name": "", "reason": say(concept, "malformed")}] * malformed
        result |= {
            "offered": [one.model_dump() for one in offered],
            "dropped": [*dropped, *lost],
            "none": not said and not malformed,
        }
    shown = {"round": given["round"], "names": [one["name"] for one in result["offered"]]}
    events = (Event(name="relations.expanded", data=shown),)
    return Outcome(result=result, events=events, close=closing(result))


def _asked(given: Json, disciplines: list[str], ports: Ports) -> tuple[list[Related], int]:
    """Return what the model offers, and how many relations of it were malformed."""
    material = {
        **{name: given[name] for name in ("concept", "domain", "definition", "wanted")},
        "disciplines": disciplines,
        "known": given["known"][:_NAMES],
        "refused": given["refused"][:_NAMES],
    }
    prompt = load_prompt("workers.concepts", "expand")
    room = 200 + _TOKENS_A_RELATION * given["wanted"]
    try:
        reply = ports.model.ask(prompt, material, ConceptExpansion, tier="strong", max_tokens=room)
    except ModelRefusedSchema as error:
        whole, malformed = whole_relations(error.content)
        if not whole:
            raise
        return whole, malformed
    return reply.value.relations, 0


def _sifted(
    given: Json, said: Sequence[Related], open_to: Sequence[Discipline]
) -> tuple[list[Related], list[Json]]:
    """Return the relations that may go into the map, and why others may not."""
    kept: dict[str, Related] = {}
    dropped: list[Json] = []
    used: set[str] = set()
    for one in said:
        found = discipline_named(open_to, one.domain)
        why = _fault(given, one, kept) or _placing_fault(found, used)
        if not why and len(kept) == given["wanted"]:
            why = "surplus"
        if why or not found:
            dropped.append({"name": one.name, "reason": say(given["concept"], why)})
            continue
        used.add(found.name)
        kept[concept_key(one.name)] = one.model_copy(update={"domain": found.told(given["concept"])})
    return list(kept.values()), dropped


def _fault(given: Json, one: Related, kept: dict[str, Related]) -> str:
    """Return what is wrong with a relation whichever its discipline; "" if nothing is."""
    key = concept_key(one.name)
    if key == concept_key(given["concept"]):
        return "itself"
    if key in kept or key in map(concept_key, given["known"]):
        return "there"
    if key in map(concept_key, given["refused"]):
        return "refused"
    # One by one: a long text would hide that the other is in another language.
    alike = all(is_written_alike(given["concept"], text) for text in (one.definition, one.relation))
    return "" if alike else "language"


def _placing_fault(found: Discipline | None, used: set[str]) -> str:
    if found is None:
        return "discipline"
    return "same_discipline" if found.name in used else ""
