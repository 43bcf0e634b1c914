// What ended jobs took, by day, key, collection, kind or model: a chart that is a table to those who read it.

import { failure, field, fill, h, loading } from "../elements.js";
import { known, t } from "../texts.js";
import { number } from "../words.js";

const GROUPS = ["day", "key", "collection", "kind", "model"];
const DAY = 86_400_000; // ms
const MOST_DAYS = 400; // that are drawn
const COLUMN = 10; // units of the drawing
const HEIGHT = 100;

/** Make the card; `load(wanted)` reads what jobs took. */
export function costsCard(context, chosen) {
  const by = field(t("history.by"), h("select", {}, GROUPS.map((name) => h("option", { value: name }, known("history-by", name)))));
  by.control.value = GROUPS.includes(chosen) ? chosen : GROUPS[0];
  const body = h("div.stack-tight", {});
  const element = h(
    "section.card",
    { "aria-labelledby": "costs-title" },
    h("div.card-head", {}, h("h2", { id: "costs-title" }, t("history.costs")), by.element),
    body,
  );
  let asked = {};
  let turn = 0;
  let changed = () => {};

  by.control.addEventListener("change", (event) => {
    event.stopPropagation();
    changed();
    load(asked);
  });

  async function load(wanted) {
    asked = wanted;
    const mine = ++turn;
    fill(body, loading());
    try {
      const { costs } = await context.api.get("v1/history/costs", { ...wanted, by: by.control.value }, { signal: context.signal });
      if (mine === turn) fill(body, ...shown(costs, by.control.value));
    } catch (error) {
      if (mine === turn && !context.signal.aborted) fill(body, failure(error, () => load(asked)));
    }
  }

  return { element, load, by: () => by.control.value, onChange: (listener) => (changed = listener) };
}

function shown(costs, by) {
  if (!costs.length) return [h("p.muted", {}, t("history.no-costs"))];
  const isPriced = costs.some(({ cost }) => cost !== null);
  const measure = isPriced ? (one) => one.cost ?? 0 : tokensOf;
  const most = Math.max(...costs.map(measure), Number.MIN_VALUE);
  return [
    h("p.muted.small", {}, isPriced ? t("history.bars-cost") : t("history.bars-tokens")),
    by === "day" && columns(costs, measure, most),
    h(
      "div.scroll",
      { tabindex: "0", role: "region", "aria-label": t("history.costs-table") },
      h(
        "table.costs",
        {},
        h("thead", {}, h("tr", {}, heads(by).map(([name, isNumber]) => h(isNumber ? "th.number" : "th", { scope: "col" }, name)))),
        h("tbody", {}, ordered(costs, by, measure).map((one) => row(one, by, measure(one) / most))),
      ),
    ),
  ];
}

function heads(by) {
  return [[known("history-by", by)], [t("history.jobs"), true], [t("jobs.calls"), true], [t("jobs.tokens"), true], [t("jobs.cost"), true]];
}

/** The newest day first, of others what took most. */
function ordered(costs, by, measure) {
  return by === "day" ? [...costs].reverse() : [...costs].sort((a, b) => measure(b) - measure(a));
}

function row(one, by, share) {
  const bar = by !== "day" && h("div.progress", { "aria-hidden": "true" }, h("span", { style: { width: `${share * 100}%` } }));
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, nameOf(one, by), bar),
    h("td.number", {}, number(one.jobs)),
    h("td.number", {}, number(one.calls)),
    h("td.number", {}, number(tokensOf(one))),
    h("td.number", {}, one.cost === null ? t("jobs.not-known") : one.cost.toFixed(4)),
  );
}

function nameOf(one, by) {
  if (by === "kind") return known("kind", one.by);
  return one.by || (by === "model" ? t("history.no-model") : t("history.no-key"));
}

function tokensOf(one) {
  return one.prompt_tokens + one.completion_tokens;
}

/** Days from the first to the last, those without jobs too. */
function columns(costs, measure, most) {
  const byDay = new Map(costs.map((one) => [one.by, measure(one)]));
  const last = Date.parse(costs.at(-1).by);
  const first = Math.max(Date.parse(costs[0].by), last - (MOST_DAYS - 1) * DAY);
  const days = [];
  for (let day = first; day <= last; day += DAY) days.push(byDay.get(new Date(day).toISOString().slice(0, 10)) ?? 0);
  const bars = days.map((value, nth) => {
    const height = (value / most) * HEIGHT;
    return h("rect.cost-day", { x: nth * COLUMN + 1, y: HEIGHT - height, width: COLUMN - 2, height });
  });
  return h(
    "figure.cost-chart",
    { "aria-hidden": "true" }, // the table says the same
    h("svg", { viewBox: `0 0 ${Math.max(days.length, 7) * COLUMN} ${HEIGHT}`, preserveAspectRatio: "none" }, bars),
    h("figcaption.muted.tiny", {}, h("span", {}, new Date(first).toISOString().slice(0, 10)), days.length > 1 && h("span", {}, costs.at(-1).by)),
  );
}
