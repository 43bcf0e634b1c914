"""First step of `auto`: chooses the strategy that fits the question, and prepares it for tools."""

from __future__ import annotations

from functools import partial
from typing import Final

from pydantic import Field

from hopline.errors import Permanent, Transient
from hopline.events.questions import StrategyChosen
from hopline.models.base import Frozen
from hopline.models.strategies import lines_to_choose
from workers.core.answers.turn import Turn
from workers.core.jobs.params import ChosenStrategy
from workers.core.jobs.work import Outcome
from workers.core.ports import Ports
from workers.core.prompts import Prompt, load_prompt
from workers.core.scope import reads_less
from workers.traverse.plan import PlanInput, PreparedQuestion, shown_history, spoken_of, standing_alone
from workers.traverse.tools.normalise import kept_parts

_REPLY_TOKENS = 700
_USUAL: Final = "graph"


class StrategyChoice(Frozen):
    """Which way of answering fits a question, and the question made ready for it.

    Input: {question, history: [{question, answer}], schema: text, tools: [{name, purpose}], documents: bool,
    whether the collection holds any}.
    """

    strategy: ChosenStrategy
    why: str = Field(default="", max_length=500)  # in a sentence, for who reads the trace
    question: str = Field(default="", max_length=4000)  # for tools, standing alone; "": not prepared
    sub_questions: list[str] = Field(default=[], max_length=10)  # for tools; none: the question is atomic


class StrategyResult(Frozen):
    """The strategy chosen for a question."""

    strategy: ChosenStrategy
    why: str  # in a sentence
    documents: bool  # whether the collection holds any
    history: tuple[Turn, ...]  # of the session, for the first step of the strategy
    failed: str | None = None  # why no choice could be made: the strategy is the usual one
    prepared: PreparedQuestion | None = None  # for tools, where they are chosen


def choose_strategy(question: PlanInput, ports: Ports) -> Outcome:
    """Choose the strategy that fits the question; if it is tools, prepare the question in the same call.

    Without documents only tools can find anything, so the model need not be called. If the model makes no
    choice, or the database that tools query is unavailable, the graph of documents is searched.

    Args:
        question: the question to answer.
        ports: the fast model is called once; it sees the schema and the available tools.
    """
    result = _chosen(question, ports)
    return Outcome(result=result, events=(StrategyChosen(strategy=result.strategy, why=result.why),))


def _chosen(question: PlanInput, ports: Ports) -> StrategyResult:
    if reads_less(ports.job.params, ports.job.principals):
        why = "The question is about some documents only, and tools would read others."
        if ports.job.params.get("collections"):
            why = "The question is about several collections, and tools read one."
        return StrategyResult(strategy=_USUAL, why=why, documents=True, history=question.history)
    if ports.graph.around.size(ports.job.collection).chunks == 0:
        why = "The collection holds no documents: only tools can find something."
        return StrategyResult(strategy="tools", why=why, documents=False, history=question.history)
    chosen = partial(StrategyResult, documents=True, history=question.history)
    try:
        offered = [tool["function"] for tool in ports.tools.offered()]
        schema = ports.tools.schema(spoken_of(question))
    except (Transient, Permanent) as error:
        why = "The tools' database cannot be reached, so the graph of documents is searched."
        return chosen(strategy=_USUAL, why=why, failed=str(error)[:300])
    material = {
        "question": question.question,
        "history": [turn.model_dump() for turn in shown_history(question.history)],
        "schema": schema,
        "tools": [{"name": tool["name"], "purpose": tool["description"]} for tool in offered],
        "documents": True,
    }
    try:
        choice = ports.model.ask(choice_prompt(), material, StrategyChoice, max_tokens=_REPLY_TOKENS).value
    except Permanent as error:
        why = "No strategy could be chosen, so the graph of documents is searched."
        return chosen(strategy=_USUAL, why=why, failed=str(error)[:300])
    return chosen(
        strategy=choice.strategy, why=" ".join(choice.why.split()), prepared=_prepared(question, choice)
    )


def _prepared(question: PlanInput, choice: StrategyChoice) -> PreparedQuestion | None:
    """Return the question made ready for tools; None where others are chosen, or the reply has it not."""
    if choice.strategy != "tools" or not choice.question.strip():
        return None
    return PreparedQuestion(
        question=standing_alone(question, choice.question), sub_questions=kept_parts(choice.sub_questions)
    )


def choice_prompt() -> Prompt:
    """Return the prompt for the choice, with a line for each strategy that it may choose."""
    prompt = load_prompt("workers.traverse.auto", "choose_strategy")
    return prompt.model_copy(update={"text": prompt.text.replace("{strategies}", lines_to_choose())})
