"""What steps store, field by field, to compare with what the version before stores and reads."""

from typing import Any

from workers.core.jobs.work import as_json
from workers.core.records import Frozen

S, N, R = "x", 1, 0.5  # a text, a number, a share


def each(names: str, value: Any = S) -> dict[str, Any]:
    """Return fields that all hold the same."""
    return dict.fromkeys(names.split(), value)


def assert_stored_as(model: type[Frozen], fields: dict[str, Any]) -> None:
    """Check that a record is read and stored with these fields and no others.

    A field whose name ends with "?" is left out where it has nothing to say; all others are always there.
    """
    least = _filled(fields, whole=False)
    empty = {name: [] if isinstance(value, list) else value for name, value in least.items()}
    for stored in (_filled(fields, whole=True), least, empty):
        assert as_json(model.read_stored(stored)) == stored


def _filled(fields: Any, *, whole: bool) -> Any:
    if isinstance(fields, list):
        return [_filled(value, whole=whole) for value in fields]
    if not isinstance(fields, dict):
        return fields
    return {
        name.removesuffix("?"): _filled(value, whole=whole)
        for name, value in fields.items()
        if whole or not name.endswith("?")
    }
