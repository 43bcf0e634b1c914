"""Collects the data that `hopline status` shows."""

from __future__ import annotations

from infra.local.probes import PartStatus, probe_all
from infra.local.waits import waiting_parts
from workers.settings import load_settings


def status() -> list[PartStatus]:
    """Return each server, queue and view as it answers now, and what work waits for."""
    settings = load_settings()
    return [*probe_all(settings), *waiting_parts(settings)]
