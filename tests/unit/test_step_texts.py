"""What people read of steps is what the flows say, in every language and in the order of the flows."""

from itertools import pairwise

from hopline.progress.steps import position_of
from infra.step_texts import catalogues
from workers.flows.registry import FLOWS, STRATEGIES
from workers.traverse.auto.flow import AUTO

FLOWS_OF_ALL = {**FLOWS, **STRATEGIES}


def test_the_catalogues_hold_the_texts_of_the_flows() -> None:
    for path, catalogue in catalogues().items():
        assert path.read_text(encoding="utf-8") == catalogue, "run `python -m infra.step_texts`"


def test_each_step_comes_after_those_before_it_in_its_flow() -> None:
    for flow in FLOWS_OF_ALL.values():
        for earlier, later in pairwise(flow.steps) if flow is not AUTO else ():
            assert position_of(earlier) < position_of(later)
    assert position_of("moon.rise") > position_of("critic.synthesize")
