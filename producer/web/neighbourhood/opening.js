// What the view shows before a name is asked for, and where a name leads nowhere.

import { empty, h } from "../elements.js";
import { counted } from "../words.js";

const SUGGESTED = 8;

/** Names to begin with: those with the most facts. `onName(id, name)`. */
export function opening(census, onName) {
  const { live, hubs, collection } = census;
  if (!live.facts) return nothingYet(collection);
  const size = [
    counted(live.elements, "element"),
    counted(live.facts, "fact"),
    counted(live.documents, "document"),
  ].join(", ");
  const names = hubs.slice(0, SUGGESTED).map((hub) =>
    h(
      "li",
      {},
      h(
        "button",
        { type: "button", on: { click: () => onName(hub.id, hub.name) } },
        hub.name,
        h("span.muted.tiny", {}, counted(hub.degree, "fact")),
      ),
    ),
  );
  const offered = h("ul.chips", { "aria-label": "Names with the most facts" }, ...names);
  return empty("Begin with a name", size, names.length > 0 && offered);
}

export function nothingYet(collection) {
  return empty(
    "No facts yet",
    `The collection ${collection} holds no facts.`,
    h("a.button", { href: "#/documents" }, "Add documents"),
  );
}

export function nothingOf(words, collection) {
  return empty(
    "Nothing of that name",
    `The collection ${collection} knows nothing of ${words}. ` +
      "Names are those of people, places, things and dates in its documents.",
  );
}

/** What else a name may mean. `onName(id, name)`. */
export function otherNames(others, spelled, onName) {
  const button = (one) =>
    h("button.quiet", { type: "button", on: { click: () => onName(one.id, spelled(one)) } }, spelled(one));
  return h("div.row.small", {}, h("span.muted", {}, "It may also mean:"), ...others.map(button));
}
