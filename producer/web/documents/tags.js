// Edits what many documents carry: adds tags and takes tags away, each keeps the tags that nobody named; sets author
// and date; and says who may see them. What they carry now is shown.

import { askInDialog } from "../dialog_form.js";
import { field, fill, h } from "../elements.js";
import { listed, t } from "../texts.js";

const TOGETHER = 5000; // documents of a request
const MOST_SHOWN = 12; // values of a field

function listOf(control) {
  return control.value.split(",").map((tag) => tag.trim()).filter(Boolean);
}

/** The documents whose tags change, by their new tags as JSON. */
function byNewTags(documents, added, removed) {
  const groups = new Map();
  for (const { id, metadata = {} } of documents) {
    const before = metadata.tags ?? [];
    const after = [...new Set([...before.filter((tag) => !removed.includes(tag)), ...added])];
    const key = JSON.stringify(after);
    if (key === JSON.stringify(before)) continue;
    if (groups.has(key)) groups.get(key).push(id);
    else groups.set(key, [id]);
  }
  return groups;
}

/** Edit some documents, all of them in the same way; returns how many changed. */
async function editAll(api, ids, edit, signal) {
  let changed = 0;
  for (let first = 0; first < ids.length; first += TOGETHER) {
    changed += (await api.patch("v1/documents", { documents: ids.slice(first, first + TOGETHER), ...edit }, { signal })).changed;
  }
  return changed;
}

/** The values of a field, each with how many documents have it: "contract (3), signed (1)". */
function valuesOf(documents, name) {
  const counts = new Map();
  for (const value of documents.flatMap(({ metadata = {} }) => metadata[name] ?? [])) counts.set(String(value), (counts.get(String(value)) ?? 0) + 1);
  return listed([...counts].sort((a, b) => b[1] - a[1]).slice(0, MOST_SHOWN).map(([value, n]) => (documents.length > 1 ? `${value} (${n})` : value)));
}

async function change(api, groups, signal) {
  let changed = 0;
  for (const [key, ids] of groups) {
    const tags = JSON.parse(key);
    changed += await editAll(api, ids, tags.length ? { set: { tags } } : { unset: ["tags"] }, signal);
  }
  return changed;
}

/**
 * Ask which tags to add and to take away, and who may see the documents, and do it.
 * @param {object} context of the view.
 * @param {object} given
 * @param {Message} given.title says of which documents.
 * @param {boolean} given.mayAllow whether to ask who may see them.
 * @param {() => Promise<Array>} given.documents reads them.
 * @param {(changed: number) => void} given.onEnd it is done.
 */
export function editTags(context, { title, mayAllow, documents, onEnd }) {
  const add = field(t("tags.add"), h("input", { type: "text", autocomplete: "off" }), { hint: t("tags.hint") });
  const remove = field(t("tags.remove"), h("input", { type: "text", autocomplete: "off" }));
  const author = field(t("tags.author"), h("input", { type: "text", autocomplete: "off", maxlength: "200" }), { hint: t("tags.empty-stays") });
  const date = field(t("tags.date"), h("input", { type: "date", max: "9999-12-31" }), { hint: t("tags.empty-stays") });
  const seen = field(t("tags.allow"), h("input", { type: "text", autocomplete: "off", spellcheck: "false" }), { hint: t("tags.allow.hint") });
  const present = h("dl.pairs", { "aria-label": t("tags.present") });
  const parts = [present, add.element, remove.element, h("div.fields", {}, author.element, date.element), mayAllow && seen.element];
  askInDialog(context, title, parts, t(mayAllow ? "tags.save-all" : "tags.save"), send);
  documents().then(showPresent, () => {}); // saving says what is wrong

  function showPresent(found) {
    const names = [["tags", t("tags.tags")], ["author", t("tags.author")], ["date", t("tags.date")], ["allow", t("tags.allow")]];
    const there = names.map(([name, words]) => [words, String(valuesOf(found, name))]).filter(([, values]) => values);
    fill(present, there.map(([words, values]) => [h("dt", {}, words), h("dd", {}, values)]));
  }

  async function send() {
    const [added, removed, principals] = [add, remove, seen].map(({ control }) => listOf(control));
    const given = { author: author.control.value.trim(), date: date.control.value, allow: principals };
    const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value.length));
    const isSet = Object.keys(fields).length > 0;
    if (!added.length && !removed.length && !isSet) {
      add.control.focus();
      return null;
    }
    const found = await documents();
    if (isSet) await editAll(context.api, found.map((one) => one.id), { set: fields }, context.signal);
    const tagged = await change(context.api, byNewTags(found, added, removed), context.signal);
    return () => onEnd(isSet ? found.length : tagged);
  }
}
