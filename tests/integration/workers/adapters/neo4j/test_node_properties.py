"""Nodes to which others wrote properties: these are read, answered from, and cited as places in the graph."""

from dataclasses import replace
from typing import Any

import neo4j as driver
import pytest
from doubles.documents import made_element, write
from doubles.flow_run import FlowRun
from doubles.library import ScriptedModel, ports_for
from doubles.vectors import MemoryVectors

from hopline.models.answers import Answer, GraphCitation
from infra.offline_model.replies import KINDS
from workers.adapters.neo4j.graph import Neo4jGraph
from workers.core.ports import Ports
from workers.critic.schema import AnswerDraft, FactScore
from workers.traverse.graph.flow import QUERY
from workers.traverse.schema import NodeNotes, QuestionPlan

QUESTION = "What is the population of Vardeholm?"
LIES = ("Vardeholm lies on the Sarne.", ["Vardeholm", "Sarne"])
# What another program keeps at a node.
KEPT: dict[str, Any] = {
    "population": 48213, "founded": driver.time.Date(1321, 5, 4), "twinned": ["Alda"], "crest": b"\x00\xff",
}  # fmt: skip
SET = "MATCH (n:KeyElement {id: $id}) SET n += $kept RETURN elementId(n) AS id"


@pytest.fixture
def kept(neo4j_graph: Neo4jGraph, raw: driver.Driver, collection: str) -> str:
    """The element id of the node with the properties; that of the name in another collection bears others."""
    element_id = ""
    for where, properties in ((f"{collection}-other", {"population": 99999}), (collection, KEPT)):
        write(neo4j_graph, where, "sarne", [LIES])
        node = made_element(where, "Vardeholm").id
        [row] = raw.execute_query(SET, id=node, kept=properties).records
        element_id = str(row["id"])
    return element_id


@pytest.fixture
def ports(neo4j_graph: Neo4jGraph, collection: str) -> Ports:
    """The real graph, and the offline model's rules."""
    kinds = (QuestionPlan, NodeNotes, FactScore, AnswerDraft)
    script: dict[Any, Any] = {
        kind: lambda material, kind=kind: kind.model_validate(KINDS[kind.__name__](material))
        for kind in kinds
    }
    made = ports_for(neo4j_graph, ScriptedModel(script), MemoryVectors(), question=QUESTION)  # type: ignore[arg-type]
    return replace(made, job=made.job.model_copy(update={"collection": collection}))


def test_a_property_that_others_wrote_is_answered_from_and_cited(ports, raw, kept):
    end = FlowRun(QUERY, ports).to_end()
    answer = Answer.model_validate({"job_id": "j1", "status": end.state, **end.outcome})
    assert (answer.status, "48213" in answer.text) == ("done", True), repr(answer)
    [citation] = [citation for citation in answer.citations if isinstance(citation, GraphCitation)]
    assert citation.row == {"node": "vardeholm", "property": "population", "value": 48213}
    assert citation.nodes == (kept,)
    assert citation.cypher
    [row] = raw.execute_query(citation.cypher, citation.parameters).records
    assert row.data() == citation.row


def test_what_hopline_wrote_itself_and_what_is_no_plain_value_is_not_offered(neo4j_graph, collection, kept):
    element_id = made_element(collection, "Vardeholm").id
    node = neo4j_graph.nodes.read_node(collection, element_id, max_facts=5, max_neighbours=5)
    assert node.element_id == kept
    assert node.properties == {"population": 48213, "founded": "1321-05-04"}
