"""Encodes the arguments and replies of the Lua scripts as flat lists."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import orjson

from hopline.errors import InvalidInput
from hopline.models.jobs import Budget, Json, Usage
from workers.core.jobs.manifest import Manifest
from workers.core.jobs.params import DeleteParams, DocumentParams, MergeParams, QueryParams
from workers.core.jobs.records import Config, Due, Look, Moved
from workers.core.jobs.work import Event, GivenBack, Item, Job, Phase

_LEFT_OUT = Job.LEFT_OUT.union(
    *(params.LEFT_OUT for params in (QueryParams, DocumentParams, DeleteParams, MergeParams))
)
INPUT_BYTES = 256 * 1024  # an item's input or result; larger things are references
MOST_ITEMS = 500  # that one script handles; more would stop Redis for everyone
_STEP = re.compile(r"[\w.-]+", re.ASCII)


def flat_items(items: Sequence[Item]) -> list[str | int]:
    """Return the number of items, then the id, step, input and delay of each.

    Raises:
        InvalidInput: there are too many for one script, one is too large, or a step's name is not one word.
    """
    if len(items) > MOST_ITEMS:
        raise InvalidInput("items", len(items), f"at most {MOST_ITEMS} at a time; more go into a manifest")
    for step in {item.step for item in items}:
        if not _STEP.fullmatch(step):
            raise InvalidInput("step", step, "letters, digits, '_', '-' and '.'")
    flat: list[str | int] = [len(items)]
    for item in items:
        flat += [item.id, item.step, encode(item.input, bounded=True), milliseconds(item.delay)]
    return flat


def flat_events(events: Sequence[Event]) -> list[str | int]:
    """Return the number of events, then the name and data of each."""
    flat: list[str | int] = [len(events)]
    for event in events:
        flat += [event.name, encode(event.data)]
    return flat


def flat_release(release: GivenBack | None) -> list[str]:
    """Return the reader and the names given back, or an empty list."""
    return [release.reader, *release.names] if release and release.names else []


def spent(seconds: float, usage: Usage) -> list[int]:
    """Return milliseconds, calls, prompt tokens, completion tokens."""
    return [milliseconds(seconds), usage.model_calls, usage.prompt_tokens, usage.completion_tokens]


def encode(value: Json, *, bounded: bool = False) -> str:
    """Return a value as JSON; refuse an item's input or result that is too large for Redis."""
    data = orjson.dumps(value)
    if bounded and len(data) > INPUT_BYTES:
        raise InvalidInput("item", f"{len(data)} bytes", f"at most {INPUT_BYTES}; store it as a blob")
    return data.decode()


def plain(text: str, most: int) -> str:
    """Return the start of a text in a form for Redis; half a surrogate pair becomes a question mark."""
    return text[:most].encode(errors="replace").decode()


def milliseconds(seconds: float) -> int:
    """Return seconds as whole milliseconds."""
    return round(seconds * 1000)


def pairs(flat: Sequence[str]) -> dict[str, str]:
    """Return a mapping from a flat list of keys and values."""
    return dict(zip(flat[::2], flat[1::2], strict=True))


def read_moved(reply: list[Any]) -> Moved:
    """Parse the replies of finish, advance and fail: verdict, advance, cursor, added, and counts."""
    absent: list[Any] = ["", -1, (), 0, 0, 0, 0]
    verdict, advance, cursor, added, results, pages, done, failed = reply + absent[len(reply) - 1 :]
    return Moved(
        verdict=verdict,
        advance=advance,
        cursor=cursor,
        added=tuple(added),
        results=results,
        pages=pages,
        done=done,
        failed=failed,
    )


def read_look(reply: list[Any] | Exception) -> Look:
    """Parse a reply of look, or the reason why it failed for one job."""
    if isinstance(reply, Exception):
        return Look(verdict="broken", error=plain(str(reply), 500))
    if reply[0] == "missing":
        return Look(verdict="missing")
    if reply[0] == "ended":
        return Look(verdict="ended", outbox=pairs(reply[1]), lost=_lost(*reply[2:]))
    _, epoch, attention, phase, cursor, send, delegated, outbox, lost = reply
    due = zip(send[::3], send[1::3], send[2::3], strict=True)
    return Look(
        verdict="running",
        epoch=int(epoch),
        attention=attention,
        phase=int(phase),
        cursor=cursor,
        send=tuple(Due(item_id=item, step=step, quarantined=flag == "1") for item, step, flag in due),
        delegated=tuple(zip(delegated[::2], delegated[1::2], strict=True)),
        outbox=pairs(outbox),
        lost=_lost(lost),
    )


def _lost(flat: Sequence[str] = ()) -> tuple[tuple[str, bool], ...]:
    return tuple((step, dead == "1") for step, dead in zip(flat[::2], flat[1::2], strict=True))


def is_same(spec: Json, other: Json) -> bool:
    """Return whether two jobs' descriptions agree; fields that only one version knows are ignored.

    A field that is left out when empty is not missing for that reason, so it counts as a difference.
    """
    common = spec.keys() & other.keys()
    if any(spec.get(name) or other.get(name) for name in _LEFT_OUT & (spec.keys() ^ other.keys())):
        return False
    return all(
        is_same(spec[name], other[name]) if name == "params" else spec[name] == other[name] for name in common
    )


def time_fields(config: Config, timeout: float | None) -> list[str | int]:
    """Return a job's times and limits; timeout: seconds until its deadline."""
    fields: list[str | int] = [
        "lease_ms", milliseconds(config.lease_seconds),
        "resend_ms", milliseconds(config.resend_seconds),
        "backoff_ms", milliseconds(config.backoff_seconds),
        "longest_hold_ms", milliseconds(config.longest_hold_seconds),
        "grace_ms", milliseconds(config.grace_seconds),
        "keep_ms", milliseconds(config.keep_seconds),
        "max_attempts", config.max_attempts,
    ]  # fmt: skip
    return fields if timeout is None else [*fields, "timeout_ms", milliseconds(timeout)]


def limit_fields(budget: Budget) -> list[str | int]:
    """Return the limits that a budget sets."""
    return [part for name, limit in limits(budget).items() for part in (f"limit_{name}", limit)]


def limits(budget: Budget) -> dict[str, int]:
    """Return a budget's limits, the cost in millionths."""
    cost = None if budget.cost is None else round(budget.cost * 1_000_000)
    named = {"calls": budget.model_calls, "tokens": budget.tokens, "cost": cost}
    return {name: limit for name, limit in named.items() if limit is not None}


def growth_fields(phase: Phase, manifest: Manifest | None) -> list[str | int]:
    """Return the fields that say how far the first phase may grow."""
    fields: list[str | int] = [part for step, cap in phase.caps.items() for part in (f"cap:0:{step}", cap)]
    if manifest:
        fields += ["manifest", manifest.reference, "size", manifest.size]
        fields += ["cursor", len(phase.items), "window", phase.window]
    return fields
