"""Collections: their titles and descriptions, and checks before deletion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopline.errors import NoDocuments, StateConflict
from producer.service.backend import Part
from workers.core.jobs.params import check_collection

if TYPE_CHECKING:
    from collections.abc import Callable

    from hopline.models.collections import CollectionTitle


class Collections(Part):
    """Properties of collections besides their documents."""

    def titles(self) -> dict[str, CollectionTitle]:
        """Return the titles and descriptions of all collections that have any, by name."""
        return self._services.collection_titles.all()

    def title(self, collection: str) -> CollectionTitle:
        """Return a collection's title and description."""
        return self._services.collection_titles.read(collection)

    def update(self, collection: str, *, title: str | None, description: str | None) -> CollectionTitle:
        """Set a collection's title and description; None leaves one unchanged."""
        given = {"title": title, "description": description}
        changes = {name: text for name, text in given.items() if text is not None}
        with self._audit.act("set", "collection", collection, collection):
            told = self.title(collection).model_copy(update=changes)
            self._services.collection_titles.write(collection, told)
        return told

    def check_deletion(self, collection: str) -> None:
        """Check that nothing would add documents to a collection after its deletion.

        Raises:
            StateConflict: a schedule syncs into it.
        """
        from workers.ledger.schedules import ScheduleBook

        for schedule in ScheduleBook(self._services.redis).all():
            if schedule.collection == collection:
                message = (
                    f"schedule {schedule.name} syncs into collection {collection} and would fill it again: "
                    f"delete it first (`hopline schedules delete {schedule.name}`)"
                )
                allowed = "a collection without schedules"
                raise StateConflict("collection", collection, allowed, message=message)

    def require(self, collection: str, sees: Callable[[str], bool] = lambda _name: True) -> None:
        """Check that a collection exists: that it has documents, live or not, concept maps, or a schema.

        Args:
            collection: its name.
            sees: returns whether the caller may see a collection; the error names no others.

        Raises:
            NoDocuments: it does not exist.
        """
        services = self._services
        if services.graph.holds(check_collection(collection)) or services.metadata_schemas.has(collection):
            return
        raise NoDocuments(collection, filter(sees, services.graph.store.collections()))
