"""Opens signed messages: a signature stands in for the API key, so that Redis never stores the key."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

import orjson

from hopline.errors import InvalidInput
from producer.service.keys import SignedText
from workers.core.json_objects import parse_json
from workers.settings import Settings

_SKEW = 300.0  # seconds by which a sender's clock may be ahead
_SIGNED = ("hopline_key_id", "hopline_time", "hopline_signature")


class Unsigned(Exception):
    """A message's signature is incomplete, expired or malformed; the error's text says what to do."""


def longest_age(settings: Settings) -> float:
    """Return the seconds for which a signature is valid: never longer than its job is kept."""
    return min(settings.message_age, settings.result_days * 86_400 - _SKEW)


def open_message(
    task: str, kwargs: Mapping[str, Any], headers: Mapping[str, Any], task_id: str, longest: float
) -> tuple[Mapping[str, Any], SignedText | None]:
    """Return a message's fields, and the signed text to be verified; None if it is not signed.

    Args:
        task: its name.
        kwargs: the fields; of a signed message only `signed`, their JSON text.
        headers: as KeyHeaders documents them.
        task_id: of the message.
        longest: seconds for which a signature is valid.

    Raises:
        Unsigned: it carries a plain key, or its signature cannot be valid.
        InvalidInput: the signed text is not a JSON object, or repeats a field.
    """
    if headers.get("hopline_key") is not None:
        raise Unsigned(
            "hopline_key is not accepted, because Redis would store the key: revoke that key, and sign "
            "messages with another (docs/messages.md#keys)"
        )
    shown = [headers.get(name) for name in _SIGNED]
    if all(value is None for value in shown):
        return kwargs, None
    key_id, at, signature = shown
    text = kwargs.get("signed")
    if not isinstance(key_id, str) or not isinstance(signature, str) or not isinstance(text, str):
        raise Unsigned(f"a signed message needs the headers {', '.join(_SIGNED)}, and its JSON as `signed`")
    if isinstance(at, bool) or not isinstance(at, int):
        raise Unsigned("hopline_time must be a whole number of seconds since 1970")
    age = time.time() - at
    if not -_SKEW <= age <= longest:
        raise Unsigned(
            f"signed {age:.0f} seconds ago; the limit is {longest:.0f} (HOPLINE_MESSAGE_AGE, and five "
            "minutes less than HOPLINE_RESULT_DAYS): sign it again, and check both machines' clocks"
        )
    acting = headers.get("hopline_act_as")
    head = [task, task_id, str(at), "" if acting is None else text_of(acting)]
    return _fields(text), SignedText(key_id=key_id, text="\n".join([*head, text]), signature=signature)


def text_of(value: Any) -> str:
    """Return a header's value: a text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, default=str)


def _fields(text: str) -> Mapping[str, Any]:
    try:
        fields = parse_json(text)
    except orjson.JSONDecodeError as error:
        raise InvalidInput("signed", text[:100], "the JSON text of an object") from error
    if not isinstance(fields, dict):
        raise InvalidInput("signed", text[:100], "the JSON text of an object")
    return fields
