"""Service for conversations: start, list, change, delete."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from hopline.errors import NotFound
from hopline.models.conversations import MOST_TITLE
from producer.service.backend import Part

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hopline.models.jobs import Json
    from workers.core.answers.kept import KeptAnswer, KeptConversation, KeptQuestion
    from workers.core.jobs.records import JobRecord


class Conversations(Part):
    """Stored questions and answers, by owner: see `producer.api.access.Caller.owner`."""

    def begin(self, conversation: str, owner: str) -> None:
        """Begin a conversation, unless the owner has done so.

        Raises:
            NotFound: it is somebody else's.
        """
        from workers.core.answers.kept import KeptConversation

        begun = KeptConversation(id=conversation, owner=owner, created=time.time())
        kept = self._services.conversations.begin(begun)
        if kept.owner != owner:
            raise unknown_conversation(conversation)
        self._services.conversations.delete_oldest(owner)

    def ask(self, conversation: str, record: JobRecord) -> None:
        """Add a question to its conversation while its job runs; the end of the job would add it anyway."""
        from workers.engine.session_history import question_of

        self._services.conversations.ask(conversation, question_of(record))

    def of_owner(
        self, owner: str, collection: str | None, words: str
    ) -> Iterator[tuple[KeptConversation, list[KeptQuestion]]]:
        """Yield an owner's conversations with their questions, those with the newest questions first.

        Args:
            owner: the owner.
            collection: only conversations that started with this collection.
            words: only conversations with this text in the title or a question, ignoring case.
        """
        sought = words.casefold()
        for about, questions in self._services.conversations.of_owner(owner):
            texts = (about.title, *(each.question for each in questions))
            begun_with = collection in (None, questions[0].collections[0])
            if begun_with and any(sought in text.casefold() for text in texts):
                yield about, questions

    def read(self, conversation: str) -> tuple[KeptConversation, list[KeptQuestion]]:
        """Return a conversation with its questions, oldest first.

        Raises:
            NotFound: there is no such conversation.
        """
        found = self._services.conversations.read(conversation)
        if found is None or not found[1]:
            raise unknown_conversation(conversation)
        return found

    def answers(self, conversation: str) -> dict[str, KeptAnswer]:
        """Return a conversation's stored answers, by job."""
        return self._services.conversations.answers(conversation)

    def update(self, conversation: str, collection: str, changes: Json) -> KeptConversation:
        """Set the title of a conversation, or whether it is shared.

        Raises:
            NotFound: it was deleted in the meantime.
        """
        with self._audit.act("change", "conversation", conversation, collection):
            changed = self._services.conversations.change(conversation, changes)
            if changed is None:
                raise unknown_conversation(conversation)
        return changed

    def delete(self, conversation: str, collection: str) -> None:
        """Delete a conversation with its answers."""
        with self._audit.act("erase", "conversation", conversation, collection):
            self._services.conversations.delete(conversation)

    def sees_any(self, collections: Sequence[str], principals: Sequence[str]) -> bool:
        """Return whether the given principals may see at least one document in each collection."""
        from workers.core.scope import Scope

        seen = Scope().seen_by(principals)
        return all(self._services.scopes.documents_in(name, seen) for name in collections)

    def live_texts(self, documents: Iterable[str]) -> dict[str, str]:
        """Return the current text version of each given document that is live, named as in answers."""
        live = self._services.scopes.live_texts(documents)
        return {name: text.name for name, text in live.items()}


def title_of(question: str) -> str:
    """Return the title of a conversation whose first question is given."""
    title = " ".join(question.split())
    return title if len(title) <= MOST_TITLE else f"{title[: MOST_TITLE - 1]}…"


def unknown_conversation(conversation: str) -> NotFound:
    """Return the error for a conversation that does not exist, or belongs to somebody else."""
    return NotFound(f"no conversation {conversation}: `hopline conversations` lists yours")
