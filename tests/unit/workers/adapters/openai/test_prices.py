"""Prices in a file: what is read, what is refused, and that nothing is guessed."""

from __future__ import annotations

import pytest

from workers.adapters.openai.prices import priced_embedder, priced_tiers
from workers.core.errors import InvalidInput
from workers.core.models.prices import Price, read_prices
from workers.settings import Settings

FILE = """\
currency = "EUR"
[models.small]
input = 0.15
output = 0.6
[models."vectors/one"]
input = 0.02
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "prices.toml"
    path.write_text(FILE)
    return path


def settings(file, **more):
    return Settings(_env_file=None, prices=file, model="small", embedding_model="vectors/one", **more)


def test_prices_are_read_and_what_is_not_named_is_unknown(file):
    prices = read_prices(file)
    assert prices.currency == "EUR"
    assert prices.of("small") == Price(input=0.15, output=0.6)
    assert prices.of("large") == Price()
    assert read_prices(None).of("small") == Price()


def test_models_and_the_embedder_have_the_prices_of_the_file(file):
    tiers = priced_tiers(settings(file))
    assert {tier: (model.price_in, model.price_out) for tier, model in tiers.items()} == {
        "fast": (0.15, 0.6),
        "strong": (0.15, 0.6),
    }
    assert priced_embedder(settings(file)).usage(1_000_000, 0).cost == pytest.approx(0.02)


def test_a_price_of_the_settings_goes_before_that_of_the_file(file):
    own = settings(file, price_fast_in=0.0, price_embedding=1.0)
    assert priced_tiers(own)["fast"].price_in == 0.0
    assert priced_embedder(own).price_in == 1.0


def test_without_prices_the_cost_is_unknown_and_never_nought():
    bare = Settings(_env_file=None)
    assert priced_tiers(bare)["fast"].usage(10, 10).cost is None
    assert priced_embedder(bare).usage(10, 0).cost is None


def test_a_file_that_is_not_there_or_no_list_of_prices_is_refused_by_its_field(tmp_path):
    with pytest.raises(InvalidInput, match=r"gone\.toml"):
        read_prices(tmp_path / "gone.toml")
    path = tmp_path / "prices.toml"
    for text, field in (
        ("[models.small]\ninput = -1", "models.small.input"),
        ("[models.small]\nprompt = 1", "models.small.prompt"),
        ("models = [", "TOML"),
    ):
        path.write_text(text)
        with pytest.raises(InvalidInput, match=field):
            read_prices(path)
