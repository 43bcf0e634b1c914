"""Strategies, the ways of answering a question, each described once for people, assistants and models."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class StrategyDescription:
    """The description of a strategy; its flow stands in `workers/traverse/strategies.py`."""

    name: str
    summary: str  # what it does, for people and assistants: the command line's help, OpenAPI, MCP
    choice: str  # what the page's form offers, in English
    # Which questions it is for, as the model that chooses reads it; without it `auto` never chooses it. The
    # key of kept choices holds these words, in their order.
    fits: str = ""
    # It asks a graph with tools: where one beside the documents' is set, it needs no documents.
    asks_graph: bool = False
    # It knows of all documents: a question about some of them, or for some principals, cannot use it.
    reads_everything: bool = False


AUTO = "auto"
STRATEGIES = (
    StrategyDescription(
        name=AUTO,
        summary="a first step chooses one of the others, and the answer says why.",
        choice="Auto: chosen for the question",
        asks_graph=True,
    ),
    StrategyDescription(
        name="graph",
        summary="reads the graph node by node and collects the facts that help.",
        choice="Graph: search node by node",
        fits="walks over facts that documents state. For questions whose answer stands in one or a few "
        "sentences of documents: who, when, where, what, why. Where in doubt, this one",
    ),
    StrategyDescription(
        name="reader",
        summary="plans, reads facts, chunks and neighbours along paths that keep notebooks.",
        choice="Reader: follow paths",
        fits="reads along several paths and keeps notebooks. For questions that need many facts of many "
        "documents together: comparisons, summaries, chains of three steps and more",
    ),
    StrategyDescription(
        name="survey",
        summary="looks at the topics of the whole collection and says what recurs, and what it looked at.",
        choice="Survey: what the whole says",
        fits="surveys the topics of the whole collection. For questions about all documents at once that no "
        "few sentences answer: main themes, common complaints, what recurs, an overview of everything",
    ),
    StrategyDescription(
        name="tools",
        summary="asks the graph itself: counts, filters, connections, developments over time.",
        choice="Tools: ask the graph itself",
        fits="asks the graph itself. For counting, filtering, ordering, shortest connections, developments "
        "over time, events of a kind, and for whatever names kinds of node, properties or relationships of "
        "the schema. For greetings and thanks, too",
        asks_graph=True,
        reads_everything=True,
    ),
)


def strategy_names() -> tuple[str, ...]:
    """Return the names of all strategies, in the order in which they are offered."""
    return tuple(strategy.name for strategy in STRATEGIES)


def names_to_choose() -> tuple[str, ...]:
    """Return the names of the strategies that `auto` may choose."""
    return tuple(strategy.name for strategy in STRATEGIES if strategy.fits)


def names_asking_graph() -> frozenset[str]:
    """Return the names of the strategies that query a graph with tools."""
    return frozenset(strategy.name for strategy in STRATEGIES if strategy.asks_graph)


def names_within_scope() -> tuple[str, ...]:
    """Return the names of the strategies that can answer within a scope, in order."""
    return tuple(strategy.name for strategy in STRATEGIES if not strategy.reads_everything)


def summaries() -> tuple[str, ...]:
    """Return a line for each strategy: its name and what it does."""
    return tuple(f"{strategy.name}: {strategy.summary}" for strategy in STRATEGIES)


def lines_to_choose() -> str:
    """Return the list of the prompt that chooses."""
    return "\n".join(f"  - {strategy.name}: {strategy.fits}" for strategy in STRATEGIES if strategy.fits)
