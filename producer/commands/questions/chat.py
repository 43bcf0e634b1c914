"""hopline chat."""

from __future__ import annotations

import secrets
import shlex
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hopline.commands.console import answers, error_line, harmless, notice, notices, print_json
from hopline.commands.exits import Exit
from hopline.commands.options import DEFAULT, Collections
from hopline.commands.scope import As, AsOf, Documents, KnownAt, Where
from producer.commands.client import open_client, require_documents, tell_of_other_tools
from producer.commands.options import Quiet, Tag
from producer.commands.questions.ask import follow_question, require_seen, show_answer

if TYPE_CHECKING:
    from hopline.models.answers import Answer
    from producer.client.hopline import Hopline

_PROMPT = "ask> "  # plain letters: a terminal may know no others
_LAST_WORDS = {"exit", "quit", "/exit", "/quit"}
_COMMANDS = {
    "/help": "show these commands",
    "/explain": "show how the last answer was found, and what was left out",
    "/history": "list the questions of this session",
    "/sessions": "list the sessions whose jobs are kept",
    "/session NAME": "go on with that session, or begin it",
    "/exit": "end the chat",
}
_SESSION_JOBS = 500  # the newest questions, among which sessions are looked for


def chat(
    collection: Collections = DEFAULT,
    session: Annotated[
        str | None,
        typer.Option(help="Continue this session; without it a new one begins.", show_default=False),
    ] = None,
    strategy: Annotated[
        str | None, typer.Option(help="How to look for the answers; see `hopline ask --help`.")
    ] = None,
    timeout: Annotated[
        float | None, typer.Option(help="Seconds per question; then it answers with what it has.")
    ] = None,
    where: Where = None,
    documents: Documents = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    act_as: As = None,
    tag: Tag = None,
    sessions: Annotated[bool, typer.Option("--sessions", help="List the sessions of late, and end.")] = False,
    quiet: Quiet = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per answer and line on stdout.")
    ] = False,
) -> None:
    """Ask one question after another, each understood with those before it.

    A line that begins with a slash is a command; /help lists them. Ctrl-C cancels a question; Ctrl-D, exit or
    quit ends the chat. In a pipe, every line is a question or a command.
    Exit codes: 0 the chat has ended, 1 a question could not be asked, 3 there is no such collection, 2 usage.

    [bold]Examples[/bold]

      hopline chat -c notes

      hopline chat --sessions

      hopline chat -c notes --session 5f3a9c

      hopline chat -c contracts --where 'tags has "signed"' --as user:ann

      hopline chat -c contracts -c letters

      hopline chat -c notes --json < questions.txt
    """
    from hopline.models.tags import parse_tags
    from workers.core.jobs.params import check_collections

    if sessions:
        with open_client() as client:
            show_sessions(client)
        return
    names, session = check_collections(collection), session or secrets.token_hex(4)
    options = {"strategy": strategy, "timeout": timeout, "session": session}
    scope = {"where": where, "documents": documents, "as_of": as_of, "known_at": known_at}
    fixed = _checked(names, options | scope, act_as) | {"tags": parse_tags(tag or ()), "act_as": act_as}
    with open_client() as client:
        require_documents(client, names, strategy)
        require_seen(client, names, fixed, act_as)
        tell_of_other_tools(client, strategy)
        talk = Chat(client, names, fixed, quiet=quiet or as_json, as_json=as_json)
        talk.greet()
        for line in lines():
            talk.take(line)
    notice(f"Go on with: {_command(names, fixed)}")
    raise typer.Exit(Exit.FAILED if talk.failed else Exit.DONE)


def _command(collections: Sequence[str], fixed: Mapping[str, Any]) -> str:
    """Return the command that asks in the same way, each option as often as it has values."""
    flags = {"documents": "document", "tags": "tag", "act_as": "as"}
    words = ["hopline", "chat", *chain.from_iterable(("-c", name) for name in collections)]
    options = {**fixed, "tags": [f"{tag}={of}" for tag, of in fixed["tags"].items()]}
    for name, value in options.items():
        option = f"--{flags.get(name, name).replace('_', '-')}"
        for argument in value if isinstance(value, list) else [value]:
            words += [] if argument is None else [option, str(argument)]
    return shlex.join(words)


def _checked(collections: Sequence[str], options: dict[str, Any], act_as: str | None) -> dict[str, Any]:
    """Return the options that are set; a wrong one ends the chat here, not at each question."""
    from workers.core.jobs.params import QueryParams, parse_params, split_collections
    from workers.core.scope import check_reads_less

    choices = {name: value for name, value in options.items() if value is not None}
    _first, several = split_collections(collections)
    params = parse_params(QueryParams, {"question": "?", **several, **choices})
    params.check_alone(params.strategy)
    if act_as is not None:
        check_reads_less(params.strategy)
    return choices


class Chat:
    """Asks the questions of one session in turn.

    Args:
        client: where they are asked.
        collections: whose documents to answer from.
        options: parameters of every question, the session among them.
        quiet: show no progress.
        as_json: print answers as JSON.
    """

    def __init__(
        self,
        client: Hopline,
        collections: Sequence[str],
        options: dict[str, Any],
        *,
        quiet: bool,
        as_json: bool,
    ) -> None:
        self._client = client
        self._collections = collections
        self._options = options
        self._quiet = quiet
        self._as_json = as_json
        self.failed = False  # a question could not be asked
        self._last: Answer | None = None

    def greet(self) -> None:
        """Print the session's name, and how much of it is remembered."""
        from producer.client.terms import principals_of

        session = self._options["session"]
        known = self._client.service.questions.remembered(
            self._collections, self._options, principals_of(self._options["act_as"])
        )
        before = f", {known} earlier questions remembered" if known else ""
        hint = " /help lists commands; Ctrl-D ends the chat." if _is_talking() else ""
        notice(f"Session {session} over {', '.join(self._collections)}{before}.{hint}")

    def take(self, line: str) -> None:
        """Ask a question, or do what a line that begins with a slash says."""
        command, _space, argument = line.partition(" ")
        if not command.startswith("/"):
            self.ask(line)
        elif command == "/help":
            for name, meaning in _COMMANDS.items():
                notice(f"{name:<14} {meaning}")
        elif command == "/explain" and self._last is not None:
            show_answer(self._last, None, explain=True, as_json=False)
        elif command == "/explain":
            notice("There is no answer yet.")
        elif command == "/history":
            show_questions(self._client, self._options["session"])
        elif command == "/sessions":
            show_sessions(self._client)
        elif command == "/session" and argument.strip():
            self._options["session"] = argument.strip()
            self.greet()
        else:
            notice(f"There is no command {line}; /help lists them.")

    def ask(self, question: str) -> None:
        """Ask a question and print its answer, or why there is none; Ctrl-C cancels only this question."""
        try:
            self._answer(question)
        except (typer.Exit, KeyboardInterrupt):
            if not _is_talking():
                raise
        except Exception as error:  # noqa: BLE001 - a chat outlives whatever becomes of a question
            from hopline.commands.mistakes import explain

            self.failed = True
            line, _code = explain(error)
            error_line(line)
            if self._as_json:
                import json

                print_json(json.dumps({"job_id": None, "status": "failed", "reason": line}))

    def _answer(self, question: str) -> None:
        started = time.monotonic()
        job_id = self._client.submit_question(question, self._collections, **self._options)
        answer = follow_question(self._client, job_id, self._options.get("timeout"), quiet=self._quiet)
        if not (self._as_json or _is_talking()):
            answers().print(harmless(f"{_PROMPT}{question}"), markup=False, highlight=False, soft_wrap=True)
        self._last = answer
        show_answer(answer, time.monotonic() - started, as_json=self._as_json)
        if not self._as_json:
            typer.echo()  # the next one is not taken for a part of it


def show_sessions(client: Hopline) -> None:
    """Print the sessions of the newest questions, the one of the newest first."""
    from producer.views.questions.sessions import print_sessions

    print_sessions(answers(), client.jobs(_SESSION_JOBS, kind="query"))


def show_questions(client: Hopline, session: str) -> None:
    """Print the questions of a session, the oldest first."""
    from producer.views.questions.sessions import print_questions

    print_questions(answers(), client.jobs(_SESSION_JOBS, kind="query"), session)


def lines() -> Iterator[str]:
    """Yield the typed lines, or those of stdin, until the end of input or "exit"."""
    for typed in _typed() if _is_talking() else sys.stdin:
        line = typed.strip()
        if line.casefold() in _LAST_WORDS:
            return
        if line:
            yield line


def _is_talking() -> bool:
    return sys.stdin.isatty()


def _typed() -> Iterator[str]:
    import readline  # noqa: F401 - gives `input` its line editing and history

    while True:
        try:
            yield _typed_line()
        except EOFError:
            typer.echo(err=True)
            return
        except KeyboardInterrupt:
            notice("\nCtrl-D or exit ends the chat.")


def _typed_line() -> str:
    if sys.stdout.isatty():
        return input(_PROMPT)
    # `input` would write its prompt among the answers.
    notices().print(_PROMPT, end="")
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line
