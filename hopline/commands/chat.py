"""hopline chat."""

from __future__ import annotations

import secrets
import shlex
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hopline.commands.ask import follow_question, show_answer, tell_of_trouble
from hopline.commands.client import connected
from hopline.commands.console import answers, error_line, harmless, notice, notices, print_json
from hopline.commands.exits import Exit
from hopline.commands.ids import whole_collections
from hopline.commands.options import DEFAULT, Collections, Quiet, Tag
from hopline.commands.scope import As, AsOf, Documents, KnownAt, Where, scope_of
from hopline.models.sessions import MOST_SESSIONS
from hopline.models.strategies import AUTO

if TYPE_CHECKING:
    from hopline import Hopline
    from hopline.models.answers import Answer

_PROMPT = "ask> "  # plain letters: a terminal may know no others
_LAST_WORDS = {"exit", "quit", "/exit", "/quit"}
_COMMANDS = {
    "/help": "show these commands",
    "/explain": "show how the last answer was found, and what was left out",
    "/history": "show what this session remembers",
    "/sessions": "list the sessions that remember something",
    "/session NAME": "go on with that session, or begin it",
    "/exit": "end the chat",
}
_FLAGS = {"collection": "-c", "documents": "--document", "tags": "--tag"}


def chat(
    collection: Collections = DEFAULT,
    session: Annotated[
        str | None,
        typer.Option(help="Session to continue. (default: a new one)", show_default=False),
    ] = None,
    strategy: Annotated[
        str | None, typer.Option(help="How to look for the answers; see `hopline ask --help`.")
    ] = None,
    where: Where = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per answer and line on stdout.")
    ] = False,
    timeout: Annotated[
        float | None,
        typer.Option(help="Seconds per question, after which it is answered from what was found so far."),
    ] = None,
    documents: Documents = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    act_as: As = None,
    tag: Tag = None,
    sessions: Annotated[
        bool, typer.Option("--sessions", help="List the sessions that remember something, and exit.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Ask one question after another; each may refer to those before it.

    A line that begins with a slash is a command; /help lists them. Ctrl-C cancels a question; Ctrl-D, exit or
    quit ends the chat. In a pipe, every line is a question or a command.
    Exit codes: 0 the chat ended, 1 a question could not be asked, 3 no such collection, 2 usage.

    [bold]Examples[/bold]

      hopline chat -c notes

      hopline chat --sessions

      hopline chat -c notes --session 5f3a9c

      hopline chat -c contracts --where 'tags has "signed"' --as user:ann

      hopline chat -c contracts -c letters

      hopline chat -c notes --json < questions.txt
    """
    from hopline.models.tags import parse_tags

    with connected() as client:
        if sessions:
            show_sessions(client)
            return
        options: dict[str, Any] = {
            "collection": tuple(dict.fromkeys(whole_collections(client, collection))),
            "strategy": strategy or AUTO,
            "session": session or secrets.token_hex(4),
            "parameters": {} if timeout is None else {"timeout": timeout},
            "tags": parse_tags(tag or ()),
            **scope_of(client, where, documents, as_of, known_at),
        }
        talk = Chat(client, options, act_as, quiet=quiet or as_json, as_json=as_json)
        tell_of_trouble(client, options["strategy"])
        talk.greet()
        for line in lines():
            talk.take(line)
        notice(f"Continue with: {talk.command}")
    raise typer.Exit(Exit.FAILED if talk.failed else Exit.DONE)


class Chat:
    """Asks the questions of one session in turn.

    Args:
        client: client that asks the questions.
        options: of every question, as `client.queries.submit` takes them; the session is among them.
        act_as: only what these principals may see is read; None for everything.
        quiet: show no progress.
        as_json: print answers as JSON.
    """

    def __init__(
        self, client: Hopline, options: dict[str, Any], act_as: str | None, *, quiet: bool, as_json: bool
    ) -> None:
        self._client = client
        self._acting = client.with_options(act_as=act_as)
        self._act_as = act_as
        self._options = options
        self._quiet = quiet
        self._as_json = as_json
        self.failed = False  # a question could not be asked
        self._last: Answer | None = None

    @property
    def command(self) -> str:
        """The command that continues this chat with the same options, repeated once per value."""
        options = self._options
        named = {
            "collection": options["collection"],
            "strategy": None if options["strategy"] == AUTO else options["strategy"],
            **options["parameters"],
            "session": options["session"],
            **{name: options.get(name) for name in ("where", "documents", "as_of", "known_at")},
            "tags": [f"{tag}={value}" for tag, value in options["tags"].items()],
            "as": self._act_as,
        }
        words = ["hopline", "chat"]
        for name, value in named.items():
            option = _FLAGS.get(name, f"--{name.replace('_', '-')}")
            for argument in value if isinstance(value, list | tuple) else [value]:
                words += [] if argument is None else [option, str(argument)]
        return shlex.join(words)

    def greet(self) -> None:
        """Print the session's name, and how many of its questions are remembered.

        Raises:
            InvalidInput, NotFound: no question could be asked with these options.
        """
        options = {name: value for name, value in self._options.items() if name != "tags"}
        known = self._acting.queries.check("?", **options).remembered
        before = f", {known} earlier questions remembered" if known else ""
        hint = " /help lists commands; Ctrl-D ends the chat." if _is_talking() else ""
        collections = ", ".join(self._options["collection"])
        notice(f"Session {self._options['session']} over {collections}{before}.{hint}")

    def take(self, line: str) -> None:
        """Ask a question, or run a command that begins with a slash."""
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
            self._show_memory()
        elif command == "/sessions":
            show_sessions(self._client)
        elif command == "/session" and argument.strip():
            self._options["session"] = argument.strip()
            self.greet()
        else:
            notice(f"There is no command {line}; /help lists them.")

    def _show_memory(self) -> None:
        from hopline.views.sessions import print_memory

        own = self._options["session"], sorted(self._options["collection"])
        for each in self._acting.sessions.list(limit=MOST_SESSIONS).sessions:
            if (each.name, sorted(each.collections)) == own:
                print_memory(answers(), self._acting.sessions.get(each.id))
                return
        notice("This session remembers nothing yet.")

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
        job_id = self._acting.queries.submit(question, **self._options).id
        timeout = self._options["parameters"].get("timeout")
        answer = follow_question(self._client, job_id, timeout, quiet=self._quiet)
        if not (self._as_json or _is_talking()):
            answers().print(harmless(f"{_PROMPT}{question}"), markup=False, highlight=False, soft_wrap=True)
        self._last = answer
        show_answer(answer, time.monotonic() - started, as_json=self._as_json)
        if not self._as_json:
            typer.echo()  # the next one is not taken for a part of it


def show_sessions(client: Hopline) -> None:
    """Print the sessions that remember something, most recently used first."""
    from hopline.views.sessions import print_sessions

    print_sessions(answers(), client.sessions.list(limit=MOST_SESSIONS).sessions)


def lines() -> Iterator[str]:
    """Yield the lines typed, or read from stdin, until "exit" or the end of input."""
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
