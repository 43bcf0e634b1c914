"""Pairs that the rules leave open: which they are, and what a model is asked about them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from doubles.blobs import MemoryBlobs
from doubles.documents import Sentence, made_element, write
from doubles.graph import MemoryGraph
from doubles.replies import MemoryReplies
from doubles.vectors import MemoryVectors

from hopline.models.jobs import Usage
from hopline.models.merges import Proposal
from infra.offline_model.replies import KINDS
from workers.adapters.openai.calls import Unmetered
from workers.core.errors import ModelRefusedSchema
from workers.core.graph.vectors import Embedder
from workers.core.jobs.params import MergeParams
from workers.core.jobs.work import Job
from workers.core.models.metered_model import CallBound
from workers.core.ports import Answered, Limits, Ports
from workers.ingest.resolution.merge import FindInput, FindResult, find_merges
from workers.ingest.resolution.verdicts import PAIRS, PROPOSALS, AskInput, AskResult, ask_model
from workers.ingest.schema import SameThings

C = "c"
ALL = FindInput(range="all", after="", before="l")
TELFORD = ("Thomas Telford built the bridge.", ["Thomas Telford", "bridge"])
MASON = ("Telford was a mason.", ["Telford"])
CANAL = ("The Caledonian Canal opened in 1822.", ["Caledonian Canal"])
CANEL = ("Ships pass the Caladonian Canal.", ["Caladonian Canal"])
CANELS = ("The Caladonian Canal has locks.", ["Caladonian Canal"])
Judge = Callable[[dict[str, Any]], dict[str, Any]]


class JudgingModel:
    """Judges pairs by a function; counts its calls against a bound."""

    embedder = Embedder(name="none", dimension=2)

    def __init__(self, judge: Judge = KINDS["SameThings"]) -> None:
        self.judge = judge
        self.shown: list[list[dict[str, Any]]] = []
        self.bound = CallBound(Unmetered(), 0)
        self.repaired = 0  # of the next calls

    def bounded(self, calls: int) -> tuple[JudgingModel, CallBound]:
        self.bound = CallBound(Unmetered(), calls)
        return self, self.bound

    def name_of(self, _tier: str) -> str:
        return "judging"

    def embed(self, texts: Any) -> list[list[float]]:
        return [[1.0, 0.0] for _ in texts]

    def ask(self, prompt, material, reply, **_more):
        assert (prompt.name, reply) == ("same_things", SameThings)
        self.bound.reserve("call", 1)
        self.shown.append(material["pairs"])
        if self.repaired:
            self.repaired -= 1
            self.bound.reserve("repair", 1)
        value = reply.model_validate(self.judge(dict(material)))
        return Answered[SameThings](value=value, usage=Usage(model_calls=1))


def ports_for(graph: MemoryGraph, model: JudgingModel | None = None, ask: int = 3) -> Ports:
    job = Job(id="j", kind="merge", collection=C, params=MergeParams(ask=ask).model_dump())
    judging: Any = model or JudgingModel()
    return Ports(job, graph, MemoryVectors(), judging, MemoryBlobs(), Limits(), replies=MemoryReplies())


def written(*documents: list[Sentence]) -> MemoryGraph:
    graph = MemoryGraph()
    for nth, sentences in enumerate(documents):
        write(graph, C, f"{nth}", sentences)
    return graph


def found_in(ports: Ports) -> FindResult:
    result = find_merges(ALL, ports).result
    assert isinstance(result, FindResult)
    return result


def pairs_of(ports: Ports) -> set[tuple[str, str]]:
    result = found_in(ports)
    pairs = [pair for some in result.pairs for pair in PAIRS.validate_json(ports.blobs.get(some.blob))]
    assert len(pairs) == result.likely == sum(some.count for some in result.pairs)
    return {(pair.source_name, pair.target_name) for pair in pairs}


def blobs(ports: Ports) -> tuple[str, ...]:
    return tuple(some.blob for some in found_in(ports).pairs)


def asked(ports: Ports, calls: int = 3) -> AskResult:
    result = ask_model(AskInput(pairs=blobs(ports), calls=calls), ports).result
    assert isinstance(result, AskResult)
    return result


def many_pairs(count: int) -> MemoryGraph:
    """Canals that are misspelled in other documents: as many likely pairs."""
    names = [f"Canal {chr(97 + nth) * 3}" for nth in range(count)]
    return written(
        [(f"The {name} Caledonian is old and long.", [f"{name} Caledonian"]) for name in names],
        [(f"The {name} Caladonian is deep.", [f"{name} Caladonian"]) for name in names],
    )


def test_what_the_rules_refuse_for_want_of_something_in_common_is_likely():
    ports = ports_for(written([TELFORD], [MASON], [CANAL, ("Its locks are of stone.", ["stone"])], [CANEL]))
    (canals,) = [pair for pair in pairs_of(ports) if "caledonian canal" in pair]
    assert pairs_of(ports) == {("telford", "thomas telford"), canals}
    assert found_in(ports).found == 0


def test_a_pair_whose_vectors_lie_apart_is_likely_and_none_of_which_the_rules_are_sure():
    graph = written([("Al-Andalus is Al Andalus.", ["Al-Andalus", "Al Andalus"])])
    assert len(pairs_of(ports_for(graph))) == 1
    ports = ports_for(written([TELFORD, MASON]))
    assert (found_in(ports).found, pairs_of(ports)) == (1, set())


def test_a_name_that_may_mean_one_alone_is_likely_and_one_of_two_is_not():
    heron = ("The Heron sailed at dawn.", ["Heron"])
    graph = written([heron, ("Corvin Drake slept.", ["Corvin Drake"]), ("Mara Venn woke.", ["Mara Venn"])])
    source, *others = (made_element(C, name).id for name in ("Heron", "Corvin Drake", "Mara Venn"))
    graph.may_mean[source] = (others[0],)
    assert pairs_of(ports_for(graph)) == {("heron", "corvin drake")}
    graph.may_mean[source] = tuple(others)
    assert pairs_of(ports_for(graph)) == set()
    # Not even for the one whom a document names.
    graph = written([TELFORD, ("Mara Venn slept.", ["Mara Venn"])], [MASON])
    source, *others = (made_element(C, name).id for name in ("Telford", "Thomas Telford", "Mara Venn"))
    graph.may_mean[source] = tuple(others)
    assert pairs_of(ports_for(graph)) == set()


def test_what_a_person_keeps_apart_is_not_asked_about():
    graph = written([TELFORD], [MASON])
    one, other = made_element(C, "Telford"), made_element(C, "Thomas Telford")
    names = {"source": one.id, "source_name": one.name, "target": other.id, "target_name": other.name}
    graph.merging.merge_elements(C, Proposal(**names, rule="surname", evidence=""), "j0")
    graph.merging.undo_merge(C, graph.merging.merges(C)[0].id)
    assert pairs_of(ports_for(graph)) == set()


def test_a_model_is_shown_both_names_with_facts_that_write_them():
    model = JudgingModel()
    asked(ports_for(written([TELFORD, ("He died in London.", ["Thomas Telford"])], [MASON]), model))
    [[pair]] = model.shown
    assert (pair["n"], pair["one"]["name"], pair["other"]["name"]) == (1, "telford", "thomas telford")
    assert [fact["fact"] for fact in pair["other"]["facts"]] == [TELFORD[0]]
    assert [fact["fact"] for fact in pair["one"]["facts"]] == [MASON[0]]


def test_a_merge_and_a_kept_verdict_hold_nothing_that_a_model_said_of_the_facts():
    def judge(material: dict[str, Any]) -> dict[str, Any]:
        replies = KINDS["SameThings"](material)["things"]
        return {"things": [{**thing, "why": f"Both: {CANAL[0]}"} for thing in replies]}

    ports = ports_for(written([CANAL], [CANEL], [TELFORD], [MASON]), JudgingModel(judge))
    result = asked(ports)
    assert (result.asked, result.same, result.left, result.calls, result.failed) == (2, 1, 0, 2, None)
    [proposal] = PROPOSALS.validate_json(ports.blobs.get(result.proposals))
    assert proposal.rule == "model"
    assert proposal.evidence == "typo: 0 of 1 documents, 0 facts in common"
    kept = [ports.blobs.get(result.proposals), *ports.replies.entries.values()]
    assert not any(b"Both" in data or CANAL[0].encode() in data for data in kept)


def test_what_was_said_of_a_pair_is_not_asked_again_whatever_else_is():
    model = JudgingModel()
    graph = written([CANAL], [CANEL], [TELFORD], [MASON])
    ports = ports_for(graph, model)
    asked(ports)
    again = found_in(ports)
    assert (again.found, again.likely, len(model.shown)) == (1, 0, 2)
    write(graph, C, "more", [("The Forth Bredge is red.", ["Forth Bredge"])])
    write(graph, C, "most", [("The Forth Bridge is long.", ["Forth Bridge"])])
    assert len(pairs_of(ports)) == 1


def test_a_verdict_goes_with_each_chunk_that_it_rests_on():
    ports = ports_for(written([CANAL], [CANEL]))
    asked(ports)
    for content in ports.replies.contents:
        kept = dict(ports.replies.entries)
        ports.replies.purge([content])
        assert len(pairs_of(ports)) == 1
        ports.replies.entries = kept
    assert pairs_of(ports) == set()
    # What an earlier version kept as the same beside others is asked again.
    for name in ports.replies.entries:
        ports.replies.entries[name] = b'{"same":true,"why":"One letter differs."}'
    assert len(pairs_of(ports)) == 1


def test_new_evidence_is_asked_about():
    graph = written([CANAL], [CANEL])
    ports = ports_for(graph, JudgingModel(lambda _given: {"things": [{"n": 1, "same": False}]}))
    asked(ports)
    assert pairs_of(ports) == set()
    write(graph, C, "more", [CANELS])
    assert len(pairs_of(ports)) == 1


def apart(material: dict[str, Any]) -> dict[str, Any]:
    return {"things": [{"n": pair["n"], "same": False} for pair in material["pairs"]]}


def test_a_hostile_fact_in_another_pair_makes_nothing_the_same():
    def judge(material: dict[str, Any]) -> dict[str, Any]:
        misled = "mason" in str(material)  # the fact that speaks of the other pair
        return {"things": [{"n": pair["n"], "same": misled} for pair in material["pairs"]]}

    model = JudgingModel(judge)
    ports = ports_for(written([CANAL], [CANEL], [TELFORD], [MASON]), model)
    result = asked(ports)
    [proposal] = PROPOSALS.validate_json(ports.blobs.get(result.proposals))
    assert [len(pairs) for pairs in model.shown] == [2, 1, 1]
    assert (result.asked, result.same, proposal.source_name) == (2, 1, "telford")
    again = found_in(ports)
    assert (again.found, again.likely) == (1, 0)


def test_what_cannot_be_confirmed_within_the_bound_stays_apart_and_is_asked_again():
    ports = ports_for(many_pairs(4), JudgingModel())
    result = asked(ports, calls=3)
    assert (result.asked, result.same, result.left, result.calls, result.failed) == (2, 2, 2, 3, None)
    assert len(pairs_of(ports)) == 2


def test_the_last_call_is_about_one_pair_so_that_each_run_settles_some():
    model = JudgingModel()
    ports = ports_for(many_pairs(3), model)
    for _ in range(3):
        assert (asked(ports, calls=1).same, len(model.shown[-1])) == (1, 1)
    assert pairs_of(ports) == set()


def test_the_bound_of_calls_holds():
    model = JudgingModel(apart)
    ports = ports_for(many_pairs(12), model)
    result = asked(ports, calls=2)
    assert [len(pairs) for pairs in model.shown] == [5, 1]
    assert (result.asked, result.left, result.calls, result.failed) == (6, 6, 2, None)
    rest = asked(ports, calls=3)
    assert [len(pairs) for pairs in model.shown] == [5, 1, 5, 1]
    assert (rest.asked, rest.left, rest.calls) == (6, 0, 2)


def test_an_item_that_is_done_again_pays_for_what_is_missing_alone():
    model = JudgingModel()
    ports = ports_for(many_pairs(7), model)
    part = AskInput(pairs=blobs(ports), calls=9)
    first, second = ask_model(part, ports).result, ask_model(part, ports).result
    assert len(model.shown) == 9
    assert isinstance(first, AskResult)
    assert isinstance(second, AskResult)
    assert (first.same, first.proposals) == (second.same, second.proposals)
    assert (second.asked, second.calls) == (7, 0)


def test_nonsense_is_not_the_same():
    for things, judged in [
        ([], False),
        ([{"n": 99, "same": True}], False),
        ([{"n": 0, "same": True}, {"n": -1, "same": True}], False),
        ([{"n": 1, "same": True}, {"n": 1, "same": False}], True),
    ]:
        ports = ports_for(
            written([CANAL], [CANEL]), JudgingModel(lambda _given, some=things: {"things": some})
        )
        result = asked(ports)
        assert (result.same, result.proposals) == (0, ""), things
        assert (result.asked, result.left) == ((1, 0) if judged else (0, 1)), things


def test_where_repairs_take_the_calls_the_rest_is_left():
    model = JudgingModel()
    model.repaired = 2
    result = asked(ports_for(many_pairs(7), model), calls=3)
    assert (result.asked, result.left, result.calls) == (0, 7, 3)
    assert result.failed == "the limit of 3 model calls has been reached"
    model = JudgingModel(apart)
    model.repaired = 1
    result = asked(ports_for(written([CANAL], [CANEL]), model), calls=3)
    # calls that repair a reply are counted
    assert (result.asked, result.calls, result.failed) == (1, 2, None)


def test_a_refused_reply_takes_no_other_with_it_and_is_asked_again():
    def judge(material: dict[str, Any]) -> dict[str, Any]:
        if len(material["pairs"]) == 5:
            raise ModelRefusedSchema("no such form")
        return KINDS["SameThings"](material)

    ports = ports_for(many_pairs(7), JudgingModel(judge))
    result = asked(ports, calls=4)
    assert (result.asked, result.same, result.left, result.failed) == (2, 2, 5, "no such form")
    assert len(pairs_of(ports)) == 5
