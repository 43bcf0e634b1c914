// The choice of a collection, the same in every view; the last one chosen is kept for the tab.

import { h, field } from "./elements.js";
import { t } from "./texts.js";
import { number } from "./words.js";

const KEY = "hopline.collection";
const BEGUN = "hopline.collection.begun"; // the one that this tab began: there may be no document in it yet

export const USUAL = "default"; // the collection of what names none

function keptAs(key) {
  try {
    return sessionStorage.getItem(key) || "";
  } catch {
    return "";
  }
}

/** The name to begin with: the one chosen or begun before, else the usual one, where it has documents; else the largest. */
function openingOf(collections, kept) {
  if (!collections.length || collections.some((one) => one.name === kept) || kept === keptAs(BEGUN)) return kept;
  const usual = collections.find((one) => one.name === USUAL);
  return (usual ?? collections.reduce((most, one) => (one.documents > most.documents ? one : most))).name;
}

function remember(key, name) {
  try {
    sessionStorage.setItem(key, name);
  } catch {
    // Asked again next time.
  }
}

/**
 * A field to choose a collection from those that exist.
 * @param {object} context of the view.
 * @param {object} [given] `chosen`: a name to begin with, whatever it holds; `onChange(name)`; `opens`: begin with a
 *   collection that has documents; `any`: words for "all collections", which is the value "".
 * @returns {{element, control, fail, clear, value(): string, begin(), choose(name), load(): Promise<Array>}} load once after
 *   mounting.
 */
export function collectionField(context, { chosen, onChange = () => {}, opens = true, any = "" } = {}) {
  const first = chosen ?? (any ? "" : keptAs(KEY) || USUAL);
  const control = h("select", {}, any && h("option", { value: "" }, any), first && h("option", { value: first }, first));
  const made = field(t("collection.label"), control);
  let isNew = false; // named here, for documents to come
  control.value = first;
  control.addEventListener("change", changed);

  function changed() {
    if (control.value) remember(KEY, control.value);
    onChange(control.value);
  }

  return {
    ...made,
    value: () => control.value,
    /** Documents were handed over to the collection: the tab's views open with it, though none is in yet. */
    begin() {
      remember(KEY, control.value);
      remember(BEGUN, control.value);
    },
    /** Choose a collection, which there may not be yet. */
    choose(name) {
      isNew = true;
      if (![...control.options].some((one) => one.value === name)) control.prepend(h("option", { value: name }, name));
      control.value = name;
      this.begin();
      onChange(name);
    },
    async load() {
      const { collections } = await context.api.get("v1/collections", {}, { signal: context.signal });
      const kept = control.value;
      const begun = keptAs(BEGUN);
      const names = collections.map((one) => one.name);
      const options = collections.map((one) => h("option", { value: one.name }, one.title || one.name, " (", number(one.documents), ")"));
      const isOpening = opens && !any && chosen === undefined && !isNew && kept === first;
      const opening = isOpening ? openingOf(collections, kept) : kept;
      if (opening && !names.includes(opening)) options.unshift(h("option", { value: opening }, opening));
      else if (begun && begun !== opening && !any && !names.includes(begun)) options.unshift(h("option", { value: begun }, begun));
      if (any) options.unshift(h("option", { value: "" }, any));
      control.replaceChildren(...options);
      control.value = opening;
      if (opening !== kept) onChange(opening);
      return collections;
    },
  };
}
