// The choice of a collection, the same in every view; the last one chosen is kept for the tab.

import { h, field } from "./elements.js";
import { t } from "./texts.js";
import { number } from "./words.js";

const KEY = "hopline.collection";

const USUAL = "default";

function chosenBefore() {
  try {
    return sessionStorage.getItem(KEY) || "";
  } catch {
    return "";
  }
}

/** The name to begin with: the one chosen before, else the usual one, where it has documents; else the largest. */
function openingOf(collections, kept) {
  if (!collections.length || collections.some((one) => one.name === kept)) return kept;
  const usual = collections.find((one) => one.name === USUAL);
  return (usual ?? collections.reduce((most, one) => (one.documents > most.documents ? one : most))).name;
}

export function rememberCollection(name) {
  try {
    sessionStorage.setItem(KEY, name);
  } catch {
    // Asked again next time.
  }
}

/**
 * A field to choose a collection from those that exist.
 * @param {object} context of the view.
 * @param {object} [given] `chosen`: a name to begin with, whatever it holds; `onChange(name)`; `mayBeNew`: any name
 *   may be typed; `opens`: begin with a collection that has documents; `any`: words for "all collections", which is
 *   the value "".
 * @returns {{element, control, fail, clear, value(): string, load(): Promise<Array>}} load once after mounting.
 */
export function collectionField(context, { chosen, onChange = () => {}, mayBeNew = false, opens = !mayBeNew, any = "" } = {}) {
  const before = chosenBefore();
  const first = chosen ?? (any ? "" : before || USUAL);
  const staysNew = mayBeNew && before !== ""; // a name that was typed for documents to come
  const listId = "collections-known";
  const control = mayBeNew
    ? h("input", { type: "text", value: first, list: listId, autocomplete: "off", spellcheck: "false" })
    : h("select", {}, any && h("option", { value: "" }, any), first && h("option", { value: first }, first));
  const known = mayBeNew ? h("datalist", { id: listId }) : control;
  const made = field(t("collection.label"), control);
  if (mayBeNew) made.element.append(known);
  if (!mayBeNew) control.value = first;
  control.addEventListener("change", () => {
    if (control.value) rememberCollection(control.value.trim());
    onChange(control.value.trim());
  });
  return {
    ...made,
    value: () => control.value.trim(),
    async load() {
      const { collections } = await context.api.get("v1/collections", {}, { signal: context.signal });
      const kept = control.value;
      const names = collections.map((one) => one.name);
      const options = collections.map((one) =>
        h("option", { value: one.name }, mayBeNew ? "" : [one.name, " (", number(one.documents), ")"]),
      );
      const isOpening = opens && !any && chosen === undefined && !staysNew && kept === first;
      const opening = isOpening ? openingOf(collections, kept) : kept;
      if (!mayBeNew && opening && !names.includes(opening)) options.unshift(h("option", { value: opening }, opening));
      if (!mayBeNew && any) options.unshift(h("option", { value: "" }, any));
      known.replaceChildren(...options);
      control.value = opening;
      if (opening !== kept) onChange(opening);
      return collections;
    },
  };
}
