"""API keys whose changes are audited."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from producer.service.keys import ApiKey, ApiKeys

if TYPE_CHECKING:
    import redis

    from workers.history.audit_book import AuditBook

_KIND = "key"


class AuditedKeys(ApiKeys):
    """The keys in Redis; see `ApiKeys`.

    Args:
        client: a Redis client with `decode_responses`.
        audit: records the changes.
    """

    def __init__(self, client: redis.Redis, audit: AuditBook) -> None:
        super().__init__(client)
        self._audit = audit

    def create(
        self,
        name: str,
        scopes: frozenset[str],
        collections: tuple[str, ...] | None = None,
        principals: Sequence[str] | None = None,
    ) -> tuple[ApiKey, str]:
        """Create a key; see `ApiKeys.create`. Until it has an id, the audit event has its name."""
        with self._audit.act("create", _KIND, name) as acted:
            made = super().create(name, scopes, collections, principals)
            acted.on(made[0].id)
        return made

    def revoke(self, key_id: str) -> ApiKey:
        """Remove a key; see `ApiKeys.revoke`."""
        with self._audit.act("revoke", _KIND, key_id):
            return super().revoke(key_id)

    def change_principals(self, key_id: str, principals: Sequence[str] | None) -> ApiKey:
        """Change which documents a key sees; see `ApiKeys.change_principals`."""
        with self._audit.act("change", _KIND, key_id):
            return super().change_principals(key_id, principals)

    def drop_need(self) -> None:
        """Let servers on the loopback accept requests without keys; see `ApiKeys.drop_need`."""
        with self._audit.act("open", _KIND):
            super().drop_need()
