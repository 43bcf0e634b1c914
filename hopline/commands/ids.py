"""Resolves ids and names from a unique prefix, as people type them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING

from hopline.commands.filters import MOST_JOBS
from hopline.commands.options import DEFAULT

if TYPE_CHECKING:
    from hopline import Hopline

_SHOWN = 5  # of what a prefix may mean
PAGE = _SHOWN + 1  # candidates that are asked for
_WHOLE = 25  # characters of an id


def whole_job_id(client: Hopline, beginning: str) -> str:
    """Return the id of the job with this prefix, among the newest; see `whole`."""
    return whole("job", beginning, lambda: [job.id for job in islice(client.jobs.iterate(), MOST_JOBS)])


def whole_document_id(client: Hopline, beginning: str) -> str:
    """Return the id of the document with this prefix; see `whole`.

    With a key limited to certain collections or principals, only a full id works.
    """
    from hopline.errors import InvalidInput

    def following() -> list[str]:
        try:
            page = client.documents.list(prefix=beginning, limit=PAGE)
        except InvalidInput:  # who does not see all documents may not list those of all collections
            return []
        return [document.id for document in page.documents]

    return whole("document", beginning, following)


def whole_collection(client: Hopline, beginning: str) -> str:
    """Return the name of the collection with this prefix; see `only`."""
    if beginning == DEFAULT[0]:  # what is meant where none is named
        return beginning
    names = [each.name for each in client.collections.list().collections]
    return only("collection", "name", beginning, names)


def whole_collections(client: Hopline, beginnings: Iterable[str]) -> list[str]:
    """Return the names of the collections with these prefixes; see `only`."""
    return [whole_collection(client, each) for each in beginnings]


def existing_collection(client: Hopline, beginning: str) -> str:
    """Return the name of the collection with this prefix; a collection without live documents does not count.

    Raises:
        InvalidInput: several collections have this prefix.
        NoDocuments: no collection has it; the error suggests a similar name.
    """
    from hopline.errors import NoDocuments

    known = [each.name for each in client.collections.list().collections]
    named = only("collection", "name", beginning, known)
    if named not in known:
        raise NoDocuments(beginning, known)
    return named


@contextmanager
def naming_collection(client: Hopline, collection: str, *, whole: bool = False) -> Iterator[str]:
    """Yield a collection's full name; in errors of the block, call the field `collection` instead of `name`.

    Unknown names raise `NoDocuments`, which suggests similar ones.

    Args:
        client: the command's client.
        collection: its name or a prefix of it.
        whole: `collection` is a full name, even if the collection does not exist yet.

    Raises:
        InvalidInput: not a valid name, or several collections have this prefix.
        NoDocuments: no such collection; the error suggests a similar name.
    """
    from hopline.errors import InvalidInput, NotFound

    try:
        yield collection if whole else whole_collection(client, collection)
    except NotFound:
        existing_collection(client, collection)
        raise
    except InvalidInput as error:
        if error.field != "name":
            raise
        raise InvalidInput("collection", error.value, error.allowed) from error


def whole_merge_id(client: Hopline, beginning: str) -> str:
    """Return the id of the merge with this prefix; see `whole`."""
    return whole("merge", beginning, lambda: list(_merges_after(client, beginning)))


def whole_topic_id(client: Hopline, collection: str, beginning: str) -> str:
    """Return the id of the topic of a collection with this prefix; see `whole`."""
    from hopline.models.topics import LEVELS, MOST_TOPICS

    def listed() -> list[str]:
        levels = (client.topics.list(collection, level=level, limit=MOST_TOPICS) for level in range(LEVELS))
        return [topic.id for level in levels for topic in level.topics]

    return whole("topic", beginning, listed)


def whole_batch_name(client: Hopline, beginning: str) -> str:
    """Return the name of the batch with this prefix; see `only`."""
    return only("batch", "name", beginning, [batch.name for batch in client.batches.list(limit=1000).batches])


def whole_schedule_name(client: Hopline, beginning: str) -> str:
    """Return the name of the schedule with this prefix; see `only`."""
    names = [scheduled.schedule.name for scheduled in client.schedules.list().schedules]
    return only("schedule", "name", beginning, names)


def whole_key_id(client: Hopline, meant: str) -> str:
    """Return the id of the API key with this name, if only one has it, or with this prefix; see `whole`."""
    keys = client.keys.list().keys
    named = [key.id for key in keys if key.name == meant]
    return named[0] if len(named) == 1 else only("key", "id", meant, [key.id for key in keys])


def whole_message_id(client: Hopline, beginning: str) -> str:
    """Return the id of the dead message with this prefix; see `only`."""
    listed = client.messages.list(limit=1000).messages
    return only("message", "id", beginning, [message.id for message in listed])


def whole_session_id(client: Hopline, meant: str) -> str:
    """Return the id of the session with this name, if only one has it, or with this prefix; see `only`."""
    from hopline.models.sessions import MOST_SESSIONS

    listed = client.sessions.list(limit=MOST_SESSIONS).sessions
    named = [each.id for each in listed if each.name == meant]
    return named[0] if len(named) == 1 else only("session", "id", meant, [each.id for each in listed])


def whole_conversation_id(client: Hopline, beginning: str) -> str:
    """Return the id of one's own conversation with this prefix; see `whole`."""
    return whole("conversation", beginning, lambda: [each.id for each in client.conversations.iterate()])


def _merges_after(client: Hopline, beginning: str) -> Iterable[str]:
    for collection in client.collections.list().collections:
        page = client.merges.list(collection.name, prefix=beginning, limit=PAGE)
        yield from (merge.id for merge in page.merges)


def whole(field: str, beginning: str, ids: Callable[[], Sequence[str]]) -> str:
    """Return the only id with this prefix, as `only` does; a complete id is returned unchanged."""
    return beginning if len(beginning) >= _WHOLE else only(field, "id", beginning, ids())


def only(field: str, what: str, beginning: str, known: Sequence[str]) -> str:
    """Return the only candidate with this prefix; the prefix itself if there is none.

    Raises:
        InvalidInput: several candidates have this prefix.
    """
    from hopline.errors import InvalidInput

    if beginning in known:
        return beginning
    matches = [each for each in known if beginning and each.startswith(beginning)]
    if len(matches) > 1:
        shown = ", ".join(matches[:_SHOWN]) + (", …" if len(matches) > _SHOWN else "")
        message = f"{beginning!r} matches more than one {field} {what}: {shown}; type more of it"
        raise InvalidInput(field, beginning, f"the beginning of exactly one {what}", message=message)
    return matches[0] if matches else beginning
