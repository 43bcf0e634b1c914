"""The service's adapters and publisher, built at the first call that needs them."""

from __future__ import annotations

import secrets
from threading import RLock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hopline.models.base import Frozen
    from hopline.models.jobs import Json
    from workers.core.jobs.messages import Publisher
    from workers.core.jobs.records import JobRecord
    from workers.core.jobs.work import Phase, Terms
    from workers.history.audit_book import AuditBook
    from workers.services import Services
    from workers.settings import Settings


class Backend:
    """Dependencies that every part of the service shares.

    Args:
        settings: addresses of the servers; default from the environment.
        services: existing adapters; default built from the settings.
        publisher: sends the messages of new jobs; default Celery.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        services: Services | None = None,
        publisher: Publisher | None = None,
    ) -> None:
        self._settings = settings
        self._services = services
        self._publisher = publisher
        self._lock = RLock()  # one thread builds, the others take what it built

    @property
    def services(self) -> Services:
        """The adapters."""
        with self._lock:
            if self._services is None:
                from workers.services import Services
                from workers.settings import load_settings

                self._services = Services(self._settings or load_settings())
            return self._services

    @property
    def publisher(self) -> Publisher:
        """The publisher of the messages of new jobs."""
        with self._lock:
            if self._publisher is None:
                from workers.app import application_for
                from workers.transport.publishers import CeleryPublisher

                self._publisher = CeleryPublisher(application_for(self.services.settings))
            return self._publisher

    def submit(
        self,
        kind: str,
        collection: str,
        params: Json | Frozen,
        *,
        key: str | None = None,
        phase: Phase | None = None,
        terms: Terms | None = None,
    ) -> JobRecord:
        """Submit a job; return its record.

        Args:
            kind: kind of the job.
            collection: collection that it works on.
            params: parameters of its kind: validated ones, or JSON to be validated.
            key: idempotency key.
            phase: its first phase, if the flow does not create it from the parameters.
            terms: caller, priority and notifications.
        """
        from workers.core.ids import job_id
        from workers.engine.submit import submit_job

        named = key if key is not None else secrets.token_hex(16)  # its id is noted before it is there
        job = job_id(terms.caller if terms else "", named)
        with self.services.audit.act("submit", kind, job, collection):
            return submit_job(
                self.services, self.publisher, kind, collection, params, key=named, phase=phase, terms=terms
            )

    def check_webhook(self, address: str) -> None:
        """Check that a webhook may be called.

        Raises:
            InvalidInput: the settings do not allow its address.
        """
        from workers.webhooks.address import check_webhook

        check_webhook(address, self.services.settings)

    def close(self) -> None:
        """Close every connection; the next call opens them again."""
        with self._lock:
            services, self._services = self._services, None
        if services is not None:
            services.close()


class Part:
    """One area of the service, such as jobs or documents.

    Args:
        backend: the adapters and the publisher.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    @property
    def _services(self) -> Services:
        return self._backend.services

    @property
    def _audit(self) -> AuditBook:
        return self._backend.services.audit
