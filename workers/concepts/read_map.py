"""Step: reads a concept's stored map from the graph."""

from __future__ import annotations

from workers.core.jobs.work import Event, Json, Outcome
from workers.core.ports import Ports


def read_map(given: Json, ports: Ports) -> Outcome:
    """Return {version, relations, retired: [name], banned: [name], broken: [{id, name, why}]}.

    Version 0 where there is none; banned are those that a person took out.

    Args:
        given: {concept}.
        ports: the store is read once.
    """
    held = ports.concepts.concept_map(ports.job.collection, given["concept"])
    result: Json = {"version": 0, "relations": [], "retired": [], "banned": [], "broken": []}
    if held:
        told = held.model_dump(mode="json")
        result = {name: told[name] for name in result}
    shown = {"n": len(result["relations"]), "broken": len(result["broken"]), "version": result["version"]}
    return Outcome(result=result, events=(Event(name="relations.read", data=shown),))
