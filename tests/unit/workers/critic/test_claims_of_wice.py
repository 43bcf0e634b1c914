"""The check of an answer's sentences, on claims whose support is known (WiCE)."""

from pathlib import Path

import pytest
from claims import judged

WICE = Path(__file__).resolve().parents[5] / "shared" / "eval" / "wice_dev.jsonl"
SUPPORTED = ("supported, gold",)
UNSUPPORTED = ("not_supported, gold", "not_supported, nearest")  # most of them have no gold sentences


@pytest.mark.long  # a measurement; test_critic_verify.py holds the rules
@pytest.mark.skipif(not WICE.is_file(), reason=f"there is no {WICE.name}")
def test_few_claims_that_are_supported_are_refused_and_most_of_the_others_are():
    refused: dict[str, list[bool]] = {kind: [] for kind in (*SUPPORTED, *UNSUPPORTED)}
    for _claim, kind, why in judged(WICE, refused):
        refused[kind].append(why is not None)
    supported, unsupported = (
        [refusal for kind in kinds for refusal in refused[kind]] for kinds in (SUPPORTED, UNSUPPORTED)
    )
    assert (len(supported), len(unsupported)) == (115, 43)
    assert sum(supported) <= 0.15 * len(supported)
    assert sum(unsupported) >= 0.8 * len(unsupported)
