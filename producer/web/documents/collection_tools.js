// What can be done with a whole collection: begin one, give it a title, delete it.

import { askInDialog } from "../dialog_form.js";
import { field, h } from "../elements.js";
import { t } from "../texts.js";
import { removeByJob } from "./removal.js";

const ALLOWED = "[\\p{L}\\p{N}_.\\-]*[\\p{L}\\p{N}][\\p{L}\\p{N}_.\\-]*"; // as the API has it

/**
 * Make the buttons.
 * @param {object} context of the view.
 * @param {object} given
 * @param {() => {name, title?, description?, documents}} given.current the chosen collection.
 * @param {(name: string) => void} given.onNew a name was given to a collection to come.
 * @param {() => void} given.onChanged its title was changed.
 * @param {(name: string) => void} given.onDeleted it is gone.
 */
export function collectionTools(context, { current, onNew, onChanged, onDeleted }) {
  const button = (words, act) => h("button.quiet", { type: "button", on: { click: act } }, words);
  return h(
    "div.actions.collection-tools",
    {},
    button(t("collection.new"), () => begin(context, onNew)),
    button(t("collection.describe"), () => describe(context, current(), onChanged)),
    button(t("collection.delete"), () => confirmDeletion(context, current(), onDeleted)),
  );
}

function begin(context, onNew) {
  const name = field(t("collection.name"), h("input", { type: "text", required: true, maxlength: "100", pattern: ALLOWED, autocomplete: "off", spellcheck: "false" }), { hint: t("collection.name.hint") });
  askInDialog(context, t("collection.new"), [name.element, h("p.muted.small", {}, t("collection.new.about"))], t("collection.begin"), async () => () => onNew(name.control.value.trim()));
}

function describe(context, { name, title = "", description = "" }, onChanged) {
  const fields = {
    title: field(t("collection.title"), h("input", { type: "text", maxlength: "200", value: title }), { hint: t("collection.title.hint", { name }) }),
    description: field(t("collection.description"), h("textarea", { rows: "4", maxlength: "2000", value: description })),
  };
  const send = async () => {
    const body = Object.fromEntries(Object.entries(fields).map(([part, { control }]) => [part, control.value]));
    await context.api.patch(`v1/collections/${encodeURIComponent(name)}`, body, { signal: context.signal });
    return onChanged;
  };
  askInDialog(context, t("collection.describe"), Object.values(fields).map((one) => one.element), t("collection.save"), send);
}

function confirmDeletion(context, { name, documents }, onDeleted) {
  const words = h("p", {}, t("collection.delete.goes", { name: h("strong", {}, name), documents: t("count.documents", { n: documents ?? 0 }) }));
  const send = async () => {
    await removeByJob(context, `v1/collections/${encodeURIComponent(name)}`);
    return () => onDeleted(name);
  };
  askInDialog(context, t("collection.delete"), [words, h("p", {}, t("removal.final"))], t("collection.delete.it"), send, { isGrave: true });
}
