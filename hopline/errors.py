"""Errors of hopline that callers meet; each says what is wrong and what to do."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

from hopline.secrets import scrubbed

_NAMES_SHOWN = 10

_REASONS_SHOWN = 3


class HoplineError(Exception):
    """Base of all errors that hopline raises on purpose; secrets are removed from its text.

    Remedy:
        Read the message. Catch a subclass to tell errors apart.
    """

    def __init__(self, *told: object) -> None:
        super().__init__(*(scrubbed(part) if isinstance(part, str) else part for part in told))


class Transient(HoplineError):
    """A temporary failure.

    Remedy:
        Try again, after `retry_after` seconds if that is set. Workers retry automatically, and count the
        attempt.

    Attributes:
        retry_after: seconds to wait before the next attempt, if the other side gave a time.
    """

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Deferred(Transient):
    """Something needed is not available yet.

    Remedy:
        Wait. Workers retry the item later without counting an attempt.
    """


class DependencyAway(Deferred):
    """A server is unavailable.

    Remedy:
        Start the server or correct its address; `hopline status` and `hopline doctor` show which one.
        Waiting work continues automatically.

    Attributes:
        dependency: name of the unavailable server's circuit breaker (neo4j, vectors, disk, redis, model …);
            "" if the client does not know it.
    """

    def __init__(self, message: str, *, retry_after: float | None = None, dependency: str = "") -> None:
        super().__init__(message, retry_after=retry_after)
        self.dependency = dependency


class Permanent(HoplineError):
    """A failure that retrying unchanged does not fix.

    Remedy:
        Correct the cause that the message names. The failed item is a dead letter; `hopline jobs retry ID`
        retries it.
    """


class Conflict(HoplineError):
    """A request conflicts with the current state: the job has ended, was retried, or has another list.

    Remedy:
        Look at the object in its current state (`hopline jobs show ID`), and decide again.
    """


class NotFound(HoplineError):
    """Nothing has this name or id, or the caller may not see it.

    Remedy:
        List the existing ones, for example with `hopline jobs` or `hopline collections`, and check the
        rights of the API key.
    """


class NoDocuments(NotFound):
    """A collection contains no live document.

    Remedy:
        Name one of the collections in the message, or run `hopline ingest PATH -c NAME` first.

    Args:
        collection: name of the collection.
        known: names of collections with documents that the caller may see; None: suggest no others.
        message: replaces the sentence, for example with an API's own.
    """

    allowed = "the name of a collection with documents"

    def __init__(self, collection: str, known: Iterable[str] | None, *, message: str = "") -> None:
        self.collection = collection
        self.known = names = tuple(sorted(known or ()))
        there = ", nor any other; `hopline ingest PATH` makes one"
        if known is None:
            there = " with a document that may be seen"
        elif names:
            there = f"; {_meant(collection, names)}"
        super().__init__(message or f"there is no collection {collection}{there}")


class InvalidInput(Permanent):
    """Input was rejected before anything was written.

    Remedy:
        Change the value of `field` to one that `allowed` describes.

    Args:
        field: name of the offending field, as the caller wrote it.
        value: the value given.
        allowed: description of the accepted values.
        message: replaces the sentence built from these three if that would read badly: an unknown name, a
            missing file, a job in another state.
    """

    def __init__(self, field: str, value: object, allowed: str, *, message: str = "") -> None:
        try:
            shown = repr(value)
        except (ValueError, RecursionError):  # a number with too many digits, or nested too deep
            shown = f"a value of type {type(value).__name__} that is too long"
        if len(shown) > 120:  # noqa: PLR2004 - an error message is one readable line
            shown = shown[:117] + "..."
        super().__init__(message or refusal(field, None if value is None else shown, allowed))
        # The same as terse data, for a language model that corrects its call.
        self.for_model = scrubbed(message or f"{field}: got {shown}, allowed is {allowed}")
        self.message = message
        self.field = field
        self.value = scrubbed(value) if isinstance(value, str) else value
        self.allowed = scrubbed(allowed)


def refusal(field: str, shown: str | None, allowed: str) -> str:
    """Return the sentence that rejects a value.

    Args:
        field: name of the offending field, as the caller wrote it.
        shown: the value, as printed; None if it is missing.
        allowed: what would have been accepted, to be read after "must be".
    """
    if shown is None:
        return f"{field} is missing; give {allowed}"
    return f"{field} is {shown}, but must be {allowed}"


def no_toml(file: object, error: Exception) -> InvalidInput:
    """Return the error for a file that is not TOML.

    Args:
        file: path or name of the file.
        error: the exception from reading it.
    """
    allowed = "TOML in UTF-8"
    return InvalidInput(str(file), str(error), allowed, message=f"{file}: not {allowed}: {error}")


def unknown_name(field: str, name: str, known: Iterable[str] = (), *, listed_by: str = "") -> InvalidInput:
    """Return the error for an unknown name, which lists the known ones or says how to list them.

    Args:
        field: kind of the named thing: collection, batch, tool …
        name: the name given.
        known: the known names; the first few are told, and one that is nearly the same.
        listed_by: a command that lists them, where they are too many to be told.
    """
    names = sorted(known)
    there = _meant(name, names) if names else f"`{listed_by}` lists them"
    allowed = f"one of: {_shown(names)}" if names else f"one that `{listed_by}` lists"
    return InvalidInput(field, name, allowed, message=f"there is no {field} {name!r}; {there}")


def _meant(name: str, names: Sequence[str]) -> str:
    there = f"here are: {_shown(names)}"
    near = difflib.get_close_matches(name, names, n=1)
    return f"did you mean {near[0]}? T{there}" if near else f"t{there}"


def _shown(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMES_SHOWN]) + (", …" if len(names) > _NAMES_SHOWN else "")


class StateConflict(InvalidInput, Conflict):
    """A request conflicts with the state of the object that it names.

    Remedy:
        Wait for the state that `allowed` describes, or act on another object.
    """


class UnknownJob(InvalidInput, NotFound):
    """No job has this id, or its record has expired.

    Remedy:
        `hopline jobs` lists the jobs, and `hopline history` those that have expired.
    """


def unknown_job(job_id: str) -> UnknownJob:
    """Return the error for a job that does not exist or has expired."""
    message = (
        f"there is no job {job_id}: it never existed, or its record has expired; `hopline jobs` lists them"
    )
    return UnknownJob("job", job_id, "the id of a job that has not expired", message=message)


def still_running(job_id: str) -> StateConflict:
    """Return the error of a job that would have to end first."""
    message = f"job {job_id} still runs: wait for its end, or end it with `hopline jobs cancel {job_id}`"
    return StateConflict("job", job_id, "a job that has ended", message=message)


def just_retried(job_id: str) -> StateConflict:
    """Return the error of a job that somebody else began again at the same moment."""
    message = f"job {job_id} was retried just now by somebody else, and runs again"
    return StateConflict("job", job_id, "a job that has ended", message=message)


def nothing_to_retry(job_id: str, *, asks: bool = False) -> StateConflict:
    """Return the error of a retry of a job that has done all it had to do; a question can be replayed."""
    message = f"job {job_id} has nothing to retry: all that it had to do is done"
    if asks:
        message += f"; `hopline jobs replay {job_id}` asks its question again"
    return StateConflict("job", job_id, "a job with something left to do", message=message)


def no_document(field: str, sources: object, refused: Sequence[tuple[str, str]]) -> InvalidInput:
    """Return the error of sources in which nothing can be ingested.

    Args:
        field: the field that named the sources: paths, sources, documents …
        sources: the sources, as they were named.
        refused: where each thing lies that was looked at, and why it is no document; the first few are told.
    """
    reasons = [f"{place}: {reason}" for place, reason in refused[:_REASONS_SHOWN]]
    reasons += [f"and {len(refused) - _REASONS_SHOWN} more"] if len(refused) > _REASONS_SHOWN else []
    message = f"nothing to ingest: {'; '.join(reasons) or 'no file, folder or address was named'}"
    return InvalidInput(field, sources, "files, folders or addresses with documents", message=message)


def unreadable_file(field: str, path: object, error: OSError | None = None) -> InvalidInput:
    """Return the error of a file that is not there, or cannot be read."""
    missing = error is None or isinstance(error, FileNotFoundError)
    message = f"there is no file {path}" if missing else f"{path} cannot be read: {error and error.strerror}"
    return InvalidInput(field, str(path), "a file that can be read", message=message)


class KeyReused(StateConflict):
    """An idempotency key was used before, with another request.

    Remedy:
        Send the first request again, or choose a new key.
    """

    def __init__(self, key: str) -> None:
        super().__init__("key", key, "a key that was not used for another request")


class Outdated(StateConflict):
    """The object was changed since the caller read it.

    Remedy:
        Read the object again, and apply the change to its newest version.

    Args:
        seen: the version that the caller read.
        newest: the one that there is.
    """

    def __init__(self, seen: int, newest: int) -> None:
        super().__init__("version", seen, f"{newest}, the newest: look at it, then change it")


class EditConflict(Conflict):
    """Somebody changed the object since the caller read it; nothing was changed.

    Remedy:
        Read the object again, and apply the change to its current state.
    """


def edited_since(what: str) -> EditConflict:
    """Return the error of a change to something ("schedule night") that somebody else has changed since."""
    return EditConflict(
        f"somebody changed {what} after you read it, so nothing was changed now: "
        "read it again, and make your change to what is there"
    )


class AccessDenied(Permanent):
    """The API key is missing, unknown, or does not allow the request.

    Remedy:
        Set HOPLINE_API_KEY, or ask an administrator for a key with the scope and the collections that the
        request needs.
    """


class TooManyJobs(Transient):
    """The API key has reached its limit of running jobs.

    Remedy:
        Wait until some of them end, for `retry_after` seconds if that is set.
    """


class NotTheApi(Permanent):
    """The address answers, but not as hopline's API.

    Remedy:
        Correct HOPLINE_API_URL, or the proxy in front of the API.
    """


class DocumentUnreadable(Permanent):
    """A document cannot be read, is empty, is not text, or is too large.

    Remedy:
        The message says why; `hopline read FILE` shows what would be stored. Convert or split the file, and
        ingest it again.
    """


def may_help_again(recorded: str) -> bool:
    """Return whether a retry after this error can help; a file that is not a document stays one."""
    return not recorded.startswith(f"{DocumentUnreadable.__name__}: ")


class OtherVersion(Permanent):
    """Client and server differ in their major version.

    Remedy:
        Install the version that the message names.
    """


REFUSES_LOGIN = "refuses the user or password"


class LoginRefused(DependencyAway):
    """A server refuses the login; one that is starting may do so before it knows its users.

    Remedy:
        Correct user and password in the settings that the message names; of a server that is starting, try
        again.
    """


_KIND = re.compile(r"^[A-Z]\w+: ")

_FILTERED = re.compile(r"\bthe model's filter stopped the (?:request|reply)\b")


def plain_error(recorded: str) -> str:
    """Return a recorded error for people, without the name of its class."""
    return _KIND.sub("", recorded, count=1) if _KIND.match(recorded) else recorded


def is_filtered(recorded: str) -> bool:
    """Return whether a model's content filter stopped a call, as it does when the same is asked again."""
    return _FILTERED.search(recorded) is not None
