"""What `hopline status` and `hopline doctor` show, as data."""

from __future__ import annotations

from infra.local.doctor import Examination, Finding, doctor
from infra.local.probes import PartStatus, probe_all
from infra.local.waiting import waiting_parts
from workers.settings import load_settings

__all__ = ["Examination", "Finding", "PartStatus", "doctor", "status"]


def status() -> list[PartStatus]:
    """Return each server, queue and view as it answers now, and what work waits for."""
    settings = load_settings()
    return [*probe_all(settings), *waiting_parts(settings)]
