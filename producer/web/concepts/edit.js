// Changes of one relation by hand: corrected, marked or taken out, each with a reason; and taken back.

import { dialog, failure, field, fill, h } from "../elements.js";
import { t } from "../texts.js";
import { langOf } from "./words.js";

const STRENGTHS = [1, 2, 3, 4, 5];

/**
 * Ask what should become of a relation, and send it.
 * @param {object} context of the view.
 * @param {object} given
 * @param {object} given.link as the map tells it.
 * @param {object} given.other the concept that it leads to.
 * @param {string} given.collection
 * @param {(version: number) => void} given.onChanged it is done; the map has this version.
 */
export function editRelation(context, { link, other, collection, onChanged }) {
  const reason = field(t("concepts.edit.reason"), h("input", { type: "text", maxlength: "400", required: true }), {
    hint: t("concepts.edit.reason.hint"),
  });
  const domain = written("concepts.edit.domain", "input", other.domain, 60);
  const definition = written("concepts.edit.definition", "textarea", other.definition, 400);
  const relation = written("concepts.edit.relation", "textarea", link.relation, 800);
  const options = STRENGTHS.map((value) => h("option", { value: String(value), selected: value === link.strength }, String(value)));
  const strength = field(t("concepts.edit.strength"), h("select", {}, ...options));
  const fields = { domain, definition, relation, strength };
  const trouble = h("div");
  const save = h("button.primary", { type: "submit" }, t("concepts.edit.save"));
  const mark = h("button", { type: "button", on: { click: () => send("abnormal") } }, t("concepts.edit.mark"));
  const remove = h("button.danger", { type: "button", on: { click: () => send("delete") } }, t("concepts.edit.delete"));
  const submit = (event) => (event.preventDefault(), send("correct"));
  const form = h(
    "form.stack",
    { novalidate: true, on: { submit } },
    ...[reason, relation, strength, definition, domain].map((one) => one.element),
    trouble,
    h("div.actions", {}, save, mark, remove),
  );
  const asked = dialog(t("concepts.edit.title", { name: other.name }), form);
  context.signal.addEventListener("abort", asked.close, { once: true });

  async function send(action) {
    for (const one of [reason, ...Object.values(fields)]) one.clear();
    fill(trouble);
    if (!reason.control.value.trim()) {
      reason.fail(t("concepts.edit.reason.missing"));
      reason.control.focus();
      return;
    }
    for (const button of [save, mark, remove]) button.disabled = true;
    try {
      const told = await change(context, { action, link, collection, reason: reason.control.value, correction: corrected() });
      asked.close();
      onChanged(told.version);
    } catch (error) {
      if (!context.signal.aborted) tell(error);
    } finally {
      for (const button of [save, mark, remove]) button.disabled = false;
    }
  }

  /** What was changed: fields that stayed the same are not sent. */
  function corrected() {
    const before = { domain: other.domain, definition: other.definition, relation: link.relation, strength: String(link.strength) };
    const now = Object.entries(fields).map(([name, one]) => [name, one.control.value.trim()]);
    const told = Object.fromEntries(now.filter(([name, value]) => value !== before[name]));
    return "strength" in told ? { ...told, strength: Number(told.strength) } : told;
  }

  function tell(error) {
    const wrong = error.errors?.[0];
    const where = { ...fields, reason }[wrong?.field.split(".").pop()];
    if (where) where.fail(t("field.allowed", { allowed: wrong.allowed }));
    else fill(trouble, failure(error));
  }
}

function written(key, name, value, maxlength) {
  const given = { maxlength: String(maxlength), lang: langOf(value), value };
  return field(t(key), h(name, name === "input" ? { type: "text", ...given } : { rows: "3", ...given }));
}

function change({ api, signal }, { action, link, collection, reason, correction }) {
  const path = `v1/concepts/relations/${encodeURIComponent(link.id)}`;
  const told = { collection, reason, version: link.version };
  if (action === "delete") return api.remove(path, { query: told, signal });
  return api.patch(path, { ...told, ...(action === "abnormal" ? { state: "abnormal" } : correction) }, { signal });
}

/** Take back the newest change of a relation; resolves to what was changed. */
export function undoChange({ api, signal }, { change, collection }) {
  const path = `v1/concepts/relations/${encodeURIComponent(change.id)}/undo`;
  return api.post(path, { collection, version: change.version }, { signal });
}
