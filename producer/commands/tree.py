"""Commands that the server's distribution adds, by its entry point `hopline.commands`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

COMMANDS = {
    **{name: f"producer.commands.{name}:{name}" for name in ("demo", "mcp", "read", "serve")},
    **{name: f"producer.commands.stack:{name}" for name in ("status", "top", "doctor", "migrate")},
    **{name: f"producer.commands.local_stack:{name}" for name in ("up", "down", "uninstall")},
    **{name: f"producer.commands.workers:{name}" for name in ("worker", "flower", "beat")},
    **{name: f"producer.commands.backup:{name}" for name in ("backup", "restore", "export")},
    "import": "producer.commands.import_graph:import_graph",
    "eval": "producer.commands.evaluate:evaluate",
    "keys open": "producer.commands.keys:drop_need",
    "keys webhook-secret": "producer.commands.keys:webhook_secret",
}


@contextmanager
def session() -> Iterator[None]:
    """Record the command's changes in the audit as made by this machine's user."""
    from workers.core.audit import acting, local_actor

    with acting(local_actor("cli")):
        yield


def redis_address() -> str:
    """Return the address of Redis from the settings."""
    from workers.settings import load_settings

    return load_settings().redis_url.get_secret_value()
