"""A model is shown a page: the real adapter, real HTTP, the offline model."""

from collections.abc import Iterator

import pytest
from doubles.meter import Offline, Purse, model_at

from hopline.errors import Permanent
from workers.adapters.openai.model import OpenAIModel
from workers.core.prompts import load_prompt
from workers.ingest.schema import TranscribedPage

PROMPT = load_prompt("workers.ingest", "transcribe")
PICTURE = b"\x89PNG\r\n\x1a\n and the rest of a picture"
LINES = ["The mill was built in 1840.", "It grinds rye."]


@pytest.fixture(params=("json_schema", "prompt"))
def offline(model_url: str, request: pytest.FixtureRequest) -> Iterator[Offline]:
    offline = Offline(model_url)
    formats = [] if request.param == "prompt" else ["json_schema", "json_object"]
    offline.set(reset=True, formats=formats, pictures=LINES)
    yield offline
    offline.set(reset=True)


def look(model: OpenAIModel, purse: Purse) -> list[str]:
    metered = model.metered(purse)
    return metered.ask(
        PROMPT, {"page": 1}, TranscribedPage, tier="vision", max_tokens=500, pictures=(PICTURE,)
    ).value.lines


def test_a_picture_goes_with_the_input_in_every_form_of_request(offline: Offline) -> None:
    purse = Purse()
    assert look(model_at(offline.url), purse) == LINES
    assert purse.open == 0
    assert all(bound > 3300 for bound, _cost in purse.reserved.values()), "a picture takes tokens, too"


def test_a_reply_about_a_picture_is_mended_with_the_picture_in_sight(offline: Offline) -> None:
    offline.set(chat={"fail_next": ["malformed"]})
    assert look(model_at(offline.url), Purse()) == LINES


def test_a_model_that_takes_no_pictures_says_so_and_texts_go_on(offline: Offline) -> None:
    offline.set(pictures=None)
    model = model_at(offline.url)
    with pytest.raises(Permanent, match=r"refused the request \(400\)"):
        look(model, Purse())
    assert model.ask(PROMPT, {"page": 1}, TranscribedPage).value.lines == []
