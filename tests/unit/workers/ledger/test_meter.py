"""What an item's meter adds up, and which fields tell two jobs apart."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from hopline.models.base import Sparse
from hopline.models.jobs import Usage
from workers.flows.registry import FLOWS
from workers.ledger.budget import JobMeter
from workers.ledger.wire import is_same

CALLS = 2000


class Booked:
    """Scripts that book everything."""

    def call(self, *_args):
        return ["ok"]


@pytest.fixture
def _switching():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("_switching")
def test_what_two_threads_settle_and_wait_for_is_added_up():
    meter = JobMeter(Booked(), "root")

    def settle(_number):
        meter.settle("call", Usage(model_calls=1))
        meter.note_wait("calls", 1.0)

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(settle, range(CALLS)))
    assert meter.usage.model_calls == CALLS
    assert meter.waited == {"calls": CALLS}


SPARSE = {flow.params.__name__: flow.params for flow in FLOWS.values() if issubclass(flow.params, Sparse)}


def test_every_field_that_parameters_leave_out_tells_two_jobs_apart() -> None:
    for name, params in SPARSE.items():
        assert params.LEFT_OUT, name
        for field in params.LEFT_OUT:
            assert not is_same({"params": {field: "set"}}, {"params": {}})
            assert is_same({"params": {field: ""}}, {"params": {}})
