"""Classifies failed calls to a model's endpoint: what has to be done, and whether they cost anything."""

from __future__ import annotations

import re
from collections.abc import Mapping

import httpx2
import openai

from hopline.certificates import distrust
from hopline.errors import Deferred, DependencyAway, HoplineError, Permanent, Transient
from workers.adapters.openai.address import EMBEDDINGS, ModelEndpoint
from workers.adapters.openai.complaints import Complaint, read_complaint, wait_asked
from workers.adapters.openai.dialect import is_of_form, is_of_length
from workers.adapters.openai.replies import WITHOUT_FILTER
from workers.core.errors import DependencyRefuses, ModelRefused
from workers.core.models.permits import Came

_UNPAID, _TOO_LARGE = 402, 413
_TOO_MANY, _SERVER_ERROR, _OUT_OF_SERVICE = 429, 500, (503, 529)
# A gateway gave up what stands behind it, which may have answered: bad gateway, time-outs, Cloudflare's own.
_LOST_BEHIND = frozenset((502, 504, *range(520, 528)))
_NO_QUOTA = "insufficient_quota"  # a code
# Codes of content filters (Azure and OpenAI, Qwen, Zhipu), and phrases that mean the same.
_FILTERED = frozenset(("content_filter", "content_policy_violation", "data_inspection_failed", "1301"))
_FILTERED_IN_WORDS = re.compile(r"content (?:policy|filter|management)|inappropriate content", re.IGNORECASE)
_TOO_LONG = frozenset(("context_length_exceeded", "exceed_context_size_error"))  # codes
_TOO_LONG_IN_WORDS = re.compile(
    r"(?:maximum|available|model'?s) context|context (?:length|window|size)|prompt is too long|"
    r"input (?:token count|is too long)|request too large",
    re.IGNORECASE,
)
_NO_CREDIT = re.compile(
    r"credit balance|insufficient (?:account )?(?:balance|credit)|out of credit|余额不足|欠费|arrearage",
    re.IGNORECASE,
)
_NO_MODEL = re.compile(
    r"model\b.{0,200}(?:does not exist|not found|not exist\b)|unknown model|no such model", re.IGNORECASE
)
_DENIED, _UNKNOWN, _UNFIT, _NOT_IMPLEMENTED = (401, 403), (404, 405), (400, 422), 501
# With these, too, the words may be about the request's form: a plan, a router or a proxy refuses it.
_PERHAPS_UNFIT = (403, 404, 405, 406, 415)
_NOT_NOW = (408, 409, 424, 425)  # TGI sends 424 if it fails while generating
_ERRORS = frozenset(map(str, range(400, 600)))  # statuses
# Codes in words that mean one.
_STATUSES = {
    **dict.fromkeys(("rate_limit_exceeded", "rate_limit_error", "too_many_requests", _NO_QUOTA), _TOO_MANY),
    **dict.fromkeys(("overloaded_error", "overloaded", "engine_overloaded", "service_unavailable"), 503),
    **dict.fromkeys(("invalid_request_error", "unsupported_parameter", "unsupported_value"), 400),
    **dict.fromkeys(("authentication_error", "invalid_api_key", "api_key_invalid"), 401),
}
# Said of a key with a status that is not about keys.
_NO_KEY = re.compile(
    r"(?:invalid|incorrect|wrong) api.?key|api.?key (?:is )?(?:not valid|invalid)", re.IGNORECASE
)
# Said of a path, with whatever status: no model's API is at this address.
_NO_PATH = re.compile(
    r"unexpected endpoint|(?:route|path|page|url|endpoint)\W.{0,200}not found|cannot post|404 page not found|"
    r"not found: (?:post )?/|unsupported (?:path|endpoint)|invalid url",
    re.IGNORECASE | re.DOTALL,
)
_OUT_OF_CREDIT_SECONDS = 60.0
OF_CHAT, OF_EMBEDDER = "HOPLINE_MODEL", "HOPLINE_EMBEDDING"  # what the settings of an endpoint begin with
_NAME = "model"  # of its breaker; an embedder's is named where its calls are made


def _status_of(code: str) -> int:
    """Return the HTTP status that an error's code means; 0 if none."""
    return int(code) if code in _ERRORS else _STATUSES.get(code.casefold(), 0)


def _embeds(request: httpx2.Request) -> bool:
    return request.url.path.endswith(EMBEDDINGS)


class RequestRefused(Permanent):
    """The endpoint took the request for malformed; perhaps it knows another form of it.

    Attributes:
        complaint: its words.
        too_long: prompt and reply together are; a shorter reply alone may help.
        by_failing: whether it was sent with the status of a server failure (500).
    """

    def __init__(
        self, message: str, complaint: str, *, too_long: bool = False, by_failing: bool = False
    ) -> None:
        super().__init__(message)
        self.complaint = complaint
        self.too_long = too_long
        self.by_failing = by_failing


class ServerFailed(Transient):
    """The endpoint failed of itself (500 and above), perhaps at this form of request alone."""

    by_failing = True


class CallFailed(Exception):
    """One HTTP call failed.

    Attributes:
        error: what the worker hears if this was the last try.
        free: the endpoint answered, or was not reached, before any generation: it certainly took nothing.
        again: an immediate second try may help.
        came: the outcome for the rate limiter.
        content: the received part of the reply.
    """

    def __init__(self, error: HoplineError, *, free: bool, again: bool, came: Came = "failed") -> None:
        super().__init__(str(error))
        self.error = error
        self.free = free
        self.again = again
        self.came = came
        self.content = ""


class Failures:
    """Classes what an endpoint refuses, and how a connection to it fails.

    Args:
        where: the endpoint; its key is in no message.
        settings: what the settings of its address and key begin with.
    """

    def __init__(self, where: ModelEndpoint, settings: str = OF_CHAT) -> None:
        self._url = where.shown
        self._settings = settings

    def refused(self, error: openai.APIStatusError) -> CallFailed:
        """Class a response with the status of an error."""
        complaint, headers = read_complaint(error.response.content), error.response.headers
        return self._classed(error.status_code, complaint, headers, embeds=_embeds(error.request))

    def in_the_reply(
        self, complaint: Complaint, response: httpx2.Response, *, is_begun: bool = False
    ) -> CallFailed:
        """Class an error that came with the status of success, in place of a reply or in the middle of it."""
        if status := _status_of(complaint.code):
            embeds = _embeds(response.request)
            failed = self._classed(status, complaint, response.headers, embeds=embeds)
            failed.free = failed.free and not is_begun
            return failed
        words = complaint.words[:500]
        if complaint.is_page or _NO_PATH.search(complaint.words):
            return CallFailed(self._misplaced("200", words), free=True, again=False)
        said = (
            "failed in the middle of its reply"
            if complaint.code
            else "answered something else than its protocol"
        )
        error = Transient(f"the model at {self._url} {said}: {words}")
        return CallFailed(error, free=False, again=True, came="broken")

    def unreached(self, error: openai.APIConnectionError | httpx2.RequestError) -> CallFailed:
        """Class a connection that could not be made, or did not last."""
        endpoint = f"the {'embedding' if _embeds(error.request) else 'model'} endpoint at {self._url}"
        cause = error.__cause__ if isinstance(error, openai.APIConnectionError) else error
        if why := distrust(error):
            away = DependencyAway(f"{endpoint}: {why}", dependency=_NAME)
            return CallFailed(away, free=True, again=False)
        if isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout):
            silent = f"{endpoint} does not answer ({cause})"
            away = DependencyAway(f"{silent}: start it, or check {self._settings}_URL", dependency=_NAME)
            return CallFailed(away, free=True, again=False)
        if isinstance(cause, httpx2.TimeoutException):
            late = Transient(f"the model at {self._url} did not answer in time: see HOPLINE_MODEL_TIMEOUT")
            own = isinstance(cause, httpx2.PoolTimeout)
            return CallFailed(late, free=own, again=False, came="failed" if own else "broken")
        dropped = Transient(f"the model at {self._url} dropped the connection: {cause}")
        return CallFailed(dropped, free=False, again=True, came="broken")

    def _classed(
        self, status: int, complaint: Complaint, headers: Mapping[str, str], *, embeds: bool
    ) -> CallFailed:
        """Class what an endpoint refused, by its status first and then by its words."""
        words, wait = complaint.words[:500], wait_asked(headers)
        wait = complaint.wait if wait is None else wait
        unpaid = _NO_CREDIT.search(words) or complaint.code == _NO_QUOTA
        if status == _UNPAID or (unpaid and status in (*_UNFIT, *_DENIED, _TOO_MANY)):
            broke = DependencyAway(
                f"the account at {self._url} is out of credit",
                retry_after=_OUT_OF_CREDIT_SECONDS,
                dependency=_NAME,
            )
            return CallFailed(broke, free=True, again=False)
        never = status == _TOO_MANY and "request too large" in words.casefold()  # it alone exceeds the limit
        if status == _TOO_MANY and not never:
            busy = Deferred(f"the model asks to wait (429): {words}", retry_after=wait)
            return CallFailed(busy, free=True, again=True, came="busy")
        if status in _OUT_OF_SERVICE:
            message = f"the model is out of service ({status}): {words}"
            out = DependencyAway(message, retry_after=wait, dependency=_NAME)
            return CallFailed(out, free=True, again=True, came="busy")
        by_failing = status == _SERVER_ERROR and is_of_form(complaint.words)
        if never or by_failing or status == _NOT_IMPLEMENTED:
            unfit = self._unfit(status, words, too_long=never, by_failing=by_failing)
            return CallFailed(unfit, free=True, again=False)
        if status >= _SERVER_ERROR or status in _NOT_NOW:
            failed = ServerFailed(f"the model failed ({status}): {words}", retry_after=wait)
            came: Came = "broken" if status >= _SERVER_ERROR else "failed"
            return CallFailed(failed, free=status not in _LOST_BEHIND, again=True, came=came)
        return CallFailed(self._permanent(status, complaint, words, embeds=embeds), free=True, again=False)

    def _unfit(
        self, status: int, words: str, *, too_long: bool = False, by_failing: bool = False
    ) -> RequestRefused:
        message = f"the model at {self._url} refused the request ({status}): {words}"
        return RequestRefused(message, words, too_long=too_long, by_failing=by_failing)

    def _misplaced(self, status: object, words: str) -> DependencyRefuses:
        advice = (
            f"there is no model API at {self._url} ({status}): check {self._settings}_URL "
            f"(it usually ends in /v1). {words}"
        )
        return DependencyRefuses(advice, dependency=_NAME)

    def _unknown(self, status: int, words: str, *, embeds: bool) -> DependencyRefuses:
        """The endpoint has no model of this name; that of the chat models may have no embedder at all."""
        found = f"the endpoint {self._url} has no model of this name ({status})"
        address = f"{self._settings}_URL (it usually ends in /v1)"
        remedy = f"check {address} and {OF_CHAT}"
        if embeds:
            found = f"the endpoint {self._url} has no embedding model of this name ({status})"
            remedy = f"check {address} and {OF_EMBEDDER}_MODEL"
        if embeds and self._settings == OF_CHAT:
            remedy += f", or set {OF_EMBEDDER}_URL to an endpoint that has one"
        return DependencyRefuses(f"{found}: {remedy}. {words}", dependency=_NAME)

    def _permanent(self, status: int, complaint: Complaint, words: str, *, embeds: bool) -> Permanent:
        if status in _UNFIT and (_status_of(complaint.code) in _DENIED or _NO_KEY.search(words)):
            status = _DENIED[0]
        of_form = is_of_form(words) or is_of_length(words)  # then further words need not be what it is about
        if status in _UNFIT and (
            complaint.code in _FILTERED or (not of_form and _FILTERED_IN_WORDS.search(words))
        ):
            return ModelRefused(f"the model's filter stopped the request: {words} {WITHOUT_FILTER}")
        if status in _UNFIT and (
            complaint.code == "model_not_found" or (not of_form and _NO_MODEL.search(words))
        ):
            status = _UNKNOWN[0]
        too_long = complaint.code in _TOO_LONG or bool(_TOO_LONG_IN_WORDS.search(words))
        other_form = status in _UNFIT and (not too_long or is_of_length(words))
        # A router of models says 404 where it has none of this name that takes such requests.
        misplaced = complaint.is_page or _NO_PATH.search(words)
        unfit = status in _PERHAPS_UNFIT and is_of_form(words) and not misplaced
        if other_form or status == _TOO_LARGE or unfit:
            return self._unfit(status, words, too_long=too_long or status == _TOO_LARGE)
        if status in _DENIED:
            denied = f"the model at {self._url} denies access ({status}): check {self._settings}_KEY. {words}"
            return DependencyRefuses(denied, dependency=_NAME)
        if status in _UNKNOWN:
            return (
                self._misplaced(status, words)
                if misplaced and not embeds
                else self._unknown(status, words, embeds=embeds)
            )
        return Permanent(f"the model at {self._url} refused the request ({status}): {words}")
