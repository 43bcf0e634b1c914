// Adds tags to many documents and takes tags away; each keeps the tags that nobody named.

import { dialog, failure, field, fill, h } from "../elements.js";
import { t } from "../texts.js";

const TOGETHER = 5000; // documents of a request

function parts(control) {
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

async function change(api, groups, signal) {
  let changed = 0;
  for (const [key, ids] of groups) {
    const tags = JSON.parse(key);
    const edit = tags.length ? { set: { tags } } : { unset: ["tags"] };
    for (let first = 0; first < ids.length; first += TOGETHER) {
      const body = { documents: ids.slice(first, first + TOGETHER), ...edit };
      changed += (await api.patch("v1/documents", body, { signal })).changed;
    }
  }
  return changed;
}

/**
 * Ask which tags to add and to take away, and do it.
 * @param {object} context of the view.
 * @param {object} given
 * @param {Message} given.title says of which documents.
 * @param {() => Promise<Array>} given.documents reads them.
 * @param {(changed: number) => void} given.onEnd it is done.
 */
export function editTags(context, { title, documents, onEnd }) {
  const add = field(t("tags.add"), h("input", { type: "text", autocomplete: "off" }), { hint: t("tags.hint") });
  const remove = field(t("tags.remove"), h("input", { type: "text", autocomplete: "off" }));
  const trouble = h("div");
  const save = h("button.primary", { type: "submit" }, t("tags.save"));
  const form = h("form.stack", {}, add.element, remove.element, trouble, h("div.actions", {}, save));
  const asked = dialog(title, form);
  asked.element.classList.add("narrow");
  context.signal.addEventListener("abort", asked.close, { once: true });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const [added, removed] = [parts(add.control), parts(remove.control)];
    if (!added.length && !removed.length) return add.control.focus();
    save.disabled = true;
    fill(trouble);
    try {
      const changed = await change(context.api, byNewTags(await documents(), added, removed), context.signal);
      asked.close();
      onEnd(changed);
    } catch (error) {
      if (!context.signal.aborted) fill(trouble, failure(error));
    }
    save.disabled = false;
  });
  add.control.focus();
}
