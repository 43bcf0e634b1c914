"""The ledger's keys in Redis. A job's keys share a hash tag, so a cluster keeps them in one slot."""

from __future__ import annotations

ACTIVE = "hop:active"  # zset: jobs that run or whose outbox is not empty yet, by the time they were indexed
RECENT = "hop:recent"  # zset: jobs that users submitted, newest last, capped
_RECENT_OF = "hop:recent:"  # zset per API key: the jobs that it submitted, newest last, capped
SWEPT = "hop:swept"  # set while the blobs need no sweeping
PAUSED = "hop:paused"  # hash: job at the top -> why it and its children begin nothing new
WORK_PAUSED = "hop:work-paused"  # hash: kind and name of work -> its pause across jobs
BREAKERS = "hop:breakers"  # hash: name of a server -> why it counts as away, and when it is tried
BLOB_STORE = "hop:blob-store"  # hash: reference of the blob that marks the store, and when it was seen last
ORIGINAL_BYTES = "hop:original-bytes"  # how many bytes the originals of documents take
BATCHES = "hop:batches"  # hash: name -> record of a named batch
METADATA_SCHEMAS = "hop:metadata-schemas"  # hash: collection -> what its documents' metadata must fit
COLLECTION_TITLES = "hop:collection-titles"  # hash: collection -> its title and description
IMPORTS = "hop:imports"  # hash: collection -> sha-256 of the file that is being imported into it
SCHEDULES = "hop:schedules"  # hash: name -> what is done again at set times
SCHEDULED = "hop:scheduled"  # hash: name of a schedule -> the job that it began last
BEAT = "hop:beat:"  # what the names of redbeat's keys begin with
BEAT_LOCK = f"{BEAT}:lock"  # held by the beat process that works, and renewed every few seconds
DUE_RUNS = "hop:due-runs"  # hash: name of a schedule -> the run that it is to begin, and when it began none
API_KEYS = "hop:api-keys"  # hash: key id -> an API key as JSON; see producer.service.keys
HISTORY = "hop:history:pending"  # hash: job and epoch -> its row of history, to be written
HISTORY_LAST = "hop:history:last"  # the number under which rows were sealed last
HISTORY_SEALED = (
    "hop:history:sealed"  # zset: numbers of sealed rows, each a hash as HISTORY under this key and it
)
HISTORY_TURN = "hop:history:turn"  # lock: who writes history
AUDIT = "hop:audit:pending"  # hash: id -> an audit event, to be written
AUDIT_LAST = "hop:audit:last"  # as HISTORY_LAST
AUDIT_SEALED = "hop:audit:sealed"  # as HISTORY_SEALED
AUDIT_TURN = "hop:audit:turn"  # lock: who writes audit events
WATCHDOG = "hop:watchdog"  # which worker leads the watchdogs
WARM_UP = "hop:warm-up"  # lock: which process warms up

# The order is the order of KEYS in every script; lua/prelude.lua names them.
PARTS = (
    "job", "items", "due", "lease", "hold", "tries", "lost", "sent",
    "result", "dead", "child", "outbox", "calls", "events", "reads", "pages",
)  # fmt: skip


def job_keys(job_id: str) -> list[str]:
    """Return all keys of a job, in the scripts' order."""
    tag = "hop:{" + job_id + "}:"
    return [tag + part for part in PARTS]


def job_key(job_id: str, part: str) -> str:
    """Return one key of a job."""
    return "hop:{" + job_id + "}:" + part


def recent_key(caller: str) -> str:
    """Return the key of the newest jobs of an API key, or of all jobs."""
    return _RECENT_OF + caller if caller else RECENT


def slots_key(caller: str) -> str:
    """Return the key of a caller's jobs in flight."""
    return f"hop:in-flight:{caller}"


def pauses_key(root: str) -> str:
    """Return the key of a job's past pauses."""
    return f"hop:pauses:{root}"


def session_key(collection: str, session: str) -> str:
    """Return the key of a session's earlier questions and answers; collection names never contain a colon."""
    return f"hop:session:{collection}:{session}"


def sessions_key(caller: str) -> str:
    """Return the key (zset) of the sessions of an API key with stored questions, or of all such sessions."""
    return f"hop:sessions:{caller}" if caller else "hop:sessions"


def newest_key(collection: str, session: str) -> str:
    """Return the key of a session's newest job; it has its own prefix, as session names may have colons."""
    return f"hop:session-newest:{collection}:{session}"


def conversation_key(conversation: str) -> str:
    """Return the key (hash) of a conversation: its properties, and its questions by job."""
    return f"hop:conversation:{conversation}"


def conversation_answers_key(conversation: str) -> str:
    """Return the key (hash) of a conversation's answers by job."""
    return f"hop:conversation-answers:{conversation}"


# Hash: a collection, or "" for a name -> when it was erased from conversations, in seconds since the epoch.
CONVERSATION_ERASURES = "hop:conversation-erasures"


def conversations_key(owner: str) -> str:
    """Return the key (zset) of an owner's conversations, or of all, by the time of the newest question."""
    return f"hop:conversations:{owner}" if owner else "hop:conversations"


def quoted_key(document: str) -> str:
    """Return the key (set) of the conversations with answers based on a document."""
    return f"hop:conversations-quoting:{document}"
