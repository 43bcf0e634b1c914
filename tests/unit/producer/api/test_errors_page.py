"""docs/errors.md says what the classes of errors say, and what a command and a client make of them."""

import pytest

from hopline import errors
from hopline.commands.exits import Exit
from producer.api.errors_page import PAGE, described, error_classes, errors_page, exit_code, raised
from producer.api.problems import REMEDIES, TITLES


def test_the_page_is_up_to_date_with_a_row_for_every_class_and_problem() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == errors_page(), "run `python -m producer.api.errors_page`"
    public = {
        name
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, errors.HoplineError)
    }
    assert {kind.__name__ for kind in error_classes()} == public
    assert all(f"| `{name}` |" in page for name in public)
    assert all(f"| {status} | `{code}` |" in page for status, (code, _) in TITLES.items())


def test_every_class_and_problem_says_in_a_sentence_what_to_do() -> None:
    assert REMEDIES.keys() == TITLES.keys()
    remedies = [*REMEDIES.values(), *(described(kind).remedy for kind in error_classes())]
    assert not [text for text in remedies if not text.endswith(".")]


def test_status_class_and_exit_code_belong_together() -> None:
    assert raised(404) == [errors.NotFound, errors.NoDocuments]
    assert raised(409) == [errors.Conflict, errors.StateConflict, errors.KeyReused]
    assert raised(503) == [errors.DependencyAway]
    assert exit_code(errors.NotFound) is Exit.NOTHING_FOUND
    assert exit_code(errors.Outdated) is Exit.USAGE
    assert exit_code(errors.AccessDenied) is Exit.FAILED


class Bare(errors.HoplineError):
    """Says why, and not what to do."""


def test_a_class_without_a_remedy_is_refused() -> None:
    with pytest.raises(ValueError, match="Bare needs a cause, and a section Remedy"):
        described(Bare)
