"""Documents, the graph and its tools from the asynchronous client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from producer.client.asynchronous.threads import InThreads
from producer.client.link import DEFAULT_COLLECTION

if TYPE_CHECKING:
    from workers.core.graph.merges import Merge
    from workers.core.graph.neighbourhood import Neighbourhood, Passage
    from workers.core.graph.schema import GraphSchema
    from workers.core.jobs.work import Json
    from workers.tools.pack import PackState
    from workers.tools.tool import ToolResult


class AsyncGraphCalls(InThreads):
    """What `AsyncHopline` does with documents, key elements and tools; see `Hopline`."""

    async def neighbourhood(
        self,
        name: str | None = None,
        collection: str = DEFAULT_COLLECTION,
        *,
        element: str | None = None,
        document: str | None = None,
        limit: int = 40,
    ) -> Neighbourhood:
        """Return the facts around a key element; see `Hopline.neighbourhood`."""
        told: Json = {"element": element, "document": document, "limit": limit}
        return await self._run(self._client.neighbourhood, name, collection, **told)

    async def document_text(
        self, document_id: str, start: int | None = None, end: int | None = None
    ) -> Passage:
        """Return a stretch of a document's text; see `Hopline.document_text`."""
        return await self._run(self._client.document_text, document_id, start, end)

    async def schema(self, *, internal: bool = False, refresh: bool = False) -> GraphSchema:
        """Return the database's schema; see `Hopline.schema`."""
        return await self._run(self._client.schema, internal=internal, refresh=refresh)

    async def tools(self, collection: str | None = None) -> list[Json]:
        """Return the tools that there are; see `Hopline.tools`."""
        return await self._run(self._client.tools, collection)

    async def tool_packs(self, collection: str | None = None) -> list[PackState]:
        """Return which packs of tools are on, and why; see `Hopline.tool_packs`."""
        return await self._run(self._client.tool_packs, collection)

    async def tool(self, name: str, /, collection: str = DEFAULT_COLLECTION, **arguments: Any) -> ToolResult:
        """Run a tool; see `Hopline.tool`."""
        return await self._run(lambda: self._client.tool(name, collection, **arguments))

    async def run_tool(self, name: str, collection: str, arguments: Json) -> ToolResult:
        """Run a tool; see `Hopline.run_tool`."""
        return await self._run(self._client.run_tool, name, collection, arguments)

    async def merge_elements(
        self,
        collection: str = DEFAULT_COLLECTION,
        *,
        dry_run: bool = False,
        timeout: float | None = None,  # noqa: ASYNC109 - the deadline also reaches the waiting thread
    ) -> Json:
        """Merge the key elements that name one thing; see `Hopline.merge_elements`."""
        return await self._run(self._client.merge_elements, collection, dry_run=dry_run, timeout=timeout)

    async def submit_merge(self, collection: str = DEFAULT_COLLECTION, *, dry_run: bool = False) -> str:
        """Submit a merge; see `Hopline.submit_merge`."""
        return await self._run(self._client.submit_merge, collection, dry_run=dry_run)

    async def merge_outcome(
        self,
        job_id: str,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - the deadline also reaches the waiting thread
    ) -> Json:
        """Wait for a merging, or an undoing; see `Hopline.merge_outcome`."""
        return await self._run(self._client.merge_outcome, job_id, timeout=timeout)

    async def merges(self, collection: str | None = None) -> list[Merge]:
        """Return the merges of a collection, or of all; see `Hopline.merges`."""
        return await self._run(lambda: list(self._client.merges(collection)))

    async def undo_merge(
        self,
        merge: str,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - the deadline also reaches the waiting thread
    ) -> Json:
        """Undo a merge; see `Hopline.undo_merge`."""
        return await self._run(self._client.undo_merge, merge, timeout=timeout)

    async def submit_undo(self, merge: str) -> str:
        """Submit the undoing of a merge; see `Hopline.submit_undo`."""
        return await self._run(self._client.submit_undo, merge)
