"""hopline collections: list, show, change, delete, schema, reindex."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from hopline.commands.client import connected
from hopline.commands.completion import complete_collection
from hopline.commands.console import agree, answers, harmless, notice, print_indented, print_json
from hopline.commands.ids import existing_collection, naming_collection
from hopline.commands.nouns import noun
from hopline.commands.options import AsJson, DryRun, Yes
from hopline.views.tables import Listing, plain_table
from hopline.words import counted

if TYPE_CHECKING:
    from rich.console import Console

    from hopline.models.census import (
        CensusExample,
        DegreeBin,
        EmbedderFigure,
        FactLengths,
        GraphCensus,
        Hub,
        Lacking,
    )
    from hopline.models.collections import Collection

app = noun("Collections: list them, show or delete one, set what its documents' metadata must fit.")
Name = Annotated[
    str,
    typer.Argument(
        help="A collection's name or a prefix of it.", show_default=False, autocompletion=complete_collection
    ),
]


_BAR = 40  # columns of the longest bar
_EIGHTHS = " ▏▎▍▌▋▊▉"
_TEXT_CHARACTERS = 100


@app.command(name="list")
def list_collections(as_json: AsJson = False) -> None:
    """List the collections with the number of documents in each.

    [bold]Example[/bold]

      hopline collections --json | jq -r '.collections[].name'
    """
    with connected() as client:
        listed = client.collections.list()
    if as_json:
        print_json(listed.model_dump_json())
        return

    print_collections(answers(), listed.collections)


@app.command()
def show(name: Name, as_json: AsJson = False) -> None:
    """Show a collection's graph in numbers.

    It shows counts by label and type, degrees, hubs, lengths of facts, loose ends, and how well the
    embedder works here. Hidden nodes belong to a version that is still being written or removed; an orphan
    belongs to nothing. Exit codes: 0 shown, 3 no such collection, 1 failed, 2 usage.

    [bold]Examples[/bold]

      hopline collections show demo

      hopline collections show demo --json | jq '.hubs[] | [.name, .degree]'
    """
    with connected() as client, naming_collection(client, name) as name:  # noqa: PLR1704 - its whole one
        census = client.collections.census(name, lengths=True)
    if as_json:
        print_json(census.model_dump_json())
        return

    print_census(answers(), census)


@app.command()
def change(
    name: Name,
    title: Annotated[str | None, typer.Option(help='Title shown to people; "" removes it.')] = None,
    description: Annotated[
        str | None, typer.Option(help='Description of the contents; "" removes it.')
    ] = None,
) -> None:
    """Change a collection's title and description; its name cannot change.

    [bold]Example[/bold]

      hopline collections change legal --title "Contracts since 2020"
    """
    if title is None and description is None:
        raise typer.BadParameter("say what to change: --title or --description")
    with connected() as client, naming_collection(client, name) as name:  # noqa: PLR1704 - its whole one
        changed = client.collections.update(name, title=title, description=description)
    notice(f"Collection {name}: {changed.title or 'no title'}; {changed.description or 'no description'}.")


@app.command()
def delete(name: Name, yes: Yes = False, dry_run: DryRun = False) -> None:
    """Delete a collection: its documents, and everything else stored for it.

    This includes facts, vectors, topics, merges, concept maps, kept versions, schema, title and description.
    It shows the first documents and asks for confirmation; --yes skips that, but needs the full name.

    [bold]Example[/bold]

      hopline collections delete old
    """
    from hopline.commands.documents import first_of
    from hopline.commands.waiting import outcome_of

    asks = not yes or dry_run
    with connected() as client, naming_collection(client, name, whole=not asks) as name:  # noqa: PLR1704
        if asks:
            live = client.collections.census(name).live
            told = f"{counted(live.documents, 'document')} with {counted(live.facts, 'fact')}"
            first = first_of(client, name, live.documents)
            if dry_run:
                typer.echo(harmless(first), nl=False)
                notice(f"Would delete collection {name}: {told}; nothing was done.")
                return
            question = f"Delete collection {name}: {told}, and everything else that is kept for it?"
            agree(first + question, yes=False)
        deleted = outcome_of(client, client.collections.delete(name)).get("documents", {}).get("deleted", 0)
    notice(f"Deleted collection {name} with {counted(deleted, 'document')}.")


@app.command()
def schema(
    name: Name,
    file: Annotated[
        Path | None,
        typer.Option("--set", metavar="FILE.json", help="Set the schema in this file.", show_default=False),
    ] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Remove the collection's schema.")] = False,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="With --set: set it even if documents do not fit.")
    ] = False,
) -> None:
    """Show, set or clear a collection's metadata schema: types, required fields and allowed values.

    From then on, documents that do not fit are rejected before anything is written; docs/metadata.md
    describes the format.

    [bold]Examples[/bold]

      hopline collections schema contracts

      hopline collections schema contracts --set schema.json
    """
    from hopline.errors import InvalidInput

    if clear and file is not None:
        raise InvalidInput("--clear", True, "left out with --set")
    if anyway and file is None:
        raise InvalidInput("--anyway", True, "left out without --set")
    changes = clear or file is not None
    with connected() as client, naming_collection(client, name, whole=changes) as name:  # noqa: PLR1704
        if file is not None:
            misfits = client.collections.set_schema(name, _read(file), anyway=anyway).misfits
            more = f"; {counted(misfits, 'document')} of it do not fit" if misfits else ""
            notice(f"Collection {name} now has this schema{more}.")
        elif clear:
            client.collections.clear_schema(name)
            notice(f"Collection {name} no longer has a schema.")
        else:
            print_json(client.collections.get_schema(name).model_dump_json(exclude_defaults=True))


@app.command()
def reindex(name: Name) -> None:
    """Rebuild a collection's vectors from the graph, with the configured embedder.

    It also resolves again the names that its documents define, even for documents ingested before such
    names were stored.
    """
    from hopline.commands.waiting import outcome_of

    with connected() as client:
        name = existing_collection(client, name)
        count = int(outcome_of(client, client.collections.reindex(name)).get("vectors", 0))
    notice(f"Rebuilt {counted(count, 'vector')} of collection {name}.")


def _read(file: Path) -> Any:
    """Return a file's JSON; the API reports what is wrong with it as a schema."""
    from hopline.errors import InvalidInput
    from hopline.json_objects import read_json

    try:
        return read_json(file.read_text(encoding="utf-8-sig"))
    except InvalidInput:
        raise
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInput("--set", str(file), f"a JSON file of a schema ({error})") from error


def print_collections(console: Console, collections: Sequence[Collection]) -> None:
    """Print collections as a table."""
    if not collections:
        console.print("No collections: `hopline ingest PATH -c NAME` makes one.")
        return
    table = Listing("title", "collection", "documents", right=("documents",))
    for each in collections:
        table.add(each.title, each.name, f"{each.documents:,}")
    table.print(console)


def print_census(console: Console, census: GraphCensus) -> None:
    """Print counts, the distribution of degrees, hubs, and nodes that lack something."""
    _print_counts(console, census)
    _print_named(console, "labels: ", census.labels)
    _print_named(console, "relationships: ", census.relationships)
    _print_degrees(console, census.degrees)
    _print_hubs(console, census.hubs)
    if census.fact_lengths:
        _print_lengths(console, census.fact_lengths)
    facts, chunks = census.live.facts, census.live.chunks
    _print_lacking(console, "facts without grounding", census.ungrounded, facts)
    _print_lacking(console, "facts without key elements", census.facts_without_elements, facts)
    _print_lacking(console, "chunks without facts", census.chunks_without_facts, chunks)
    if census.merged:
        console.print(f"key elements merged into others: {census.merged:,}")
    _print_embedder(console, census.embedder)
    console.print(Text(f"counted in {census.seconds:.1f} s", "dim"))


def _print_embedder(console: Console, figure: EmbedderFigure | None) -> None:
    """Print how well the embedder works here, and the weight that vectors therefore get in searches."""
    if figure is None:
        sentence = "not measured"
    else:
        sentence = (
            f"finds the rest of a passage with rank {figure.vectors:.2f}, words with {figure.words:.2f}"
            f" (mean reciprocal of {figure.pairs:,}): vectors count {figure.weight:.2f} times"
        )
    console.print(Text.assemble(("embedder: ", "cyan"), sentence))


def bar(count: int, most: int, width: int = _BAR) -> str:
    """Return a bar for count out of most, in eighths of a column; a count above 0 is always visible."""
    eighths = max(1, round(8 * width * count / most)) if count else 0
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def _print_counts(console: Console, census: GraphCensus) -> None:
    counts = ("current", "not yet visible", "without documents")
    name = harmless(census.collection)
    title = f"{harmless(census.title)} (collection {name})" if census.title else f"Collection {name}"
    table = plain_table("", *counts, title=title, right=counts)
    for kind in ("documents", "chunks", "facts", "elements"):
        label = "key elements" if kind == "elements" else kind
        parts = (census.live, census.hidden, census.orphans)
        table.add_row(label, *(f"{getattr(part, kind):,}" for part in parts))
    console.print(table)
    if census.description:
        print_indented(console, Text(harmless(census.description)), 0)


def _print_degrees(console: Console, bins: tuple[DegreeBin, ...]) -> None:
    if not bins:
        return
    most = max(degree_bin.elements for degree_bin in bins)
    title = "Key elements by number of facts"
    table = plain_table("facts", "key elements", "", title=title, right=("key elements",))
    for degree_bin in bins:
        between = (
            f"{degree_bin.low:,}"
            if degree_bin.low == degree_bin.high
            else f"{degree_bin.low:,} to {degree_bin.high:,}"
        )
        table.add_row(between, f"{degree_bin.elements:,}", bar(degree_bin.elements, most))
    console.print(table)


def _print_named(console: Console, label: str, counts: dict[str, int]) -> None:
    shown = " · ".join(f"{harmless(name)} {count:,}" for name, count in counts.items())
    if shown:
        print_indented(console, Text.assemble((label, "cyan"), shown), 0)


def _print_lengths(console: Console, lengths: FactLengths) -> None:
    """Print how many tokens facts take; very short ones mostly lack context."""
    if not lengths.bins:
        return
    most = max(length_bin.facts for length_bin in lengths.bins)
    title = f"{counted(lengths.counted, 'fact')} by length"
    table = plain_table("tokens", "facts", "", title=title, right=("facts",))
    for length_bin in lengths.bins:
        between = (
            f"{length_bin.low:,}"
            if length_bin.low == length_bin.high
            else f"{length_bin.low:,} to {length_bin.high:,}"
        )
        table.add_row(between, f"{length_bin.facts:,}", bar(length_bin.facts, most))
    console.print(table)
    for label, examples in (("shortest facts", lengths.shortest), ("longest facts", lengths.longest)):
        console.print(Text(f"{label}:"))
        _print_examples(console, examples)


def _print_hubs(console: Console, hubs: tuple[Hub, ...]) -> None:
    if not hubs:
        return
    shares = ("facts", "of all facts")
    table = plain_table("key element", *shares, title="Key elements with the most facts", right=shares)
    for hub in hubs:
        table.add_row(Text(harmless(hub.name)), f"{hub.degree:,}", f"{hub.share:.1%}")
    console.print(table)


def _print_lacking(console: Console, label: str, lacking: Lacking, of: int) -> None:
    share = f" ({lacking.count / of:.1%})" if of and lacking.count else ""
    console.print(Text.assemble((f"{label}: ", "cyan"), f"{lacking.count:,}{share}"))
    _print_examples(console, lacking.examples)


def _print_examples(console: Console, examples: tuple[CensusExample, ...]) -> None:
    for example in examples:
        text = " ".join(example.text.split())
        shown = text if len(text) <= _TEXT_CHARACTERS else text[: _TEXT_CHARACTERS - 1] + "…"
        print_indented(
            console, Text.assemble(harmless(shown), (f" · {harmless(example.document)}", "dim")), 3
        )
