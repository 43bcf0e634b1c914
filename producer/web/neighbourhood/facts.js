// The facts around a name, each with the places that say it.

import { h } from "../elements.js";
import { openDocument } from "../reader/document.js";
import { t } from "../texts.js";
import { titlesOf } from "../words.js";

/**
 * Make the list of some facts.
 * @param {object} context of the view.
 * @param {Array} facts as the API tells them.
 */
export function factList(context, facts) {
  const titles = titlesOf(facts.flatMap((fact) => fact.sources));
  return h("ol.rows.near-facts", {}, ...facts.map((fact) => factRow(context, fact, titles)));
}

function factRow(context, fact, titles) {
  const [first, ...others] = fact.sources;
  const more = others.length
    ? h(
        "details",
        {},
        h("summary.small", {}, t("graph.more-places", { n: others.length })),
        h("ul.stack-tight", {}, ...others.map((place) => h("li", {}, placeButton(context, place, fact, titles)))),
      )
    : null;
  return h(
    "li.stack-tight",
    {},
    h("p", {}, fact.text),
    first ? placeButton(context, first, fact, titles) : h("p.muted.small", {}, t("graph.no-place")),
    more,
  );
}

function placeButton(context, place, fact, titles) {
  const title = titles(place);
  const says = place.quote.trim() && place.quote.trim() !== fact.text.trim();
  return h(
    "div.near-place.small",
    {},
    h(
      "button.link",
      {
        type: "button",
        "aria-label": t("graph.open-at", { title }),
        on: {
          click: () =>
            openDocument(context, {
              id: place.document_id,
              title,
              start: place.start,
              end: place.end,
            }),
        },
      },
      title,
    ),
    says && h("q.muted", {}, place.quote.trim()),
  );
}

/** Return the documents that facts stand in: [{id, title, facts}], those with the most first. */
export function documentsOf(facts) {
  const found = new Map();
  for (const fact of facts) {
    for (const id of new Set(fact.sources.map((place) => place.document_id))) {
      const { title, uri } = fact.sources.find((place) => place.document_id === id);
      const known = found.get(id) ?? { id, title, uri, facts: 0 };
      found.set(id, { ...known, facts: known.facts + 1 });
    }
  }
  const titles = titlesOf([...found.values()]);
  const named = [...found.values()].map((one) => ({ ...one, title: titles(one) }));
  return named.sort((one, other) => other.facts - one.facts || one.title.localeCompare(other.title));
}
