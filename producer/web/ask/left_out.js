// What stands behind an answer: how it was reasoned, and what was left out of it and why.

import { h } from "../elements.js";
import { t } from "../texts.js";

// Counts in an answer's details, and what each is of.
const COUNTS = [
  ["below_threshold", "left.below-threshold"],
  ["uncitable", "left.uncitable"],
  ["left_out", "left.no-room"],
  ["shortened", "left.shortened"],
  ["entries_without_evidence", "left.entries"],
];

/** Disclosures of an answer's details; none where there is nothing to tell. */
export function behindAnswer(details = {}) {
  const lines = leftOut(details);
  return [
    details.analysis && disclosure(t("ask.analysis"), h("p.analysis", {}, details.analysis)),
    lines.length && disclosure(t("ask.left-out"), h("ul", {}, lines.map((one) => h("li", {}, one)))),
  ].filter(Boolean);
}

function disclosure(title, content) {
  return h("details.small", {}, h("summary", {}, title), content);
}

function leftOut(details) {
  return [
    ...fallen(details.asked_again, "left.first-draft"),
    ...fallen(details.dropped_sentences, "left.dropped"),
    ...(details.summary_failed ? [t("left.no-summary", { error: details.summary_failed })] : []),
    ...COUNTS.filter(([name]) => details[name]).map(([name, key]) => t(key, { n: details[name] })),
  ];
}

function fallen(sentences, key) {
  return (sentences ?? []).map(({ sentence, why }) => t(key, { sentence: h("q", {}, sentence), why }));
}
