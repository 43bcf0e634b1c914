"""hopline history."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from hopline.commands.completion import complete_collection
from hopline.commands.console import answers, notice, print_json
from hopline.commands.options import AsJson
from hopline.errors import InvalidInput
from hopline.models.jobs import JobState
from hopline.words import counted
from producer.commands.client import open_client
from producer.commands.jobs.job_filters import Kind, OfCollection, read_since

if TYPE_CHECKING:
    from datetime import datetime

    from hopline.models.history import CostGroup

app = typer.Typer(
    invoke_without_command=True,
    rich_markup_mode="rich",
    help="Ended jobs, also those that have expired: search them, sum what they cost, erase names.",
)

_WHEN = "2026-10-01, 2026-10-01T08:00, 12h, 7d"
State = Annotated[JobState | None, typer.Option("--state", help="Only jobs that ended so.")]
Tag = Annotated[
    list[str] | None, typer.Option("--tag", metavar="NAME=VALUE", help="Only jobs with this tag.")
]


@app.callback()
def history(
    context: typer.Context,
    limit: Annotated[int, typer.Option(min=1, max=200, help="How many to list.")] = 20,
    state: State = None,
    kind: Kind = None,
    collection: OfCollection = None,
    step: Annotated[
        str | None,
        typer.Option(help="Only jobs that did this step or gave up an item of it: ingest.extract."),
    ] = None,
    error: Annotated[str, typer.Option(help="Only jobs with an error that contains this text.")] = "",
    since: Annotated[
        str | None, typer.Option(help=f"Only jobs that ended then or later: {_WHEN}.", show_default=False)
    ] = None,
    until: Annotated[
        str | None, typer.Option(help=f"Only jobs that ended before: {_WHEN}.", show_default=False)
    ] = None,
    tag: Tag = None,
    where: Annotated[
        str,
        typer.Option(help="A filter on the fields of history (docs/history.md): cost > 0.5 and dead > 0."),
    ] = "",
    costs: Annotated[
        str | None,
        typer.Option(
            help="Sum costs in place of listing: day, key, collection, kind or model.", show_default=False
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Also each document of a batch, and other jobs within jobs.")
    ] = False,
    before: Annotated[str, typer.Option(help="The page behind the one that named this.")] = "",
    as_json: AsJson = False,
) -> None:
    """Search ended jobs, newest first, also those that have expired; each as it ended last.

    Jobs within jobs, such as the documents of a batch, are listed with --all, and where --kind, --step,
    --error or --where asks for some.

    [bold]Examples[/bold]

      hopline history --since 2026-10-01 --state failed --step ingest.extract

      hopline history --where 'cost > 0.5 and steps has "critic.score_fact"'

      hopline history --costs day --since 30d
    """
    if context.invoked_subcommand is not None:
        return
    period = {"since": _moment(since), "until": _moment(until)}
    if costs is not None:
        if kind or step or error or tag:
            allowed = "--state, --collection, --since, --until and --where"
            raise InvalidInput("--costs", costs, f"beside it: {allowed}")
        _print_costs(_group(costs), state, collection, period, where, as_json=as_json)
        return
    if not (every or kind or step or error or where):
        where = "not exists(parent)"
    with open_client() as client:
        page = client.history(
            limit,
            state=state,
            kind=kind,
            collection=collection,
            step=step,
            error=error,
            tags=dict(map(_pair, tag or ())),
            where=where,
            before=before,
            **period,
        )
    if as_json:
        print_json(page.model_dump_json())
        return
    from producer.views.history import lacks_question, print_history

    print_history(answers(), page.jobs)
    if any(lacks_question(row) for row in page.jobs):
        notice("Questions are not kept in history: HOPLINE_HISTORY_TEXTS=true keeps those to come.")
    if page.next:
        notice(f"More: --before {page.next}")


@app.command()
def erase(
    collection: Annotated[
        str | None,
        typer.Option(
            "--collection",
            "-c",
            help="Erase all rows of this collection.",
            show_default=False,
            autocompletion=complete_collection,
        ),
    ] = None,
    document: Annotated[
        str | None,
        typer.Option(
            help="Erase all texts that contain this name, id or address; figures stay.", show_default=False
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Erase a collection, or a document's name, from history. Backups made before still hold it.

    [bold]Examples[/bold]

      hopline history erase -c contracts

      hopline history erase --document contract-ann.pdf
    """
    if (collection is None) == (document is None):
        raise InvalidInput("--collection", collection, "one of --collection and --document")
    what = f"collection {collection}" if collection is not None else f"what names {document}"
    if not yes:
        typer.confirm(f"Erase {what} from history?", abort=True, err=True)
    with open_client() as client:
        erased = client.service.history
        if collection is not None:
            files = erased.erase_collection(collection)
        else:
            files = erased.erase_name(document or "")
    notice(f"Erased {what}: {counted(files, 'file')} written anew.")


def _print_costs(
    by: CostGroup,
    state: JobState | None,
    collection: str | None,
    period: dict[str, datetime | None],
    where: str,
    *,
    as_json: bool,
) -> None:
    with open_client() as client:
        costs = client.history_costs(by, state=state, collection=collection, where=where, **period)
    if as_json:
        print_json(json.dumps({"costs": [cost.model_dump(mode="json") for cost in costs]}))
        return
    from producer.views.history import print_costs

    print_costs(answers(), by, costs)


def _group(name: str) -> CostGroup:
    from typing import get_args

    from hopline.models.history import CostGroup

    groups: tuple[CostGroup, ...] = get_args(CostGroup)
    for group in groups:
        if name == group:
            return group
    raise InvalidInput("--costs", name, "one of: " + ", ".join(groups))


def _moment(text: str | None) -> datetime | None:
    return None if text is None else read_since(text)


def _pair(tag: str) -> tuple[str, str]:
    name, parted, value = tag.partition("=")
    if not name or not parted:
        raise InvalidInput("--tag", tag, "NAME=VALUE")
    return name, value
