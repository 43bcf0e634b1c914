// One document of a batch: how far it is, or what became of it.

import { badge, h } from "../elements.js";
import { isKnown, known, listed, t } from "../texts.js";
import { plainError, stepName } from "../words.js";

export const WHOLE = new Set(["done", "unchanged"]);

/** Whether a document is not wholly in the graph. */
export function needsSomebody(row) {
  return Boolean(row.error || (row.ended && !WHOLE.has(row.state)));
}

/** A document of a batch: {uri, state, error?, now?, ended?, chunks?, facts?}. */
export function rowOf(row) {
  const failed = needsSomebody(row);
  return h(
    "li.batch-row",
    {},
    h("div.row", {}, h("span.batch-name", {}, row.uri), badge(row.state === "ended" ? "running" : row.state)),
    row.now && h("p.small.muted", {}, row.now.words),
    row.now?.of && h("progress", { "aria-label": t("batch.chunks-read", { document: row.uri }), max: row.now.of, value: row.now.done }),
    failed && h("p.small.field-error", {}, row.error ? plainError(row.error) : t("documents.no-reason")),
    row.ended && !failed && h("p.small.muted", {}, listed([t("count.chunks", { n: row.chunks ?? 0 }), t("count.facts", { n: row.facts ?? 0 })])),
  );
}

/** What a document's job is at: {words, done?, of?}. */
export function progressOf(job) {
  const steps = Object.keys(job.items).filter((step) => step.startsWith("ingest."));
  const open = steps.filter((step) => (job.done[step] ?? 0) < job.items[step]).at(-1) ?? steps.at(-1);
  if (!open) return { words: t("batch.waiting") };
  const [done, of] = [job.done[open] ?? 0, job.items[open]];
  const words = isKnown("progress", open) ? known("progress", open) : stepName(open);
  return of > 1 ? { words: t("batch.progress", { step: words, done, all: of }), done, of } : { words };
}
