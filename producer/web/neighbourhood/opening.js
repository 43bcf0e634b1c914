// What the view shows before a name is asked for, and where a name leads nowhere.

import { empty, h } from "../elements.js";
import { listed, t } from "../texts.js";

const SUGGESTED = 8;

/** Names to begin with: those with the most facts. `onName(id, name)`. */
export function opening(census, onName) {
  const { live, hubs, collection } = census;
  if (!live.facts) return nothingYet(collection);
  const size = listed([
    t("count.elements", { n: live.elements }),
    t("count.facts", { n: live.facts }),
    t("count.documents", { n: live.documents }),
  ]);
  const names = hubs.slice(0, SUGGESTED).map((hub) =>
    h(
      "li",
      {},
      h(
        "button",
        { type: "button", on: { click: () => onName(hub.id, hub.name) } },
        hub.name,
        h("span.muted.tiny", {}, t("count.facts", { n: hub.degree })),
      ),
    ),
  );
  const offered = h("ul.chips", { "aria-label": t("graph.names") }, ...names);
  return empty(t("graph.begin"), size, names.length > 0 && offered);
}

export function nothingYet(collection) {
  return empty(
    t("graph.no-facts"),
    t("graph.no-facts.about", { collection }),
    h("a.button", { href: "#/documents" }, t("documents.add")),
  );
}

export function nothingOf(name, collection) {
  return empty(t("graph.nothing"), t("graph.nothing.about", { collection, name }));
}

/** What else a name may mean. `onName(id, name)`. */
export function otherNames(others, spelled, onName) {
  const button = (one) =>
    h("button.quiet", { type: "button", on: { click: () => onName(one.id, spelled(one)) } }, spelled(one));
  return h("div.row.small", {}, h("span.muted", {}, t("graph.may-mean")), ...others.map(button));
}
