// The collections that a question reads beside the one that is chosen, as chips to press.

import { fill, freshId, h } from "../elements.js";
import { t } from "../texts.js";
import { number } from "../words.js";

/** @returns {{element, offer(collections), beside(name), show(names), value(): string[]}} */
export function otherCollections({ onChange }) {
  const chosen = new Set();
  const id = freshId("others");
  const group = h("div.document-metadata.other-collections", { role: "group", "aria-labelledby": id });
  const element = h("div.field", { hidden: true }, h("span.label", { id }, t("ask.scope.others")), group);
  let sizes = new Map(); // of those that there are, by name: documents
  let first = ""; // the one that is chosen already

  function draw() {
    fill(group, [...new Set([...chosen, ...sizes.keys()])].filter((name) => name !== first).map(chip));
    element.hidden = !group.children.length;
  }

  function chip(name) {
    const toggle = ({ currentTarget }) => {
      if (!chosen.delete(name)) chosen.add(name);
      currentTarget.setAttribute("aria-pressed", String(chosen.has(name))); // in its place, where the focus is
      onChange();
    };
    const size = sizes.has(name) && h("span.muted", {}, " ", number(sizes.get(name)));
    return h("button.tag", { type: "button", "aria-pressed": String(chosen.has(name)), on: { click: toggle } }, name, size);
  }

  return {
    element,
    /** Offer those that there are: [{name, documents}]. */
    offer(collections) {
      sizes = new Map(collections.map(({ name, documents }) => [name, documents]));
      draw();
    },
    /** Offer those beside the one that is chosen. */
    beside(name) {
      first = name;
      chosen.delete(name);
      draw();
    },
    /** Show those of a question that was asked. */
    show([name, ...others]) {
      first = name;
      chosen.clear();
      for (const other of others) chosen.add(other);
      draw();
    },
    value: () => [...chosen],
  };
}
