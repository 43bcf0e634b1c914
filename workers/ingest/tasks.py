"""Task names of this stage; each task does one item."""

from __future__ import annotations

from workers.process import hop_task

document = hop_task("ingest.document")
load = hop_task("ingest.load")
split = hop_task("ingest.split")
extract = hop_task("ingest.extract")
link = hop_task("ingest.link")
index = hop_task("ingest.index")
report = hop_task("ingest.report")
delete = hop_task("ingest.delete")
reindex = hop_task("ingest.reindex")
merge_find = hop_task("ingest.merge_find")
merge = hop_task("ingest.merge")
merge_list = hop_task("ingest.merge_list")
unmerge = hop_task("ingest.unmerge")
