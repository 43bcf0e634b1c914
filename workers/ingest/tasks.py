"""Registers this stage's Celery tasks; each runs one item."""

from __future__ import annotations

from workers.process import hop_task

document = hop_task("ingest.document")
prefill = hop_task("ingest.prefill")
prepare = hop_task("ingest.prepare")
group = hop_task("ingest.group")
hand_over = hop_task("ingest.hand_over")
provider_upload = hop_task("ingest.provider_upload")
provider_create = hop_task("ingest.provider_create")
provider_wait = hop_task("ingest.provider_wait")
provider_read = hop_task("ingest.provider_read")
provider_clean = hop_task("ingest.provider_clean")
provider_stop = hop_task("ingest.provider_stop")
load = hop_task("ingest.load")
split = hop_task("ingest.split")
extract = hop_task("ingest.extract")
link = hop_task("ingest.link")
index = hop_task("ingest.index")
report = hop_task("ingest.report")
delete = hop_task("ingest.delete")
list_sources = hop_task("ingest.list")
survey = hop_task("ingest.survey")
compare = hop_task("ingest.compare")
remove = hop_task("ingest.remove")
reindex = hop_task("ingest.reindex")
merge_find = hop_task("ingest.merge_find")
merge = hop_task("ingest.merge")
merge_list = hop_task("ingest.merge_list")
unmerge = hop_task("ingest.unmerge")
