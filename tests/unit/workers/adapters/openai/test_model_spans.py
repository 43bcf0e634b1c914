"""The span of a model call: by OpenTelemetry's conventions, without a word of what was said."""

from collections.abc import Iterator

import pytest
from doubles.endpoint import Script, Start, refused, said, scripted_endpoints
from doubles.traces import Collector, tracer_to
from opentelemetry.semconv._incubating.attributes import db_attributes, gen_ai_attributes

from hopline.errors import DependencyAway, Permanent
from hopline.models.base import Frozen
from hopline.traces import TraceContext
from workers.adapters.neo4j.connection import statement_span
from workers.adapters.openai.address import ModelEndpoint
from workers.adapters.openai.calls import ChatModel
from workers.adapters.openai.model import OpenAIModel
from workers.core.prompts import Prompt
from workers.telemetry.traces.leaf import ItemTrace, follow_item, leave_item, note_wait
from workers.telemetry.traces.span import Span

PROMPT = Prompt(name="test", text="Read it.")
CONTEXT = TraceContext(trace_id="1" * 32)


class Reply(Frozen):
    name: str


@pytest.fixture(scope="module")
def start() -> Iterator[Start]:
    with scripted_endpoints() as start:
        yield start


def spans_of(start: Start, script: Script, *, texts: bool = False) -> list[Span]:
    """Return the spans of one question to a model that answers by a script."""
    collector = Collector()
    url, _ = start(script)
    tier = ChatModel(name="small", price_in=1.0, price_out=2.0, tier="fast")
    model = OpenAIModel(
        chat=ModelEndpoint(url=url, key="k"), tiers={"fast": tier, "strong": tier}, embedding_model=tier
    )
    token = follow_item(ItemTrace(tracer_to(collector, texts=texts), CONTEXT, "2" * 16, 1))
    try:
        model.ask(PROMPT, {"text": "Ann is ill"}, Reply)
    except Permanent:
        pass
    finally:
        leave_item(token)
    return collector.emitted


def test_a_call_names_its_model_and_what_it_took_and_no_text(start: Start) -> None:
    status, reply = said('{"name": "Bob"}')
    assert isinstance(reply, dict)
    whole = reply | {"usage": {"prompt_tokens": 1_000_000, "completion_tokens": 500_000}, "model": "small-7"}
    (span,) = spans_of(start, lambda _: (status, whole))
    assert (span.name, span.kind, span.parent, span.failed) == ("chat small", "client", "2" * 16, False)
    assert span.attributes == {
        gen_ai_attributes.GEN_AI_OPERATION_NAME: gen_ai_attributes.GenAiOperationNameValues.CHAT.value,
        gen_ai_attributes.GEN_AI_PROVIDER_NAME: gen_ai_attributes.GenAiProviderNameValues.OPENAI.value,
        gen_ai_attributes.GEN_AI_REQUEST_MODEL: "small",
        gen_ai_attributes.GEN_AI_RESPONSE_MODEL: "small-7",
        gen_ai_attributes.GEN_AI_USAGE_INPUT_TOKENS: 1_000_000,
        gen_ai_attributes.GEN_AI_USAGE_OUTPUT_TOKENS: 500_000,
        "server.address": "127.0.0.1",
        "hopline.model.tier": "fast",
        "hopline.cost": 2.0,
        "hopline.attempt": 1,
    }


def test_what_was_said_is_shown_where_a_setting_says_so(start: Start) -> None:
    (span,) = spans_of(start, lambda _: said('{"name": "Bob"}'), texts=True)
    assert "Ann is ill" in str(span.attributes[gen_ai_attributes.GEN_AI_INPUT_MESSAGES])
    assert "Bob" in str(span.attributes[gen_ai_attributes.GEN_AI_OUTPUT_MESSAGES])


def test_a_call_that_failed_says_how(start: Start) -> None:
    (span,) = spans_of(start, lambda _: refused(403, "Ann is ill"))
    assert span.failed
    assert span.attributes["error.type"] == "DependencyRefuses"
    assert "Ann" not in str(span)


class _Gone(DependencyAway):
    """An error that its module keeps to itself."""


def test_a_statement_is_named_after_its_file() -> None:
    collector = Collector()
    token = follow_item(ItemTrace(tracer_to(collector), CONTEXT, "2" * 16, 1))
    with statement_span("visit_node"):
        pass
    note_wait("permit", 0.5, {"hopline.limiter": "rpm"})
    note_wait("permit", 0.0, {"hopline.limiter": "rpm"})
    with pytest.raises(_Gone), statement_span("visit_node"):
        raise _Gone("gone")
    leave_item(token)
    statement, wait, failed = collector.emitted
    assert failed.attributes["error.type"] == "DependencyAway", "the nearest class that is not private"
    assert statement.name == statement.attributes[db_attributes.DB_QUERY_SUMMARY] == "visit_node"
    assert statement.attributes[db_attributes.DB_SYSTEM_NAME] == db_attributes.DbSystemNameValues.NEO4J.value
    assert (wait.name, wait.kind, wait.ended - wait.began >= 500_000_000) == ("permit", "internal", True)
