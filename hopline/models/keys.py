"""API keys: who may use the API, and for what."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints, WithJsonSchema

from hopline.allowed_values import InWords
from hopline.models.base import Frozen
from hopline.models.collections import CollectionName
from hopline.models.times import Timestamp
from hopline.principals import LONGEST_PRINCIPAL, MOST_PRINCIPALS, checked_principals

KeyScope = Literal["read", "submit", "admin", "act-as"]
NAME_WORDS = "1 to 100 letters, digits, spaces, '.', '-', '_' or '@'"
KeyName = Annotated[
    str,
    StringConstraints(pattern=r"^[\p{L}\p{N}_ .@-]{1,100}$"),
    InWords(NAME_WORDS),
    # As that of a collection's name: of other letters than ASCII's the server knows which are some.
    WithJsonSchema({"type": "string", "pattern": r"^[^\x00-\x1f!-,/:-?\[-^`{-\x7f]{1,100}$"}),
    Field(description="A name for the user of the key.", examples=["reports"]),
]
KeyScopes = Annotated[
    tuple[KeyScope, ...],
    Field(
        min_length=1,
        max_length=4,
        description="read: read answers, documents and own jobs; submit: also submit jobs; admin: "
        "everything, for all keys; act-as, together with read or submit: each request names the people it "
        "is made for.",
    ),
]
KeyCollections = Annotated[
    Annotated[tuple[CollectionName, ...], Field(min_length=1, max_length=1000)] | None,
    Field(description="Collections that the key is limited to; null means all."),
]
KeyPrincipals = Annotated[
    Annotated[
        tuple[Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_PRINCIPAL)], ...],
        Field(min_length=1, max_length=MOST_PRINCIPALS),
        AfterValidator(partial(checked_principals, "principals")),
    ]
    | None,
    Field(
        description="The key sees only documents that these principals may see; null means all documents.",
        examples=[["user:ann", "group:legal"]],
    ),
]


class Key(Frozen):
    """The public part of an API key."""

    id: str
    name: str
    scopes: tuple[KeyScope, ...] = Field(description="By name.")
    collections: tuple[str, ...] | None = Field(
        description="Collections that the key is limited to; null means all."
    )
    principals: tuple[str, ...] | None = Field(
        description="The key sees only documents that these principals may see; null means all documents."
    )
    created: Timestamp


class KeyCreated(Key):
    """A new API key, with its secrets, which are shown only once."""

    key: str = Field(repr=False, description="The key itself. Only its hash is stored.")
    webhook_secret: str = Field(repr=False, description="Signs the webhooks of its jobs.")


class KeyList(Frozen):
    """API keys, oldest first."""

    keys: tuple[Key, ...]
    needed: bool = Field(
        description="Whether requests need a key; this stays true after the last key is revoked."
    )
