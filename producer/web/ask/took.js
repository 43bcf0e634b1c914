// What an answer took, and what was left out of it: shown on demand.

import { h } from "../elements.js";
import { t } from "../texts.js";
import { cost, duration, number, secondsBetween, stepName, tokens } from "../words.js";
import { behindAnswer } from "./left_out.js";

/** Disclosures below an answer. */
export function tookParts(answer, job) {
  return [...behindAnswer(answer.details), h("details.small.took", {}, h("summary", {}, t("ask.took")), h("div.stack-tight", {}, took(answer, job)))];
}

function took(answer, job) {
  const usage = answer.usage ?? job.usage ?? {};
  const seconds = job.ended ? secondsBetween(job.created, job.ended) : null;
  const figures = [
    t("ask.took.calls", figure(usage.model_calls ?? 0)),
    t("ask.took.tokens", figure(tokens(usage))),
    cost(usage) && t("ask.took.cost", { shown: h("b", {}, cost(usage)) }),
    answer.details?.contradictions && t("ask.took.contradictions", figure(answer.details.contradictions)),
    seconds !== null && t("ask.took.time", { shown: h("b", {}, duration(seconds)) }),
  ].filter(Boolean);
  const timings = Object.entries(answer.timings ?? {}).sort((a, b) => b[1] - a[1]);
  return [
    h("p.facts-line", {}, figures),
    timings.length > 0 &&
      h("dl.pairs", { "aria-label": t("ask.timings") }, timings.map(([step, time]) => [h("dt", {}, stepName(step)), h("dd", {}, t("ask.timing", { time: duration(time), n: job.items?.[step] ?? 1 }))])),
    h("p.tiny.muted", {}, t("ask.job", { job: h("a", { href: `#/jobs/${encodeURIComponent(job.id)}` }, job.id) })),
  ];
}

/** A number that chooses the plural and is shown in bold. */
function figure(value) {
  return { n: value, shown: h("b", {}, number(value)) };
}
