"""The first step of `auto`: which way of answering fits the question?"""

from __future__ import annotations

from workers.core.errors import Permanent
from workers.core.ports import Ports
from workers.core.prompts import load_prompt
from workers.core.work import Event, Json, Outcome
from workers.traverse.plan import shown_history
from workers.traverse.tools.schema import StrategyChoice

_REPLY_TOKENS = 200
_USUAL = "graph"


def choose_strategy(given: Json, ports: Ports) -> Outcome:
    """Return {strategy: graph, reader or tools, why, documents, history, failed?}.

    Without documents only tools can find something, and the model need not be asked; where it gives no
    choice, the graph is walked.

    Args:
        given: {question, history: [{question, answer}]}.
        ports: the fast model is asked once; it sees the schema and what tools there are.
    """
    documents = ports.graph.size(ports.job.collection).chunks > 0
    result: Json = {"documents": documents, "history": given.get("history", [])}
    if not documents:
        result |= {
            "strategy": "tools",
            "why": "The collection holds no documents: only tools can find something.",
        }
    else:
        result |= _chosen(given, ports)
    shown = {"strategy": result["strategy"], "why": result["why"]}
    return Outcome(result=result, events=(Event(name="strategy.chosen", data=shown),))


def _chosen(given: Json, ports: Ports) -> Json:
    offered = [one["function"] for one in ports.tools.offered()]
    material = {
        "question": given["question"],
        "history": shown_history(given),
        "schema": ports.tools.schema(),
        "tools": [{"name": one["name"], "purpose": one["description"]} for one in offered],
        "documents": True,
    }
    prompt = load_prompt("workers.traverse.tools", "choose_strategy")
    try:
        choice = ports.model.ask(prompt, material, StrategyChoice, max_tokens=_REPLY_TOKENS).value
    except Permanent as error:
        why = "No choice could be made, so the graph is walked."
        return {"strategy": _USUAL, "why": why, "failed": str(error)[:300]}
    return {"strategy": choice.strategy, "why": " ".join(choice.why.split())}
