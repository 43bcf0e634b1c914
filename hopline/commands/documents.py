"""hopline documents: list, show, change, delete."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopline.commands.client import connected
from hopline.commands.completion import complete_collection, complete_document
from hopline.commands.console import agree, answers, notice, print_json
from hopline.commands.ids import existing_collection, whole_document_id
from hopline.commands.nouns import noun
from hopline.commands.options import Allow, AsJson, DryRun, Tags, Yes
from hopline.words import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hopline import Hopline
    from hopline.aio.documents import DocumentFilter
    from hopline.models.documents import Document


app = noun("Documents in the graph: list them, change their metadata, delete them.")
_SHOWN = 10  # documents that are named before they are deleted
_ID = "An id or a prefix of it, as `hopline documents` lists them."
OfCollection = Annotated[
    str | None,
    typer.Option(
        "--collection",
        "-c",
        help="With --where: the collection of the documents.",
        show_default=False,
        autocompletion=complete_collection,
    ),
]
Where = Annotated[
    str | None, typer.Option(help="Instead of ids: a filter on the documents' metadata.", show_default=False)
]


@app.command(name="list")
def list_documents(
    collection: Annotated[
        str | None,
        typer.Option(
            "--collection",
            "-c",
            help="Only this collection. (default: all)",
            autocompletion=complete_collection,
        ),
    ] = None,
    where: Annotated[
        str | None,
        typer.Option(help="Only documents whose metadata matches this filter; needs -c.", show_default=False),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            metavar="CODE", help="Only documents in this language, such as de; needs -c.", show_default=False
        ),
    ] = None,
    poorly_read: Annotated[
        bool,
        typer.Option("--poorly-read", help="Only documents that may have been read badly; needs -c."),
    ] = False,
    read_by: Annotated[
        str | None,
        typer.Option(
            metavar="READER",
            help="Only documents read by this reader, such as 'pdf 1', or by an outdated one (`older`); "
            "needs -c.",
            show_default=False,
        ),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Maximum number to list.")] = 100,
    as_json: AsJson = False,
) -> None:
    """List documents: title, id, status or error, chunks, facts, languages and metadata.

    Exit codes: 0 listed, 3 no such collection, 1 failed, 2 usage.

    [bold]Examples[/bold]

      hopline documents -c legal

      hopline documents -c legal --where 'tags has "signed" and author = "Ann"'

      hopline documents -c legal --language de

      hopline documents -c legal --poorly-read
    """
    from hopline.errors import InvalidInput

    filters = {
        "--where": where,
        "--language": None if language is None else _in_language(language),
        "--poorly-read": "exists(doubts)" if poorly_read else None,
        "--read-by": None if read_by is None else _read_by(read_by),
    }
    given = {option: one for option, one in filters.items() if one is not None}
    if collection is None and given:
        option = next(iter(given))
        message = f"{option} needs --collection: it filters the documents of one"
        raise InvalidInput("--collection", None, "a collection's name", message=message)
    where = (
        " and ".join(f"({one})" for one in given.values())
        if len(given) > 1
        else next(iter(given.values()), None)
    )
    which: DocumentFilter = {}
    if where is not None:
        which["where"] = where
    with connected() as client:
        if collection is not None:
            which["collection"] = existing_collection(client, collection)
        listing = list(islice(client.documents.iterate(**which), limit + 1))
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


def _in_language(language: str) -> str:
    from hopline.errors import InvalidInput

    code = language.strip().lower()
    if not (code.isascii() and code.isalpha() and len(code) == 2):  # noqa: PLR2004 - ISO 639-1
        raise InvalidInput("--language", language, "a code such as de, fr, zh")
    return f'languages has "{code}"'


def _read_by(reader: str) -> str:
    """Return a filter of documents by reader; `older` means a reader that has changed or had no name."""
    from hopline.errors import InvalidInput
    from hopline.models.formats import DOCUMENT_FORMATS, reader_of

    readers = [reader_of(form) for form in DOCUMENT_FORMATS]
    if reader == "older":
        return f"not read_by in ({', '.join(map(json.dumps, readers))})"
    known = (f"{form.name} {nth}" for form in DOCUMENT_FORMATS.values() for nth in range(1, form.version + 1))
    if reader not in known:
        raise InvalidInput(
            "--read-by", reader, f"older, {', '.join(readers)}, or an earlier version of these"
        )
    return f"read_by = {json.dumps(reader)}"


@app.command()
def show(
    document: Annotated[str, typer.Argument(help=_ID, show_default=False, autocompletion=complete_document)],
    as_json: AsJson = False,
) -> None:
    """Show a document: its source, its counts of chunks and facts, and its metadata.

    [bold]Example[/bold]

      hopline documents show 8f3a --json | jq .metadata
    """
    with connected() as client:
        shown = client.documents.get(whole_document_id(client, document))
    if as_json:
        print_json(shown.model_dump_json())
        return
    from hopline.views.documents import print_document

    print_document(answers(), shown)


@app.command()
def original(
    document: Annotated[str, typer.Argument(help=_ID, show_default=False, autocompletion=complete_document)],
    file: Annotated[Path, typer.Argument(help="File to write; it must not exist yet.", show_default=False)],
) -> None:
    """Save the original file of a document, unchanged.

    [bold]Example[/bold]

      hopline documents original 8f3a contract.pdf
    """
    from hopline.errors import InvalidInput

    with connected() as client:
        data = client.documents.original(whole_document_id(client, document))
    try:
        with file.open("xb") as written:
            written.write(data)
    except OSError as error:
        message = f"{file} cannot be written: {error.strerror}"
        raise InvalidInput("FILE", str(file), "a file that does not exist yet", message=message) from error
    notice(f"{file} has {counted(len(data), 'byte')}.")


@app.command()
def change(
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[DOCUMENT…]",
            help="Ids of documents, or prefixes of ids.",
            show_default=False,
            autocompletion=complete_document,
        ),
    ] = None,
    collection: OfCollection = None,
    where: Where = None,
    assignments: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="FIELD=VALUE", help="Metadata field to set; may be repeated.", show_default=False
        ),
    ] = None,
    unset: Annotated[
        list[str] | None,
        typer.Option(metavar="FIELD", help="Metadata field to remove; may be repeated.", show_default=False),
    ] = None,
    tags: Tags = "",
    allow: Allow = None,
    dry_run: DryRun = False,
) -> None:
    """Change the metadata of documents immediately; no model is called.

    --dry-run only lists the documents that would be changed.

    [bold]Examples[/bold]

      hopline documents change 8f3a --set author=Ann --unset draft

      hopline documents change -c legal --where 'tags has "draft"' --tags signed

      hopline documents change 8f3a --allow user:ann,group:legal
    """
    from hopline.models.metadata import metadata_of_command

    values = metadata_of_command(assignments or (), tags, allow, option="--set")
    with connected() as client:
        documents = [whole_document_id(client, beginning) for beginning in ids or ()]
        collection = collection and existing_collection(client, collection)
        if dry_run:
            _list_meant(client, "change", documents, collection, where)
            return
        changed = client.documents.change_metadata(
            documents, collection=collection, where=where, set=values, unset=unset or ()
        ).changed
    notice(f"{counted(changed, 'document')} changed.")


@app.command()
def delete(
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[DOCUMENT…]",
            help="Ids or prefixes of ids, as listed by `hopline documents`.",
            show_default=False,
            autocompletion=complete_document,
        ),
    ] = None,
    collection: OfCollection = None,
    where: Where = None,
    yes: Yes = False,
    dry_run: DryRun = False,
    erase: Annotated[
        bool, typer.Option("--erase", help="With ids: also erase all of their kept versions.")
    ] = False,
) -> None:
    """Delete documents, with every fact and key element that no other document contains.

    It shows the documents, or the first of many, and asks for confirmation; --dry-run lists all of them.

    If versions are kept (HOPLINE_VERSIONS_KEPT), the deleted ones are kept too, unless you erase them. To
    erase a document that was already deleted, give its full id.

    [bold]Examples[/bold]

      hopline documents delete 8f3a 91c2

      hopline documents delete -c contracts --where 'tags has "draft"'
    """
    from hopline.errors import InvalidInput

    if bool(ids) == (where is not None):
        raise InvalidInput("DOCUMENT", ids, "ids of documents, or --where with --collection")
    if where is None:
        if collection is not None:
            raise InvalidInput("--collection", collection, "left out if ids are given")
        _delete_named(ids or [], yes=yes, dry_run=dry_run, erase=erase)
        return
    if collection is None:
        message = "--where needs --collection: it filters the documents of one collection"
        raise InvalidInput("--collection", None, "a collection's name", message=message)
    if erase:
        raise InvalidInput("--erase", True, "left out with --where")
    _delete_where(collection, where, yes=yes, dry_run=dry_run)


def _delete_where(collection: str, where: str, *, yes: bool, dry_run: bool) -> None:
    from hopline.commands.waiting import outcome_of

    with connected() as client:
        collection = existing_collection(client, collection)
        if dry_run:
            _list_meant(client, "delete", (), collection, where)
            return
        if not yes:
            count = client.documents.facets(collection, where=where).documents
            first = first_of(client, collection, count, where=where)
            agree(f"{first}Delete {counted(count, 'document')} of {collection}?", yes=False)
        outcome = outcome_of(client, client.documents.delete_where(collection, where))
    notice(f"Deleted {counted(outcome.get('documents', {}).get('deleted', 0), 'document')} of {collection}.")


def first_of(client: Hopline, collection: str, count: int, *, where: str = "") -> str:
    """Return the first documents of a collection, or of those matching a filter, one per line."""
    first = islice(client.documents.iterate(collection=collection, where=where), _SHOWN)
    more = f"and {count - _SHOWN:,} more\n" if count > _SHOWN else ""
    named = _in_words({document.id: document for document in first})
    return "".join(f"{words}\n" for words in named.values()) + more


def _list_meant(
    client: Hopline, verb: str, ids: Sequence[str], collection: str | None, where: str | None
) -> None:
    """List the documents that a command would change or delete, without doing so."""
    from hopline.views.documents import print_documents

    documents: list[Document] = [client.documents.get(each) for each in ids]
    if collection is not None:
        documents += client.documents.iterate(collection=collection, where=where or "")
    print_documents(answers(), documents, where)
    notice(f"Would {verb} {counted(len(documents), 'document')}; nothing was done.")


def _delete_named(ids: list[str], *, yes: bool, dry_run: bool, erase: bool) -> None:
    from hopline.commands.waiting import outcome_of

    with connected() as client:
        whole = dict.fromkeys(whole_document_id(client, beginning) for beginning in ids)
        if dry_run:
            _list_meant(client, "delete", list(whole), None, None)
            return
        meant = {each: _live(client, each) if erase else client.documents.get(each) for each in whole}
        named = _in_words(meant)
        agree(_question(meant, named), yes=yes)
        for document_id, document in meant.items():
            outcome_of(client, client.documents.delete(document_id, erase=erase))
            if document is None:
                notice(f"Erased the kept versions of {document_id}, which was already deleted.")
            else:
                notice(f"Deleted {named[document_id]}.")


def _question(meant: Mapping[str, Document | None], named: Mapping[str, str]) -> str:
    """Return the question to confirm a deletion, with the first titles and the number of facts."""
    names = list(named.values())
    if len(names) == 1:
        return f"Delete {names[0]}?"
    facts = counted(sum(document.facts for document in meant.values() if document), "fact")
    more = [f"and {len(names) - _SHOWN} more"] if len(names) > _SHOWN else []
    return "\n".join((*names[:_SHOWN], *more, f"Delete these {counted(len(names), 'document')} ({facts})?"))


def _in_words(meant: Mapping[str, Document | None]) -> dict[str, str]:
    """Return a description of the document for each id."""
    from hopline.titles import ShownTitles

    titles = ShownTitles(filter(None, meant.values()))
    return {
        name: f"{titles.of(document)} ({counted(document.facts, 'fact')}) from {document.collection}"
        if document
        else f"the kept versions of {name}"
        for name, document in meant.items()
    }


def _live(client: Hopline, document_id: str) -> Document | None:
    from hopline.errors import NotFound

    try:
        return client.documents.get(document_id)
    except NotFound:
        return None
