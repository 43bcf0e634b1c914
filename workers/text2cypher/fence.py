"""Removes the code fence that a model may put around its whole reply, and nothing else."""

from __future__ import annotations

import re

_FENCED = re.compile(r"```(?:cypher)?\s(.*)\s```", re.DOTALL | re.IGNORECASE)


def unfenced(reply: str) -> str:
    """Return a reply without the white space around it, and without the one fence around all of it.

    What is inside comes back as it is. Prose before or after stays, so that the guard refuses it: a text that
    looks like prose may be a part of the statement.
    """
    text = reply.strip()
    fenced = _FENCED.fullmatch(text)
    return fenced[1].strip() if fenced else text
