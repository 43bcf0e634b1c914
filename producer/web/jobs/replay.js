// A replay beside the question that it asks again: what is other, both answers, what each took.

import { badge, failure, fill, h } from "../elements.js";
import { t } from "../texts.js";
import { cost, duration, number, reasonText, secondsBetween, tokens } from "../words.js";

// What makes it the same question, and what names other jobs.
const SAME = new Set(["question", "session", "collections", "retry_of", "replay_of"]);

/** @returns {{element, show(job)}} a card that stays hidden for a job that replays none. */
export function replayCard(context) {
  const body = h("div.stack-tight", {});
  const element = h("section.card", { "aria-labelledby": "replay-title", hidden: true }, h("h2", { id: "replay-title" }, t("replay.title")), body);
  let before = null; // the job that is replayed; it has ended, and does not change

  async function show(job) {
    const id = job.params?.replay_of;
    if (!id) return;
    element.hidden = false;
    try {
      before ??= await context.api.get(`v1/jobs/${encodeURIComponent(id)}`, {}, { signal: context.signal });
      fill(body, table(before, job));
    } catch (error) {
      if (context.signal.aborted) return;
      fill(body, error.status === 404 ? h("p.muted", {}, t("replay.gone", { job: h("code", {}, id) })) : failure(error));
    }
  }

  return { element, show };
}

function table(before, after) {
  const jobs = [before, after];
  const rows = [
    [t("jobs.job"), h("a", { href: `#/jobs/${encodeURIComponent(before.id)}`, data: { keep: "replayed" } }, before.id), after.id],
    [t("jobs.state"), ...jobs.map((job) => badge(job.state))],
    ...changed(before.params, after.params).map((name) => [h("code", {}, name), ...jobs.map((job) => h("code", {}, written(job.params[name])))]),
    [t("jobs.took"), ...jobs.map((job) => (job.ended ? duration(secondsBetween(job.created, job.ended)) : t("jobs.not-yet")))],
    [t("jobs.calls"), ...jobs.map((job) => number(job.usage?.model_calls))],
    [t("jobs.tokens"), ...jobs.map((job) => number(tokens(job.usage)))],
    [t("jobs.cost"), ...jobs.map((job) => cost(job.usage) || t("jobs.not-known"))],
    [t("replay.citations"), ...jobs.map((job) => number(job.outcome?.citations?.length))],
    [t("ask.answer"), ...jobs.map((job) => answerOf(job.outcome ?? {}))],
  ];
  return h(
    "table.replay",
    {},
    h("thead", {}, h("tr", {}, h("td", {}), h("th", { scope: "col" }, t("replay.before")), h("th", { scope: "col" }, t("replay.after")))),
    h("tbody", {}, rows.map(([name, ...cells]) => h("tr", {}, h("th", { scope: "row" }, name), cells.map((cell) => h("td", {}, cell))))),
  );
}

/** The parameters that are other, by name. */
function changed(before, after) {
  const names = new Set([...Object.keys(before), ...Object.keys(after)].filter((name) => !SAME.has(name)));
  return [...names].filter((name) => written(before[name]) !== written(after[name])).sort();
}

function written(value) {
  return JSON.stringify(value ?? null);
}

function answerOf(outcome) {
  return [outcome.text && h("p", {}, outcome.text), outcome.reason && h("p.muted", {}, reasonText(outcome.reason))];
}
