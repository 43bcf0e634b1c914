"""First step of `auto`: chooses the strategy that fits the question."""

from __future__ import annotations

from workers.core.errors import Permanent, Transient
from workers.core.jobs.work import Event, Json, Outcome
from workers.core.ports import Ports
from workers.core.prompts import load_prompt
from workers.traverse.plan import PlanInput, shown_history
from workers.traverse.tools.schema import StrategyChoice

_REPLY_TOKENS = 200
_USUAL = "graph"


def choose_strategy(question: PlanInput, ports: Ports) -> Outcome:
    """Return {strategy: graph, reader or tools, why, documents, history, failed?}.

    Without documents only tools can find something, and the model need not be asked. Where it gives no
    choice, or the database that tools ask is away, the graph of documents is walked.

    Args:
        question: to be answered.
        ports: the fast model is asked once; it sees the schema and what tools there are.
    """
    documents = ports.graph.size(ports.job.collection).chunks > 0
    result: Json = {"documents": documents, "history": [turn.model_dump() for turn in question.history]}
    if not documents:
        result |= {
            "strategy": "tools",
            "why": "The collection holds no documents: only tools can find something.",
        }
    else:
        result |= _chosen(question, ports)
    shown = {"strategy": result["strategy"], "why": result["why"]}
    return Outcome(result=result, events=(Event(name="strategy.chosen", data=shown),))


def _chosen(question: PlanInput, ports: Ports) -> Json:
    try:
        offered, schema = [one["function"] for one in ports.tools.offered()], ports.tools.schema()
    except (Transient, Permanent) as error:
        why = "What tools would ask cannot be reached, so the graph of documents is walked."
        return {"strategy": _USUAL, "why": why, "failed": str(error)[:300]}
    material = {
        "question": question.question,
        "history": [turn.model_dump() for turn in shown_history(question.history)],
        "schema": schema,
        "tools": [{"name": one["name"], "purpose": one["description"]} for one in offered],
        "documents": True,
    }
    prompt = load_prompt("workers.traverse.tools", "choose_strategy")
    try:
        choice = ports.model.ask(prompt, material, StrategyChoice, max_tokens=_REPLY_TOKENS).value
    except Permanent as error:
        why = "No choice could be made, so the graph of documents is walked."
        return {"strategy": _USUAL, "why": why, "failed": str(error)[:300]}
    return {"strategy": choice.strategy, "why": " ".join(choice.why.split())}
