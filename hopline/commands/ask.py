"""hopline ask."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hopline.commands.bounds import bounded
from hopline.commands.client import connected
from hopline.commands.console import answers, notice, print_json
from hopline.commands.exits import exit_of_state
from hopline.commands.ids import whole_collections
from hopline.commands.options import DEFAULT, AsJson, Collections, Key, Quiet, Tag
from hopline.commands.scope import As, AsOf, Documents, KnownAt, Where, scope_of
from hopline.commands.waiting import cancelling, happening, waits_for
from hopline.models.params import QueryBounds
from hopline.models.strategies import AUTO, names_asking_graph, summaries

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hopline import Hopline
    from hopline.models.answers import Answer
    from hopline.models.events import Event
    from hopline.models.questions import SearchScope
    from hopline.progress.query import QueryProgress

WALK = "How to search the graph"
Explain = Annotated[
    bool,
    typer.Option(
        "--explain",
        "-v",
        help="Also show how the answer was found, and which statements were left out and why.",
    ),
]
_NEAREST = 3  # passages that are shown where there is no answer
_STRATEGIES = "\n\n".join(("How to look for the answer. (default auto)", *summaries()))


_PANELS = {
    "Facts to use": (
        "decay_rate",
        "score_threshold",
        "facts_per_critic",
        "default_score",
        "evidence_tokens",
        "summarise_overflow",
    ),
    "Limits": ("max_model_calls", "max_tokens", "timeout"),
}


@bounded(QueryBounds, WALK, _PANELS)
def ask(
    question: Annotated[str, typer.Argument(help="The question, in quotes.", show_default=False)],
    collection: Collections = DEFAULT,
    strategy: Annotated[str | None, typer.Option(help=_STRATEGIES, rich_help_panel=WALK)] = None,
    where: Where = None,
    explain: Explain = False,
    as_json: AsJson = False,
    documents: Documents = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    act_as: As = None,
    session: Annotated[
        str | None,
        typer.Option(help="Session in which follow-up questions are understood (“and where was she born?”)."),
    ] = None,
    conversation: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="Id of a conversation, which stores questions and answers (`hopline conversations`): 32 "
            "hexadecimal digits; a new id starts a new one.",
        ),
    ] = None,
    key: Key = None,
    tag: Tag = None,
    wait: Annotated[
        bool,
        typer.Option(
            "--wait/--no-wait", help="Wait for the answer; --no-wait prints the job's id and returns."
        ),
    ] = True,
    quiet: Quiet = False,
    **given: Any,
) -> None:
    """Ask a question; the answer cites the sentences it rests on.

    The answer goes to stdout, progress to stderr. Questions that the documents cannot answer get no answer.
    Exit codes: 0 answered, 3 no answer in the documents or no such collection, 4 partial, 1 failed, 2 usage.

    [bold]Examples[/bold]

      hopline ask "Who built the bridge?" -c demo

      hopline ask "Where did its architect study?" -c demo --max-depth 4

      hopline ask "Where did its architect study?" -c demo --strategy reader

      hopline ask "How many members has the guild?" -c story --strategy tools

      hopline ask "Who built the bridge?" -c demo --explain

      hopline ask "What is the notice period?" -c legal --where 'pages > 9'

      hopline ask "What is the notice period?" -c contracts -c letters

      hopline ask "Who built the bridge?" -c demo --json | jq -r .text
    """
    from hopline.models.tags import parse_tags

    bounds = {name: value for name, value in given.items() if value is not None}
    options: dict[str, Any] = {"strategy": strategy or AUTO, "session": session}
    options |= {"conversation": conversation, "parameters": bounds, "tags": parse_tags(tag or ()), "key": key}
    with connected() as client:
        scope = scope_of(client, where, documents, as_of, known_at)
        options["collection"] = collection = whole_collections(client, collection)
        tell_of_trouble(client, strategy or AUTO)
        started = time.monotonic()
        acting = client.with_options(act_as=act_as)
        job_id = acting.queries.submit(question, **options, **scope).id
        if not wait:
            report_submitted(job_id, as_json=as_json)
            return
        answer = follow_question(client, job_id, bounds.get("timeout"), quiet=quiet or as_json)
        show_answer(answer, time.monotonic() - started, explain=explain, as_json=as_json)
        if answer.status == "abstained" and not answer.citations and not as_json:
            show_nearest(acting, question, collection, scope)
    raise typer.Exit(exit_of_state(answer.status))


def tell_of_trouble(client: Hopline, strategy: str) -> None:
    """Print what may be wrong with answers; print nothing with a key that may only submit."""
    from hopline.errors import AccessDenied

    with suppress(AccessDenied):
        about = client.server.about()
        if strategy in names_asking_graph() and about.tools_trouble:
            notice(about.tools_trouble)
        if about.model_trouble:
            notice(about.model_trouble)


def show_nearest(client: Hopline, question: str, collections: Sequence[str], scope: SearchScope) -> None:
    """Print the passages nearest to an unanswered question; print nothing if the search fails."""
    from hopline.views.search import print_nearest

    try:
        found = client.queries.search(question, collection=collections, limit=_NEAREST, sentences=1, **scope)
    except Exception:  # noqa: BLE001 - whatever a client raises, the answer stands without them
        return
    print_nearest(answers(), found, named=len(set(collections)) > 1)


def report_submitted(job_id: str, *, as_json: bool) -> None:
    """Print the id of a job submitted with --no-wait."""
    if as_json:
        import json

        print_json(json.dumps({"job_id": job_id, "status": "running"}))
        return
    print_json(job_id)
    notice(f"Submitted; `hopline jobs show {job_id}` shows its progress.")


def follow_question(client: Hopline, job_id: str, timeout: float | None, *, quiet: bool) -> Answer:
    """Show a question's progress until its job ends; return its answer.

    Args:
        client: the client that submitted the question.
        job_id: id of the question's job.
        timeout: the question's timeout in seconds; if no worker has started the job by then, it is
            cancelled, since otherwise nothing would end it.
        quiet: show no progress.

    Raises:
        TimeoutError: no worker started the job, or it was still running well after its timeout.
    """
    from hopline.models.answers import Answer
    from hopline.models.params import patience_of
    from hopline.progress.query import QueryProgress
    from hopline.views.live import follow, query_view

    progress = QueryProgress()
    with cancelling(client.jobs.cancel, job_id):
        news = happening(client, job_id, timeout=patience_of(timeout))
        if timeout:
            news = _begun_within(timeout, news, progress, client, job_id)
        follow(news, progress, query_view(progress), quiet=quiet, why=lambda: waits_for(client, job_id))
    return Answer.of(client.jobs.get(job_id))


def _begun_within(
    seconds: float, news: Iterator[list[Event]], progress: QueryProgress, client: Hopline, job_id: str
) -> Iterator[list[Event]]:
    """Yield a job's events; cancel the job if no worker starts it in time.

    Raises:
        TimeoutError: no worker started the job within `seconds`.
    """
    started = time.monotonic()
    for events in news:
        yield events
        if not progress.begun and time.monotonic() - started > seconds:
            client.jobs.cancel(job_id)
            raise TimeoutError(
                f"no worker started job {job_id} within {seconds:g} s, so it was cancelled: "
                "`hopline status` shows which workers run, `hopline worker` starts one"
            )


def show_answer(answer: Answer, seconds: float | None, *, as_json: bool, explain: bool = False) -> None:
    """Print an answer for people or as JSON."""
    if as_json:
        print_json(answer.model_dump_json())
        return
    from hopline.views.answers import print_answer

    print_answer(answers(), answer, seconds, explain=explain)
