// A batch's report: what went in, what failed and why, what took longest.

import { h } from "../elements.js";
import { known, t } from "../texts.js";
import { duration, number, plainError, titlesOf } from "../words.js";

/** Return the cards of a report; those that would be empty are left out. */
export function reportCards(report) {
  return [figures(report), causes(report), slowest(report)].filter(Boolean);
}

function figures(report) {
  const chunks = report.chunks ?? {};
  const grown = report.before && report.after ? report.after.elements - report.before.elements : null;
  const pairs = [
    [t("batches.documents"), t("batch.over", { done: documentsOf(report, "done") + documentsOf(report, "unchanged"), n: report.listed })],
    [t("batches.chunks"), number(chunks.read)],
    [t("batches.facts"), number(report.facts)],
    grown === null ? null : [t("batches.elements"), number(grown)],
    report.leases_lost ? [t("jobs.leases-lost"), number(report.leases_lost)] : null,
  ].filter(Boolean);
  return h(
    "section.card",
    { "aria-labelledby": "report-title" },
    h("h2", { id: "report-title" }, report.running ? t("batches.report-so-far") : t("batches.report")),
    h("dl.pairs", {}, pairs.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
  );
}

function documentsOf(report, status) {
  return report.documents[status] ?? 0;
}

function causes(report) {
  if (!report.causes.length) return null;
  const entry = (cause) =>
    h(
      "li.dead-letter",
      {},
      h("p", {}, h("b", {}, plainError(cause.cause)), " ", h("span.muted.tiny", {}, t("batches.cause", { kind: known("cause", cause.kind), n: cause.count }))),
      h("p.muted.tiny", {}, cause.examples.map(({ uri }) => uri).join(", ")),
    );
  return h(
    "section.card",
    { "aria-labelledby": "causes-title" },
    h("h2", { id: "causes-title" }, t("batches.causes")),
    h("ul.rows", {}, report.causes.map(entry)),
    report.causes_left_out > 0 && h("p.muted.small", {}, t("batches.causes-left-out", { n: report.causes_left_out })),
  );
}

function slowest(report) {
  if (!report.slowest.length) return null;
  const titles = titlesOf(report.slowest);
  const entry = (one) => h("li.row", {}, titles(one), h("span.muted.tiny", {}, duration(one.seconds), " · ", t("count.chunks", { n: one.chunks })));
  return h(
    "section.card",
    { "aria-labelledby": "slowest-title" },
    h("h2", { id: "slowest-title" }, t("batches.slowest")),
    h("ul.rows", {}, report.slowest.map(entry)),
  );
}
