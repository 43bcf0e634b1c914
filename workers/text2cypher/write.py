"""Lets a model write Cypher for a question; a refused statement is returned to it twice at most."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import structlog
from pydantic import Field

from hopline.errors import DependencyAway
from hopline.models.base import Frozen
from hopline.models.graph_schema import GraphSchema
from hopline.models.jobs import Json
from workers.core.errors import CypherLost, CypherRefused, CypherTooLong
from workers.core.graph.cypher import CypherReader, CypherRows, ReadLimits
from workers.core.graph.schema_part import schema_about
from workers.core.ports import Model
from workers.core.prompts import load_prompt
from workers.text2cypher.boundary import Boundary
from workers.text2cypher.check import checked
from workers.text2cypher.guide import Guide
from workers.text2cypher.limits import LONGEST
from workers.text2cypher.names import names_of

REPAIRS = 2
_REPLY_TOKENS = 2048
_SCHEMA = 24_000  # characters of a prompt
_ERROR = 1000  # characters; a server may quote a whole statement
_PLACE = re.compile(r"^line \d+:\d+: ")

_log = structlog.get_logger()
_FENCED = re.compile(r"```(?:cypher)?\s(.*)\s```", re.DOTALL | re.IGNORECASE)


class CypherDraft(Frozen):
    """What the model writes.

    Input: {schema, terminology, examples: [{question, cypher}], question, tried: [{cypher, error}]}.
    """

    cypher: str = Field(default="", max_length=20_000)  # empty: the graph has nothing like it
    reason: str = Field(default="", max_length=2000)


@dataclass(frozen=True)
class GraphView:
    """The part of a graph that a question is about."""

    schema: GraphSchema  # of it
    boundary: Boundary | None = None  # that statements are kept to; None: they may see all of the graph


class Tried(Frozen):
    """A statement that was not run to its end, and why."""

    cypher: str
    error: str


@dataclass(frozen=True)
class Written:
    """The result of writing a question's statement."""

    cypher: str | None = None  # the statement that ran
    parameters: Json = field(default_factory=dict)  # with which it ran
    rows: CypherRows | None = None  # what it returned
    lacking: str = ""  # in the model's words: what the graph does not have
    tried: tuple[Tried, ...] = ()  # before it


def write_and_run(
    question: str,
    view: GraphView,
    guide: Guide,
    model: Model,
    reader: CypherReader,
    limits: ReadLimits,
) -> Written:
    """Have a statement written, checked and run; an error goes back to the model with its message.

    The checked statement runs on a reader that plans it first and limits its time. A statement that was
    refused or aborted is not run again. The database is tried before the model is called. If the schema is
    long, the model first sees the part that the question may concern, and after an error or an empty result
    the whole.

    Args:
        question: the user's question.
        view: the part of the graph that the model may see and name.
        guide: terminology and examples.
        model: its strong tier writes; a statement that runs and is wrong would not be noticed.
        reader: runs it.
        limits: limits of one statement.

    Raises:
        ModelRefusedSchema, ModelRefused, BudgetExceeded: by the model.
        CypherLost: the connection was lost over a statement; that is the end of it, and no other is written.
        Transient: the model's endpoint or the database failed (DependencyAway: cannot be reached).
    """
    reader.ping()
    prompt, names = load_prompt("workers.text2cypher", "write_cypher"), names_of(view.schema)
    boundary = view.boundary
    parameters = dict(boundary.parameters) if boundary else {}
    material = _material(question, view.schema, guide)
    whole = view.schema.as_text(_SCHEMA)
    tried, ended = list[Tried](), False
    while len(tried) <= REPAIRS:
        seen = {**material, "tried": [statement.model_dump() for statement in tried]}
        draft = model.ask(prompt, seen, CypherDraft, tier="strong", max_tokens=_REPLY_TOKENS).value
        text, is_part = unfenced(draft.cypher), material["schema"] != whole
        material["schema"] = whole
        if not text and draft.reason.strip():
            if is_part:
                continue
            return Written(lacking=draft.reason.strip(), tried=tuple(tried))
        try:
            _refuse_again(text, tried)
            statement = checked(text, names, boundary)
            rows = _read(statement, parameters, reader, limits, after=ended)
        except (CypherRefused, CypherTooLong) as error:
            ended = ended or isinstance(error, CypherTooLong)
            tried.append(Tried(cypher=text[:LONGEST], error=str(error)[:_ERROR]))
            _log.info("statement.refused", attempt=len(tried), kind=type(error).__name__)
            continue
        return Written(cypher=statement, parameters=parameters, rows=rows, tried=tuple(tried))
    return Written(tried=tuple(tried))


def _read(
    statement: str, parameters: Json, reader: CypherReader, limits: ReadLimits, *, after: bool
) -> CypherRows:
    """Run a statement; after one that had to be ended, a database that is away went over that one."""
    try:
        rows = reader.read(statement, parameters, limits)
    except CypherRefused as error:
        # Positions in the server's error do not match the model's statement if it was rewritten.
        raise CypherRefused(_PLACE.sub("", str(error)) if parameters else str(error)) from error
    except DependencyAway as error:
        if after:
            raise CypherLost(f"a statement was aborted, and after that: {error}") from error
        raise
    if rows.cut and not rows.rows:
        raise CypherTooLong(f"its first row alone has more than {limits.bytes:,} bytes; return less of each")
    return rows


def _refuse_again(text: str, tried: list[Tried]) -> None:
    before = next((statement for statement in tried if text and statement.cypher == text[:LONGEST]), None)
    if before is not None:
        raise CypherRefused(f"the same statement was written again: {before.error}")


def _material(question: str, schema: GraphSchema, guide: Guide) -> Json:
    examples = guide.similar(question)
    meant = [meaning for term, meaning in guide.terms.items() if term.casefold() in question.casefold()]
    about = "\n".join([question, *meant, *(example.cypher for example in examples)])
    return {
        "schema": schema_about(schema, about, _SCHEMA),
        "terminology": guide.terms,
        "examples": [example.model_dump() for example in examples],
        "question": question,
    }


def unfenced(reply: str) -> str:
    """Return a reply without the white space around it, and without the one fence around all of it.

    The inside stays unchanged. Prose before or after stays, so that the guard refuses it: a text that
    looks like prose may be a part of the statement.
    """
    text = reply.strip()
    fenced = _FENCED.fullmatch(text)
    return fenced[1].strip() if fenced else text
