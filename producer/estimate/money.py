"""Estimates the cost of model calls: a range, or "unknown" where a price is missing."""

from __future__ import annotations

from hopline.models.estimates import Prices, Range, Spending, Total
from producer.estimate.factors import ELEMENT_TOKENS, ELEMENTS, REPLY_HIGH, REPLY_LOW

_MILLION = 1_000_000


def spending(total: Total, prices: Prices, *, reply_cap: int, discount: float = 1.0) -> Spending:
    """Return what the calls of these documents take.

    Args:
        total: the documents, counted.
        prices: of the models.
        reply_cap: tokens that a reply has at most.
        discount: of chat calls: 0.5 where the provider's batch mode halves the price.
    """
    most = total.calls * reply_cap
    replies = Range(
        low=min(most, total.tokens * REPLY_LOW.value), high=min(most, total.tokens * REPLY_HIGH.value)
    )
    embedded = total.tokens * (1 + ELEMENTS.value * ELEMENT_TOKENS.value)
    chat = _chat(total.prompt_tokens, replies, prices, discount)
    embedding = None if prices.embedding is None else embedded * prices.embedding / _MILLION
    whole = None
    if chat is not None and embedding is not None:
        whole = Range(low=chat.low + embedding, high=chat.high + embedding)
    return Spending(
        prompt_tokens=total.prompt_tokens,
        reply_tokens=replies,
        embedding_tokens=embedded,
        chat=chat,
        embedding=embedding,
        total=whole,
        unknown=tuple(_unknown(prices)),
    )


def _chat(prompt: float, replies: Range, prices: Prices, discount: float) -> Range | None:
    if prices.prompt is None or prices.reply is None:
        return None
    prompt_cost = prompt * prices.prompt
    return Range(
        low=discount * (prompt_cost + replies.low * prices.reply) / _MILLION,
        high=discount * (prompt_cost + replies.high * prices.reply) / _MILLION,
    )


def _unknown(prices: Prices) -> list[str]:
    reasons = []
    if prices.prompt is None or prices.reply is None:
        reasons.append(f"no price is set for the model {prices.model!r}")
    if prices.embedding is None:
        reasons.append(f"no price is set for the embedder {prices.embedder!r}")
    return reasons
