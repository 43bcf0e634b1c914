"""The command line's exit codes."""

from __future__ import annotations

from enum import IntEnum
from typing import Self


class Exit(IntEnum):
    """Exit codes, the same for every command; each has its meaning in words."""

    meaning: str

    def __new__(cls, code: int, meaning: str) -> Self:
        """Return the code with its meaning."""
        made = int.__new__(cls, code)
        made._value_ = code
        made.meaning = meaning
        return made

    DONE = 0, "done"
    FAILED = 1, "failed, or you declined"
    USAGE = 2, "a wrong option or value"
    NOTHING_FOUND = 3, "nothing has that name, or the documents do not answer"
    PARTIAL = 4, "partly done"
    INTERRUPTED = 130, "ended by Ctrl-C"  # what shells give a command that Ctrl-C ended


_OF_STATE = {"done": Exit.DONE, "abstained": Exit.NOTHING_FOUND, "partial": Exit.PARTIAL}


def exit_of_state(state: str) -> Exit:
    """Return the exit code for a job that ended in this state."""
    return _OF_STATE.get(state, Exit.FAILED)


def in_words() -> str:
    """Return all codes with their meanings in one line."""
    return "; ".join(f"{code.value} {code.meaning}" for code in Exit)
