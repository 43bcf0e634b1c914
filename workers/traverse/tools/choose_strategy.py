"""First step of `auto`: chooses the strategy that fits the question."""

from __future__ import annotations

from functools import partial
from typing import Final

from workers.core.errors import Permanent, Transient
from workers.core.events.questions import StrategyChosen
from workers.core.jobs.params import ChosenStrategy
from workers.core.jobs.work import Outcome
from workers.core.model import Frozen
from workers.core.ports import Ports
from workers.core.prompts import load_prompt
from workers.traverse.plan import PlanInput, Turn, shown_history
from workers.traverse.tools.schema import StrategyChoice

_REPLY_TOKENS = 200
_USUAL: Final = "graph"


class StrategyResult(Frozen):
    """Which way of answering was chosen."""

    strategy: ChosenStrategy
    why: str  # in a sentence
    documents: bool  # whether the collection holds any
    history: tuple[Turn, ...]  # of the session, for the first step of the strategy
    failed: str | None = None  # why no choice could be made: the strategy is the usual one


def choose_strategy(question: PlanInput, ports: Ports) -> Outcome:
    """Choose the strategy that fits the question.

    Without documents only tools can find something, and the model need not be asked. Where it gives no
    choice, or the database that tools ask is away, the graph of documents is walked.

    Args:
        question: to be answered.
        ports: the fast model is asked once; it sees the schema and what tools there are.
    """
    result = _chosen(question, ports)
    return Outcome(result=result, events=(StrategyChosen(strategy=result.strategy, why=result.why),))


def _chosen(question: PlanInput, ports: Ports) -> StrategyResult:
    if ports.graph.around.size(ports.job.collection).chunks == 0:
        why = "The collection holds no documents: only tools can find something."
        return StrategyResult(strategy="tools", why=why, documents=False, history=question.history)
    chosen = partial(StrategyResult, documents=True, history=question.history)
    try:
        offered, schema = [tool["function"] for tool in ports.tools.offered()], ports.tools.schema()
    except (Transient, Permanent) as error:
        why = "What tools would ask cannot be reached, so the graph of documents is walked."
        return chosen(strategy=_USUAL, why=why, failed=str(error)[:300])
    material = {
        "question": question.question,
        "history": [turn.model_dump() for turn in shown_history(question.history)],
        "schema": schema,
        "tools": [{"name": tool["name"], "purpose": tool["description"]} for tool in offered],
        "documents": True,
    }
    prompt = load_prompt("workers.traverse.tools", "choose_strategy")
    try:
        choice = ports.model.ask(prompt, material, StrategyChoice, max_tokens=_REPLY_TOKENS).value
    except Permanent as error:
        why = "No choice could be made, so the graph of documents is walked."
        return chosen(strategy=_USUAL, why=why, failed=str(error)[:300])
    return chosen(strategy=choice.strategy, why=" ".join(choice.why.split()))
