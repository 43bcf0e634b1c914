// Opens versions of some documents, but for those whose text is live already or whose writing is under way.
UNWIND $documents AS row
MERGE (d:Document {id: row.id})
  ON CREATE SET d.collection = row.collection, d.uri = row.uri, d.title = row.title, d.version = 0, d.live = 0,
    d.chunks = 0, d.facts = 0, d.created = timestamp()
// Removing a property takes the node's write lock, also where there is none (see migration_lock).
REMOVE d.write_lock
// Who opens it anew before it is gone finds none of its metadata.
FOREACH (name IN [name IN keys(d) WHERE d.status = 'deleting' AND name STARTS WITH 'meta_'] | REMOVE d[name])
// Deleted between being found and being locked: nothing comes back, and the caller asks again.
WITH d, row WHERE d.collection IS NOT NULL
WITH d, row, d.live > 0 AND d.whole AND d.live_hash = row.content_hash AS kept
WITH d, row, kept,
  CASE
    WHEN kept AND d.version = d.live THEN d.version
    WHEN NOT kept AND d.version > d.live AND d.content_hash = row.content_hash
      AND d.status <> 'failed' THEN d.version
    ELSE d.version + 1
  END AS version,
  CASE WHEN row.pending_allow = d.allow_set_aside THEN null ELSE row.pending_allow END AS said
SET d.status = CASE WHEN kept THEN 'indexed' WHEN version = d.version THEN d.status ELSE row.status END,
  d.error = CASE WHEN kept OR version > d.version THEN null ELSE d.error END,
  // A newer version that was being written is out of date when the live text comes back. Until what it wrote is removed,
  // it is not known of which bytes the live one was made, as in make_live.
  d.live = CASE WHEN kept THEN version ELSE d.live END,
  d.source_hash = CASE WHEN kept AND version > d.version THEN null ELSE d.source_hash END,
  d.original_next = CASE WHEN version > d.version THEN null ELSE d.original_next END,
  d.content_hash = row.content_hash,
  d.version = version,
  // What was said of who may see it stays until a version is live, or somebody says otherwise. The same said again does
  // not go before a change by hand that is later than it.
  d.pending_by_command = CASE WHEN said IS NULL THEN d.pending_by_command ELSE row.pending_by_command END,
  d.pending_allow = coalesce(said, d.pending_allow),
  d.allow_set_aside = CASE WHEN said IS NULL THEN d.allow_set_aside END
RETURN d {.*} AS document
