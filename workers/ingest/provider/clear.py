"""Steps ingest.provider_clean and ingest.provider_stop: delete a batch's files at the provider."""

from __future__ import annotations

from workers.core.jobs.work import Event, Json, Outcome, Usage
from workers.core.ports import Ports
from workers.ingest.provider.lines import get_group
from workers.ingest.provider.send import intent_of, oldest, settle


def clean_up(given: Json, ports: Ports) -> Outcome:
    """Delete a batch's files at the provider, so that no texts remain there.

    Input: {files, refused: nothing was answered, so that nothing was paid}. Result: {removed: how many}.
    """
    if given["refused"]:
        settle(ports, Usage())
    group = get_group(ports.blobs, ports.job.params["group"])
    written = [file.id for file in ports.provider.find_files(intent_of(ports), oldest(group))]
    files = {file for file in (*given["files"], *written) if file}
    for file in files:
        ports.provider.delete(file)
    return Outcome(result={"removed": len(files)})


def stop_batch(given: Json, ports: Ports) -> Outcome:
    """Cancel the batch of a cancelled or failed job at the provider; if there is none, delete its files.

    Input: {keep: the file of requests stays, for a retry}. Result: {batch: "" if there is none; what it
    has answered is to be read, as it is paid for}.
    """
    intent, since = intent_of(ports), oldest(get_group(ports.blobs, ports.job.params["group"]))
    found = ports.provider.find(intent, since)
    for batch in found:
        ports.provider.cancel(batch.id)
    if found:
        told = {"batch": found[0].id}
        return Outcome(result=told, events=(Event(name="batch.stopped", data=told),))
    for file in () if given.get("keep") else ports.provider.find_files(intent, since):
        ports.provider.delete(file.id)
    settle(ports, Usage())
    return Outcome(result={"batch": ""})
