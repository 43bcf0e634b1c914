// One named batch: how far it is, its limits and hours, what it waits for, its report, and what can be done about it.

import { badge, failure, fill, h, loading, oneAtATime } from "../elements.js";
import { redraw } from "../focus.js";
import { refreshed } from "../jobs/refresh.js";
import { known, t } from "../texts.js";
import { cost, duration, number, secondsBetween, tokens, when } from "../words.js";
import { lasts } from "./list.js";
import { paceOf, progressOf } from "./progress.js";
import { reportCards } from "./report.js";
import { askForLimits } from "./resumption.js";

const REFRESH = 5000; // ms between two looks while it lasts

/** Mount a batch's page; returns what stops it. */
export function mountBatch(root, context, name) {
  const path = `v1/batches/${encodeURIComponent(name)}`;
  const body = h("div.stack", {});
  const report = h("div.stack", {});
  let previous = null;
  const act = oneAtATime({ done: () => refresh(), failed: actFailed });

  fill(root, h("p", {}, h("a", { href: "#/jobs/batches" }, t("batches.all"))), body, report);
  fill(body, loading());
  const { refresh, stop } = refreshed(context, { look, every: REFRESH, failed });

  async function look() {
    const batch = await context.api.get(path, {}, { signal: context.signal });
    show(batch);
    if (previous !== batch.state) readReport(batch);
    if (previous && previous !== batch.state) context.announce(t("batches.said", { name, state: known("state", batch.state) }));
    previous = batch.state;
    return lasts(batch);
  }

  function failed(error) {
    if (previous === null || error.status) fill(body, failure(error, refresh));
  }

  async function readReport(batch) {
    if (!batch.ended && !batch.reported) return fill(report);
    try {
      fill(report, ...reportCards(await context.api.get(`${path}/report`, {}, { signal: context.signal })));
    } catch {
      fill(report); // where a job has expired, no report may be kept
    }
  }

  function show(batch) {
    redraw(body, () => draw(batch), () => body.querySelector("h1"));
  }

  function draw(batch) {
    fill(
      body,
      h(
        "div.view-head",
        {},
        h("div", {}, h("h1", { tabindex: "-1" }, batch.name), h("p.row", {}, badge(batch.state), t("jobs.kind-in", { kind: known("kind", "batch"), collection: batch.collection }))),
        h("div.actions", {}, actions(batch)),
      ),
      batch.pauses.map((pause) => h("p.notice.is-warn", {}, pauseText(pause, batch))),
      h("div.columns", {}, progressCard(batch), figuresCard(batch)),
    );
  }

  function actions(batch) {
    const isWhole = batch.ended === (batch.counts.done ?? 0) + (batch.counts.unchanged ?? 0) && batch.ended === batch.documents;
    const isOver = !lasts(batch) && batch.state !== "expired";
    return [
      batch.state === "running" && button("pause", t("batches.pause"), () => context.api.post(`${path}/pause`)),
      batch.state === "paused" && button("resume", t("batches.resume"), () => context.api.post(`${path}/resume`, {})),
      lasts(batch) && h("button", { type: "button", data: { keep: "limits" }, on: { click: () => askForLimits(batch, resume) } }, t("batches.limits")),
      isOver && !isWhole && button("retry", t("jobs.retry"), () => context.api.post(`${path}/retry`)),
      lasts(batch) && button("cancel", t("jobs.cancel"), () => context.api.remove(path), "button.danger"),
    ];
  }

  async function resume(how) {
    await context.api.post(`${path}/resume`, how);
    await refresh();
  }

  function button(keep, text, work, kind = "button") {
    return h(kind, { type: "button", data: { keep }, on: { click: act(work) } }, text);
  }

  async function actFailed(error) {
    await refresh();
    body.prepend(failure(error));
  }

  return stop;
}

function pauseText(pause, batch) {
  if (pause.kind === "user") return known("pause", pause.kind);
  if (pause.kind === "hours" && batch.waits_until) return t("batches.waits", { time: when(batch.waits_until) });
  return t("list.detail", { head: known("pause", pause.kind), detail: pause.why });
}

function progressCard(batch) {
  const counts = Object.entries(batch.counts).filter(([, count]) => count);
  return h(
    "section.card",
    { "aria-labelledby": "progress-title" },
    h("h2", { id: "progress-title" }, t("batches.progress")),
    h("div.stack-tight", {}, progressOf(batch), h("p.muted.small", {}, paceOf(batch))),
    counts.length > 0 && h("ul.rows", {}, counts.map(([status, count]) => h("li.row", {}, badge(status), t("count.documents", { n: count })))),
    batch.refused > 0 && h("p.small", {}, t("batches.refused", { n: batch.refused })),
  );
}

function figuresCard(batch) {
  const bounds = batch.budget ?? {};
  const limited = (value, limit) => (limit === null || limit === undefined ? value : t("jobs.at-most", { value, limit }));
  const pairs = [
    [t("jobs.job"), h("a", { href: `#/jobs/${encodeURIComponent(batch.job_id)}` }, h("code", {}, batch.job_id))],
    [t("batches.sources"), batch.sources.join(", ")],
    [t("jobs.begun"), when(batch.created)],
    [t("jobs.ended"), batch.finished ? when(batch.finished) : t("jobs.not-yet")],
    batch.finished ? [t("jobs.took"), duration(secondsBetween(batch.created, batch.finished))] : null,
    [t("batches.hours"), batch.hours ? t("batches.between", { hours: batch.hours, zone: batch.zone }) : t("batches.any-hour")],
    batch.free_until ? [t("batches.free"), when(batch.free_until)] : null,
    [t("jobs.calls"), limited(number(batch.usage.model_calls), bounds.model_calls)],
    [t("jobs.tokens"), limited(number(tokens(batch.usage)), bounds.tokens)],
    [t("jobs.cost"), limited(cost(batch.usage) || t("jobs.not-known"), bounds.cost)],
    batch.via === "batch" ? [t("batches.via"), t("batches.via-provider")] : null,
  ].filter(Boolean);
  return h(
    "section.card",
    { "aria-labelledby": "batch-figures-title" },
    h("h2", { id: "batch-figures-title" }, t("jobs.figures")),
    h("dl.pairs", {}, pairs.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
  );
}
