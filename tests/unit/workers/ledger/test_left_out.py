"""Which fields of a job's description differ where one of two descriptions leaves them out."""

from __future__ import annotations

import pytest

from workers.core.records import Sparse
from workers.flows.registry import FLOWS
from workers.ledger.wire import is_same

SPARSE = {flow.params.__name__: flow.params for flow in FLOWS.values() if issubclass(flow.params, Sparse)}


@pytest.mark.parametrize("name", SPARSE)
def test_every_field_that_parameters_leave_out_tells_two_jobs_apart(name: str) -> None:
    assert SPARSE[name].LEFT_OUT
    for field in SPARSE[name].LEFT_OUT:
        assert not is_same({"params": {field: "set"}}, {"params": {}})
        assert is_same({"params": {field: ""}}, {"params": {}})
