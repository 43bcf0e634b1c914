"""The pattern of nodes and relationships that a statement matches, with its conditions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hopline.models.graph_schema import quoted
from infra.offline_model.parser.graph.entities import Entity
from infra.offline_model.parser.graph.graph_question import GraphQuestion, Meant
from infra.offline_model.parser.graph.graph_words import Kind

_WITH = re.compile(r"\b(?:with|alongside)\s+(?:the\s+)?$", re.IGNORECASE)


@dataclass(frozen=True)
class Scope:
    """A pattern with conditions: n is the wanted node, and o the node at the other end of r."""

    pattern: str
    thing: Kind
    where: tuple[str, ...] = ()
    other: Kind | None = None
    relation: Kind | None = None
    by_name: bool = False  # a name of the question stands in it

    @property
    def text(self) -> str:
        """MATCH, and WHERE if there are conditions."""
        return f"MATCH {self.pattern}" + (f" WHERE {' AND '.join(self.where)}" if self.where else "")

    def variable(self, kind: Kind) -> str:
        """Return the variable for a kind; empty if there is none."""
        held = ((self.thing, "n"), (self.other, "o"), (self.relation, "r"))
        return next(
            (variable for candidate, variable in held if candidate and candidate.name == kind.name), ""
        )


def literal(text: str) -> str:
    """Return a text in small letters as Cypher's literal."""
    return "'" + text.casefold().replace("\\", "\\\\").replace("'", "\\'") + "'"


def is_called(variable: str, kind: Kind | None, name: Entity, text: str) -> str:
    """Return the condition that a node has a name, as the question writes it or with its article."""
    naming = quoted(kind.naming) if kind and kind.naming else "name"
    held = f"toLower({variable}.{naming})"
    articled = text[: name.start].casefold().endswith("the ")
    names = [literal(name.name), *([literal(f"the {name.name}")] if articled else [])]
    called = f"{held} = {names[0]}" if len(names) == 1 else f"{held} IN [{', '.join(names)}]"
    if kind and "STRING" in kind.type_of("aliases"):
        return f"({called} OR any(alias IN {variable}.aliases WHERE toLower(alias) = {names[0]}))"
    return called


def scope_of(question: GraphQuestion) -> Scope | None:
    """Return the scope of a question; None if the schema does not connect its parts."""
    thing = question.wanted[0]
    if thing is None:
        return None
    verb = _verb(question)
    if verb is None:
        scope = _alone(question, thing)
    elif question.says_same:
        scope = _same(question, thing)
    else:
        scope = _over(question, thing, verb)
    return _narrowed(scope, question, verb) if scope else None


def _verb(question: GraphQuestion) -> Meant | None:
    """Return the relationship type to look along: of verbs before nouns, the one nearest to the name."""
    if not question.types:
        return None
    verbs = [mention for mention in question.types if not mention.agent] or list(question.types)
    if question.names and len(verbs) > 1:
        return min(verbs, key=lambda verb: abs(verb.start - question.names[0].start))
    return verbs[0]


def _alone(question: GraphQuestion, thing: Kind) -> Scope | None:
    if not question.names:
        return Scope(f"(n:{quoted(thing.name)})", thing)
    if len(question.names) > 1:
        return None
    if question.labels and not question.properties and not question.is_tally:
        return None
    called = is_called("n", thing, question.names[0], question.text)
    return Scope(f"(n:{quoted(thing.name)})", thing, (called,), by_name=True)


def _over(question: GraphQuestion, thing: Kind, verb: Meant) -> Scope | None:
    """Return one hop from the wanted node to the named one, or to any; two hops if others share it."""
    if (
        len(question.names) == 1
        and _WITH.search(question.rest[: question.names[0].start])
        and question.asks_who
    ):
        return _together(question, thing, verb)
    hop = _hop(question, thing, verb, "n", "r", "o")
    apart = all(source != target for source, target in verb.kind.joins)
    does = any(source == thing.name for source, _ in verb.kind.joins)
    if hop is None or (
        question.names and apart and verb.word and question.is_source(question.names[0], verb) == does
    ):
        chained = _chained(question, thing, verb)
        if chained or hop is None:
            return chained
    pattern, other = hop
    if question.names and not verb.word:  # of the thing itself, as a rating is
        itself = is_called("n", thing, question.names[0], question.text)
        return Scope(pattern, thing, (itself,), other, verb.kind) if len(question.names) == 1 else None
    if not question.names:
        return Scope(pattern, thing, (), other, verb.kind)
    called = [is_called("o", other, question.names[0], question.text)]
    if len(question.names) > 1:
        second = _second(question, thing, other, verb)
        if second is None:
            return None
        pattern, called = pattern + second[0], [*called, second[1]]
    return Scope(pattern, thing, tuple(called), other, verb.kind, by_name=True)


def _hop(
    question: GraphQuestion, thing: Kind, verb: Meant, near: str, link: str, far: str
) -> tuple[str, Kind | None] | None:
    """Return the pattern from a node along a relationship, and the label at its other end."""
    graph = question.graph
    for source, target in verb.kind.joins:
        named_source = bool(question.names) and question.is_source(question.names[0], verb)
        outgoing = source == thing.name and not (source == target and named_source)
        if not outgoing and target != thing.name:
            continue
        far_label = target if outgoing else source
        head, tail = f"({near}:{quoted(thing.name)})", f"({far}:{quoted(far_label)})"
        between = f"[{link}:{quoted(verb.kind.name)}]"
        return (f"{head}-{between}->{tail}" if outgoing else f"{head}<-{between}-{tail}"), graph.named(
            far_label
        )
    return None


def _second(question: GraphQuestion, thing: Kind, other: Kind | None, verb: Meant) -> tuple[str, str] | None:
    """Return the pattern and the condition for a second name: for both names, or for the wanted node."""
    second = question.names[1]
    if len(question.names) > 2:  # noqa: PLR2004 - two are served
        return None
    between = question.rest[question.names[0].end : second.start].strip().casefold()
    if between in ("and", "and also", ", and"):
        hop = _hop(question, thing, verb, "n", "s", "p")
        return (f", {hop[0]}", is_called("p", other, second, question.text)) if hop else None
    if question.labels or question.asks_who:
        return None
    return "", is_called("n", thing, second, question.text)


def _together(question: GraphQuestion, thing: Kind, verb: Meant) -> Scope | None:
    """Return the pattern of nodes that share a relationship with the named one: who acted with X."""
    hop = _hop(question, thing, verb, "n", "r", "m")
    if hop is None or hop[1] is None:
        return None
    pattern, shared = hop
    arrow = "<-[:{}]-(o:{})" if "]->(" in pattern else "-[:{}]->(o:{})"
    joined = pattern + arrow.format(quoted(verb.kind.name), quoted(thing.name))
    called = is_called("o", thing, question.names[0], question.text)
    return Scope(joined, thing, (called, "n <> o"), shared, verb.kind, by_name=True)


def _chained(question: GraphQuestion, thing: Kind, verb: Meant) -> Scope | None:
    """Return two hops with a verb each: who directed movies that X acted in."""
    outer = next((mention for mention in question.types if mention.kind.name != verb.kind.name), None)
    first = _hop(question, thing, outer, "n", "r", "m") if outer else None
    if outer is None or first is None or first[1] is None or len(question.names) != 1:
        return None
    second = _hop(question, first[1], verb, "m", "s", "o")
    if second is None:
        return None
    called = is_called("o", second[1], question.names[0], question.text)
    return Scope(f"{first[0]}, {second[0]}", thing, (called,), first[1], outer.kind, by_name=True)


def _same(question: GraphQuestion, thing: Kind) -> Scope | None:
    """Return the pattern of two or three relationships to the same node: who directed and produced one."""
    hops = [
        _hop(question, thing, verb, "n", link, "o") for verb, link in zip(question.types, "rst", strict=False)
    ]
    if any(hop is None for hop in hops):
        return _chained(question, thing, question.types[-1])
    whole_hops = [hop for hop in hops if hop]
    pattern = ", ".join(hop[0] for hop in whole_hops)
    called = tuple(is_called("o", whole_hops[0][1], name, question.text) for name in question.names[:1])
    return Scope(pattern, thing, called, whole_hops[0][1], question.types[0].kind, by_name=bool(called))


def _narrowed(scope: Scope, question: GraphQuestion, verb: Meant | None) -> Scope | None:
    """Narrow the scope by the question's comparisons and texts; return None if one does not fit."""
    where = [*scope.where, *_roles(question, scope, verb), *_played(question, scope)]
    for condition in question.conditions:
        variable = scope.variable(condition.kind)
        if not variable:
            return None
        where.append(f"{variable}.{quoted(condition.name)} {condition.sign} {condition.number}")
    for kind, name, sign, text in question.texts:
        variable = scope.variable(kind)
        if not variable:
            return None
        where.append(f"toLower({variable}.{quoted(name)}) {sign} {literal(text.name)}")
    pattern = scope.pattern
    for nth, (kind, name, value) in enumerate(question.values):
        variable = scope.variable(kind)
        if not variable:
            variable = f"v{nth}"
            hop = _hop_to(question, scope.thing, kind, variable)
            if not hop:
                continue
            pattern += f", {hop}"
        where.append(f"toLower({variable}.{quoted(name)}) = {literal(value)}")
    return Scope(pattern, scope.thing, tuple(where), scope.other, scope.relation, scope.by_name)


def _hop_to(question: GraphQuestion, thing: Kind, other: Kind, variable: str) -> str:
    """Return the pattern from a node to one of another kind; empty if no relationship connects them."""
    for kind in question.graph.types:
        for source, target in kind.joins:
            if (source, target) == (thing.name, other.name):
                return f"(n)-[:{quoted(kind.name)}]->({variable}:{quoted(other.name)})"
            if (source, target) == (other.name, thing.name):
                return f"(n)<-[:{quoted(kind.name)}]-({variable}:{quoted(other.name)})"
    return ""


def _played(question: GraphQuestion, scope: Scope) -> Iterator[str]:
    """Yield the condition that a named role was played: a text in a list property of the relationship."""
    lists = (
        [name for name, kind in scope.relation.properties if kind == "LIST<STRING>"] if scope.relation else []
    )
    if question.played and lists:
        yield f"any(role IN r.{quoted(lists[0])} WHERE toLower(role) = {literal(question.played.name)})"


def _roles(question: GraphQuestion, scope: Scope, verb: Meant | None) -> Iterator[str]:
    """Yield the condition of "directors" on actors: that they also directed something."""
    for mention in question.types:
        joined = verb is None or mention.kind.name == verb.kind.name or question.says_same
        if (
            not joined
            and mention.agent
            and mention.kind.joins
            and mention.kind.joins[0][0] == scope.thing.name
        ):
            yield f"EXISTS {{ (n)-[:{quoted(mention.kind.name)}]->() }}"
