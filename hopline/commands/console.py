"""The terminal: output streams, errors that end a command, and safe printing of documents' text."""

from __future__ import annotations

import json
import os
import re
import select
import sys
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from hopline.commands.exits import Exit
from hopline.visible import visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

# Text from documents, models and users could carry sequences that move the cursor or recolour the screen.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
_CITATION = re.compile(r"\[\d+\]")
_LEFT_TO_RIGHT, _RIGHT_TO_LEFT, _END = "\u2066", "\u2067", "\u2069"  # Unicode's isolates, of no width
_PIPE_WIDTH = 200  # columns of tables that no terminal bounds


def answers() -> Console:
    """Return the console for requested output: stdout, which carries nothing else."""
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else _PIPE_WIDTH)


def notices() -> Console:
    """Return the console for progress, hints and errors: stderr."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, soft_wrap=not sys.stderr.isatty())


def print_indented(console: Console, text: Text, indent: int) -> None:
    """Print text with every line indented; lines are wrapped only on a terminal.

    On a terminal, every line takes its direction from the first letter of the text, which keeps words,
    markers and punctuation of right-to-left text in order.
    """
    from rich.text import Text

    opening = _direction(text.plain) if console.is_terminal else ""
    shown = _with_markers_apart(text) if opening else text
    wrapped = shown.wrap(console, console.width - indent) if console.is_terminal else shown.split()
    for line in wrapped:
        line.rstrip()
        directed = Text(opening) + line + Text(_END) if opening and line else line
        console.print(Text(" " * indent) + directed, soft_wrap=True)


def _direction(text: str) -> str:
    """Return the control character for the first letter's direction; "" if all text is left to right."""
    if text.isascii():
        return ""
    letters = [kind for kind in map(unicodedata.bidirectional, text) if kind in {"L", "R", "AL"}]
    if not {"R", "AL"} & set(letters):
        return ""
    return _LEFT_TO_RIGHT if letters[0] == "L" else _RIGHT_TO_LEFT


def _with_markers_apart(text: Text) -> Text:
    """Return the text with citation markers isolated from the direction of the words beside them."""
    from rich.text import Text

    apart = Text()
    for piece in text.divide([place for match in _CITATION.finditer(text.plain) for place in match.span()]):
        is_marker = _CITATION.fullmatch(piece.plain) is not None
        apart += Text(_LEFT_TO_RIGHT) + piece + Text(_END) if is_marker else piece
    return apart


def print_folded(console: Console, text: Text, indent: int = 4) -> None:
    """Print text, on a terminal wrapped between words with later lines indented."""
    from rich.text import Text

    if not console.is_terminal or text.cell_len <= console.width:
        console.print(text, soft_wrap=True)
        return
    first, *more = text.wrap(console, console.width)
    first.rstrip()
    console.print(first, soft_wrap=True)
    print_indented(console, Text(" ").join(more), indent)


def harmless(text: object) -> str:
    """Return untrusted text with a visible mark for every control character except line ends and tabs."""
    return visible(_CONTROL.sub("\N{REPLACEMENT CHARACTER}", str(text).replace("\r\n", "\n")))


def print_json(text: str) -> None:
    """Print one JSON object on stdout; characters that move the cursor or hide text are escaped."""
    typer.echo(_UNSEEN.sub(lambda sign: json.dumps(sign[0])[1:-1], text))


def notice(text: str) -> None:
    """Print one line on stderr."""
    notices().print(harmless(text), markup=False)


def error_line(text: str) -> None:
    """Print what went wrong, as one line on stderr."""
    from rich.text import Text

    notices().print(Text.assemble(("error: ", "bold red"), harmless(text)))


def agree(question: str, *, yes: bool) -> None:
    """Ask before data is lost or access locked, unless `--yes` was given; "no" ends the command.

    Raises:
        InvalidInput: there is no terminal to ask on.
    """
    if yes:
        return
    typer.echo(
        f"{harmless(question)} [y/N]: ", nl=False, err=True
    )  # `typer.confirm` writes to stdout as well
    answer = sys.stdin.readline()
    if not answer:
        from hopline.errors import InvalidInput

        typer.echo(err=True)
        raise InvalidInput(
            "--yes",
            False,
            "given",
            message="this needs confirmation and there is no terminal to ask on: add --yes",
        )
    if answer.strip().lower() not in {"y", "yes"}:
        raise typer.Exit(Exit.FAILED)


@contextmanager
def working(doing: str, *, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Show a message on a terminal while work is in progress, unless quiet; yield its update function."""
    if quiet:
        yield lambda _doing: None
        return
    with notices().status(doing) as shown:
        yield shown.update


def _has_lost_its_reader() -> bool:
    """Return whether stdout or stderr has lost its reader; if so, discard its buffered output."""
    lost = False
    for stream in (sys.stdout, sys.stderr):
        looks = select.poll()
        looks.register(stream.fileno(), 0)  # errors are always reported
        if looks.poll(0):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            lost = True
    return lost


class ReportingGroup(TyperGroup):
    """A group of commands whose errors become one line and an exit code, unless --debug is set.

    Where the reader of the output has left, as `head` does, a command ends as if all had been read.
    """

    def invoke(self, ctx: Any) -> Any:
        """Run the command and report its errors; with --json, also as one JSON object on stdout."""
        as_json = "--json" in ctx.args
        try:
            return super().invoke(ctx)
        except (typer.Exit, typer.Abort):
            raise
        except SystemExit as leaving:
            if isinstance(leaving.__context__, BrokenPipeError):  # rich caught it on either stream
                _has_lost_its_reader()
                raise typer.Exit(Exit.DONE) from None
            raise
        except KeyboardInterrupt:
            raise typer.Exit(Exit.INTERRUPTED) from None
        except Exception as error:  # the one place where every error ends
            if isinstance(error, BrokenPipeError) and _has_lost_its_reader():
                raise typer.Exit(Exit.DONE) from None
            if _is_usage(error) and isinstance(message := getattr(error, "message", None), str):
                error.message = message.removeprefix("Value error, ")  # type: ignore[attr-defined]
            if (_is_usage(error) and not as_json) or ctx.params.get("debug"):
                raise
            from hopline.commands.mistakes import as_object, explain

            line, code = explain(error, self._options(ctx))
            if as_json:
                print_json(json.dumps({"error": as_object(error, line)}, ensure_ascii=False))
            error_line(line)
            raise typer.Exit(code) from None

    def _options(self, ctx: Any) -> dict[str, str]:
        """Return the options of the command that ran, by parameter: max_depth is --max-depth."""
        command = self.get_command(ctx, ctx.invoked_subcommand or "")
        commands = [command, *getattr(command, "commands", {}).values()] if command else []
        options = (param for each in commands for param in each.params if param.opts[0].startswith("-"))
        return {param.name: max(param.opts, key=len) for param in options if param.name}


def _is_usage(error: Exception) -> bool:
    """Return whether typer itself prints this error, with the command's usage."""
    return hasattr(error, "exit_code") and hasattr(error, "format_message")
