// The versions of a map, with what changed in each.

import { failure, fill, h, loading } from "../elements.js";
import { known, t } from "../texts.js";
import { when } from "../words.js";
import { langOf } from "./words.js";

/**
 * Make the card; it reads the versions when it is opened, and again after `forget`.
 * @param {object} context of the view.
 * @param {() => {concept, collection}} asked whose versions.
 * @param {(change: object) => HTMLElement|null} undoButton of the newest change of a relation; nothing where it may
 *   not be undone.
 */
export function historyCard(context, asked, undoButton) {
  const body = h("div");
  const card = h("details.card.concept-history", {}, h("summary", {}, t("concepts.history")), body);
  let isRead = false;
  card.addEventListener("toggle", () => card.open && !isRead && read());

  async function read() {
    fill(body, loading());
    try {
      const { concept, collection } = asked();
      const query = { concept, collection };
      const { versions } = await context.api.get("v1/concepts/versions", query, { signal: context.signal });
      isRead = true;
      const newest = new Map(versions.flatMap((one) => one.changes).reverse().map((change) => [change.id, change]));
      const undo = (change) => change.change !== "defined" && newest.get(change.id) === change && undoButton(change);
      const list = h("ol.rows", { reversed: true }, ...versions.map((version) => entry(version, undo)));
      fill(body, versions.length ? list : h("p.muted", {}, t("concepts.no-versions")));
    } catch (error) {
      if (!context.signal.aborted) fill(body, failure(error, read));
    }
  }

  return {
    element: card,
    forget() {
      isRead = false;
      if (card.open) read();
      else fill(body);
    },
  };
}

function entry(version, undo) {
  return h(
    "li.stack-tight",
    {},
    h(
      "div.row",
      {},
      h("h3", {}, t("concepts.version", { version: version.version })),
      h("time.small.muted", { datetime: version.made }, when(version.made)),
      version.by && h("span.small.muted", {}, t("concepts.by", { name: version.by })),
    ),
    h(
      "ul.stack-tight",
      {},
      ...version.changes.map((change) =>
        h(
          "li.small",
          {},
          h("b", {}, known("concept-change", change.change)),
          ": ",
          h("span", { lang: langOf(change.name) }, change.name),
          change.strength && [t("list.separator"), t("concepts.strength", { strength: change.strength })],
          change.reason && h("span.muted", { lang: langOf(change.reason) }, ` (${change.reason})`),
          undo(change),
        ),
      ),
    ),
  );
}
