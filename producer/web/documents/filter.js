// Narrows the list by metadata: a filter in its language, and tags that were chosen by their chips.

import { field, fill, h } from "../elements.js";
import { t } from "../texts.js";
import { having } from "./filter_text.js";

const LONGEST = 4000; // characters, as of the API

/** Make the field and the chips; `onChange` is told of what is to be applied: at Enter, or at once where a part goes. */
export function metadataFilter(onChange) {
  const control = h("input", { type: "text", autocomplete: "off", spellcheck: "false", maxlength: String(LONGEST), placeholder: t("documents.filter.placeholder") });
  const where = field(t("documents.filter"), control, { hint: t("documents.filter.hint") });
  const chips = h("div.document-metadata", { role: "group", "aria-label": t("documents.filter.tags"), hidden: true });
  const tags = new Set();
  // Half a filter is a fault, and a list that changes when the field is left would take the place of what is clicked.
  control.addEventListener("keydown", (event) => event.key === "Enter" && onChange());
  control.addEventListener("input", () => !control.value && onChange());

  const draw = () => {
    chips.hidden = !tags.size;
    fill(chips, [...tags].map((tag) => h("button.tag", { type: "button", "aria-pressed": "true", on: { click: (event) => leave(event.currentTarget, tag) } }, tag, h("span", { "aria-hidden": "true" }, " ×"))));
  };
  const toggle = (tag) => {
    if (!tags.delete(tag)) tags.add(tag);
    draw();
    onChange();
  };
  const leave = (chip, tag) => {
    const at = [...chips.children].indexOf(chip);
    toggle(tag);
    (chips.children[at] ?? chips.lastElementChild ?? control).focus(); // the chip is gone
  };
  return {
    element: where.element,
    chips,
    toggle,
    has: (tag) => tags.has(tag),
    /** What was typed, without the chips. */
    typed: () => control.value.trim(),
    /** The whole filter; "" where there is none. */
    where() {
      const typed = control.value.trim();
      const parts = [...tags].map(having);
      if (!typed) return parts.join(" and ");
      return parts.length ? [`(${typed})`, ...parts].join(" and ") : typed;
    },
    fail: where.fail,
    clear: where.clear,
    reset() {
      control.value = "";
      tags.clear();
      where.clear();
      draw();
    },
  };
}
