"""Spans of model calls, by OpenTelemetry's conventions for generative models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import orjson

from workers.telemetry.traces.leaf import Leaf

if TYPE_CHECKING:
    from hopline.models.jobs import Usage
    from workers.adapters.openai.calls import Call

_FORM = "openai"  # whose requests these are, whoever answers them
_TEXT = 20_000  # characters of a prompt or a reply


def model_span(address: str, operation: str, call: Call) -> Leaf:
    """Return the span of a call.

    Args:
        address: of the endpoint, as it may be shown.
        operation: chat or embeddings.
        call: what is sent.
    """
    leaf = Leaf(
        f"{operation} {call.model.name}",
        {
            "gen_ai.operation.name": operation,
            "gen_ai.provider.name": _FORM,
            "gen_ai.request.model": call.model.name,
            "hopline.model.tier": call.model.tier,
        },
    )
    if leaf.is_sent:
        leaf.note({"server.address": urlsplit(address).hostname})
    if leaf.shows_texts:
        leaf.note({"gen_ai.input.messages": call.body.decode(errors="replace")[:_TEXT]})
    return leaf


def note_reply(leaf: Leaf, payload: Mapping[str, Any], used: Usage) -> None:
    """Add what came back, and what it took."""
    if not leaf.is_sent:
        return
    named = payload.get("model")
    leaf.note(
        {
            "gen_ai.response.model": named if isinstance(named, str) else None,
            "gen_ai.usage.input_tokens": used.prompt_tokens,
            "gen_ai.usage.output_tokens": used.completion_tokens,
            "hopline.cost": used.cost,
        }
    )
    if leaf.shows_texts and (choices := payload.get("choices")):
        leaf.note({"gen_ai.output.messages": orjson.dumps(choices).decode()[:_TEXT]})
