// The choice of a collection, the same in every view; the last one chosen is kept for the tab.

import { h, field } from "./elements.js";
import { number } from "./words.js";

const KEY = "hopline.collection";

export function rememberedCollection() {
  try {
    return sessionStorage.getItem(KEY) || "default";
  } catch {
    return "default";
  }
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
 * @param {object} [given] `chosen`: a name to begin with; `onChange(name)`; `mayBeNew`: any name may be typed;
 *   `any`: words for "all collections", which is the value "".
 * @returns {{element, control, fail, clear, value(): string, load(): Promise<Array>}} load once after mounting.
 */
export function collectionField(context, { chosen, onChange = () => {}, mayBeNew = false, any = "" } = {}) {
  const first = chosen ?? (any ? "" : rememberedCollection());
  const listId = "collections-known";
  const control = mayBeNew
    ? h("input", { type: "text", value: first, list: listId, autocomplete: "off", spellcheck: "false" })
    : h("select", {}, any && h("option", { value: "" }, any), first && h("option", { value: first }, first));
  const known = mayBeNew ? h("datalist", { id: listId }) : control;
  const made = field("Collection", control);
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
        h("option", { value: one.name }, mayBeNew ? "" : `${one.name} (${number(one.documents)})`),
      );
      if (!mayBeNew && kept && !names.includes(kept) && (chosen || !names.length)) options.unshift(h("option", { value: kept }, kept));
      if (!mayBeNew && any) options.unshift(h("option", { value: "" }, any));
      known.replaceChildren(...options);
      control.value = kept;
      if (!mayBeNew && !any && !chosen && names.length && !names.includes(kept)) {
        [control.value] = names;
        onChange(control.value);
      }
      return collections;
    },
  };
}
