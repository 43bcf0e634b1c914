"""hopline concept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from hopline.commands.client import connected
from hopline.commands.console import answers, notice, print_json
from hopline.commands.exits import exit_of_state
from hopline.commands.options import AsJson, Collection, Key, Quiet, Tag
from hopline.commands.waiting import cancelling, happening, waits_for

if TYPE_CHECKING:
    from hopline import Hopline
    from hopline.models.concepts import ConceptOutcome
    from hopline.models.jobs import Job
    from hopline.models.params import ConceptBounds

Action = Literal["delete", "abnormal", "correct", "undo"]
Name = Annotated[str, typer.Argument(help="A concept, in English or Chinese.", show_default=False)]
Refresh = Annotated[
    bool, typer.Option("--refresh", help="Look for new relations even if the map has enough.")
]
Held = Annotated[bool, typer.Option("--held", help="Show the stored map, without a job or a model.")]
History = Annotated[bool, typer.Option("--history", help="List the versions of its map.")]
Delete = Annotated[
    str | None, typer.Option(metavar="OTHER", help="Remove its relation to OTHER from the map.")
]
Abnormal = Annotated[str | None, typer.Option(metavar="OTHER", help="Mark its relation to OTHER as wrong.")]
Correct = Annotated[
    str | None,
    typer.Option(metavar="OTHER", help="Correct its relation to OTHER with the options that follow."),
]
Undo = Annotated[str | None, typer.Option(metavar="OTHER", help="Undo the newest change of that relation.")]
Domain = Annotated[str | None, typer.Option(help="Of --correct: OTHER's discipline.")]
Definition = Annotated[str | None, typer.Option(help="Of --correct: one sentence about OTHER.")]
Relation = Annotated[str | None, typer.Option(help="Of --correct: two sentences about how they are related.")]
Strength = Annotated[int | None, typer.Option(help="Of --correct: 1 to 5.", show_default=False)]
Reason = Annotated[str, typer.Option(help="Why you edit it; kept with the version.")]
Timeout = Annotated[float | None, typer.Option(help="Seconds; then it ends with what it has. (default 120)")]
Wait = Annotated[bool, typer.Option("--wait/--no-wait", help="Wait for the map, or print the job's id.")]


def concept(
    name: Name,
    collection: Collection = "default",
    refresh: Refresh = False,
    held: Held = False,
    history: History = False,
    delete: Delete = None,
    abnormal: Abnormal = None,
    correct: Correct = None,
    undo: Undo = None,
    domain: Domain = None,
    definition: Definition = None,
    relation: Relation = None,
    strength: Strength = None,
    reason: Reason = "",
    timeout: Timeout = None,
    key: Key = None,
    tag: Tag = None,
    wait: Wait = True,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Grow a concept into a small map of related concepts from other disciplines, kept in versions.

    Relations that were kept earlier are checked again, bad ones taken out, new ones looked for and checked.
    What is changed by hand is a version, too, with who did it and why; jobs leave it alone.
    Exit codes: 0 a whole map, 3 no concept, 4 fewer relations than wanted, 1 failed, 2 usage.

    [bold]Examples[/bold]

      hopline concept entropy

      hopline concept 熵 --json | jq -r '.links[].relation'

      hopline concept entropy --history

      hopline concept entropy --delete "Theil index" --reason "another meaning of the word"

      hopline concept entropy --correct diffusion --strength 5 --reason "they follow from one law"

      hopline concept entropy --undo "Theil index"
    """
    fields = {"domain": domain, "definition": definition, "relation": relation, "strength": strength}
    correction = {field: value for field, value in fields.items() if value is not None}
    edits: dict[Action, str | None] = {"delete": delete, "abnormal": abnormal, "correct": correct}
    if edit := _wanted({**edits, "undo": undo}, correction, reason):
        options = {"collection": collection, "reason": reason, "key": key}
        _edit(name, edit, options, correction=correction, as_json=as_json)
        return
    if held or history:
        _show_kept(name, collection, history=history, as_json=as_json)
        return
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


def _show_kept(name: str, collection: str, *, history: bool, as_json: bool) -> None:
    from hopline.views.concepts import print_map, print_versions

    with connected() as client:
        if history:
            page = client.concepts.versions(name, collection=collection)
        else:
            held = client.concepts.read(name, collection=collection)
    if as_json:
        print_json((page if history else held).model_dump_json())
        return
    if history:
        print_versions(answers(), page.versions)
    else:
        print_map(answers(), held, dated=True)
    if not (page.versions if history else held.nodes):
        notice(f"Nothing is kept of {name} in {collection}: `hopline concept` makes a map.")


def _wanted(
    edits: Mapping[Action, str | None], correction: Mapping[str, Any], reason: str
) -> tuple[Action, str] | None:
    """Return the requested edit and its other concept; None if no edit is requested."""
    actions = [(action, other) for action, other in edits.items() if other is not None]
    if len(actions) > 1:
        raise typer.BadParameter("one at a time", param_hint=" ".join(f"--{action}" for action, _ in actions))
    if actions:
        return actions[0]
    if correction or reason:
        needs = "--correct, --delete, --abnormal or --undo" if reason else "--correct"
        raise typer.BadParameter(f"it goes with {needs}", param_hint="--reason" if reason else "fields")
    return None


def _edit(
    name: str, edit: tuple[Action, str], options: dict[str, Any], *, correction: dict[str, Any], as_json: bool
) -> None:
    """Edit the relation of a map to another concept; options: collection, reason and key of the edit."""
    from hopline.views.concepts import print_edited

    action, other = edit
    with connected() as client:
        concepts = client.concepts
        relation = concepts.find_relation(name, other, collection=options["collection"]).id
        match action:
            case "delete":
                result = concepts.delete_relation(relation, **options)
            case "undo":
                result = concepts.undo_relation(relation, **options)
            case "abnormal":
                result = concepts.change_relation(relation, state="abnormal", **options)
            case "correct":
                result = concepts.change_relation(relation, **options, **correction)
    if as_json:
        print_json(result.model_dump_json())
    else:
        print_edited(answers(), result)
