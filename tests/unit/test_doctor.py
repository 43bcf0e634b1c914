from __future__ import annotations

from infra.local.doctor import misspelt


def test_a_misspelt_setting_is_named_with_what_was_meant():
    (finding,) = misspelt(
        ["HOPLINE_MODLE_URL", "HOPLINE_MODEL_URL", "HOPLINE_VAR", "HOPLINE_NEO4J_HEAP_MB", "PATH"]
    )
    assert "HOPLINE_MODLE_URL" in finding.problem
    assert "HOPLINE_MODEL_URL" in finding.advice
