// A drawn graph in words: the list that says what is drawn, and what its colours and lines mean.

import { fill, h } from "./elements.js";
import { GROUPS, groupColour } from "./graph_style.js";

const ASIDE = "aside"; // the group of what is drawn beside a story

/** The groups of a drawing: those that are known from the beginning, and others in the order in which they come. */
export function groupBook(given) {
  const known = new Map();
  const forget = () => {
    known.clear();
    given.forEach((group, index) => known.set(group.id, { ...group, index }));
  };
  forget();
  return {
    forget,
    of(id = "", name = String(id)) {
      if (!known.has(id)) known.set(id, { id, name, index: id === ASIDE ? GROUPS - 1 : known.size });
      return known.get(id);
    },
    all: () => [...known.values()],
  };
}

function dot(index) {
  return h("span.graph-dot", { "aria-hidden": "true", style: { "--group": groupColour(index) } });
}

/**
 * Write the list of all nodes anew; the focus stays where it was.
 * @param {Element} list
 * @param {Array} nodes as `createGraphView` takes them.
 * @param {object} given `chosen`: an id or null; `groupOf(id)`, `describe(node)`, `onSelect(id)`, `onOpen(id)`.
 */
export function writeList(list, nodes, { chosen, groupOf, describe, onSelect, onOpen }) {
  const focused = list.contains(document.activeElement) ? document.activeElement.dataset.node : null;
  const entry = (node) =>
    h(
      "li",
      {},
      h(
        "button",
        {
          type: "button",
          data: { node: node.id },
          "aria-pressed": String(node.id === chosen),
          on: { click: () => onSelect(node.id), dblclick: () => onOpen(node.id) },
        },
        dot(groupOf(node.group).index),
        node.label,
        describe(node) && h("span.muted", {}, describe(node)),
      ),
    );
  fill(list, ...nodes.map(entry));
  if (focused) list.querySelector(`[data-node="${CSS.escape(focused)}"]`)?.focus();
}

/** Write what colours and lines mean: groups are {name, index}, lines {name, relation?}. */
export function writeLegend(list, groups, lines) {
  const line = ({ name, relation }) => h("li", {}, h(`span.graph-line${relation ? ".is-relation" : ""}`, { "aria-hidden": "true" }), name);
  fill(list, ...groups.map((group) => h("li", {}, dot(group.index), group.name)), ...lines.map(line));
}
