"""Model calls that are booked and settled at any moment of a job's life."""

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from doubles.ledger_play import LIMIT, Play
from doubles.ledger_view import View
from hopline.errors import Conflict
from hopline.models.jobs import Usage
from workers.core.errors import BudgetExceeded
from workers.ledger.budget import JobMeter


class MoneyMachine(RuleBasedStateMachine):
    """The rules of money, for the machine that plays the job."""

    play: Play

    def __init__(self) -> None:
        super().__init__()
        self.calls: dict[str, int] = {}  # booked call -> tokens bound
        self.spent = Usage()
        self.models: dict[str, Usage] = {}

    @property
    def meter(self) -> JobMeter:
        return JobMeter(self.play.ledger.scripts, self.play.name)

    @rule(call=st.sampled_from("abcdefghijklm"), tokens=st.integers(1, 400), again=st.booleans())
    def reserve(self, call: str, tokens: int, *, again: bool) -> None:
        known = call in self.calls
        try:
            for _ in range(1 + again):
                self.meter.reserve(call, tokens)
            self.calls.setdefault(call, tokens)
        except Conflict:
            assert self.play.view().state != "running"
        except BudgetExceeded:
            assert not known

    @precondition(lambda self: self.calls)
    @rule(
        pick=st.integers(0, 1000),
        sent=st.booleans(),
        share=st.floats(0, 1),
        again=st.booleans(),
        model=st.sampled_from(["", "fast:1", "embedder"]),
    )
    def settle(self, pick: int, *, sent: bool, share: float, again: bool, model: str) -> None:
        call = sorted(self.calls)[pick % len(self.calls)]
        tokens = int(self.calls.pop(call) * share) * sent
        usage = Usage(
            model_calls=int(sent), prompt_tokens=tokens // 2, completion_tokens=tokens - tokens // 2
        )
        for _ in range(1 + again):
            self.meter.settle(call, usage, model=model)
        self.spent = self.spent + usage
        if model and sent:
            self.models[model] = self.models.get(model, Usage()) + usage

    def check_money(self, view: View) -> None:
        """What is booked is what was spent and what was never settled, and within the limit."""
        calls, tokens = (int(view.job.get(f"booked_{name}", 0)) for name in ("calls", "tokens"))
        assert LIMIT.model_calls is not None
        assert LIMIT.tokens is not None
        assert calls <= LIMIT.model_calls
        assert tokens <= LIMIT.tokens
        assert calls == len(self.calls) + self.spent.model_calls
        spent = self.spent.prompt_tokens + self.spent.completion_tokens
        assert tokens == sum(self.calls.values()) + spent
        record = self.play.ledger.job(self.play.name)
        assert record is None or (record.usage, record.models) == (self.spent, self.models)
