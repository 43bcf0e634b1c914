"""Services whose audit a test reads, and what acts on them may name, made when one does."""

import time
from collections.abc import Sequence
from pathlib import Path

from doubles.concepts import MemoryConcepts
from doubles.documents import CURIE, PRIZE, made_document, made_element, write
from doubles.graph import MemoryGraph
from doubles.vectors import MemoryVectors
from hopline.models.audit import AuditEvent
from hopline.models.jobs import JobState
from hopline.models.merges import Proposal
from hopline.principals import LOCAL_CALLER
from producer.service.batches.submission import BatchOrder
from producer.service.schedules import schedule_of
from producer.service.service import Service
from workers.core.answers.kept import KeptConversation, KeptQuestion
from workers.core.jobs.messages import Message
from workers.core.jobs.records import Wanted
from workers.core.jobs.work import Terms
from workers.history.books import EVENTS
from workers.ledger.sessions import Exchange, Remembered
from workers.services import Services
from workers.transport.dead_messages import bury

FACT = ("A bridge stands.", ["bridge"])


def furnished(services: Services) -> Services:
    """Put a graph with a document into memory, behind services that are not closed."""
    graph = MemoryGraph()
    services.__dict__ |= {"graph": graph, "vectors": MemoryVectors(), "close": lambda: None}
    services.__dict__ |= {"concepts": MemoryConcepts()}
    write(graph, "default", "a.txt", [FACT])
    return services


class Ending:
    """A publisher whose jobs end as they are submitted."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def send(self, messages: Sequence[Message]) -> None:
        for job in {message.job_id for message in messages}:
            self._services.ledger.end(job, None, JobState.FAILED, {})

    def chain(self, *chains: Sequence[Message]) -> None:
        for messages in chains:
            self.send(messages)


class Silent(Ending):
    """A publisher whose messages nobody reads."""

    def send(self, messages: Sequence[Message]) -> None:
        del messages


class Places:
    """What arguments name, made when one does.

    Args:
        services: where it is made.
        folder: for files.
    """

    def __init__(self, services: Services, folder: Path) -> None:
        self._services = services
        self._folder = folder
        self._silent = Service(services=services, publisher=Silent(services))

    def filled(self, argument: str) -> str:
        if not argument.startswith("{"):
            return argument
        return str(getattr(self, argument.strip("{}"))())

    def forget(self) -> None:
        """Forget the events of what was made."""
        self._services.redis.delete(EVENTS.waiting)

    def texts(self) -> Path:
        folder = self._folder / "texts"
        folder.mkdir()
        (folder / "b.txt").write_text("A river.", encoding="utf-8")
        return folder

    def schema(self) -> Path:
        file = self._folder / "schema.json"
        file.write_text('{"fields": {}}', encoding="utf-8")
        return file

    def backup(self) -> Path:
        return self._folder

    def document(self) -> str:
        return made_document("default", "a.txt", [FACT])[0].id

    def job(self) -> str:
        """Return the one question that runs."""
        for record in self._services.ledger.page(Wanted(kind="query", is_open=True))[0]:
            self._services.ledger.end(record.job.id, None, JobState.CANCELLED, {})
        return self._silent.submit("query", "default", {"question": "Who?"}).job.id

    def failed(self) -> str:
        ending = Service(services=self._services, publisher=Ending(self._services))
        return ending.submit("query", "default", {"question": "Who?"}).job.id

    def batch(self) -> str:
        order = BatchOrder(name=self._folder.name, sources=(str(self.texts()),), collection="default")
        return self._silent.batches.submit(order, Terms()).name

    def halted(self) -> str:
        """Return the name of a paused batch."""
        name = self.batch()
        self._silent.batches.pause(name)
        return name

    def ended(self) -> str:
        """Return the name of a batch that did not bring all in."""
        name = self.batch()
        self._silent.batches.cancel(name)
        return name

    def schedule(self) -> str:
        made = schedule_of([str(self._folder)], "default", name="night", every="0 2 * * *")
        return self._silent.schedules.add(made).schedule.name

    def merge(self) -> str:
        graph = self._services.graph
        write(graph, "default", "c", [CURIE, ("Curie studied physics.", ["Curie", "physics"]), PRIZE])
        source, target = made_element("default", "Curie"), made_element("default", "Marie Curie")
        names = {
            "source": source.id, "source_name": source.name, "target": target.id, "target_name": target.name,
        }  # fmt: skip
        proposal = Proposal(**names, rule="surname", evidence="")
        graph.merging.merge_elements("default", proposal, "j1")
        return graph.merging.merges("default")[0].id

    def paused(self) -> str:
        self._silent.work_pauses.pause("queue", "bulk")
        return "queue"

    def message(self) -> str:
        """Return the id of a dead message."""
        bury(self._services.broker_redis, "bulk", {"properties": {}, "headers": {}}, "there is no task x")
        return self._silent.messages.newest(1)[0].id

    def session(self) -> str:
        """Return the id of a session that remembers something."""
        talk = Remembered(name="talk", collections=("default",))
        self._services.sessions.add(talk, Exchange(job_id="j1", question="Who?", answer="Brunel."))
        return talk.id

    def conversation(self, owner: str = LOCAL_CALLER) -> str:
        """Return the id of a conversation that has a question."""
        talk = KeptConversation(id="0" * 32, owner=owner, created=0.0)
        self._services.conversations.delete(talk.id)
        self._services.conversations.begin(talk)
        question = KeptQuestion(job_id="j1", question="Who?", collections=("default",), asked=time.time())
        self._services.conversations.ask(talk.id, question)
        return talk.id

    def weighed(self) -> str:
        key = self.key()
        self._silent.weights.set("key", key, 2)
        return key

    def key(self) -> str:
        return self._silent.keys.create("bob", frozenset({"read"}))[0].id


def noted(services: Services) -> list[AuditEvent]:
    return services.audit_keeper.pending.all()
