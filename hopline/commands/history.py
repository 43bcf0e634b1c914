"""hopline history: list, costs, erase."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hopline.commands.client import connected
from hopline.commands.completion import complete_collection
from hopline.commands.console import agree, answers, notice, print_json
from hopline.commands.filters import filtered, read_filter
from hopline.commands.nouns import noun
from hopline.commands.options import AsJson, Yes
from hopline.errors import InvalidInput
from hopline.models.history import CostGroup, HistoryFilter
from hopline.models.jobs import JobState
from hopline.views.tables import Listing
from hopline.views.words import moment, money, number, subject_of
from hopline.words import counted

if TYPE_CHECKING:
    from rich.console import Console

    from hopline.models.history import Cost, CostGroup, HistoryRow

app = noun("Ended jobs, also those that have expired: search them, sum what they cost, erase names.")


@app.command(name="list")
@filtered(HistoryFilter)
def list_ended(
    limit: Annotated[int, typer.Option(min=1, max=200, help="Maximum number to list.")] = 20,
    as_json: AsJson = False,
    *,
    every: Annotated[
        bool,
        typer.Option("--all", help="Also list jobs inside other jobs, such as each document of a batch."),
    ] = False,
    before: Annotated[
        str, typer.Option(help="Cursor printed by the previous page; the list continues after it.")
    ] = "",
    **which: Any,
) -> None:
    """Search ended jobs, including expired ones, newest first; a job that ended repeatedly has its last end.

    Jobs inside other jobs, such as the documents of a batch, are listed only with --all, or if --kind,
    --step, --error or --where matches them.

    [bold]Examples[/bold]

      hopline history --since 2026-10-01 --state failed --step ingest.extract

      hopline history --where 'cost > 0.5 and steps has "critic.score_fact"'
    """
    meant = read_filter(HistoryFilter, which)
    if not (every or meant.keys() & {"kind", "step", "error", "where"}):
        meant["where"] = "not exists(parent)"
    with connected() as client:
        page = client.history.list(cursor=before, limit=limit, **meant)
    if as_json:
        print_json(page.model_dump_json())
        return

    print_history(answers(), page.jobs)
    if any(lacks_question(row) for row in page.jobs):
        notice("Questions are not kept in history: HOPLINE_HISTORY_TEXTS=true keeps those to come.")
    if page.next:
        notice(f"More: --before {page.next}")


@app.command()
@filtered(HistoryFilter, without=("kind", "step", "error", "tags"))
def costs(
    by: Annotated[CostGroup, typer.Argument(help="What to group the sums by.")] = "day",
    as_json: AsJson = False,
    **which: Any,
) -> None:
    """Sum the costs of ended jobs by day, key, collection, kind or model.

    [bold]Example[/bold]

      hopline history costs day --since 30d
    """
    with connected() as client:
        summed = client.history.costs(by=by, **read_filter(HistoryFilter, which))
    if as_json:
        print_json(summed.model_dump_json())
        return

    print_costs(answers(), by, summed.costs)


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
            help="Erase all texts that contain this name, id or address; numbers stay.", show_default=False
        ),
    ] = None,
    yes: Yes = False,
) -> None:
    """Erase a collection, or a document's name, from history. Earlier backups still contain it.

    [bold]Examples[/bold]

      hopline history erase -c contracts

      hopline history erase --document contract-ann.pdf
    """
    if (collection is None) == (document is None):
        raise InvalidInput("--collection", collection, "one of --collection and --document")
    what = f"collection {collection}" if collection is not None else f"what names {document}"
    agree(f"Erase {what} from history?", yes=yes)
    with connected() as client:
        erased = client.history.erase(collection=collection, document=document)
    notice(f"Erased {what}: {counted(erased.files, 'file')} rewritten.")


def print_history(console: Console, rows: Sequence[HistoryRow]) -> None:
    """Print ended jobs, newest first."""
    if not rows:
        console.print("No such job is in history; what has just ended is there in a moment.")
        return
    table = Listing(
        "job", "state", "kind", "ended", "took", "calls", "cost", "collection", "about",
        wide="about", spare=("took", "calls", "cost", "collection"), right=("took", "calls", "cost"),
    )  # fmt: skip
    for row in rows:
        table.add(
            row.id,
            str(row.state),
            row.kind,
            moment(row.ended),
            f"{row.seconds:.1f} s",
            number(row.calls),
            _money(row.cost),
            row.collection,
            _about(row),
        )
    table.print(console)


def lacks_question(row: HistoryRow) -> bool:
    """Return whether the job asked a question whose text was not kept."""
    return row.kind == "query" and not row.params.get("question")


def _about(row: HistoryRow) -> str:
    """Return a job's subject, and the reason if it did not succeed."""
    why = row.reason or next((f"{each.step}: {each.error}" for each in row.errors), "")
    return " · ".join(filter(None, (subject_of(row.params), "" if row.state == JobState.DONE else why)))


def print_costs(console: Console, by: CostGroup, costs: Sequence[Cost]) -> None:
    """Print the costs of each group of jobs."""
    figures = ("jobs", "calls", "tokens", "cost")
    table = Listing(by, *figures, wide=by, spare=("cost",), right=figures)
    for cost in costs:
        tokens = cost.prompt_tokens + cost.completion_tokens
        name = cost.by or "-"
        table.add(name, number(cost.jobs), number(cost.calls), number(tokens), _money(cost.cost))
    table.print(console)
    if costs and all(cost.cost is None for cost in costs):
        console.print("No prices were set: HOPLINE_PRICES gives the cost of calls to come.")


def _money(cost: float | None) -> str:
    return "" if cost is None else money(cost)
