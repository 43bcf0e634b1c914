"""hopline concept."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from producer.commands.session import AsJson, Collection, Key, Quiet, batches, cancelling, open_client
from producer.console import answers, notice, print_json
from producer.exits import exit_of_state
from workers.core.concepts import relation_between
from workers.core.errors import Gone, unknown_name

if TYPE_CHECKING:
    from producer.client import Hopline
    from producer.concept_report import ConceptOutcome
    from workers.core.concepts import EditAction


def concept(
    name: Annotated[str, typer.Argument(help="A concept, in English or Chinese.", show_default=False)],
    collection: Collection = "default",
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Look for new relations also where the map has enough.")
    ] = False,
    held: Annotated[
        bool, typer.Option("--held", help="Show what is kept of its map; no job, no model.")
    ] = False,
    history: Annotated[bool, typer.Option("--history", help="List the versions of its map.")] = False,
    delete: Annotated[
        str | None, typer.Option(metavar="OTHER", help="Take its relation to OTHER out of the map, by hand.")
    ] = None,
    abnormal: Annotated[
        str | None,
        typer.Option(metavar="OTHER", help="Mark its relation to OTHER as one that is wrong."),
    ] = None,
    correct: Annotated[
        str | None,
        typer.Option(metavar="OTHER", help="Correct its relation to OTHER; with the fields that follow."),
    ] = None,
    undo: Annotated[
        str | None, typer.Option(metavar="OTHER", help="Take the newest change of that relation back.")
    ] = None,
    domain: Annotated[str | None, typer.Option(help="Of --correct: OTHER's discipline.")] = None,
    definition: Annotated[str | None, typer.Option(help="Of --correct: one sentence about OTHER.")] = None,
    relation: Annotated[
        str | None, typer.Option(help="Of --correct: two sentences about what joins them.")
    ] = None,
    strength: Annotated[int | None, typer.Option(help="Of --correct: 1 to 5.", show_default=False)] = None,
    reason: Annotated[str, typer.Option(help="Why it is changed by hand; kept with the version.")] = "",
    timeout: Annotated[
        float | None, typer.Option(help="Seconds; then it ends with what it has. (default 120)")
    ] = None,
    key: Key = None,
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Wait for the map, or print the job's id.")
    ] = True,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Grow a concept into a small map of concepts from other disciplines; it is kept, and kept clean.

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
    correction = {name: value for name, value in fields.items() if value is not None}
    edits: dict[EditAction, str | None] = {
        "delete": delete,
        "abnormal": abnormal,
        "correct": correct,
        "undo": undo,
    }
    if wanted := [(action, other) for action, other in edits.items() if other is not None]:
        _edit(name, collection, wanted, correction=correction, reason=reason, key=key, as_json=as_json)
        return
    if correction or reason:
        needs = "--correct, --delete, --abnormal or --undo" if reason else "--correct"
        raise typer.BadParameter(f"it goes with {needs}", param_hint="--reason" if reason else "fields")
    if held or history:
        _show_kept(name, collection, history=history, as_json=as_json)
        return
    with open_client() as client:
        job_id = client.submit_concept(name, collection, refresh=refresh, key=key, timeout=timeout)
        if not wait:
            from producer.commands.ask import report_submitted

            report_submitted(job_id, as_json=as_json)
            return
        told = _follow(client, job_id, timeout, quiet=quiet or as_json)
    if as_json:
        print_json(told.model_dump_json())
    else:
        from producer.views.concepts import print_outcome

        print_outcome(answers(), told)
    raise typer.Exit(exit_of_state(told.state))


def _follow(client: Hopline, job_id: str, timeout: float | None, *, quiet: bool) -> ConceptOutcome:
    from producer.concept_progress import ConceptProgress
    from producer.terms import patience_of
    from producer.views.concepts import concept_view
    from producer.views.live import follow

    progress = ConceptProgress()
    with cancelling(client, job_id):
        watch = client.follow(job_id, timeout=patience_of({"timeout": timeout}))
        follow(batches(watch), progress, concept_view(progress), quiet=quiet)
    return client.concept_outcome(job_id)


def _show_kept(name: str, collection: str, *, history: bool, as_json: bool) -> None:
    from producer.views.concepts import print_map, print_versions

    with open_client(ledger=False) as client:
        if history:
            versions = client.concept_versions(name, collection)
            if as_json:
                told = [one.model_dump(mode="json") for one in versions]
                print_json(json.dumps({"concept": name, "versions": told}))
                return
            print_versions(answers(), versions)
        else:
            held = client.concept_map(name, collection)
            if as_json:
                print_json(held.model_dump_json())
                return
            print_map(answers(), held, dated=True)
        if not (versions if history else held.nodes):
            notice(f"Nothing is kept of {name} in {collection}: `hopline concept` makes a map.")


def _edit(
    name: str,
    collection: str,
    wanted: list[tuple[EditAction, str]],
    *,
    correction: dict[str, Any],
    reason: str,
    key: str | None,
    as_json: bool,
) -> None:
    from producer.views.concepts import print_edited

    if len(wanted) > 1:
        raise typer.BadParameter("one at a time", param_hint=" ".join(f"--{action}" for action, _ in wanted))
    [(action, other)] = wanted
    with open_client(ledger=False) as client:
        relation = relation_between(collection, name, other)
        try:
            told = client.edit_relation(
                relation, action, collection, reason=reason, correction=correction, key=key
            )
        except Gone:
            held = client.concept_map(name, collection)
            if not held.nodes:
                raise
            raise unknown_name("relation", other, [one.name for one in held.nodes[1:]]) from None
    if as_json:
        print_json(told.model_dump_json())
    else:
        print_edited(answers(), told)
