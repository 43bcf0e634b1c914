// How far a named batch is: documents that have ended, its speed, the time left.

import { h } from "../elements.js";
import { listed, t } from "../texts.js";
import { duration } from "../words.js";

/** Return a bar with the documents that have ended of all. */
export function progressOf(batch) {
  const share = batch.documents ? Math.min(batch.ended / batch.documents, 1) : 0;
  return [
    h("span.small", {}, t("batch.over", { done: batch.ended, n: batch.documents })),
    h("div.progress", { "aria-hidden": "true" }, h("span", { style: { width: `${share * 100}%` } })),
  ];
}

/** "12.5 documents a minute, 2 h 5 min left, 3 not wholly in" */
export function paceOf(batch) {
  const whole = (batch.counts.done ?? 0) + (batch.counts.unchanged ?? 0);
  const failed = batch.ended - whole;
  return listed([
    batch.rate && t("batches.rate", { rate: batch.rate.toFixed(1) }),
    batch.left && t("batches.left", { time: duration(batch.left) }),
    failed > 0 && t("batches.failed", { n: failed }),
  ]);
}
