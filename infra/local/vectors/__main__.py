"""Starts the endpoint: `python -m infra.local.vectors --port 6333 --data FOLDER --key-file FILE`."""

from __future__ import annotations

import argparse
from pathlib import Path

import structlog
import uvicorn

from infra.gate import read_key
from infra.local.vectors.app import build_app
from infra.local.vectors.engine import Store
from infra.request_heads import TimedHeads
from workers.logs import send_logs

log = structlog.get_logger()


def main() -> None:
    """Serve until SIGTERM or SIGINT; then finish what runs, flush, and close."""
    parser = argparse.ArgumentParser(prog="infra.local.vectors", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=6333)
    parser.add_argument("--data", type=Path, required=True, help="folder of the collections")
    parser.add_argument(
        "--key-file", type=Path, required=True, help="file with the key; created if it does not exist"
    )
    arguments = parser.parse_args()
    send_logs()
    store = Store(arguments.data)
    log.info(
        "vectors.serving", address=f"http://{arguments.host}:{arguments.port}", collections=len(store.names())
    )
    uvicorn.run(
        build_app(store, read_key(arguments.key_file)),
        host=arguments.host,
        port=arguments.port,
        http=TimedHeads,
        log_config=None,
        log_level="warning",
        access_log=False,
        timeout_keep_alive=60,  # longer than clients keep idle connections, so that they close first
        timeout_graceful_shutdown=10,
    )


if __name__ == "__main__":
    main()
