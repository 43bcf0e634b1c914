"""Every setting, read once, frozen. Environment variables carry the prefix HOPLINE_."""

from __future__ import annotations

import hashlib
import os
import re
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from workers.core.disciplines import DISCIPLINES
from workers.core.ports import Limits
from workers.core.redis_address import check_redis_url

# Beginnings of the settings that may differ from process to process.
_OF_ONE_PROCESS = (
    "var",
    "api_",
    "flower_",
    "log_",
    "interactive_threads",
    "bulk_",
    "graph_wait",
    "redis_",
    "broker_",
)
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s?#@*]+")  # of a store, and something in it


class Settings(BaseSettings):
    """Where the servers are, which models to use, and the bounds of the work."""

    model_config = SettingsConfigDict(env_prefix="HOPLINE_", frozen=True, extra="ignore")

    # Servers. The local stack writes its own addresses and passwords to <var>/stack.env.
    var: Path = Path("var")  # data of the local stack
    # The ledger: redis://, rediss://, or sentinel://:PASSWORD@HOST:PORT,HOST:PORT/NAME/DATABASE.
    redis_url: SecretStr = SecretStr("redis://127.0.0.1:6379/0")
    broker_url: SecretStr | None = None  # Celery's Redis; the ledger's, unless set
    neo4j_url: str = "bolt://127.0.0.1:7687"
    neo4j_user: str = "neo4j"
    neo4j_password: SecretStr = SecretStr("")
    qdrant_url: str = "http://127.0.0.1:6333"
    qdrant_api_key: SecretStr | None = None
    blob_url: str = ""  # an fsspec address; <var>/blobs unless set
    flower_url: str = ""  # shown by `hopline status`
    flower_user: str = "hopline"
    flower_password: SecretStr = SecretStr("")

    # Models: any OpenAI-compatible endpoint.
    model_url: str = "http://127.0.0.1:8099/v1"
    model_key: SecretStr = SecretStr("offline")
    model: str = "offline"  # both tiers, unless the next two say otherwise
    model_fast: str = ""
    model_strong: str = ""
    embedding_url: str = ""  # the model's endpoint, unless set
    embedding_key: SecretStr | None = None
    embedding_model: str = "wordllama-256"
    # JSON: further fields of each request, as the endpoint documents them: {"reasoning_effort": "low"}.
    model_body: dict[str, Any] = {}
    embedding_body: dict[str, Any] = {}
    model_thinking_tokens: int = Field(default=0, ge=0)  # that a model may take for thoughts, beside a reply
    model_timeout: float = Field(default=60.0, gt=0)  # seconds a single call may take
    model_calls: int = Field(default=64, ge=1)  # chat calls in flight per worker process
    price_fast_in: float | None = None  # currency per million prompt tokens; unknown unless set
    price_fast_out: float | None = None
    price_strong_in: float | None = None
    price_strong_out: float | None = None

    # Work.
    interactive_threads: int = Field(default=48, ge=1)
    bulk_threads: int = Field(default=64, ge=1)
    bulk_nice: int = Field(default=15, ge=0, le=19)  # of bulk workers: on a shared machine questions go first
    lease_seconds: float = Field(default=10.0, gt=0)
    watchdog_seconds: float = Field(default=1.0, gt=0)
    resend_seconds: float = Field(default=5.0, gt=0)  # first re-send of an item not begun; doubles
    resend_cap_seconds: float = Field(default=120.0, gt=0)
    max_attempts: int = Field(default=6, ge=1)  # failed attempts until an item is a dead letter
    backoff_seconds: float = Field(default=1.0, gt=0)  # first back-off; doubles with every attempt
    blob_days: float = Field(default=7.0, gt=0)  # local blobs not wanted for this long are removed
    result_days: float = Field(default=1.0, gt=0)  # finished jobs expire after this
    documents_in_flight: int = Field(default=200, ge=1)  # of one batch

    # Limits of the model endpoints, for all workers together; none unless set.
    model_rpm: int | None = Field(default=None, ge=1)  # requests per minute
    model_tpm: int | None = Field(default=None, ge=1)  # tokens per minute
    model_calls_cluster: int | None = Field(default=None, ge=1)  # calls in flight
    embedding_rpm: int | None = Field(default=None, ge=1)
    embedding_tpm: int | None = Field(default=None, ge=1)
    embedding_calls_cluster: int | None = Field(default=None, ge=1)
    interactive_share: float = Field(default=0.25, ge=0, lt=1)  # of calls in flight: bulk leaves them free
    # What the endpoint's token limit counts: a reply's maximal length on arrival, or what it took.
    tokens_counted: Literal["reserved", "used"] = "reserved"

    # What models said is kept beside the blobs, so that nothing is paid for twice.
    reply_days: float = Field(default=90.0, gt=0)  # an entry not wanted for so long is removed
    reply_bytes: int = Field(default=20_000_000_000, ge=0)  # of a local store in all; 0 keeps nothing
    prices: Path | None = None  # TOML: model -> prices per million tokens
    price_embedding: float | None = None  # currency per million tokens; unknown unless set
    # Limits of the provider's batch mode.
    provider_batches: int = Field(default=4, ge=1)  # in flight
    provider_batch_lines: int = Field(default=5_000, ge=1, le=50_000)  # of one
    provider_poll_seconds: float = Field(default=30.0, gt=0)
    provider_batch_price: float = Field(default=0.5, ge=0, le=1)  # share of a call's price that a line costs

    # The graph that tools ask, where it is another than hopline's own: any Neo4j database.
    tools_neo4j_url: str = ""
    tools_neo4j_user: str = "neo4j"
    tools_neo4j_password: SecretStr = SecretStr("")
    # Packs of tools, between commas: movies, narrative, folders. Unless set: these two, where the graph fits.
    tool_packs: str | None = None
    # Model-written Cypher; over hopline's own graph it is kept to the collection, or off (foreign).
    text2cypher: Literal["on", "foreign"] = "on"
    text2cypher_terms: Path | None = None  # TOML: words of people and what they are in the graph
    text2cypher_examples: Path | None = None  # JSON lines of {question, cypher}
    limits: Limits = Limits()
    # Disciplines of concept maps, between commas, each with its Chinese name: physics=物理学, law=法学.
    concept_disciplines: str = DISCIPLINES
    graph_wait_seconds: float = Field(default=120.0, gt=0)  # a worker that starts waits so long for Neo4j

    # The HTTP API.
    api_url: str = ""  # where it is, shown by `hopline status`
    api_host: str = "127.0.0.1"
    api_port: int = Field(default=8400, ge=1, le=65535)
    api_origins: str = ""  # of other pages that may call it from a browser, between commas
    api_sources: str = ""  # beginnings of addresses that documents may be named by, between commas
    api_body_bytes: int = Field(default=50_000_000, ge=1000)  # of one request
    api_json_bytes: int = Field(default=1_000_000, ge=1000)  # of one that brings no documents
    api_documents: int = Field(default=100, ge=1)  # of one request
    api_lines: int = Field(default=2000, ge=1)  # of the .jsonl files of one request, each a document
    api_jobs_in_flight: int = Field(default=200, ge=1)  # of one API key
    api_streams: int = Field(default=500, ge=1)  # waits and event streams open at a time
    api_streams_of_key: int = Field(default=100, ge=1)  # of these, of one API key
    api_stream: float = Field(default=3600.0, gt=0)  # seconds until an event stream ends; its reader resumes
    api_wait: float = Field(default=60.0, gt=0)  # seconds that a request may wait for its job's end
    api_heartbeat: float = Field(default=15.0, gt=0)  # seconds between two signs of life of a silent stream
    queue_bound: int = Field(default=20_000, ge=1)  # messages that wait; above it the API takes no more work

    # Webhooks: who submits a job may have an address called at its end.
    # What their signatures are derived from; unless set, one that is made once and kept in Redis.
    webhook_secret: SecretStr | None = Field(default=None, min_length=32)
    webhook_private: bool = False  # may call loopback and private addresses
    webhook_http: bool = False  # may call without TLS
    webhook_seconds: float = Field(default=10.0, gt=0, le=60)  # that one call may take
    webhook_attempts: int = Field(default=12, ge=1, le=30)  # until a call is a dead letter
    webhook_backoff_seconds: float = Field(default=40.0, gt=0)  # first back-off; doubles: 12 take a day

    log_level: str = "INFO"
    log_json: bool | None = None  # JSON unless the output is a terminal

    @field_validator("api_sources")
    @classmethod
    def _check_sources(cls, sources: str) -> str:
        for place, source in enumerate(sources.split(","), start=1):
            if source.strip() and not _ADDRESS.fullmatch(source.strip()):
                told = "addresses between commas, each like s3://bucket/folder or file:///archive"
                raise ValueError(f"number {place} of them is not an address; allowed are {told}")
        return sources

    @field_validator("redis_url", "broker_url")
    @classmethod
    def _check_redis(cls, url: SecretStr | None) -> SecretStr | None:
        if url is not None:
            check_redis_url(url.get_secret_value())
        return url

    @property
    def broker_address(self) -> str:
        """The address of Celery's Redis, with its password."""
        return (self.broker_url or self.redis_url).get_secret_value()

    @property
    def tools_login(self) -> tuple[str, str, str]:
        """Address, user and password of the database that tools ask: hopline's own, unless set."""
        if self.tools_neo4j_url:
            return self.tools_neo4j_url, self.tools_neo4j_user, self.tools_neo4j_password.get_secret_value()
        return self.neo4j_url, self.neo4j_user, self.neo4j_password.get_secret_value()

    def digests(self) -> dict[str, str]:
        """Return a short hash of each setting that all processes of a hopline should share; of no secret."""
        values = self.model_copy(update={"blob_url": self.blob_url or str((self.var / "blobs").resolve())})
        return {
            name: hashlib.sha256(repr(value).encode()).hexdigest()[:8]
            for name, value in values
            if "Secret" not in str(type(self).model_fields[name].annotation)
            and not name.startswith(_OF_ONE_PROCESS)
        }

    @property
    def fast_model(self) -> str:
        """The model of the fast tier."""
        return self.model_fast or self.model

    @property
    def strong_model(self) -> str:
        """The model of the strong tier."""
        return self.model_strong or self.model


def var_folder() -> Path:
    """Return the folder of the local stack's data: HOPLINE_VAR, or var/ beside the project."""
    given = os.environ.get("HOPLINE_VAR")
    if given:
        return Path(given)
    project = Path(__file__).resolve().parent.parent
    return (project if (project / "pyproject.toml").is_file() else Path.cwd()) / "var"


@cache
def load_settings() -> Settings:
    """Read the environment, `.env` and the local stack's own file; the environment wins."""
    var = var_folder()
    return Settings(_env_file=(var / "stack.env", ".env"), var=var)
