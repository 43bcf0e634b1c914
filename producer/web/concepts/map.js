// A concept map drawn: domains as colours and in words, strength as width; and what it says of each concept.

import { fill, h } from "../elements.js";
import { createGraphView } from "../graph_view.js";
import { t } from "../texts.js";
import { langOf } from "./words.js";

const WIDTH = 1.4; // px per step of strength
const STRONGEST = 5;
const FIRST_SHOWN = 5; // nodes: the core and the strongest

/**
 * Make a map; `show(told)` draws {nodes, links}, `destroy` ends it.
 * @param {(link: object, other: object) => HTMLElement|null} changeButton of a relation of the core; nothing where
 *   it may not be changed.
 */
export function conceptMap(changeButton) {
  const detail = h("section.card.stack-tight.concept-detail", { "aria-label": t("concepts.chosen") });
  const whole = h("button.quiet", { type: "button", hidden: true, on: { click: () => draw(all) } });
  let all = { nodes: [], links: [] };
  let told = all;
  const view = createGraphView({
    label: t("concepts.map"),
    describe: (node) => node.second,
    onSelect: (node) => tell(node),
  });

  /** Draw a map: the core and the strongest first, all of it on demand. */
  function show(given) {
    all = given;
    whole.hidden = all.nodes.length <= FIRST_SHOWN;
    fill(whole, t("concepts.show-all", { n: all.nodes.length }));
    const nodes = all.nodes.slice(0, FIRST_SHOWN);
    const shown = new Set(nodes.map((node) => node.id));
    draw({ nodes, links: all.links.filter((link) => shown.has(link.source) && shown.has(link.target)) });
  }

  function draw(given) {
    told = given;
    whole.hidden ||= told === all;
    const strengths = new Map();
    for (const link of told.links) {
      for (const id of [link.source, link.target]) strengths.set(id, Math.max(strengths.get(id) ?? 0, link.strength));
    }
    view.clear();
    view.add({
      nodes: told.nodes.map((node) => ({
        id: node.id,
        label: node.name,
        second: node.domain,
        group: node.domain,
        size: node.core ? 1 : (strengths.get(node.id) ?? 1) / STRONGEST / 1.4,
      })),
      edges: told.links.map((link) => ({
        id: `${link.source} ${link.target}`,
        source: link.source,
        target: link.target,
        width: link.strength * WIDTH,
        label: String(link.strength),
      })),
    });
    view.select(told.nodes.find((node) => node.core)?.id ?? null, { silent: true });
  }

  function tell(node) {
    const concept = node && told.nodes.find((one) => one.id === node.id);
    if (!concept) {
      fill(detail, h("p.muted", {}, t("concepts.choose")));
      return;
    }
    const links = told.links.filter((link) => link.source === concept.id || link.target === concept.id);
    fill(
      detail,
      h("h2", { lang: langOf(concept.name) }, concept.name),
      concept.domain && h("p.small.muted", { lang: langOf(concept.domain) }, concept.domain),
      concept.definition && h("p", { lang: langOf(concept.definition) }, concept.definition),
      links.length > 0 && h("ul.rows", { "aria-label": t("graph.relations") }, ...links.map((link) => relation(concept, link))),
    );
  }

  function relation(concept, link) {
    const other = told.nodes.find((node) => node.id === (link.source === concept.id ? link.target : link.source));
    return h(
      "li.stack-tight",
      {},
      h(
        "div.row.concept-other",
        {},
        h(
          "button.link",
          { type: "button", lang: langOf(other.name), on: { click: () => view.select(other.id) } },
          other.name,
        ),
        strength(link.strength),
      ),
      other.domain && h("p.tiny.muted", { lang: langOf(other.domain) }, other.domain),
      h("p.small", { lang: langOf(link.relation) }, link.relation),
      told.nodes.some((node) => node.core && node.id === link.source) &&
        changeButton(link, told.nodes.find((node) => node.id === link.target)),
    );
  }

  tell(null);
  const element = h("div.stack-tight", {}, view.element, h("div", {}, whole));
  return { element, detail, show, destroy: view.destroy };
}

function strength(value) {
  const mark = (_, nth) => h("i", { "aria-hidden": "true", data: nth < value ? { on: "" } : {} });
  const marks = Array.from({ length: STRONGEST }, mark);
  return h("span.strength", {}, h("span.visually-hidden", {}, t("concepts.strength-of", { strength: value, most: STRONGEST })), ...marks);
}
