"""hopline demo."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from hopline.commands.ask import follow_question
from hopline.commands.client import connected, refuse_an_api
from hopline.commands.console import agree, answers, error_line, notice, notices, print_json
from hopline.commands.exits import Exit
from hopline.commands.ingest import follow_documents
from hopline.commands.options import AsJson, Quiet
from hopline.models.times import seconds_between
from producer.commands.import_graph import statement_progress

if TYPE_CHECKING:
    from rich.console import Console

    from hopline import Hopline
    from hopline.models.answers import Answer
    from hopline.models.ingest_reports import IngestReport, Submitted
    from producer.demo.run import Demo, MoviesDemo, StoryDemo
    from producer.service.script_import import Target

_TOOLS_PORT = 7688  # of the second Neo4j; another free one where it is taken


def demo(
    story: Annotated[
        bool,
        typer.Option("--story", help="Instead, ingest a story with a profile, and ask every tool about it."),
    ] = False,
    movies: Annotated[
        bool,
        typer.Option("--movies", help="Instead, load the Movies graph, and ask questions about it."),
    ] = False,
    language: Annotated[
        Literal["en", "zh"], typer.Option("--language", help="Language of the story: English or Chinese.")
    ] = "en",
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="With --movies: restart a running local stack without asking.")
    ] = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Ingest a dozen short texts and ask five questions about them.

    If no servers are configured or running, the local stack is started first, as by `hopline up`; it keeps
    running until `hopline down`.

    Two questions are answered with citations, one of them from two documents; two ask for things that the
    texts do not contain, and are declined; the last asks about all texts together, and its answer says
    which were read. With --story, a story in chapters is ingested with the profile "narrative" and every
    graph tool is asked about its characters, in English or in Chinese.

    With --movies, tools query a graph that was not made from documents: films, people, and their roles. It
    is loaded into the empty Neo4j at HOPLINE_TOOLS_NEO4J_URL. If that is not set, the local stack is
    started with a second Neo4j for it (if it is running already, you are asked first); its workers query
    that one until `hopline up` starts the stack without it.

    Exit codes: 0 everything worked, 1 something failed, 2 usage.

    [bold]Examples[/bold]

      hopline demo --story --language zh

      hopline demo --movies

      hopline demo --movies --json | jq -r '.questions[].answer.text'
    """
    if story and movies:
        raise typer.BadParameter("one of the two", param_hint="--story, --movies")
    if language != "en" and not story:
        raise typer.BadParameter(
            "only the story is available in Chinese: add --story", param_hint="--language"
        )
    if movies:
        _start_tools_database(quiet=quiet or as_json, yes=yes)
    refuse_an_api()
    if not movies:
        _start_stack(quiet=quiet or as_json)
    quiet = quiet or as_json or not notices().is_terminal  # a file or a log gets the answers only
    with connected() as client:
        story_language = language if story else None
        run = _demo(client, _console(quiet=as_json), story=story_language, movies=movies, quiet=quiet)
        wrong = run.run()
    if as_json:
        import json

        print_json(json.dumps({"questions": run.asked, "mistakes": wrong}, ensure_ascii=False))
    for line in wrong:
        error_line(line)
    raise typer.Exit(Exit.FAILED if wrong else Exit.DONE)


def _demo(
    client: Hopline, console: Console, *, story: Literal["en", "zh"] | None, movies: bool, quiet: bool
) -> Demo | StoryDemo | MoviesDemo:
    from workers.settings import load_settings

    settings = load_settings()

    def ask(job_id: str) -> tuple[Answer, float]:
        answer = follow_question(client, job_id, None, quiet=quiet)
        job = client.jobs.get(job_id)
        return answer, seconds_between(job.created, job.ended or job.created)

    def ingest(submitted: Submitted) -> IngestReport:
        return follow_documents(client, submitted, quiet=quiet)

    def load(target: Target) -> tuple[int, int]:
        from producer.demo.movies_graph import movies_statements
        from producer.service.script_import import import_script

        statements = movies_statements()
        with statement_progress(len(statements), quiet=quiet) as tell:
            done = import_script(statements, target, settings, tell)
        return done.nodes, done.relationships

    if movies:
        from producer.demo.run import MoviesDemo

        return MoviesDemo(client, settings, console, ask=ask, load=load)
    if story:
        from producer.demo.run import StoryDemo

        return StoryDemo(client, console, ingest=ingest, language=story)
    from producer.demo.run import Demo

    return Demo(client, settings, console, ingest=ingest, ask=ask)


def _console(*, quiet: bool) -> Console:
    console = answers()
    console.quiet = quiet
    return console


def _start_stack(*, quiet: bool) -> None:
    """Start the local stack if hopline's own servers are neither configured nor running.

    Raises:
        Permanent: its packages are not installed.
    """
    from hopline.machine import find_api, var_folder
    from infra.local.settings import load_local_settings
    from infra.local.supervise import connect

    local = load_local_settings()
    if local.redis_url or not local.runs_neo4j or find_api() or connect(var_folder().resolve()):
        return
    from infra.local.extra import require_local

    require_local(local)
    from infra.local.stack import up
    from workers.logs import quiet_logs
    from workers.settings import load_settings

    quiet_logs(load_settings())
    console = notices()
    console.quiet = quiet
    up(console)


def _start_tools_database(*, quiet: bool, yes: bool) -> None:
    """Start the local stack with a second Neo4j for the tools, unless settings name a database for them.

    Raises:
        InvalidInput: no database is configured, and hopline's servers are not the local stack's; or the
            stack was started in another folder, with other settings; or it is running, and there is no
            terminal to ask on.
    """
    from hopline.errors import InvalidInput
    from hopline.machine import var_folder
    from infra.local.settings import load_local_settings
    from workers.logs import quiet_logs
    from workers.settings import load_settings

    local = load_local_settings()
    if local.tools_neo4j_url:
        return
    if not local.runs_neo4j or local.redis_url:
        message = (
            "HOPLINE_NEO4J_URL or HOPLINE_REDIS_URL names other servers, so the local stack's are not "
            "started: name an empty Neo4j in HOPLINE_TOOLS_NEO4J_URL, for the workers, too"
        )
        raise InvalidInput("tools_neo4j_url", None, "bolt://HOST:PORT", message=message)
    from infra.local.stack import up
    from infra.local.supervise import connect, started_in

    folder = started_in(var_folder())
    if folder not in {None, Path.cwd()}:
        message = f"the local stack was started in {folder}, whose .env it reads: run this there"
        raise InvalidInput("folder", str(Path.cwd()), str(folder), message=message)
    is_there = load_settings().tools_neo4j_url
    if not (yes or is_there) and connect(var_folder()) is not None:
        change = (
            "the local stack is started again with a second Neo4j, "
            "and its tools ask the Movies graph until `hopline up`"
        )
        agree(f"For this {change}. Go on?", yes=False)
    quiet_logs(load_settings())
    console = notices()
    console.quiet = quiet
    up(console, tools_port=_TOOLS_PORT)
    if not quiet and local.tools_neo4j_port is None:
        notice(
            "Tools of this stack ask the Movies graph now; `hopline up` lets them ask hopline's own again. "
            f"HOPLINE_TOOLS_NEO4J_PORT={_TOOLS_PORT} in .env keeps the second Neo4j."
        )
