"""hopline import."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopline.commands.console import answers, harmless, notice, notices, print_json
from hopline.commands.options import AsJson, Quiet
from hopline.words import counted
from producer.commands.backup import import_collection

if TYPE_CHECKING:
    from producer.service.script_import import Imported, Target
    from workers.settings import Settings


def import_graph(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Statements separated by semicolons, or what `hopline export` wrote.",
            show_default=False,
        ),
    ],
    name: Annotated[
        str | None,
        typer.Option(
            "--as", metavar="NAME", help="Collection to import an export into. (default its own name)"
        ),
    ] = None,
    into: Annotated[
        str | None,
        typer.Option(
            help="Empty database to load into: bolt://HOST:PORT, without a login. (default: the one that "
            "tools query)"
        ),
    ] = None,
    user: Annotated[
        str | None, typer.Option(help="User to log in as. (default: the user of the tools, or neo4j)")
    ] = None,
    password_env: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Environment variable that contains the password. (default: ask for it)",
            show_default=False,
        ),
    ] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Import a collection that was exported, or a Cypher script for tools to query.

    Of a collection, documents appear one by one, each whole; if it ends early, the same command goes on. The
    collection must be empty.

    A script goes into an empty database. If a statement fails, its line is shown and everything loaded
    before it is removed. At the end, names are indexed. Exit codes: 0 loaded, 1 failed, 2 usage, or not
    empty.

    [bold]Examples[/bold]

      hopline import notes.hopline --as notes-2       what `hopline export` wrote

      hopline import movies.cypher                    into HOPLINE_TOOLS_NEO4J_URL

      hopline import movies.cypher --into bolt://example.org:7687 --user me
    """
    from producer.service.script_import import check_target, import_script, read_script
    from workers.logs import quiet_logs
    from workers.settings import load_settings

    if _is_collection(file):
        of_scripts = {"into": into, "user": user, "password-env": password_env}
        _refuse_given("a script only, not a collection", of_scripts)
        import_collection(file, name, quiet=quiet, as_json=as_json)
        return
    _refuse_given("a file that `hopline export` wrote; this is none", {"as": name})
    settings = load_settings()
    quiet_logs(settings)
    into = check_target(into or _of_tools(settings))
    statements = read_script(file)
    target = _target(into, user, password_env, settings)
    with statement_progress(len(statements), quiet=quiet or as_json) as tell:
        done = import_script(statements, target, settings, tell)
    if as_json:
        print_json(done.model_dump_json())
        return
    _print_done(done, target, known=(target.url, target.user) == settings.tools_login[:2])


def _is_collection(file: Path) -> bool:
    from producer.backup.collection_file import is_collection_file

    return file.is_file() and is_collection_file(file)


def _refuse_given(allowed: str, options: dict[str, str | None]) -> None:
    from hopline.errors import InvalidInput

    for option, value in options.items():
        if value is not None:
            raise InvalidInput(option, value, f"for {allowed}", message=f"--{option} is for {allowed}")


def _of_tools(settings: Settings) -> str:
    """Return the address of the tools' database.

    Raises:
        InvalidInput: the setting is empty.
    """
    from hopline.errors import InvalidInput

    if not settings.tools_neo4j_url:
        message = (
            "name the database with --into, or in HOPLINE_TOOLS_NEO4J_URL; `hopline up` starts a second "
            "Neo4j where HOPLINE_TOOLS_NEO4J_PORT says on which port"
        )
        raise InvalidInput("into", None, "an address such as bolt://127.0.0.1:7688", message=message)
    return settings.tools_neo4j_url


def _target(into: str, user: str | None, password_env: str | None, settings: Settings) -> Target:
    """Return the database to load into, with the tools' login if it is the tools' database."""
    from hopline.errors import InvalidInput
    from producer.service.script_import import Target

    known = into == settings.tools_neo4j_url
    user = user or (settings.tools_neo4j_user if known else "neo4j")
    if password_env is not None:
        if password_env not in os.environ:
            raise InvalidInput(
                "password-env", password_env, "the name of an environment variable that is set"
            )
        return Target(url=into, user=user, password=os.environ[password_env])
    if known and user == settings.tools_neo4j_user:
        password = settings.tools_neo4j_password.get_secret_value()
        return Target(url=into, user=user, password=password, settings="HOPLINE_TOOLS_NEO4J")
    if not sys.stdin.isatty():
        raise InvalidInput(
            "password-env", None, "the name of an environment variable, since there is no terminal to ask on"
        )
    reply = typer.prompt(
        f"Password of {user} at {into}", hide_input=True, default="", show_default=False, err=True
    )
    return Target(url=into, user=user, password=reply)


@contextmanager
def statement_progress(statements: int, *, quiet: bool) -> Iterator[Callable[[int], None]]:
    """Yield a progress display of the statements: a bar on a terminal, nothing elsewhere."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("statements"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = notices()
    disable = quiet or not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=disable) as bar:
        task = bar.add_task("", total=statements)
        yield lambda count: bar.update(task, completed=count)


def _print_done(done: Imported, target: Target, *, known: bool) -> None:
    console = answers()
    on_data = done.statements - done.schema_statements
    made = f"{counted(done.nodes, 'node')}, {counted(done.relationships, 'relationship')}"
    console.print(
        f"{made}: {counted(on_data, 'statement')} in "
        f"{counted(done.transactions, 'transaction')}, and {done.schema_statements:,} on the schema."
    )
    if done.indexed:
        console.print(harmless(f"Names are indexed: {', '.join(done.indexed)}."), markup=False)
    elif done.not_indexed:
        notice(f"Names are not indexed, so they must be spelled exactly: {done.not_indexed}")
    typer.echo(f"\n{harmless(done.graph.as_text())}\n")
    if known:
        console.print("Tools and questions ask this graph.", markup=False)
        return
    console.print("For tools and questions to ask this graph:", markup=False)
    settings = (("URL", target.url), ("USER", target.user), ("PASSWORD", "…"))
    for name, value in settings:
        console.print(harmless(f"  export HOPLINE_TOOLS_NEO4J_{name}={value}"), markup=False, soft_wrap=True)
    console.print("  hopline up    # workers of the local stack read them when they start", markup=False)
