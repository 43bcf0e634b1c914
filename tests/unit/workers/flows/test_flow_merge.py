"""The merge flow: sixteen ranges are paged side by side, then the merges are made; or one is undone."""

from typing import Any, cast

from doubles.blobs import MemoryBlobs
from doubles.documents import write
from doubles.graph import MemoryGraph
from doubles.vectors import MemoryVectors

from hopline.models.jobs import JobState
from hopline.models.merges import Merge, Proposal
from workers.core import ids
from workers.core.graph.vectors import Embedder, Point
from workers.core.jobs.params import MergeParams, parse_params
from workers.core.jobs.work import Done, Job, as_json
from workers.core.ports import Limits, Ports
from workers.ingest.resolution import merge
from workers.ingest.resolution.candidates import propose_merges
from workers.ingest.resolution.flow import MERGE

C = "c"
ALL = merge.FindInput(range="all", after="", before="l")


class NoModel:
    embedder = Embedder(name="none", dimension=2)

    def embed(self, texts: Any) -> list[list[float]]:
        return [[1.0, 0.0] for _ in texts]


def job(**params: Any) -> Job:
    return Job(id="j1", kind="merge", collection=C, params=parse_params(MergeParams, params).model_dump())


def advance(results: dict[int, list[Done]], **params: Any) -> Any:
    """Return what follows the last of these phases."""
    return MERGE.advance(max(results), results, job(**params))


STEPS = {name: f"ingest.merge_{name}" for name in ("find", "ask", "list")}
STEPS |= {"merge": "ingest.merge", "likely": "ingest.merge_list", "undo": "ingest.unmerge"}


def done(item: str, error: str | None = None, **result: Any) -> Done:
    return Done(item_id=item, step=STEPS[item.partition(":")[0]], result=result, error=error)


def page(item: str, count: int = 0, error: str | None = None) -> Done:
    return done(item, error, elements=10, found=count, proposals=f"blob:{item}" if count else "")


def likely(item: str, pairs: int, count: int = 0) -> Done:
    counts = [min(10, pairs - first) for first in range(0, pairs, 10)]
    some = [{"count": number, "blob": f"pairs:{item}:{nth}"} for nth, number in enumerate(counts)]
    proposals = f"blob:{item}" if count else ""
    return done(item, elements=10, found=count, proposals=proposals, likely=pairs, pairs=some)


def ports_for(graph: MemoryGraph) -> Ports:
    return Ports(job(), graph, MemoryVectors(), cast("Any", NoModel()), MemoryBlobs(), Limits())


def test_every_id_lies_in_one_range():
    ranges = [item.input for item in MERGE.first(job()).items]
    assert len(ranges) == 16
    for nth in range(300):
        name = ids.element_id(C, str(nth))
        assert sum(part["after"] < name < part["before"] for part in ranges) == 1


def test_pages_with_doubles_are_merged_and_counted():
    following = advance({0: [page("find:0"), page("find:1", 2), page("find:2", 3)]})
    inputs = [{"proposals": "blob:find:1"}, {"proposals": "blob:find:2"}]
    assert [(item.step, item.input) for item in following.items] == [
        ("ingest.merge", each) for each in inputs
    ]
    made = [done("merge:find:1", made=2, refused=0), done("merge:find:2", made=1, refused=2)]
    ended = advance({0: [page("find:1", 2), page("find:2", 3)], 1: made})
    assert ended.state is JobState.DONE
    counts = {name: ended.outcome[name] for name in ("elements", "found", "made", "refused")}
    assert counts == {"elements": 20, "found": 5, "made": 3, "refused": 2}


def test_without_doubles_the_job_ends_at_once():
    ended = advance({0: [page("find:0")]})
    assert (ended.state, ended.outcome["found"], ended.outcome["made"]) == (JobState.DONE, 0, 0)
    ended = advance({0: [likely("find:0", 3)]})
    assert not {"likely", "calls", "pairs"} & set(ended.outcome), "without a bound no model is asked"
    assert job().params == {"dry_run": False, "undo": None}


def test_a_dry_run_lists_and_merges_nothing():
    following = advance({0: [page("find:1", 1)]}, dry_run=True)
    assert [item.step for item in following.items] == ["ingest.merge_list"]
    listed = [done("list:find:1", listed=[["a", "b", "surname", "why"]])]
    ended = advance({0: [page("find:1", 1)], 1: listed}, dry_run=True)
    assert (ended.outcome["proposals"], ended.outcome["made"]) == ([["a", "b", "surname", "why"]], 0)


def test_a_page_that_was_given_up_takes_no_other_with_it():
    pages = [page("find:0", 2), page("find:1", error="no Neo4j"), page("find:2")]
    following = advance({0: pages})
    assert [item.input for item in following.items] == [{"proposals": "blob:find:0"}]
    ended = advance({0: pages, 1: [done("merge:find:0", made=2, refused=0)]})
    told = [ended.outcome[name] for name in ("error", "made", "given_up")]
    assert (ended.state, told) == (JobState.PARTIAL, ["no Neo4j", 2, 1])
    listed = [done("list:find:0", listed=[["a", "b", "surname", "why"]])]
    dry = advance({0: pages, 1: listed}, dry_run=True)
    assert (dry.state, len(dry.outcome["proposals"])) == (JobState.PARTIAL, 1)
    lost = advance({0: pages, 1: [done("merge:find:0", "no Neo4j")]})
    assert (lost.state, lost.outcome["given_up"]) == (JobState.FAILED, 2)


def test_what_was_given_up_is_told():
    broken = advance({0: [page("find:0"), page("find:1", error="no Neo4j")]})
    assert (broken.state, broken.outcome["error"]) == (JobState.FAILED, "no Neo4j")
    made = [done("merge:find:1", made=1, refused=0), done("merge:find:2", "lost")]
    partial = advance({0: [page("find:1", 2)], 1: made})
    assert (partial.state, partial.outcome["made"]) == (JobState.PARTIAL, 1)
    cut = MERGE.cut_short({}, job(), "cancelled")
    assert (cut.state, cut.outcome["error"]) == (JobState.FAILED, "cancelled")


def test_a_model_is_asked_about_pages_together_and_never_with_more_calls():
    pages = [likely("find:0", 3), likely("find:1", 0, 1), likely("find:2", 12), likely("find:3", 6)]
    asking = advance({0: pages}, ask=4)
    first, last = ["pairs:find:0:0", "pairs:find:2:0"], ["pairs:find:2:1", "pairs:find:3:0"]
    assert [(item.id, item.step, item.input) for item in asking.items] == [
        ("ask:find:2:0", "ingest.merge_ask", {"pairs": first, "calls": 3}),
        ("ask:find:3:0", "ingest.merge_ask", {"pairs": last, "calls": 1}),
    ]
    few = advance({0: pages}, ask=3)
    assert [item.input["calls"] for item in few.items] == [3]
    more = advance({0: pages}, ask=9)
    assert [item.input["calls"] for item in more.items] == [5, 4]


def test_what_a_model_calls_the_same_is_merged_beside_what_the_rules_found():
    pages = [likely("find:0", 3), likely("find:1", 0, 1)]
    judged = done("ask:find:0", asked=3, same=2, left=0, proposals="same", calls=1)
    following = advance({0: pages, 1: [judged]}, ask=1)
    expected = [("merge:find:1", "blob:find:1"), ("merge:ask:find:0", "same")]
    assert [(item.id, item.input["proposals"]) for item in following.items] == expected
    made = [done("merge:find:1", made=1, refused=0), done("merge:ask:find:0", made=1, refused=1)]
    ended = advance({0: pages, 1: [judged], 2: made}, ask=1)
    counts = {"found": 3, "made": 2, "refused": 1, "likely": 3, "calls": 1, "asked": 3, "same": 2, "left": 0}
    assert ended.state is JobState.DONE
    assert {name: ended.outcome[name] for name in counts} == counts


def test_where_a_model_calls_nothing_the_same_the_job_ends_and_partial_where_no_reply_could_be_used():
    judged = done("ask:find:0", asked=2, same=0, left=1, proposals="", calls=1)
    ended = advance({0: [likely("find:0", 3)], 1: [judged]}, ask=1)
    assert (ended.state, ended.outcome["left"], ended.outcome["made"]) == (JobState.DONE, 1, 0)
    judged = done("ask:find:0", asked=0, same=0, left=3, proposals="", calls=1, failed="not JSON")
    ended = advance({0: [likely("find:0", 3)], 1: [judged]}, ask=1)
    assert (ended.state, ended.outcome["error"], ended.outcome["left"]) == (JobState.PARTIAL, "not JSON", 3)
    lost = advance({0: [likely("find:0", 3)], 1: [done("ask:find:0", "no model")]}, ask=1)
    assert (lost.state, lost.outcome["given_up"]) == (JobState.FAILED, 1)


def test_a_dry_run_lists_likely_pairs_and_how_many_calls_they_take():
    pages = [likely("find:0", 11), likely("find:1", 1, 1)]
    following = advance({0: pages}, ask=9, dry_run=True)
    assert [(item.id, item.step, item.input["proposals"]) for item in following.items] == [
        ("list:find:1", "ingest.merge_list", "blob:find:1"),
        ("likely:find:0:0", "ingest.merge_list", "pairs:find:0:0"),
        ("likely:find:0:1", "ingest.merge_list", "pairs:find:0:1"),
        ("likely:find:1:0", "ingest.merge_list", "pairs:find:1:0"),
    ]
    sure, open_pair = ["a", "b", "surname", "why"], ["c", "d", "model", "surname: why"]
    listed = [done("list:find:1", listed=[sure]), done("likely:find:0:0", listed=[open_pair])]
    listed += [done("likely:find:0:1", listed=[]), done("likely:find:1:0", listed=[])]
    ended = advance({0: pages, 1: listed}, ask=9, dry_run=True)
    outcome = ended.outcome
    assert (outcome["proposals"], outcome["pairs"], outcome["calls"]) == ([sure], [open_pair], 3)
    assert (outcome["asked"], outcome["left"], outcome["made"]) == (0, 12, 0)
    pages, listed = [likely("find:0", 60)], [done(f"likely:find:0:{nth}", listed=[]) for nth in range(6)]
    outcome = advance({0: pages, 1: listed}, ask=1, dry_run=True).outcome
    assert (outcome["likely"], outcome["calls"]) == (60, 12), "whatever the bound"


def test_a_merge_that_an_older_worker_advanced_is_asked_about_and_made_once():
    results = {0: [likely("find:0", 3, 1)], 1: [done("merge:find:0", made=1, refused=0)]}
    asking = advance(results, ask=2)
    assert [item.id for item in asking.items] == ["ask:find:0:0"]
    results[2] = [done("ask:find:0:0", asked=3, same=1, left=0, proposals="same", calls=2)]
    merging = advance(results, ask=2)
    assert [item.id for item in merging.items] == ["merge:ask:find:0:0"]
    results[3] = [done("merge:ask:find:0:0", made=1, refused=0)]
    ended = advance(results, ask=2)
    assert (ended.state, ended.outcome["made"], ended.outcome["asked"]) == (JobState.DONE, 2, 3)


def test_asking_that_was_closed_before_anything_of_it_was_done_is_not_opened_again():
    results = {0: [likely("find:0", 3, 1)], 1: []}
    merging = advance(results, ask=2)
    assert [item.id for item in merging.items] == ["merge:find:0"]
    results[2] = [done("merge:find:0", made=1, refused=0)]
    assert advance(results, ask=2).state is JobState.DONE


def test_only_the_phase_that_writes_cannot_be_closed_early():
    pages = {0: [likely("find:0", 3, 1)]}
    replies = {1: [done("ask:find:0", asked=3, same=0, left=0, proposals="")]}
    assert MERGE.may_close(1, job(ask=1), lambda: pages)
    assert not MERGE.may_close(2, job(ask=1), lambda: {**pages, **replies})
    assert not MERGE.may_close(1, job(), lambda: pages)


def test_an_undoing_is_one_item():
    undoing = job(undo="m1")
    assert [item.step for item in MERGE.first(undoing).items] == ["ingest.unmerge"]
    names = {"source": "k1", "source_name": "curie", "target": "k2", "target_name": "marie curie"}
    proposal = Proposal(**names, rule="surname", evidence="")
    merged = Merge(**proposal.model_dump(), id="m1", collection=C, job="j0", made="2026-01-01T00:00:00Z")
    undone = merge.UndoResult(merge=merged, restored=("curie",), removed=0)
    ended = MERGE.advance(0, {0: [done("undo", **as_json(undone))]}, undoing)
    assert (ended.state, ended.outcome["restored"]) == (JobState.DONE, ["curie"])
    failed = MERGE.advance(0, {0: [done("undo", "undo is 'm1'")]}, undoing)
    assert (failed.state, failed.outcome["error"]) == (JobState.FAILED, "undo is 'm1'")


# the steps that look for doubles ---------------------------------------------------------------------------


def proposed(*facts: tuple[str, list[str]], other: tuple[tuple[str, list[str]], ...] = ()) -> set[str]:
    """Return the names of a document's elements that would be merged, beside another document's facts."""
    graph = MemoryGraph()
    write(graph, C, "a", list(facts))
    if other:
        write(graph, C, "b", list(other))
    ports = ports_for(graph)
    found = merge.find_merges(ALL, ports).result
    if not found.proposals:
        return set()
    listed = merge.list_merges(merge.MergeInput(proposals=found.proposals), ports).result.listed
    return {f"{source} -> {target}" for source, target, *_why in listed}


def test_a_long_range_is_paged_by_children():
    graph = MemoryGraph()
    write(graph, C, "a", [(f"Thing {nth} is here.", [f"Thing {nth}"]) for nth in range(10)])
    ports = ports_for(graph)
    part, looked, pages = ALL, 0, 0
    while part:
        outcome = merge.find_merges(part, ports, page_size=4)
        looked += outcome.result.elements
        pages += 1
        part = merge.FindInput.read_stored(outcome.children[0].input) if outcome.children else None
    assert (looked, pages) == (10, 3)


def test_a_short_name_in_two_longer_ones_or_in_other_documents_is_left_alone():
    facts = [
        ("Thomas Telford built it, said Telford.", ["Thomas Telford", "Telford"]),
        ("John Smith met Mary Smith, said Smith.", ["John Smith", "Mary Smith", "Smith"]),
        ("Ada Lovelace wrote to Lovelace.", ["Ada Lovelace", "Lovelace"]),
    ]
    town = ("Lovelace is a town.", ["Lovelace"])
    assert proposed(*facts, other=(town,)) == {"telford -> thomas telford"}


def test_a_name_that_fits_two_people_is_left_alone_however_their_initials_are_written():
    bush = ("George W. Bush was governor, said George Bush.", ["George W. Bush", "George Bush"])
    father = ("George H. W. Bush was his father.", ["George H. W. Bush"])
    assert proposed(bush) == {"george bush -> george w. bush"}
    assert proposed(bush, father) == set()


def test_a_name_that_more_people_may_bear_than_are_looked_at_is_left_alone():
    smith = ("John Smith is John Smith (actor).", ["John Smith", "John Smith (actor)"])
    names = [f"John {first}{second}. Smith" for first in "ABCDEFGH" for second in "aeiou"]
    assert proposed(smith, *((f"{name} is here.", [name]) for name in names)) == set()


def test_what_every_second_fact_holds_is_no_double():
    graph = MemoryGraph()
    both = ["Telford", "Thomas Telford"]
    write(graph, C, "a", [(f"Thomas Telford, Telford {nth}.", both) for nth in range(6)])
    page, _following = graph.merging.element_page(C, after="", before="l", limit=10)
    for source_facts, proposed_names in ((6, ["telford"]), (5, [])):
        sure = propose_merges(page, ports_for(graph), source_facts=source_facts).sure
        assert [proposal.source_name for proposal in sure] == proposed_names


def test_spellings_need_vectors_that_are_near():
    graph = MemoryGraph()
    write(graph, C, "a", [("Al-Andalus is Al Andalus.", ["Al-Andalus", "Al Andalus"])])
    ports = ports_for(graph)
    assert merge.find_merges(ALL, ports).result.found == 0
    ports.vectors.prepare(C, NoModel.embedder)
    for vector, expected in (((0.0, 1.0), 0), ((1.0, 0.1), 1)):
        names = ("al-andalus", "al andalus")
        points = [Point(graph_id=ids.element_id(C, name), kind="element", vector=vector) for name in names]
        ports.vectors.upsert(C, points)
        assert merge.find_merges(ALL, ports).result.found == expected
