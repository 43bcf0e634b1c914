"""The dashboard and the alarms ask for metrics that there are, by labels that these have."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import promql_parser
import pytest
import redis
import yaml
from fakeredis import FakeRedis
from prometheus_client.parser import text_string_to_metric_families

import infra
from hopline.models.about import Part
from producer.service.health.exposition import exposition
from workers.telemetry.metrics import METRICS

FOLDER = Path(infra.__file__).parent / "dashboards"
DASHBOARD = json.loads((FOLDER / "grafana.json").read_text("utf-8"))
RULES = yaml.safe_load((FOLDER / "alerts.yml").read_text("utf-8"))
# Of the gauges whose values no counter gives: what they are told apart by.
GAUGES = {
    "hopline_jobs_running": {"kind"}, "hopline_ends_untold": set[str](), "hopline_queue_messages": {"queue"},
    "hopline_queue_oldest_seconds": {"queue"}, "hopline_messages_held": set[str](),
    "hopline_breaker_open": {"dependency"}, "hopline_paused": {"kind", "name"},
    "hopline_schedule_runs_not_begun": {"outcome"}, "hopline_schedule_run_waits_seconds": set[str](),
    "hopline_calls_waiting": {"limiter"}, "hopline_calls_in_flight": {"class"}, "hopline_workers": {"queue"},
    "hopline_up": {"part"}, "hopline_build_info": {"version"},
}  # fmt: skip


PANELS: list[dict[str, Any]] = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
ALARMS: list[dict[str, Any]] = [rule for group in RULES["groups"] for rule in group["rules"]]
NOT_SHOWN = ("jobs_submitted", "answer_facts", "turn_seconds", "webhooks", "history_lost", "traces_lost")
QUERIES = [
    *(
        (f"{panel['title']}: {target['refId']}", target["expr"])
        for panel in PANELS
        for target in panel["targets"]
    ),
    *((rule["alert"], rule["expr"]) for rule in ALARMS),
]


def known() -> dict[str, set[str]]:
    """Return sample name → its labels."""
    samples = dict(GAUGES)
    for metric in METRICS.values():
        labels = set(metric.labels)
        if metric.kind == "counter":
            samples[f"{metric.name}_total"] = labels
        else:
            samples[f"{metric.name}_bucket"] = labels | {"le"}
            samples |= {f"{metric.name}_{part}": labels for part in ("sum", "count")}
    return samples


def parts_of(expression: Any) -> Iterator[Any]:
    """Yield an expression and all within it."""
    yield expression
    inner = [getattr(expression, name, None) for name in ("expr", "lhs", "rhs", "vector_selector", "param")]
    for part in [*inner, *(getattr(expression, "args", None) or ())]:
        if part is not None and not isinstance(part, str | float | int):
            yield from parts_of(part)


def selectors(query: str) -> dict[str, set[str]]:
    """Return the metrics of a query with the labels that their matchers name."""
    metrics: dict[str, set[str]] = {}
    for part in parts_of(promql_parser.parse(query)):
        if isinstance(part, promql_parser.VectorSelector):
            metrics.setdefault(part.name, set()).update(matcher.name for matcher in part.matchers.matchers)
    return metrics


@pytest.mark.parametrize(("where", "query"), QUERIES, ids=[where for where, _ in QUERIES])
def test_a_query_asks_for_metrics_and_labels_that_there_are(where: str, query: str) -> None:
    metrics = selectors(query)
    assert metrics, where
    labels = known()
    for name, matched in metrics.items():
        assert matched <= labels[name]
    grouped = {label for by in re.findall(r"\bby \(([^)]*)\)", query) for label in by.split(", ")}
    assert grouped <= set.union(*(labels[name] for name in metrics))


def test_every_gauge_of_the_api_is_known_here_and_every_metric_on_the_dashboard() -> None:
    client: redis.Redis = FakeRedis(decode_responses=True, lua_modules={"cjson"})
    text = exposition(client, client, [Part(name="neo4j", state="up", ms=1.0)]).decode()
    shown = {
        family.name: {label for sample in family.samples for label in sample.labels}
        for family in text_string_to_metric_families(text)
        if family.type == "gauge"
    }
    assert set(shown) == set(GAUGES)
    assert all(labels <= GAUGES[name] for name, labels in shown.items())
    assert 'hopline_up{part="neo4j"} 1.0' in text
    shown = {name for panel in PANELS for target in panel["targets"] for name in selectors(target["expr"])}
    missing = {
        metric.name for metric in METRICS.values() if not any(name.startswith(metric.name) for name in shown)
    }
    assert missing <= {f"hopline_{name}" for name in NOT_SHOWN}
    assert set(GAUGES) <= shown


def test_panels_do_not_overlap_and_they_and_alarms_say_what_they_show() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        at = panel["gridPos"]
        cells = {(at["x"] + x, at["y"] + y) for x in range(at["w"]) for y in range(at["h"])}
        assert not cells & taken
        assert at["x"] + at["w"] <= 24
        taken |= cells
    assert all(panel["description"] and panel["title"] for panel in PANELS)
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])
    assert len({rule["alert"] for rule in ALARMS}) == len(ALARMS)
    for rule in ALARMS:
        assert rule["labels"]["severity"] in {"critical", "warning", "info"}
        assert rule["annotations"]["summary"]
        assert rule["annotations"]["description"]
