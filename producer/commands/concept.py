"""hopline concept."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from producer.commands.session import AsJson, Collection, Key, Quiet, batches, cancelling, open_client
from producer.console import answers, notice, print_json
from producer.exits import exit_of_state

if TYPE_CHECKING:
    from producer.client import Hopline
    from producer.concept_report import ConceptOutcome


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
    Exit codes: 0 a whole map, 3 no concept, 4 fewer relations than wanted, 1 failed, 2 usage.

    [bold]Examples[/bold]

      hopline concept entropy

      hopline concept 熵 --json | jq -r '.links[].relation'

      hopline concept entropy --history
    """
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
