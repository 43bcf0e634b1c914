"""The command line's exit codes."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """Exit codes, the same for every command."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    ABSTAINED = 3
    PARTIAL = 4
    INTERRUPTED = 130  # what shells give a command that Ctrl-C ended


_OF_STATE = {"done": Exit.DONE, "abstained": Exit.ABSTAINED, "partial": Exit.PARTIAL}


def exit_of_state(state: str) -> Exit:
    """Return the exit code for a job that ended in this state."""
    return _OF_STATE.get(state, Exit.FAILED)
