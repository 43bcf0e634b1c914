"""hopline documents, metadata, delete, reindex."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer

from hopline.commands.client import connected, require_collection
from hopline.commands.console import answers, notice, print_json
from hopline.commands.exits import Exit
from hopline.commands.ids import whole_document_id
from hopline.commands.options import Allow, AsJson, Collection, Tags
from hopline.words import counted

if TYPE_CHECKING:
    from hopline import Hopline
    from hopline.aio.documents import DocumentFilter
    from hopline.models.documents import Document


def documents(
    collection: Annotated[
        str | None, typer.Option("--collection", "-c", help="Only this collection. (default all of them)")
    ] = None,
    where: Annotated[
        str | None,
        typer.Option(help="Only those whose metadata fit this filter; needs -c.", show_default=False),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            metavar="CODE", help="Only those in this language, such as de; needs -c.", show_default=False
        ),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many to list.")] = 100,
    as_json: AsJson = False,
) -> None:
    """List the documents in the graph: id, status or error, chunks, facts, languages and metadata.

    Exit codes: 0 listed, 3 there is no such collection, 1 failed, 2 usage.

    [bold]Examples[/bold]

      hopline documents -c contracts

      hopline documents -c contracts --where 'tags has "signed" and date >= 2024-01-01 and author = "Ann"'

      hopline documents -c contracts --language de
    """
    from hopline.errors import InvalidInput

    if collection is None and (where is not None or language is not None):
        option = "--language" if where is None else "--where"
        message = f"{option} needs --collection: it filters the documents of one"
        raise InvalidInput("--collection", None, "a collection's name", message=message)
    if language is not None:
        where = _in_language(language, where)
    which: DocumentFilter = {}
    if collection is not None:
        which["collection"] = collection
    if where is not None:
        which["where"] = where
    with connected() as client:
        listing = list(islice(client.documents.iterate(**which), limit + 1))
        if not listing:
            require_collection(client, collection)
    shown, more = listing[:limit], len(listing) > limit
    if as_json:
        print_json(
            json.dumps({"documents": [document.model_dump(mode="json") for document in shown], "more": more})
        )
        return
    from hopline.views.documents import print_documents

    print_documents(answers(), shown, where)
    if more:
        notice(f"The first {limit} are listed; --limit lists more.")


def _in_language(language: str, where: str | None) -> str:
    from hopline.errors import InvalidInput

    code = language.strip().lower()
    if not (code.isascii() and code.isalpha()):
        raise InvalidInput("--language", language, "a code such as de, fr, zh")
    return f'languages has "{code}"' + (f" and ({where})" if where else "")


def metadata(
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="[DOCUMENT…]", help="Ids or prefixes of them.", show_default=False),
    ] = None,
    collection: Annotated[
        str | None,
        typer.Option("--collection", "-c", help="With --where: whose documents.", show_default=False),
    ] = None,
    where: Annotated[
        str | None,
        typer.Option(help="Instead of ids: a filter on their metadata.", show_default=False),
    ] = None,
    assignments: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="FIELD=VALUE", help="A field to set.", show_default=False),
    ] = None,
    tags: Tags = "",
    allow: Allow = None,
    unset: Annotated[
        list[str] | None, typer.Option(metavar="FIELD", help="A field to take away.", show_default=False)
    ] = None,
) -> None:
    """Change the metadata of documents at once; no model is called.

    [bold]Examples[/bold]

      hopline metadata 8f3a --set author=Ann --set priority=2 --unset draft

      hopline metadata -c contracts --where 'tags has "draft"' --tags contract,signed

      hopline metadata 8f3a --allow user:ann,group:legal
    """
    from hopline.models.metadata import metadata_of_command

    values = metadata_of_command(assignments or (), tags, allow, option="--set")
    with connected() as client:
        documents = [whole_document_id(client, beginning) for beginning in ids or ()]
        changed = client.documents.change_metadata(
            documents, collection=collection, where=where, set=values, unset=unset or ()
        ).changed
        if not changed:
            require_collection(client, collection)
    notice(f"{counted(changed, 'document')} changed.")


def delete(
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[DOCUMENT…]",
            help="Ids or prefixes of them, as listed by `hopline documents`.",
            show_default=False,
        ),
    ] = None,
    collection: Annotated[
        str | None,
        typer.Option("--collection", "-c", help="With --where: whose documents.", show_default=False),
    ] = None,
    where: Annotated[
        str | None,
        typer.Option(help="Instead of ids: a filter on their metadata.", show_default=False),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    erase: Annotated[
        bool, typer.Option("--erase", help="With ids: with all of their versions that are kept.")
    ] = False,
) -> None:
    """Delete documents, with every fact and key element that no other document holds.

    Where versions are kept (HOPLINE_VERSIONS_KEPT), what was live of them is, unless they are erased.
    One that was deleted before is erased by its whole id.

    [bold]Examples[/bold]

      hopline delete 8f3a 91c2

      hopline delete -c contracts --where 'tags has "draft"'
    """
    from hopline.errors import InvalidInput

    if bool(ids) == (where is not None):
        raise InvalidInput("DOCUMENT", ids, "ids of documents, or --where with --collection")
    if where is None:
        if collection is not None:
            raise InvalidInput("--collection", collection, "nothing beside ids")
        _delete_named(ids or [], yes=yes, erase=erase)
        return
    if collection is None:
        message = "--where needs --collection: it filters the documents of one"
        raise InvalidInput("--collection", None, "a collection's name", message=message)
    if erase:
        raise InvalidInput("--erase", True, "nothing with --where")
    _delete_where(collection, where, yes=yes)


def _delete_where(collection: str, where: str, *, yes: bool) -> None:
    from hopline.commands.waiting import outcome_of

    with connected() as client:
        require_collection(client, collection)
        if not yes:
            count = client.documents.facets(collection, where=where).documents
            if not typer.confirm(f"Delete {counted(count, 'document')} of {collection}?", err=True):
                raise typer.Exit(Exit.FAILED)
        outcome = outcome_of(client, client.documents.delete_where(collection, where))
    notice(f"Deleted {counted(outcome.get('documents', {}).get('deleted', 0), 'document')} of {collection}.")


def _delete_named(ids: list[str], *, yes: bool, erase: bool) -> None:
    from hopline.commands.waiting import outcome_of

    if not yes and not typer.confirm(f"Delete {counted(len(ids), 'document')}?", err=True):
        raise typer.Exit(Exit.FAILED)
    with connected() as client:
        for beginning in ids:
            document_id = whole_document_id(client, beginning)
            gone = _live(client, document_id) if erase else client.documents.get(document_id)
            outcome_of(client, client.documents.delete(document_id, erase=erase))
            if gone is None:
                notice(f"Erased what was kept of {beginning}, which was deleted before.")
            else:
                facts = counted(gone.facts, "fact")
                notice(f"Deleted {gone.title or gone.uri} ({facts}) from {gone.collection}.")


def _live(client: Hopline, document_id: str) -> Document | None:
    from hopline.errors import NotFound

    try:
        return client.documents.get(document_id)
    except NotFound:
        return None


def reindex(collection: Collection = "default") -> None:
    """Rebuild a collection's vectors from the graph, with the configured embedder.

    The names that its documents state are settled anew, those of documents from before names were kept too.
    """
    from hopline.commands.waiting import outcome_of

    with connected() as client:
        require_collection(client, collection)
        count = int(outcome_of(client, client.collections.reindex(collection)).get("vectors", 0))
    notice(f"Collection {collection} has {counted(count, 'vector')} again.")
