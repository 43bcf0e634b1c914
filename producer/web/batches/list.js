// The list of named batches, with how far each is.

import { badge, empty, failure, fill, h, loading } from "../elements.js";
import { redraw } from "../focus.js";
import { tabs } from "../jobs/tabs.js";
import { newBatchButton } from "../jobs/intake_forms.js";
import { refreshed } from "../jobs/refresh.js";
import { known, t } from "../texts.js";
import { cost, number, tokens, when } from "../words.js";
import { paceOf, progressOf } from "./progress.js";

const REFRESH = 5000; // ms between two looks while a batch lasts

/** Mount the list; returns what stops it. */
export function mountBatches(root, context) {
  const list = h("div", {});
  let before = "";

  fill(
    root,
    h("div.view-head", {}, h("div", {}, h("h1", {}, t("batches.title")), h("p", {}, t("batches.about"))), newBatchButton(context, () => refresh())),
    tabs("batches"),
    h("section.card", { "aria-label": t("batches.title") }, list),
  );
  fill(list, loading());
  const { refresh, stop } = refreshed(context, { look, every: REFRESH, failed });

  async function look() {
    const { batches } = await context.api.get("v1/batches", {}, { signal: context.signal });
    show(batches);
    return batches.some(lasts);
  }

  function failed(error) {
    if (error.status || !before) fill(list, failure(error, refresh));
  }

  function show(batches) {
    const now = JSON.stringify(batches);
    if (now === before) return; // a reader's place in the table is not taken away
    before = now;
    redraw(list, () => fill(list, batches.length ? table(batches) : empty(t("batches.none"), t("batches.none.about"))));
  }

  return stop;
}

/** Whether it has not ended. */
export function lasts(batch) {
  return batch.state === "running" || batch.state === "paused";
}

function table(batches) {
  const heads = [[t("batches.batch")], [t("jobs.state")], [t("batches.documents")], [t("jobs.begun")], [t("jobs.tokens"), true], [t("jobs.cost"), true]];
  return h(
    "table.job-list",
    {},
    h("thead", {}, h("tr", {}, heads.map(([name, isNumber]) => h(isNumber ? "th.number" : "th", { scope: "col" }, name)))),
    h("tbody", {}, batches.map(row)),
  );
}

function row(batch) {
  return h(
    "tr",
    { data: { batch: batch.name } },
    h(
      "td",
      {},
      h("span.job-what", {}, h("a", { href: `#/jobs/batches/${encodeURIComponent(batch.name)}`, data: { keep: batch.name } }, batch.name), h("span.muted.tiny", {}, t("jobs.kind-in", { kind: known("kind", "batch"), collection: batch.collection }))),
    ),
    h("td", {}, badge(batch.state), batch.pause && h("span.muted.tiny.batch-why", {}, known("pause", batch.pause.kind))),
    h("td.batch-progress", {}, progressOf(batch), h("span.muted.tiny", {}, paceOf(batch))),
    h("td", {}, when(batch.created)),
    h("td.number", { "data-label": t("jobs.label-tokens") }, number(tokens(batch.usage))),
    h("td.number", cost(batch.usage) ? { "data-label": t("jobs.label-cost") } : {}, cost(batch.usage)),
  );
}
