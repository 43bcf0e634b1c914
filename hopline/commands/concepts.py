"""hopline concepts: maps of concepts, and edits of their relations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from hopline.commands.client import connected
from hopline.commands.console import answers, notice, print_json
from hopline.commands.exits import exit_of_state
from hopline.commands.nouns import noun
from hopline.commands.options import AsJson, Collection, Key, Quiet, Tag
from hopline.commands.waiting import cancelling, happening, waits_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from hopline import Hopline
    from hopline.models.concepts import ConceptOutcome, RelationEdited
    from hopline.models.params import ConceptBounds
    from hopline.models.results import Job

app = noun("Maps of concepts and what relates to them: make one, show it, edit its relations.")
Name = Annotated[str, typer.Argument(help="A concept, in English or Chinese.", show_default=False)]
Other = Annotated[str, typer.Argument(help="The related concept.", show_default=False)]
Reason = Annotated[str, typer.Option(help="Reason for the edit; stored with the version.")]


@app.command()
def create(
    name: Name,
    collection: Collection = "default",
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Look for new relations even if the map has enough.")
    ] = False,
    wait: Annotated[
        bool,
        typer.Option("--wait/--no-wait", help="Wait for the map; --no-wait prints the job's id and returns."),
    ] = True,
    timeout: Annotated[
        float | None,
        typer.Option(help="Seconds after which it stops with the relations found so far. (default 120)"),
    ] = None,
    as_json: AsJson = False,
    key: Key = None,
    tag: Tag = None,
    quiet: Quiet = False,
) -> None:
    """Grow a concept into a small map of related concepts from other disciplines, kept in versions.

    Earlier relations are checked again, bad ones are removed, and new ones are searched for and checked.
    Manual changes are also versions, with their author and reason; jobs leave them alone. Exit codes: 0
    complete map, 3 not a concept, 4 fewer relations than requested, 1 failed, 2 usage.

    [bold]Examples[/bold]

      hopline concepts create entropy

      hopline concepts create 熵 --json | jq -r '.links[].relation'
    """
    from hopline.models.tags import parse_tags

    bounds = {} if timeout is None else {"timeout": timeout}
    with connected() as client:
        job = client.concepts.generate(
            name,
            collection=collection,
            refresh=refresh,
            parameters=cast("ConceptBounds", bounds),  # the operation checks them
            tags=parse_tags(tag or ()),
            key=key,
            wait=0,
        )
        job_id = cast("Job", job).id  # without a wait it is one
        if not wait:
            from hopline.commands.ask import report_submitted

            report_submitted(job_id, as_json=as_json)
            return
        outcome = _follow(client, job_id, timeout, quiet=quiet or as_json)
    if as_json:
        print_json(outcome.model_dump_json())
    else:
        from hopline.views.concepts import print_outcome

        print_outcome(answers(), outcome)
    raise typer.Exit(exit_of_state(outcome.state))


def _follow(client: Hopline, job_id: str, timeout: float | None, *, quiet: bool) -> ConceptOutcome:
    from hopline.models.concepts import ConceptOutcome
    from hopline.models.params import patience_of
    from hopline.progress.concept import ConceptProgress
    from hopline.views.concepts import concept_view
    from hopline.views.live import follow

    progress = ConceptProgress()
    with cancelling(client.jobs.cancel, job_id):
        news = happening(client, job_id, timeout=patience_of(timeout))
        follow(news, progress, concept_view(progress), quiet=quiet, why=lambda: waits_for(client, job_id))
    return ConceptOutcome.of(client.jobs.get(job_id))


@app.command()
def show(name: Name, collection: Collection = "default", as_json: AsJson = False) -> None:
    """Show the stored map of a concept; starts no job and calls no model.

    [bold]Example[/bold]

      hopline concepts show entropy
    """
    with connected() as client:
        held = client.concepts.read(name, collection=collection)
    if as_json:
        print_json(held.model_dump_json())
        return
    from hopline.views.concepts import print_map

    print_map(answers(), held, dated=True)
    if not held.nodes:
        _tell_none(name, collection)


@app.command()
def versions(name: Name, collection: Collection = "default", as_json: AsJson = False) -> None:
    """List the versions of a concept's map, newest first, with changes and reasons.

    [bold]Example[/bold]

      hopline concepts versions entropy
    """
    with connected() as client:
        page = client.concepts.versions(name, collection=collection)
    if as_json:
        print_json(page.model_dump_json())
        return
    from hopline.views.concepts import print_versions

    print_versions(answers(), page.versions)
    if not page.versions:
        _tell_none(name, collection)


def _tell_none(name: str, collection: str) -> None:
    notice(f"No map of {name} is stored in {collection}: `hopline concepts create` makes one.")


@app.command()
def change(
    name: Name,
    other: Other,
    collection: Collection = "default",
    strength: Annotated[
        int | None, typer.Option(help="Strength of the relation, 1 to 5.", show_default=False)
    ] = None,
    relation: Annotated[
        str | None, typer.Option(help="Two sentences about how they are related.", show_default=False)
    ] = None,
    reason: Reason = "",
    wrong: Annotated[
        bool,
        typer.Option(
            "--wrong", help="Mark the relation as wrong: it is no longer shown, and no job adds it again."
        ),
    ] = False,
    domain: Annotated[
        str | None, typer.Option(help="Discipline of the other concept.", show_default=False)
    ] = None,
    definition: Annotated[
        str | None, typer.Option(help="A one-sentence definition of the other concept.", show_default=False)
    ] = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Change the relation of a concept's map to another concept.

    [bold]Examples[/bold]

      hopline concepts change entropy diffusion --strength 5 --reason "one law"

      hopline concepts change entropy "Theil index" --wrong
    """
    fields = {"domain": domain, "definition": definition, "relation": relation, "strength": strength}
    changed: dict[str, Any] = {field: value for field, value in fields.items() if value is not None}
    if bool(changed) is wrong:
        message = "say what to change: --wrong, or some of --strength, --relation, --domain, --definition"
        raise typer.BadParameter(message)
    if wrong:
        changed["state"] = "abnormal"
    with connected() as client:
        _edit(
            client,
            lambda relation_id, **options: client.concepts.change_relation(relation_id, **options, **changed),
            (name, other),
            {"collection": collection, "reason": reason, "key": key},
            as_json=as_json,
        )


@app.command()
def delete(
    name: Name,
    other: Other,
    collection: Collection = "default",
    reason: Reason = "",
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Delete the relation of a concept's map to another concept; `undo` brings it back.

    [bold]Example[/bold]

      hopline concepts delete entropy "Theil index" --reason "another meaning"
    """
    options = {"collection": collection, "reason": reason, "key": key}
    with connected() as client:
        _edit(client, client.concepts.delete_relation, (name, other), options, as_json=as_json)


@app.command()
def undo(
    name: Name,
    other: Other,
    collection: Collection = "default",
    reason: Reason = "",
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Undo the newest change of a relation.

    [bold]Example[/bold]

      hopline concepts undo entropy "Theil index"
    """
    options = {"collection": collection, "reason": reason, "key": key}
    with connected() as client:
        _edit(client, client.concepts.undo_relation, (name, other), options, as_json=as_json)


def _edit(
    client: Hopline,
    act: Callable[..., RelationEdited],
    ends: tuple[str, str],
    options: dict[str, Any],
    *,
    as_json: bool,
) -> None:
    """Edit the relation between two concepts; `options` are the edit's collection, reason and key."""
    from hopline.views.concepts import print_edited

    relation = client.concepts.find_relation(*ends, collection=options["collection"]).id
    result = act(relation, **options)
    if as_json:
        print_json(result.model_dump_json())
    else:
        print_edited(answers(), result)
