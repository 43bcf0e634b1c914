// What is known of the chosen element: how often it is spoken of, its facts, and where to go on.

import { field, fill, h } from "../elements.js";
import { listed, t } from "../texts.js";
import { spelled } from "./drawing.js";
import { factList } from "./facts.js";

/**
 * Make the panel.
 * @param {object} context of the view.
 * @param {object} given what its controls do: `onDocument(id)`, `onExpand(id)`, `onBegin(id, name)`.
 * @returns {{element, show(told), offer(documents, chosen, title)}}
 */
export function detailPanel(context, { onDocument, onExpand, onBegin }) {
  const choice = h("select", { on: { change: () => onDocument(choice.value) } });
  const filter = field(t("graph.document"), choice);
  const element = h("section.card.stack-tight.near-detail", { "aria-label": t("graph.facts") });

  function head({ element: one, isWhole, isCentre }) {
    const name = spelled(one);
    const others = one.aliases.filter((alias) => alias !== name);
    const expand = () => onExpand(one.id);
    const begin = () => onBegin(one.id, name);
    return h(
      "div.stack-tight",
      {},
      h("h2", {}, name),
      others.length > 0 && h("p.muted.small", {}, t("graph.also", { names: listed(others) })),
      h("p.muted.small", {}, t("graph.of-collection", { n: one.degree })),
      !isCentre &&
        h(
          "div.actions",
          {},
          !isWhole && h("button", { type: "button", on: { click: expand } }, t("graph.expand")),
          h("button.quiet", { type: "button", on: { click: begin } }, t("graph.begin-here")),
        ),
    );
  }

  return {
    element,
    /** Show {chosen: {element, isWhole, isCentre}|null, facts, relations: [{source, words, target}], more: Node|null}. */
    show({ chosen, facts, relations = [], more }) {
      const none = t("graph.says-nothing");
      fill(
        element,
        chosen ? head(chosen) : h("h2", {}, t("graph.all-facts")),
        relations.length > 0 && relationList(relations),
        filter.element,
        facts.length ? factList(context, facts) : h("p.muted", {}, none),
        more,
      );
    },
    /** Offer documents to filter by; `title` is that of a chosen one that is not among them. */
    offer(documents, chosen, title) {
      const isStrange = chosen && !documents.some((one) => one.id === chosen);
      fill(
        choice,
        h("option", { value: "" }, t("graph.all-documents")),
        isStrange && h("option", { value: chosen }, title),
        ...documents.map((one) => h("option", { value: one.id }, [one.title, " (", t("count.facts", { n: one.facts }), ")"])),
      );
      choice.value = chosen;
    },
  };
}

function relationList(relations) {
  const line = ({ source, words, target }) => h("li", {}, h("b", {}, source), h("span.relation-words", {}, ` ${words} `), h("b", {}, target));
  return h("section.stack-tight", {}, h("h3", {}, t("graph.relations")), h("ul.near-relations.small", { "aria-label": t("graph.relations") }, relations.map(line)));
}
