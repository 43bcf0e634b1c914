"""Health check of a beat process: the exit code says whether one is running."""

from __future__ import annotations

import sys

from redbeat.schedulers import get_redis

from workers.app import app
from workers.ledger.schedules import ScheduleBook

if __name__ == "__main__":
    sys.exit(0 if ScheduleBook(get_redis(app)).watched() else 1)
