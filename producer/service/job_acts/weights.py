"""Weights of tenants: sets the share of the bulk queue that an API key or a collection gets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopline.errors import InvalidInput, NotFound
from hopline.models.weights import LEAST, MOST
from producer.service.backend import Part
from workers.core.jobs.params import check_collection

if TYPE_CHECKING:
    from hopline.models.weights import Tenant, Weight
    from producer.service.keys import ApiKey
    from workers.limits.weights import Weights


class WorkWeights(Part):
    """The weights of API keys and collections."""

    def all(self) -> tuple[Weight, ...]:
        """Return all weights, by kind and name."""
        names = {key.id: key.name for key in self._keys()}
        return tuple(
            each.model_copy(update={"called": names.get(each.name, "")}) if each.kind == "key" else each
            for each in self._stored().all()
        )

    def set(self, kind: Tenant, name: str, weight: float | None) -> tuple[Weight, ...]:
        """Set or remove a weight; return all weights.

        Args:
            kind: collection or key.
            name: name of the collection; id of the key, or its name if that is unique.
            weight: the weight; None removes it, which means 1.

        Raises:
            InvalidInput: the weight or the collection's name is not valid, or several keys have that name.
            NotFound: there is no such key, or no weight to remove.
        """
        with self._audit.act("clear" if weight is None else "set", "weight", f"{kind} {name}") as acted:
            tenant = self._clear(kind, name) if weight is None else self._set(kind, name, weight)
            acted.on(f"{kind} {tenant}", tenant if kind == "collection" else None)
        return self.all()

    def _set(self, kind: Tenant, name: str, weight: float) -> str:
        """Set a weight; return its tenant."""
        if not LEAST <= weight <= MOST:
            raise InvalidInput("weight", weight, f"a number from {LEAST:g} to {MOST:g}")
        tenant = check_collection(name) if kind == "collection" else self._key_id(name)
        self._stored().set(kind, tenant, weight)
        return tenant

    def _clear(self, kind: Tenant, name: str) -> str:
        """Remove a weight; return its tenant. A key that has been revoked is named by its id."""
        stored = self._stored()
        if stored.clear(kind, name):
            return name
        if kind == "key" and stored.clear(kind, tenant := self._key_id(name)):
            return tenant
        raise NotFound(f"{kind} {name} has no weight: `hopline weights` lists the existing ones")

    def _key_id(self, name: str) -> str:
        keys = self._keys()
        ids = [key.id for key in keys if key.id == name] or [key.id for key in keys if key.name == name]
        if len(ids) > 1:
            raise InvalidInput("name", name, f"the id of one of its keys: {', '.join(ids)}")
        if not ids:
            raise NotFound(f"no key {name}: `hopline keys` shows them")
        return ids[0]

    def _keys(self) -> list[ApiKey]:
        from producer.service.keys import ApiKeys

        return ApiKeys(self._services.redis).all()

    def _stored(self) -> Weights:
        from workers.limits.weights import Weights

        return Weights(self._services.broker_redis)
