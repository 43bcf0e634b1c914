"""A meter that keeps books, and the switches of the offline model, for tests of model calls."""

import threading
from typing import Any

import httpx

from doubles.keys import SHOWN
from hopline.models.jobs import Usage
from workers.adapters.openai.address import ModelEndpoint
from workers.adapters.openai.calls import ChatModel
from workers.adapters.openai.model import OpenAIModel
from workers.core.errors import BudgetExceeded


class Purse:
    """Lets calls pass until their bounds exceed what is in it."""

    def __init__(self, tokens: int = 1_000_000) -> None:
        self.tokens = tokens
        self.reserved: dict[str, tuple[int, float | None]] = {}
        self.settled: dict[str, Usage] = {}
        self.models: dict[str, Usage] = {}
        self._lock = threading.Lock()

    def reserve(
        self,
        call_id: str,
        tokens: int,
        cost: float | None = None,
        *,
        calls: int = 1,  # noqa: ARG002
        epoch: int | None = None,  # noqa: ARG002
    ) -> None:
        with self._lock:
            assert call_id not in self.reserved
            if tokens > self.tokens:
                raise BudgetExceeded("the purse is empty")
            self.tokens -= tokens
            self.reserved[call_id] = (tokens, cost)

    def settle(
        self,
        call_id: str,
        usage: Usage,
        *,
        model: str = "",
        epoch: int | None = None,  # noqa: ARG002
    ) -> None:
        with self._lock:
            assert call_id in self.reserved
            assert call_id not in self.settled
            self.settled[call_id] = usage
            self.models[model] = self.models.get(model, Usage()) + usage
            self.tokens += self.reserved[call_id][0] - usage.prompt_tokens - usage.completion_tokens

    @property
    def open(self) -> int:
        """Calls that count as spent because nobody knows what they took."""
        return len(self.reserved) - len(self.settled)


class Offline:
    """The session's offline model, by its switches."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._control = url.removesuffix("/v1") + "/control"

    def set(self, **switches: Any) -> None:
        answer = httpx.post(self._control, json=switches, headers=SHOWN, timeout=60, trust_env=False)
        assert answer.is_success, answer.text

    def shown(self) -> dict[str, Any]:
        return httpx.get(self._control, headers=SHOWN, timeout=60, trust_env=False).json()

    def requests(self, kind: str) -> int:
        return self.shown()["requests"].get(kind, 0)


def model_at(url: str, *, timeout: float = 60.0, price: float | None = None, calls: int = 64) -> OpenAIModel:
    chat = ChatModel(name="offline", price_in=price, price_out=price)
    vision = ChatModel(name="offline-vision", price_in=price, price_out=price, tier="vision")
    return OpenAIModel(
        chat=ModelEndpoint(url=url, key="none"),
        tiers={"fast": chat, "strong": chat, "vision": vision},
        embedding_model=ChatModel(name="wordllama-256", price_in=price, price_out=0.0),
        timeout=timeout,
        calls=calls,
    )
