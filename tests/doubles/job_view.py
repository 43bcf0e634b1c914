"""A job as the HTTP API shows it."""

from typing import Any


def job_view(job_id: str = "j1", **fields: Any) -> dict[str, Any]:
    """Return the view of a question that runs, but for these fields."""
    return {
        "id": job_id, "kind": "query", "collection": "default", "state": "running", "priority": "normal",
        "params": {"question": "When?"}, "created": 1.0,
        **{name: {} for name in ("items", "done", "timings", "usage", "budget")},
        **dict.fromkeys(("phase", "epoch", "leases_lost", "dead", "dropped"), 0),
        **dict.fromkeys(("ended", "closed_for", "webhook", "request_id", "parent", "outcome")), **fields,
    }  # fmt: skip
