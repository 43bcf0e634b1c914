// What stands behind an answer: how it was reasoned, and what was left out of it and why.

import { h } from "../elements.js";
import { number } from "../words.js";

// Counts in an answer's details, and what each is of.
const COUNTS = [
  ["below_threshold", "facts scored too low"],
  ["uncitable", "facts that stand nowhere in a document any more"],
  ["left_out", "facts that did not fit"],
  ["shortened", "facts shortened to fit"],
  ["entries_without_evidence", "notebook entries of which no evidence is left"],
];

/** Disclosures of an answer's details; none where there is nothing to tell. */
export function behindAnswer(details = {}) {
  const lines = leftOut(details);
  return [
    details.analysis && disclosure("How it was reasoned", h("p.analysis", {}, details.analysis)),
    lines.length && disclosure("What was left out", h("ul", {}, lines.map((one) => h("li", {}, one)))),
  ].filter(Boolean);
}

function disclosure(title, content) {
  return h("details.small", {}, h("summary", {}, title), content);
}

function leftOut(details) {
  return [
    ...fallen(details.asked_again, "Dropped from the first draft: "),
    ...fallen(details.dropped_sentences, "Dropped: "),
    ...(details.summary_failed ? [`Facts that did not fit could not be summarised: ${details.summary_failed}`] : []),
    ...COUNTS.filter(([name]) => details[name]).map(([name, what]) => `${number(details[name])} ${what}`),
  ];
}

function fallen(sentences, opening) {
  return (sentences ?? []).map(({ sentence, why }) => [opening, h("q", {}, sentence), ` (${why})`]);
}
