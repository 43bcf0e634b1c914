"""Health check of a beat process: the exit code says whether one is running."""

from __future__ import annotations

import sys

from workers.app import app
from workers.schedules.beat import is_watched

if __name__ == "__main__":
    sys.exit(0 if is_watched(app) else 1)
