"""The settings of all processes, from HOPLINE_* variables; docs/settings.md is made from their docstrings."""

from __future__ import annotations

import hashlib
import os
import re
from functools import cache
from pathlib import Path
from typing import Any, Literal

from dotenv import dotenv_values
from pydantic import Field, PrivateAttr, SecretStr, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from hopline.certificates import check_ca_file, named_authorities
from hopline.machine import environment_value, var_folder
from hopline.secrets import guard, guard_address
from workers.core.concepts.disciplines import DISCIPLINES
from workers.core.graph.kept_versions import Keeping
from workers.core.ports import Limits
from workers.core.redis_address import check_redis_url
from workers.core.server_address import check_graph_address, check_http_address, check_key, with_port_of_https

# Beginnings of the settings that may differ from process to process.
_OF_ONE_PROCESS = (
    "var",
    "ca_file",
    "api_",
    "flower_",
    "log_",
    "interactive_threads",
    "bulk_",
    "ocr_threads",
    "graph_wait",
    "redis_",
    "broker_",
)
_OF_ALL = "api_sources"  # workers read only from there what requests named
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s?#@*]+")  # of a store, and something in it


class Settings(BaseSettings):
    """Addresses of the servers, the models to use, and the limits of the work."""

    model_config = SettingsConfigDict(
        env_prefix="HOPLINE_", frozen=True, extra="ignore", hide_input_in_errors=True
    )

    _sources: dict[str, str] = PrivateAttr(default_factory=dict)

    # Servers
    var: Path = Path("var")
    """Folder with the local stack's data, and with `stack.env`, its addresses and passwords."""
    ca_file: Path | None = None
    """PEM file of certificate authorities to trust in addition to the system's ([where](operations.md#\
certificates))."""
    redis_url: SecretStr = SecretStr("redis://127.0.0.1:6379/0")
    """Redis of the ledger: `redis://`, `rediss://` or `sentinel://` ([forms](operations.md#which-redis))."""
    broker_url: SecretStr | None = None
    """Redis of the Celery queues; the ledger's unless set."""
    neo4j_url: str = "bolt://127.0.0.1:7687"
    """Address of the Neo4j that holds the graph."""
    neo4j_user: str = "neo4j"
    """User of that Neo4j."""
    neo4j_password: SecretStr = SecretStr("")
    """Password of that Neo4j."""
    qdrant_url: str = "http://127.0.0.1:6333"
    """Address of the Qdrant that holds the vectors."""
    qdrant_api_key: SecretStr | None = None
    """API key of that Qdrant."""
    blob_url: str = ""
    """fsspec address of the blob store, such as `s3://bucket/hopline`; `<var>/blobs` unless set."""
    flower_url: str = ""
    """Address at which people reach Flower, including its [path](operations.md#behind-a-path)."""
    flower_user: str = "hopline"
    """User name for the login to Flower."""
    flower_password: SecretStr = SecretStr("")
    """Password for the login to Flower."""

    # Models
    model_url: str = "http://127.0.0.1:8099/v1"
    """OpenAI-compatible endpoint of the models; the address ends before `/chat/completions`."""
    model_key: SecretStr = SecretStr("offline")
    """API key of that endpoint."""
    model: str = "offline"
    """Name of the model for everything that the next two do not cover."""
    model_fast: str = ""
    """Name of the fast model, which extracts, plans, visits and scores; `HOPLINE_MODEL` unless set."""
    model_strong: str = ""
    """Name of the strong model, which writes answers; `HOPLINE_MODEL` unless set."""
    vision_model: str = ""
    """Name of a model at the same endpoint that takes pictures: scanned pages that recognition doubts are
    sent to it, each once. None are sent unless it is set."""
    embedding_url: str = ""
    """Endpoint of the embedder; `HOPLINE_MODEL_URL` unless set."""
    embedding_key: SecretStr | None = None
    """API key of the embedder's endpoint; `HOPLINE_MODEL_KEY` unless set."""
    embedding_model: str = "wordllama-256"
    """Name of the embedder; run `hopline collections reindex` after changing it."""
    model_body: dict[str, Any] = {}
    """Further fields of each chat request, as the endpoint documents them: `{"reasoning_effort": "low"}`."""
    embedding_body: dict[str, Any] = {}
    """Further fields of each embedding request: `{"dimensions": 512}`."""
    model_thinking_tokens: int = Field(default=0, ge=0)
    """Tokens that a model may use for its thoughts, on top of each reply's own limit."""
    model_timeout: float = Field(default=60.0, gt=0)
    """Seconds that one call may take; an attempt at an item, with all its retries, takes at most 1.5 times
    that.
    """
    model_learnt_hours: float = Field(default=24.0, gt=0)
    """Hours that processes share what they learned from refusals about the requests that an endpoint accepts.
    """
    model_check: bool = True
    """Whether a worker makes one small call to the model when it starts, so that a refusal shows early."""
    model_calls: int = Field(default=80, ge=1)
    """Maximum number of chat calls that one worker process has in flight."""
    price_fast_in: float | None = None
    """Price of a million prompt tokens of the fast model, in any currency; unknown unless set."""
    price_fast_out: float | None = None
    """Price of a million reply tokens of the fast model."""
    price_strong_in: float | None = None
    """Price of a million prompt tokens of the strong model."""
    price_strong_out: float | None = None
    """Price of a million reply tokens of the strong model."""
    price_embedding: float | None = None
    """Price of a million tokens of the embedder."""
    prices: Path | None = None
    """TOML file of prices per million tokens for each model, for prices that the settings above leave open.
    """

    # Work
    interactive_threads: int = Field(default=48, ge=1)
    """Items of questions that one interactive worker process handles at a time."""
    bulk_threads: int = Field(default=64, ge=1)
    """Items of documents that one bulk worker process handles at a time, and a quarter more for tenants that
    arrive while it is busy with others.
    """
    ocr_threads: int = Field(default=1, ge=1)
    """Items of scanned pages that one ocr worker process handles at a time; each takes a processor, and up to
    `limits.ocr_memory_mb`.
    """
    small_document_chunks: int = Field(default=16, ge=0)
    """Largest number of chunks for which one task does all steps of a document; 0 makes each step a separate
    task.
    """
    bulk_nice: int = Field(default=15, ge=0, le=19)
    """Niceness of bulk workers, so that questions go first on a shared machine."""
    lease_seconds: float = Field(default=10.0, gt=0)
    """Seconds without a sign of life after which an item goes to another worker. A worker renews its leases
    three times as often. If processes have different values, a job uses the longest of those that worked on
    it.
    """
    watchdog_seconds: float = Field(default=1.0, gt=0)
    """Seconds between two rounds of the watchdog."""
    resend_seconds: float = Field(default=5.0, gt=0)
    """Seconds until an item that was not begun is sent again; doubles with every re-send."""
    resend_cap_seconds: float = Field(default=120.0, gt=0)
    """Longest time in seconds between two re-sends of an item."""
    max_attempts: int = Field(default=6, ge=1)
    """Failed attempts until an item becomes a dead letter; waiting for an absent server counts as none."""
    backoff_seconds: float = Field(default=1.0, gt=0)
    """Seconds of the first back-off after a failed attempt; doubles with every attempt."""
    result_days: float = Field(default=1.0, gt=0)
    """Days that ended jobs are kept."""
    conversation_days: float = Field(default=90.0, gt=0)
    """Days that the answers of conversations are kept."""
    history_days: float = Field(default=400.0, ge=0)
    """Days that the history of ended jobs is kept; 0 keeps none."""
    history_texts: bool = False
    """Whether history contains what people wrote, such as questions, and the beginning of answers."""
    blob_days: float = Field(default=7.0, gt=0)
    """Days after which local blobs that no job needs are removed."""
    versions_kept: int = Field(default=0, ge=0)
    """Number of earlier versions that are kept of each document, even a deleted one; 0 keeps none."""
    versions_days: float = Field(default=90.0, gt=0)
    """Days after which an earlier version of a document is removed."""
    originals_bytes: int = Field(default=20_000_000_000, ge=0)
    """Bytes that all kept originals of documents may take; beyond that no more are kept. 0 keeps none and
    removes existing ones.
    """
    original_bytes: int = Field(default=500_000_000, ge=0)
    """Largest original in bytes that is kept."""
    search_memory_facts: int = Field(default=250_000, ge=0)
    """Facts that each process keeps in memory for searches, some with their texts, and as many again for
    scopes; 0 keeps none.
    """
    vector_weight: float | None = Field(default=None, ge=0, le=4)
    """Factor for the weight of vectors in searches; by default it is measured in each collection."""
    documents_in_flight: int = Field(default=200, ge=1)
    """Maximum number of documents of one batch in flight at a time."""
    topics_after_ingest: Literal["never", "if_built", "always"] = "if_built"
    """Whether [topics](topics.md) are built, after all other work, when a batch or sync changed documents;
    with `if_built` only if the collection has topics, so that it costs nothing without surveys.
    """
    graph_wait_seconds: float = Field(default=120.0, gt=0)
    """Seconds that a starting process waits for Neo4j."""
    limits: Limits = Limits()
    """JSON object with the limits of documents and chunks listed [below](#limits-of-documents)."""
    concept_disciplines: str = DISCIPLINES
    """Disciplines of concept maps, separated by commas, with Chinese names: `physics=物理学, law=法学`."""

    # Rate limits, shared by all workers
    model_rpm: int | None = Field(default=None, ge=1)
    """Requests per minute of each chat model; no limit unless set."""
    model_tpm: int | None = Field(default=None, ge=1)
    """Tokens per minute of each chat model; no limit unless set."""
    model_calls_cluster: int | None = Field(default=None, ge=1)
    """Calls in flight of each chat model; no limit unless set."""
    embedding_rpm: int | None = Field(default=None, ge=1)
    """Requests per minute of the embedder; no limit unless set."""
    embedding_tpm: int | None = Field(default=None, ge=1)
    """Tokens per minute of the embedder; no limit unless set."""
    embedding_calls_cluster: int | None = Field(default=None, ge=1)
    """Calls in flight of the embedder; no limit unless set."""
    interactive_share: float = Field(default=0.25, ge=0, lt=1)
    """Share of the calls in flight that bulk work leaves free for questions."""
    tokens_counted: Literal["reserved", "used"] = "reserved"
    """What the endpoint's token limit counts for a reply: its greatest length, or the tokens it used."""

    # Kept replies and batch mode
    reply_days: float = Field(default=90.0, gt=0)
    """Days without use after which a stored model reply is removed."""
    reply_bytes: int = Field(default=20_000_000_000, ge=0)
    """Bytes that the local store of model replies may take; 0 stores none."""
    ocr_days: float = Field(default=90.0, gt=0)
    """Days without use after which a page's recognised text is removed."""
    ocr_bytes: int = Field(default=2_000_000_000, ge=0)
    """Bytes that the local store of recognised pages may take; 0 stores none."""
    provider_batches: int = Field(default=4, ge=1)
    """Batches in flight at a provider's batch mode."""
    provider_batch_lines: int = Field(default=5_000, ge=1, le=50_000)
    """Requests in one such batch."""
    provider_poll_seconds: float = Field(default=30.0, gt=0)
    """Seconds between two checks of such a batch."""
    provider_batch_price: float = Field(default=0.5, ge=0, le=1)
    """Price of a request in batch mode, as a share of an ordinary call's price."""

    # Tools
    tools_neo4j_url: str = ""
    """Address of another Neo4j for tools to query; hopline's own graph unless set."""
    tools_neo4j_user: str = "neo4j"
    """User of that Neo4j."""
    tools_neo4j_password: SecretStr = SecretStr("")
    """Password of that Neo4j."""
    tool_packs: str | None = None
    """Packs of tools, separated by commas; empty means none. By default, the bundled packs that fit the
    graph.
    """
    text2cypher: Literal["on", "foreign"] = "on"
    """Whether a model may write Cypher over every graph, or only over databases other than hopline's own."""
    text2cypher_terms: Path | None = None
    """TOML file that maps people's words to names in the graph."""
    text2cypher_examples: Path | None = None
    """File with example questions and their Cypher, one JSON object `{question, cypher}` per line."""

    # The HTTP API
    api_url: str = ""
    """Address at which people reach the API, including its [path](operations.md#behind-a-path). In the
    environment of a client or a command, the API that it uses.
    """
    api_host: str = "127.0.0.1"
    """Address that the API listens on; only the loopback until there is an API key."""
    api_port: int = Field(default=8400, ge=1, le=65535)
    """Port that the API listens on; if it is taken, the local stack chooses a free one."""
    api_origins: str = ""
    """Origins of other web pages that may call the API from a browser, separated by commas."""
    api_sources: str = ""
    """Prefixes of the document addresses that requests may name, separated by commas: `s3://bucket/reports/`.
    Workers need it too, because they check it again when they read.
    """
    api_body_bytes: int = Field(default=50_000_000, ge=1000)
    """Largest request in bytes, which is held in memory (else 413)."""
    api_upload_bytes: int = Field(default=600_000_000, ge=1000)
    """Largest request with files in bytes, which are held on disk (else 413)."""
    api_json_bytes: int = Field(default=1_000_000, ge=1000)
    """Largest request without documents in bytes (else 413)."""
    api_body_silence: float = Field(default=10.0, gt=0)
    """Seconds within which the next part of a request's body must arrive (else 408)."""
    api_body_rate: int = Field(default=1000, ge=1)
    """Lowest rate of a request's body in bytes a second, after the first of these seconds (else 408)."""
    message_age: float = Field(default=86_400.0, gt=0)
    """Seconds that a message's signature is valid, and so the longest time that it may wait
    ([messages](messages.md#keys)).
    """
    api_documents: int = Field(default=100, ge=1)
    """Maximum number of documents in one request (else 422)."""
    api_lines: int = Field(default=2000, ge=1)
    """Documents that the `.jsonl` files and archives of one request may hold, one per line or file."""
    api_jobs_in_flight: int = Field(default=200, ge=1)
    """Maximum number of running jobs of one API key (else 429)."""
    api_streams: int = Field(default=500, ge=1)
    """Maximum number of waiting requests and open event streams."""
    api_streams_of_key: int = Field(default=100, ge=1)
    """Maximum number of these for one API key."""
    api_stream: float = Field(default=3600.0, gt=0)
    """Seconds after which an event stream ends; its client resumes it."""
    api_wait: float = Field(default=60.0, gt=0)
    """Seconds that a request may wait for its job's end."""
    api_picture_bytes: int = Field(default=50_000_000, ge=0)
    """Bytes of page pictures that an API process keeps in memory."""
    api_heartbeat: float = Field(default=15.0, gt=0)
    """Seconds between two heartbeats of a silent event stream."""
    queue_bound: int = Field(default=20_000, ge=1)
    """Number of messages waiting for workers above which the API takes no more work (503)."""

    # Webhooks
    webhook_secret: SecretStr | None = Field(default=None, min_length=32)
    """Secret from which signatures are derived; unless set, one is generated once and kept in Redis."""
    webhook_private: bool = False
    """Whether webhooks may call loopback and private addresses."""
    webhook_http: bool = False
    """Whether webhooks may be called without TLS."""
    webhook_seconds: float = Field(default=10.0, gt=0, le=60)
    """Seconds that one call of a webhook may take."""
    webhook_attempts: int = Field(default=12, ge=1, le=30)
    """Attempts until a call of a webhook becomes a dead letter; 12 take about a day."""
    webhook_backoff_seconds: float = Field(default=40.0, gt=0)
    """Seconds until a failed call of a webhook is tried again; doubles with every attempt."""

    # Logs
    log_level: str = "INFO"
    """Least severe level that is logged: DEBUG, INFO, WARNING, ERROR."""
    log_json: bool | None = None
    """Whether logs are JSON; by default, they are if the output is not a terminal."""

    # Traces
    trace_texts: bool = False
    """Whether traces contain what people wrote: questions, prompts, replies, and texts of errors."""

    def model_post_init(self, _context: object) -> None:
        """Register every secret of the settings, so that logs, records and errors do not show it."""
        for name in type(self).model_fields:
            if isinstance(value := getattr(self, name), SecretStr):
                (guard_address if name.endswith("_url") else guard)(value.get_secret_value())

    @field_validator("api_sources")
    @classmethod
    def _check_sources(cls, sources: str) -> str:
        for place, source in enumerate(sources.split(","), start=1):
            if source.strip() and not _ADDRESS.fullmatch(source.strip()):
                allowed = "addresses between commas, each like s3://bucket/folder or file:///archive"
                raise ValueError(f"number {place} of them is not an address; allowed are {allowed}")
        return sources

    @field_validator("ca_file", mode="before")
    @classmethod
    def _unset(cls, path: object) -> object:
        return None if path == "" else path

    @field_validator("ca_file")
    @classmethod
    def _check_authorities(cls, path: Path | None) -> Path | None:
        return None if path is None else check_ca_file(path)

    @field_validator("redis_url", "broker_url")
    @classmethod
    def _check_redis(cls, url: SecretStr | None, info: ValidationInfo) -> SecretStr | None:
        ca_file = info.data.get("ca_file")
        return None if url is None else SecretStr(check_redis_url(url.get_secret_value(), ca_file))

    @field_validator("model_url", "embedding_url", "qdrant_url", "api_url", "flower_url")
    @classmethod
    def _check_address(cls, url: str) -> str:
        return check_http_address(url)

    @field_validator("qdrant_url")
    @classmethod
    def _name_port(cls, url: str) -> str:
        return with_port_of_https(url)

    @field_validator("neo4j_url")  # the tools' is checked where tools are: documents need none
    @classmethod
    def _check_graph(cls, url: str) -> str:
        return check_graph_address(url)

    @field_validator("model_key", "embedding_key", "qdrant_api_key")
    @classmethod
    def _check_key(cls, key: SecretStr | None) -> SecretStr | None:
        return None if key is None else SecretStr(check_key(key.get_secret_value()))

    @property
    def keeping(self) -> Keeping:
        """Limits on how many former versions of documents are kept, and for how long."""
        return Keeping(versions=self.versions_kept, days=self.versions_days)

    @property
    def broker_address(self) -> str:
        """The address of Celery's Redis, with its password."""
        return (self.broker_url or self.redis_url).get_secret_value()

    @property
    def tools_login(self) -> tuple[str, str, str]:
        """Address, user and password of the database that tools query: hopline's own, unless set."""
        if self.tools_neo4j_url:
            return self.tools_neo4j_url, self.tools_neo4j_user, self.tools_neo4j_password.get_secret_value()
        return self.own_login

    @property
    def own_login(self) -> tuple[str, str, str]:
        """Address, user and password of hopline's own database."""
        return self.neo4j_url, self.neo4j_user, self.neo4j_password.get_secret_value()

    def source_of(self, name: str) -> str:
        """Return where a setting's value comes from: the environment, a file, the program, or the default."""
        set_here = "the program" if name in self.model_fields_set else "default"
        return self._sources.get(f"hopline_{name}", set_here)

    @classmethod
    def is_secret(cls, name: str) -> bool:
        """Return whether the value of a setting is a key, a password, or an address with one."""
        return "Secret" in str(cls.model_fields[name].annotation)

    def digests(self) -> dict[str, str]:
        """Return a short hash of each setting that all processes should share, except secrets."""
        values = self.model_copy(update={"blob_url": self.blob_url or str((self.var / "blobs").resolve())})
        return {
            name: hashlib.sha256(repr(value).encode()).hexdigest()[:8]
            for name, value in values
            if not self.is_secret(name) and (name == _OF_ALL or not name.startswith(_OF_ONE_PROCESS))
        }

    @property
    def fast_model(self) -> str:
        """The model of the fast tier."""
        return self.model_fast or self.model

    @property
    def strong_model(self) -> str:
        """The model of the strong tier."""
        return self.model_strong or self.model


def trusted_authorities() -> Path | None:
    """Return HOPLINE_CA_FILE from the environment or `.env`, for callers that need no other setting.

    Raises:
        InvalidInput: the file does not exist, or contains no certificate.
    """
    return named_authorities(environment_value("HOPLINE_CA_FILE"))


def wants_traces() -> bool:
    """Return whether OpenTelemetry's own variables name a collector and do not turn traces off."""
    off = os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true"
    exporters = os.environ.get("OTEL_TRACES_EXPORTER") or "otlp"
    named = any(os.environ.get(f"OTEL_EXPORTER_OTLP_{name}") for name in ("ENDPOINT", "TRACES_ENDPOINT"))
    return named and not off and "otlp" in exporters


@cache
def load_settings() -> Settings:
    """Read the environment, `.env` and the local stack's own file; the environment wins."""
    var = var_folder()
    files = (var / "stack.env", Path(".env"))
    settings = Settings(_env_file=files, var=var)
    places = {str(file): dotenv_values(file, interpolate=False) for file in files if file.is_file()}
    for place, values in (places | {"the environment": dict(os.environ)}).items():
        settings._sources.update(dict.fromkeys(map(str.lower, values), place))  # noqa: SLF001 - its own maker
    return settings
