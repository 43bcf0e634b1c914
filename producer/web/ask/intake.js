// How many documents are still coming into a collection: an answer does not know of them yet.

import { fill, h } from "../elements.js";
import { rest } from "../rest.js";
import { t } from "../texts.js";

const LOOK = 4000; // ms between two looks while documents come in
const QUIET = 15_000; // ms between two looks else
const BATCHES = 20;

/**
 * Make the line for a form; `load(collections)` says from then on what comes into these.
 * @param {object} context of the view.
 * @param {object} given
 * @param {() => void} [given.onIn] all that was on its way is in.
 */
export function intakeLine(context, { onIn = () => {} } = {}) {
  const element = h("p.muted.small", { role: "status", hidden: true });
  let own = new AbortController();
  context.signal.addEventListener("abort", () => own.abort(), { once: true });

  async function load(collections) {
    own.abort();
    own = new AbortController();
    element.hidden = true;
    const { signal } = own;
    while (!signal.aborted && !context.signal.aborted) {
      const left = await comingInto(collections, signal).catch(() => null);
      if (signal.aborted) return;
      if (left !== null) show(left, collections);
      await rest(left ? LOOK : QUIET, signal);
    }
  }

  function show(left, [collection]) {
    const wasComing = !element.hidden;
    element.hidden = !left;
    if (left) fill(element, t("ask.coming-in", { n: left }), " ", h("a", { href: `#/documents?${new URLSearchParams({ collection })}` }, t("ask.coming-in.look")));
    else if (wasComing) onIn();
  }

  /** Count the documents of open batches that are not in. */
  async function comingInto(collections, signal) {
    const asked = (collection) => context.api.get("v1/jobs", { kind: "batch", collection, limit: BATCHES }, { signal });
    const pages = await Promise.all(collections.map(asked));
    const open = pages.flatMap(({ jobs }) => jobs).filter(({ ended }) => !ended);
    return open.reduce((sum, { params, done, dead }) => sum + Math.max(params.documents - (done["ingest.document"] ?? 0) - dead, 0), 0);
  }

  return { element, load };
}
