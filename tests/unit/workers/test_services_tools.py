"""Settings of the tools: what a wrong one stops, and what it does not."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from doubles.tooling import SCHEMA, StandingSchema

from hopline.errors import InvalidInput
from hopline.models.graph_schema import GraphSchema, NodeKind
from workers.core.jobs.work import Job
from workers.core.models.tool_calls import ToolCall
from workers.ledger.budget import JobMeter
from workers.services import Services
from workers.settings import Settings

JOB = Job(id="j1", kind="document", collection="demo", params={}, root="j1")
WRONG = {
    "tool_packs": "movis",
    "text2cypher_terms": "/nowhere/terms.toml",
    "tools_neo4j_url": "ftp://127.0.0.1:7687",
}


@pytest.mark.parametrize("field", WRONG)
def test_a_wrong_setting_of_the_tools_keeps_no_document_from_being_worked_on(field):
    services = Services(Settings(_env_file=None, **{field: WRONG[field]}))
    ports = services.ports(JOB, JobMeter(services.ledger.scripts, JOB.id))
    assert ports.job == JOB
    services.close()


def test_a_step_that_uses_tools_meets_the_wrong_setting():
    services = Services(Settings(_env_file=None, tool_packs="movis"))
    tools = services.ports(JOB, JobMeter(services.ledger.scripts, JOB.id)).tools
    with pytest.raises(InvalidInput, match="tool_packs is 'movis'"):
        tools.fault(ToolCall(name="respond", arguments={"answer": "Hello."}))
    services.close()


@pytest.mark.parametrize("setting", ["tool_packs", "text2cypher_terms"])
def test_the_home_of_an_account_that_is_not_here_is_told(setting: str) -> None:
    services = Services(Settings(_env_file=None, text2cypher="on", **{setting: "~nobody-here/x"}))
    tools = services.ports(JOB, JobMeter(services.ledger.scripts, JOB.id)).tools
    with pytest.raises(InvalidInput, match="~nobody-here/x: the home folder of ~nobody-here is unknown;"):
        tools.fault(ToolCall(name="respond", arguments={"answer": "Hello."}))
    services.close()


@pytest.mark.parametrize("setting", ["on", "foreign"])
def test_a_setting_says_whether_models_write_statements_over_hoplines_own_graph(setting, monkeypatch):
    services = Services(Settings(_env_file=None, text2cypher=setting))
    own = GraphSchema(nodes=(NodeKind(label="Migration"),))
    monkeypatch.setitem(services.__dict__, "schema", StandingSchema(own, typed=SCHEMA))
    job = JOB.model_copy(update={"limited": True})
    offered = services.ports(job, JobMeter(services.ledger.scripts, JOB.id)).tools.offered()
    assert ("text2cypher" in {description["function"]["name"] for description in offered}) is (
        setting == "on"
    )
    services.close()


def test_tools_ask_the_graph_that_a_collection_made_before_the_database_that_is_set(monkeypatch):
    services = Services(Settings(_env_file=None, tools_neo4j_url="bolt://127.0.0.1:1"))
    movies, empty = GraphSchema(nodes=(NodeKind(label="Movie"),)), GraphSchema()
    own = StandingSchema(GraphSchema(), typed=SCHEMA)
    monkeypatch.setitem(services.__dict__, "schema", StandingSchema(movies))
    monkeypatch.setitem(services.__dict__, "own_schema", own)
    story = services.tool_ports("story")
    assert (story.schema_source, story.reader) == (own, services.own_reader)
    own.typed = empty
    other = services.tool_ports("movies")
    assert (other.schema_source.schema(), other.reader) == (movies, services.reader)
    assert services.reader is not services.own_reader
    services.close()


@pytest.mark.parametrize(("field", "value"), WRONG.items())
def test_a_check_of_the_tools_names_value_and_what_is_allowed(field, value):
    with pytest.raises(InvalidInput, match=r"is '.*', but must be ") as refusal:
        Services(Settings(_env_file=None, **{field: value})).check_tools()
    assert value in str(refusal.value)
    Services(Settings(_env_file=None, tools_neo4j_url="neo4j+s://graph.example")).check_tools()


@pytest.mark.parametrize("queue", ["bulk", "quarantine"])
def test_a_worker_with_a_wrong_setting_of_the_tools_says_so_and_does_not_serve(queue, tmp_path: Path):
    command = [sys.executable, "-m", "hopline", "worker", queue]
    settings = {"HOPLINE_TOOL_PACKS": "movis", "HOPLINE_VAR": str(tmp_path)}
    process = subprocess.run(
        command, env=os.environ | settings, capture_output=True, text=True, timeout=180, check=False
    )
    assert process.returncode == 2
    (line,) = process.stderr.strip().splitlines()
    assert "tool_packs is 'movis', but must be a folder, or one of: movies, narrative" in line
