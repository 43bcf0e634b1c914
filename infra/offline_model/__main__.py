"""Starts the offline model: `python -m infra.offline_model --port 8099`."""

from __future__ import annotations

import argparse
from pathlib import Path

import structlog
import uvicorn

from infra.gate import read_key
from infra.offline_model.embedder import load_embedder
from infra.offline_model.server import OfflineModel
from infra.offline_model.switches import Behaviour, Control, Switches, parse_failures
from infra.request_heads import TimedHeads
from workers.logs import send_logs

log = structlog.get_logger()


def main() -> None:
    """Read the command line and serve until stopped."""
    arguments = _parser().parse_args()
    fail = parse_failures(arguments.fail)
    switches = Switches(
        chat=Behaviour.model_validate({"latency": arguments.latency, "fail": fail}),
        embeddings=Behaviour(latency=arguments.embedding_latency),
        allowed=arguments.allowed,
        seed=arguments.seed,
    )
    send_logs()
    model = OfflineModel(Control(switches), load_embedder(arguments.embedder), arguments.log)
    log.info(
        "model.serving", address=f"http://{arguments.host}:{arguments.port}/v1", embedder=arguments.embedder
    )
    key = read_key(arguments.key_file) if arguments.key_file else None
    uvicorn.run(
        model.app(key),
        host=arguments.host,
        port=arguments.port,
        http=TimedHeads,
        log_config=None,
        log_level="warning",
        access_log=False,
        timeout_keep_alive=75,  # longer than the client's, so that the client closes first
        backlog=1024,
        lifespan="off",
        server_header=False,
        date_header=False,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m infra.offline_model", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8099)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds per chat call")
    parser.add_argument("--embedding-latency", type=float, default=0.0, help="seconds per embeddings call")
    parser.add_argument("--fail", default="", help="shares of chat calls: 429=0.05,500=0.05,drop=0.01,…")
    parser.add_argument(
        "--allowed", type=int, default=None, help="maximum number of concurrent chat calls; more get a 429"
    )
    parser.add_argument("--seed", type=int, default=None, help="seed that makes the failures repeatable")
    parser.add_argument("--embedder", choices=("wordllama", "minilm"), default="wordllama")
    parser.add_argument("--log", type=Path, default=None, help="file that gets one JSON line per request")
    help_text = "serve /control and /log to who shows the key in this file, made where there is none"
    parser.add_argument("--key-file", type=Path, default=None, help=help_text)
    return parser


if __name__ == "__main__":
    main()
