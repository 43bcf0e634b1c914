"""What endpoints have taught is shared over Redis, forgotten in time, and never in the way."""

import redis

from workers.limits.learnt_forms import FORMS, LearntForms

HERE, FORM = "https://models.invalid/v1", {"format": "json_object", "temperature": False}


def test_what_is_kept_is_recalled_by_endpoint_and_model_and_expires(empty_redis: str) -> None:
    with redis.Redis.from_url(empty_redis) as client:
        LearntForms(client, hours=2).keep(HERE, "m", FORM)
        other = LearntForms(client, hours=2)
        assert other.recall(HERE, "m") == FORM
        assert other.recall(HERE, "other") == {}
        assert 7100 < int(client.ttl(f"{FORMS}{HERE} m")) <= 7200  # type: ignore[arg-type]


def test_a_redis_that_is_away_is_passed_by() -> None:
    nobody = LearntForms(redis.Redis(port=1), hours=1)
    nobody.keep(HERE, "m", FORM)
    assert nobody.recall(HERE, "m") == {}
