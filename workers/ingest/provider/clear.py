"""Steps ingest.provider_clean and ingest.provider_stop: delete a batch's files at the provider."""

from __future__ import annotations

from hopline.events.provider import BatchStopped
from hopline.models.base import Frozen
from hopline.models.jobs import Usage
from workers.core.jobs.work import Outcome
from workers.core.ports import Ports
from workers.ingest.provider.lines import get_group
from workers.ingest.provider.send import intent_of, oldest, settle


class CleanInput(Frozen):
    """What is left of a batch."""

    files: tuple[str, ...]  # ids of its files, "" for none
    refused: bool  # nothing was answered, so that nothing is paid


class CleanResult(Frozen):
    """What was deleted."""

    removed: int  # files


class StopInput(Frozen):
    """How a batch is stopped."""

    keep: bool = False  # the file of requests stays, for a retry


class StopResult(Frozen):
    """A batch that was cancelled; what it has answered is to be read, as it is paid for."""

    batch: str  # its id, "" if there is none


def clean_up(batch: CleanInput, ports: Ports) -> Outcome:
    """Delete a batch's files at the provider, so that no texts remain there."""
    if batch.refused:
        settle(ports, Usage())
    group = get_group(ports.blobs, ports.job.params["group"])
    written = [file.id for file in ports.provider.find_files(intent_of(ports), oldest(group))]
    files = {file for file in (*batch.files, *written) if file}
    for file in files:
        ports.provider.delete(file)
    return Outcome(result=CleanResult(removed=len(files)))


def stop_batch(stop: StopInput, ports: Ports) -> Outcome:
    """Cancel the batch of a cancelled or failed job at the provider; if there is none, delete its files."""
    intent, since = intent_of(ports), oldest(get_group(ports.blobs, ports.job.params["group"]))
    batches = ports.provider.find(intent, since)
    for batch in batches:
        ports.provider.cancel(batch.id)
    if batches:
        event = BatchStopped(batch=batches[0].id)
        return Outcome(result=StopResult(batch=batches[0].id), events=(event,))
    settle(ports, Usage())  # first: whoever is uploading a file now deletes it then
    for file in () if stop.keep else ports.provider.find_files(intent, since):
        ports.provider.delete(file.id)
    return Outcome(result=StopResult(batch=""))
