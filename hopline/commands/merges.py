"""hopline merges: list, show, create, undo, candidates."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from hopline.commands.client import connected
from hopline.commands.completion import complete_collection
from hopline.commands.console import answers, notice, print_json
from hopline.commands.exits import Exit
from hopline.commands.ids import existing_collection, whole_merge_id
from hopline.commands.nouns import noun
from hopline.commands.options import AsJson, Collection
from hopline.commands.waiting import outcome_of
from hopline.views.tables import Listing
from hopline.views.words import moment
from hopline.words import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console

    from hopline import Hopline
    from hopline.models.jobs import Json
    from hopline.models.merges import Merge, NameCandidates

app = noun("Merges of key elements that name the same thing: make them, list them, undo one.")
Id = Annotated[
    str, typer.Argument(metavar="ID", help="Id of the merge, or a prefix of it.", show_default=False)
]
OneOrAll = Annotated[
    str | None,
    typer.Option(
        "--collection",
        "-c",
        help="Only this collection. (default: all)",
        autocompletion=complete_collection,
    ),
]
Limit = Annotated[int, typer.Option(min=1, help="Maximum number to list.")]


@app.command(name="list")
def list_merges(collection: OneOrAll = None, limit: Limit = 1000, as_json: AsJson = False) -> None:
    """List the merges of key elements with their reasons, undone ones included.

    Merges with the rule "stated" or "short form" depend on names that documents define, and disappear with
    those documents.

    [bold]Example[/bold]

      hopline merges -c reports --json | jq '.merges[].source_name'
    """
    with connected() as client:
        made = (each for name in _meant(client, collection) for each in client.merges.iterate(name))
        _list("merges", made, limit, as_json=as_json)


@app.command()
def show(merge: Id, as_json: AsJson = False) -> None:
    """Show a merge: which key element was merged into which, and why.

    [bold]Example[/bold]

      hopline merges show m4f1c0e
    """
    with connected() as client:
        shown = client.merges.get(whole_merge_id(client, merge))
    if as_json:
        print_json(shown.model_dump_json())
        return

    print_merges(answers(), [shown])


@app.command()
def create(
    collection: Collection = "default",
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Only show the merges, and the pairs that a model would be asked about."
        ),
    ] = False,
    ask: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="N",
            help="Ask the model about likely pairs, in at most N calls. (default 0: ask no model)",
            show_default=False,
        ),
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Merge key elements that name the same thing: T. Telford, Telford and Thomas Telford.

    From then on, a merged element redirects to the other, also in later documents. A merge can be undone,
    and is then never made again. Likely pairs are those whose names match but that the rules cannot decide.
    One call judges about five pairs, and a second call confirms each pair that the model considers the
    same. Pairs that were judged before cost nothing. Exit codes: 0 done, 4 partial, 1 failed, 2 usage.

    [bold]Examples[/bold]

      hopline merges create -c reports --dry-run

      hopline merges create -c reports

      hopline merges create -c reports --ask 20 --dry-run
    """
    with connected() as client:
        collection = existing_collection(client, collection)
        job = client.merges.merge(collection, dry_run=dry_run, ask=ask)
        outcome = outcome_of(client, job, partly=True)
    if as_json:
        print_json(json.dumps(outcome))
    else:
        show_merging(outcome, dry_run=dry_run)
    if outcome["error"]:
        notice(
            f"Not everything was done: {outcome['error']}. "
            f"Run the same command again to do the rest (job {job.id})."
        )
        raise typer.Exit(Exit.PARTIAL)


def show_merging(outcome: Json, *, dry_run: bool) -> None:
    """Print the result of merging."""
    if dry_run:
        print_proposals(answers(), outcome["proposals"])
        print_pairs(answers(), outcome.get("pairs", ()))
    kept = f", {outcome['refused']} refused" if outcome["refused"] else ""
    done = "nothing was merged" if dry_run else f"{outcome['made']} are merged{kept}"
    compared, doubles = counted(outcome["elements"], "key element"), counted(outcome["found"], "double")
    notice(f"{compared} compared, {doubles} found; {done}.")
    if outcome["likely"] is not None:
        _show_pairs(outcome, dry_run=dry_run)


def _show_pairs(outcome: Json, *, dry_run: bool) -> None:
    """Print the pairs that a model was asked about, or would be."""
    likely, calls = counted(outcome["likely"], "likely pair"), counted(outcome["calls"], "model call")
    if dry_run:
        more = "one more for each that it calls the same"
        notice(f"{likely} to ask about, with {calls} and up to {more}; the model was not asked.")
        return
    left = f"; {outcome['left']} are left for another time" if outcome["left"] else ""
    notice(f"{likely}: {outcome['asked']} judged with {calls}, {outcome['same']} of them the same{left}.")


@app.command()
def undo(merge: Id, as_json: AsJson = False) -> None:
    """Undo a merge, and never make it again.

    [bold]Example[/bold]

      hopline merges undo m4f1c0e
    """
    with connected() as client:
        outcome = outcome_of(client, client.merges.undo(whole_merge_id(client, merge)), partly=True)
    if as_json:
        print_json(json.dumps(outcome))
    back = ", ".join(outcome["restored"]) or "no fact names it any more, so nothing"
    notice(f"Undone: {back} is back; it will not be merged into {outcome['merge']['target_name']} again.")


@app.command()
def candidates(collection: OneOrAll = None, limit: Limit = 1000, as_json: AsJson = False) -> None:
    """List ambiguous names, their possible meanings, and the number of documents that make the meaning clear.

    A name is ambiguous if two elements have it, or if documents also use it in another sense.

    [bold]Example[/bold]

      hopline merges candidates -c reports
    """
    with connected() as client:
        found = (
            each
            for name in _meant(client, collection)
            for each in client.merges.iterate_name_candidates(name)
        )
        _list("names", found, limit, as_json=as_json)


def _meant(client: Hopline, collection: str | None) -> list[str]:
    """Return the named collection, or all of them."""
    if collection is None:
        return [each.name for each in client.collections.list().collections]
    return [existing_collection(client, collection)]


def _list(
    what: str, records: Iterator[Merge] | Iterator[NameCandidates], limit: int, *, as_json: bool
) -> None:
    """Print the first merges, or ambiguous names."""
    some = list(islice(records, limit + 1))
    shown, more = some[:limit], len(some) > limit
    if as_json:
        print_json(json.dumps({what: [record.model_dump(mode="json") for record in shown], "more": more}))
        return
    printed: Callable[..., None] = print_merges if what == "merges" else print_candidates
    printed(answers(), shown)
    if more:
        notice(f"The first {limit} are listed; --limit lists more.")


def print_merges(console: Console, merges: Sequence[Merge]) -> None:
    """Print merges as a table that marks undone ones."""
    if not merges:
        console.print("No merges: `hopline merges create -c COLLECTION` makes some.")
        return
    table = Listing(
        "key element",
        "same as",
        "merge",
        "rule",
        "made",
        "in common",
        wide="in common",
        spare=("made", "rule"),
    )
    for merge in merges:
        made = Text(f"undone {moment(merge.undone)}", "yellow") if merge.undone else Text(moment(merge.made))
        table.add(merge.source_name, merge.target_name, merge.id, merge.rule, made, merge.evidence)
    table.print(console)


def print_candidates(console: Console, ambiguities: Sequence[NameCandidates]) -> None:
    """Print ambiguous names."""
    if not ambiguities:
        console.print("No name that documents state may mean several.")
        return
    table = Listing(
        *("key element", "may mean", "in documents", "collection"),
        wide="may mean",
        spare=("collection", "in documents"),
    )
    for ambiguity in ambiguities:
        may_mean = ", ".join(other.name for other in ambiguity.candidates)
        resolved = Counter(place.name for place in ambiguity.resolved_in)
        documents = ", ".join(f"{count}: {name}" for name, count in sorted(resolved.items()))
        table.add(ambiguity.element.name, may_mean, documents, ambiguity.collection)
    table.print(console)


def print_pairs(console: Console, pairs: Sequence[Sequence[str]]) -> None:
    """Print the pairs of names that a model would be asked about, and why they are likely."""
    table = Listing("key element", "may be", "why", wide="why")
    for source, target, _rule, evidence in pairs:
        table.add(source, target, evidence)
    if pairs:
        table.print(console)


def print_proposals(console: Console, proposals: Sequence[Sequence[str]]) -> None:
    """Print the merges that a dry run found: source, target, rule and evidence."""
    table = Listing("key element", "same as", "rule", "in common", wide="in common", spare=("rule",))
    for source, target, rule, evidence in proposals:
        table.add(source, target, rule, evidence)
    if proposals:
        table.print(console)
