"""What `hopline status` and `hopline doctor` show, as data."""

from __future__ import annotations

from infra.local.doctor import Finding, doctor
from infra.local.probes import PartStatus, probe_all
from workers.settings import load_settings

__all__ = ["Finding", "PartStatus", "doctor", "status"]


def status() -> list[PartStatus]:
    """Return each server, queue and view with its state, address and version, as it answers now."""
    return probe_all(load_settings())
