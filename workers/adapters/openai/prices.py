"""The configured models with their prices, from the settings or else from the price file."""

from __future__ import annotations

from workers.adapters.openai.calls import ChatModel
from workers.core.models.prices import read_prices
from workers.core.ports import Tier
from workers.settings import Settings


def priced_tiers(settings: Settings) -> dict[Tier, ChatModel]:
    """Return the chat model of each tier; there may be none for pictures.

    Raises:
        InvalidInput: the file of prices is none.
    """
    prices = read_prices(settings.prices)
    fast, strong = prices.of(settings.fast_model), prices.of(settings.strong_model)
    tiers: dict[Tier, ChatModel] = {
        "fast": ChatModel(
            name=settings.fast_model,
            price_in=_first(settings.price_fast_in, fast.input),
            price_out=_first(settings.price_fast_out, fast.output),
            tier="fast",
        ),
        "strong": ChatModel(
            name=settings.strong_model,
            price_in=_first(settings.price_strong_in, strong.input),
            price_out=_first(settings.price_strong_out, strong.output),
            tier="strong",
        ),
    }
    if name := settings.vision_model:
        price = prices.of(name)
        tiers["vision"] = ChatModel(name=name, price_in=price.input, price_out=price.output, tier="vision")
    return tiers


def priced_embedder(settings: Settings) -> ChatModel:
    """Return the embedder; its price, if known, is that of the texts.

    Raises:
        InvalidInput: the file of prices is none.
    """
    price = _first(settings.price_embedding, read_prices(settings.prices).of(settings.embedding_model).input)
    return ChatModel(name=settings.embedding_model, price_in=price, price_out=0.0)


def _first(set_one: float | None, listed: float | None) -> float | None:
    return listed if set_one is None else set_one
