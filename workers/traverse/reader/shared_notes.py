"""The notes of the other paths: what a path shares, and which of the others' it is shown."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from hopline.models.base import Frozen
from workers.core.answers.lexical_rank import overlap
from workers.traverse.reader.notebook import Entry

_SHOWN = 5  # notes of other paths that a prompt tells


class SharedNote(Frozen):
    """An entry of a path's notebook as the others read it, with what it rests on."""

    path: int
    entry: Entry


def shared(path: int, entries: Sequence[Entry]) -> tuple[str, ...]:
    """Return the new entries of a path as its job keeps them for the others."""
    return tuple(SharedNote(path=path, entry=entry).model_dump_json() for entry in entries)


def notes_of_others(
    stored: Sequence[str], path: int, notebook: Sequence[Entry], wanted: frozenset[str], read: Collection[str]
) -> tuple[Entry, ...]:
    """Return the entries of other paths that a path is shown, at most five, in the order of noting.

    Those that rest on what the path would have read and another reads come first, then those that say most of
    what is wanted, then the latest. What does neither is not told: every note costs tokens in every call.

    Args:
        stored: as `shared` gave them, oldest first.
        path: whose own notes are left out.
        notebook: of the path; what it says is not told again.
        wanted: content words of what is looked for.
        read: ids of facts and chunks that other paths read.
    """
    own = {entry.text.casefold() for entry in notebook}
    once: dict[str, Entry] = {}
    for text in stored:
        note = SharedNote.read_stored(text)
        if note.path != path and note.entry.text.casefold() not in own:
            once.setdefault(note.entry.text.casefold(), note.entry)
    ranked = []
    for nth, entry in enumerate(once.values()):
        instead = bool({*entry.facts, *entry.chunks}.intersection(read))
        speaks = overlap(wanted, entry.text)
        if instead or speaks:
            ranked.append((not instead, -speaks, -nth, entry))
    best = sorted(ranked, key=lambda each: each[:3])[:_SHOWN]
    return tuple(entry for *_order, entry in sorted(best, key=lambda each: -each[2]))
