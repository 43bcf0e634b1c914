"""Builds extraction requests and looks up replies to them in the response cache."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import ceil
from typing import Any, Generic

from pydantic import BaseModel, ValidationError

from hopline.models.documents import Chunk
from hopline.models.jobs import Json
from workers.core.language.text import words
from workers.core.models.replies import reply_key
from workers.core.places import with_told_rows
from workers.core.ports import Ports, Reply, Tier
from workers.core.prompts import Prompt, load_prompt
from workers.ingest.profile.profile import get_profile
from workers.ingest.schema import ExtractedFacts, ProfiledFacts

_TIER: Tier = "fast"
_REPLY_TOKENS = 4096  # a dense chunk of 600 tokens gives some 30 facts with elements
_PROFILED_TOKENS = 8192  # and with a profile as much again for relations, events and entities
_CHUNK = 600  # tokens; a larger chunk has more facts
# Earlier texts of a prompt, newest first, whose replies have the same form and are not paid for again.
_EARLIER: Mapping[str, Sequence[str]] = {"extract": ["extract_1"], "extract_profile": ["extract_profile_1"]}
_MOST_TOKENS = 16_384  # of a reply; some models write no more


@dataclass(frozen=True)
class Asked(Generic[Reply]):
    """One question to the model of the fast tier, and under which keys its reply may be kept."""

    content: str  # content_hash of the chunk that it is about
    keys: tuple[str, ...]  # the first is its own; under others a reply to the same text may be found
    prompt: Prompt
    material: Json
    reply: type[Reply]
    max_tokens: int

    @property
    def key(self) -> str:
        """The key of its cached reply."""
        return self.keys[0]


Extraction = Asked[ExtractedFacts] | Asked[ProfiledFacts]


def reply_tokens(chunk_tokens: int, bound: int | None = None) -> int:
    """Return the maximum length of a reply for a chunk of a number of tokens.

    Args:
        chunk_tokens: number of tokens of the chunk.
        bound: of the reply to 600 tokens; that of a document without a profile unless given.
    """
    least = _REPLY_TOKENS if bound is None else bound
    return max(least, min(_MOST_TOKENS, least * ceil(chunk_tokens / _CHUNK)))


def worth_asking(chunk: Chunk) -> bool:
    """Return whether a model could find facts in it: rows of dashes and the like are not worth a call."""
    return bool(words(chunk.text))


def extraction_request(
    ports: Ports, title: str, chunk: Chunk, *, profile: str = "", known_as: str = ""
) -> Extraction:
    """Return the extraction request for a chunk.

    Args:
        ports: ports for reading the profile and the model's name.
        title: title of the document.
        chunk: one that is worth asking.
        profile: reference of the document's profile; none unless set.
        known_as: the title under which a moved document's chunks were asked before.
    """
    if profile:
        return profiled_request(ports, title, chunk, profile, known_as)
    return plain_request(ports, title, chunk, known_as)


def _shown(chunk: Chunk) -> list[str]:
    """Return a chunk's text as a model reads it: rows with their columns, letters composed (NFC).

    Where that is another text, also the chunk's own: as it was asked for before, and its reply is kept.
    """
    shown = unicodedata.normalize("NFC", with_told_rows(chunk.text, chunk.places))
    return list(dict.fromkeys((shown, chunk.text)))


def plain_request(ports: Ports, title: str, chunk: Chunk, known_as: str = "") -> Asked[ExtractedFacts]:
    """Return the extraction request for a chunk of a document without a profile."""
    materials = [
        {"title": shown_title, "text": text}
        for text in _shown(chunk)
        for shown_title in _titles(title, known_as)
    ]
    return _build_request(ports, chunk, "extract", materials, ExtractedFacts, _REPLY_TOKENS)


def profiled_request(
    ports: Ports, title: str, chunk: Chunk, profile: str, known_as: str = ""
) -> Asked[ProfiledFacts]:
    """Return the extraction request for a chunk of a document with a profile."""
    wanted = get_profile(ports.blobs, profile).for_model()
    materials = [
        {"profile": wanted, "title": shown_title, "chapter": chunk.chapter, "text": text}
        for text in _shown(chunk)
        for shown_title in _titles(title, known_as)
    ]
    return _build_request(ports, chunk, "extract_profile", materials, ProfiledFacts, _PROFILED_TOKENS)


def find_reply(ports: Ports, request: Asked[Reply]) -> Reply | None:
    """Return the kept reply; None if there is none or it is not valid."""
    for key in request.keys:
        data = ports.replies.get(request.content, key)
        if data is None:
            continue
        try:
            reply = request.reply.model_validate_json(data)
        except ValidationError:
            continue
        if key != request.key:
            ports.replies.put(request.content, request.key, data)
        return reply
    return None


def keep_reply(ports: Ports, request: Asked[Reply], reply: Reply) -> None:
    """Store a validated reply."""
    ports.replies.put(request.content, request.key, reply.model_dump_json().encode())


def ask_once(ports: Ports, request: Asked[Reply]) -> tuple[Reply, bool]:
    """Return the reply, and whether it came from the cache without a model call.

    Raises:
        ModelRefusedSchema, ModelRefused, Transient, BudgetExceeded: as `Model.ask`.
    """
    kept_reply = find_reply(ports, request)
    if kept_reply is not None:
        return kept_reply, True
    reply = ports.model.ask(
        request.prompt, request.material, request.reply, tier=_TIER, max_tokens=request.max_tokens
    ).value
    keep_reply(ports, request, reply)
    return reply, False


def _titles(title: str, known_as: str) -> list[str]:
    return [title, known_as] if known_as and known_as != title else [title]


def _build_request(
    ports: Ports,
    chunk: Chunk,
    prompt: str,
    materials: list[Json],
    reply: type[Reply],
    bound: int,
) -> Asked[Reply]:
    model, schema = ports.model.name_of(_TIER), schema_of(reply)
    now, *earlier = (load_prompt("workers.ingest", name) for name in (prompt, *_EARLIER[prompt]))
    max_tokens = reply_tokens(chunk.tokens, bound)
    # Before replies grew with the chunk, one to a large chunk was kept under the bound itself.
    keys = (
        reply_key(model, text, schema, material, most)
        for text in (now.text, *(before.text for before in earlier))
        for most in dict.fromkeys((max_tokens, bound))
        for material in materials
    )
    return Asked(chunk.content_hash, tuple(keys), now, materials[0], reply, max_tokens)


@cache
def schema_of(reply: type[BaseModel]) -> dict[str, Any]:
    """Return the schema of a reply, as the key of a kept one holds it; made once."""
    return reply.model_json_schema()
