// The collections that a question reads beside the one that is chosen, as chips to press.

import { fill, freshId, h } from "../elements.js";
import { t } from "../texts.js";
import { number } from "../words.js";

const MOST = 9; // beside the first: a question is of ten at most, as of the API

/** @returns {{element, offer(collections), beside(name), show(names), value(): string[]}} */
export function otherCollections({ onChange }) {
  const chosen = new Set();
  const id = freshId("others");
  const group = h("div.document-metadata.other-collections", { role: "group", "aria-labelledby": id });
  const full = h("p.field-hint", { role: "status", hidden: true }, t("ask.scope.others.full", { n: MOST + 1 }));
  const element = h("div.field", { hidden: true }, h("span.label", { id }, t("ask.scope.others")), group, full);
  let sizes = new Map(); // of those that there are, by name: documents
  let first = ""; // the one that is chosen already

  function draw() {
    fill(group, [...new Set([...chosen, ...sizes.keys()])].filter((name) => name !== first).map(chip));
    element.hidden = !group.children.length;
    bound();
  }

  /** Let no further one be chosen once there are as many as a question may be of, and say so. */
  function bound() {
    const isFull = chosen.size >= MOST;
    for (const chip of group.children) chip.disabled = isFull && chip.getAttribute("aria-pressed") === "false";
    full.hidden = !isFull;
  }

  function chip(name) {
    const toggle = ({ currentTarget }) => {
      if (!chosen.delete(name)) chosen.add(name);
      currentTarget.setAttribute("aria-pressed", String(chosen.has(name))); // in its place, where the focus is
      bound();
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
