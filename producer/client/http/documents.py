"""Ingests documents over HTTP: in as many requests as needed, reported as one submission."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopline.errors import InvalidInput, KeyReused, no_document
from hopline.models.documents import DocumentReport
from hopline.models.ingest_reports import Submitted
from hopline.models.jobs import Json
from hopline.models.metadata import metadata_json
from hopline.sidecars import SIDECAR
from producer.client.http.connection import key_header, read_answer
from producer.client.http.files import Room, look_at, or_nothing, requests_of
from workers.core.ids import job_id
from workers.core.jobs.work import Terms
from workers.ingest.profile.profile import ProfileText, load_profile, shipped

if TYPE_CHECKING:
    from hopline.models.documents import TextDocument
    from producer.client.http.connection import Connection
    from producer.client.http.files import Part
    from producer.service.documents import Intake

_PATH = "/v1/documents"


class Handover:
    """Documents of one call.

    Args:
        connection: to the API.
        collection: where they go.
        intake: how they are taken in; without a key one is made, so that a repeated request is no second job.
    """

    def __init__(self, connection: Connection, collection: str, intake: Intake) -> None:
        self._connection = connection
        self._key = intake.key or job_id()
        fields: Json = {"collection": collection, "profile": profile_text(intake.profile)}
        fields |= intake.sizes.model_dump() | terms_of(intake.terms)
        self._fields = {name: value for name, value in fields.items() if value is not None}
        if intake.metadata:
            self._fields["metadata"] = json.loads(metadata_json(intake.metadata))
        self._jobs: list[str] = []
        self._documents = 0
        self._refused: list[DocumentReport] = []
        self._faults: list[InvalidInput] = []

    def paths(self, paths: Sequence[str | Path], room: Room) -> Submitted:
        """Submit the documents at some paths.

        Raises:
            InvalidInput: no document does.
        """
        named = or_nothing(look_at(paths, room), paths)
        self._refused += named.refused
        for batch in requests_of(named.parts, room):
            self._upload(batch)
        for uris in _pieces(named.uris, room.documents):
            self._send({"uris": uris}, uris)
        return self._submitted()

    def texts(self, texts: Sequence[TextDocument], room: Room) -> Submitted:
        """Submit texts.

        Raises:
            InvalidInput: none can be taken.
        """
        for batch in _fitting(texts, room):
            names = [text.name for text in batch]
            self._send({"texts": [_described(text) for text in batch]}, names)
        return self._submitted()

    def _upload(self, parts: Sequence[Part]) -> None:
        files = []
        for part in parts:
            try:
                data, sidecar = part.read(), part.read_sidecar()
            except OSError as error:  # it was there a moment ago
                self._refuse(str(part.path), f"cannot be read: {error}")
                continue
            files.append(("files", (part.name, data, "application/octet-stream")))
            if sidecar is not None:
                files.append(("files", (part.name + SIDECAR, sidecar, "application/json")))
        if files:
            fields = {**self._fields}
            if metadata := fields.get("metadata"):
                fields["metadata"] = metadata_json(metadata)  # a form's fields are texts
            if tags := fields.get("tags"):
                fields["tags"] = json.dumps(tags)
            self._post([str(part.path) for part in parts], files=files, data=fields)

    def _send(self, body: Json, names: Sequence[str]) -> None:
        self._post(names, json={**self._fields, **body})

    def _post(self, names: Sequence[str], **options: Any) -> None:
        """Send one request; if it is refused, report its documents as refused."""
        count = len(self._jobs) + len(self._faults)
        key = self._key if count == 0 else f"{self._key}.{count + 1}"
        headers = key_header(key)
        try:
            taken = self._connection.request("POST", _PATH, headers=headers, **options)
        except KeyReused:
            raise
        except InvalidInput as error:
            self._faults.append(error)
            for name in names:
                self._refuse(name, str(error))
            return
        self._jobs.append(taken["batch"]["id"])
        self._documents += len(taken["documents"])
        self._refused += [read_answer(DocumentReport, refusal) for refusal in taken["refused"]]

    def _refuse(self, place: str, reason: str) -> None:
        self._refused.append(DocumentReport(uri=place, status="failed", error=reason))

    def _submitted(self) -> Submitted:
        if not self._jobs:
            if self._faults:
                raise self._faults[0]
            raise no_document(
                "documents", None, [(refusal.uri, refusal.error or "") for refusal in self._refused]
            )
        first, *more = self._jobs
        return Submitted(
            job_id=first, documents=self._documents, refused=tuple(self._refused), more=tuple(more)
        )


def _described(text: TextDocument) -> Json:
    """Return a text as a request holds it; a server of before there was metadata takes one without any."""
    return text.model_dump(mode="json", exclude=None if text.metadata else {"metadata"})


def terms_of(terms: Terms) -> Json:
    """Return the submission options of a request's body; a server of before there were tags takes none."""
    options = {"webhook": terms.webhook, "tags": terms.tags}
    return {"priority": terms.priority, **{name: value for name, value in options.items() if value}}


def room_of(about: Mapping[str, Any]) -> Room:
    """Return the server's limits on the size of a request."""
    limits = about["limits"]
    return Room(**{name: int(limits[name]) for name in Room.model_fields if name in limits})


def profile_text(profile: str | Path | None) -> str | None:
    """Return a profile as a request names it: one that is shipped by its name, a file by its content."""
    if not profile:
        return None
    load_profile(profile)
    if isinstance(profile, ProfileText) or str(profile) in shipped():
        return str(profile)
    return Path(profile).expanduser().read_text(encoding="utf-8-sig")


def _pieces(whole: Sequence[str], most: int) -> Iterator[list[str]]:
    for start in range(0, len(whole), most):
        yield list(whole[start : start + most])


def _fitting(texts: Sequence[TextDocument], room: Room) -> Iterator[list[TextDocument]]:
    """Yield the texts of one request after another; as JSON a text may be six times as long."""
    batch: list[TextDocument] = []
    filled = 0
    for text in texts:
        size = len(text.model_dump_json().encode())
        if batch and (len(batch) == room.documents or filled + size > room.file_bytes):
            yield batch
            batch, filled = [], 0
        batch.append(text)
        filled += size
    if batch:
        yield batch
