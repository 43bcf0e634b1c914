// Adds tags to many documents and takes tags away, each keeps the tags that nobody named; and says who may see them.

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

/** Who may see some documents, all of them the same. */
async function allow(api, ids, principals, signal) {
  for (let first = 0; first < ids.length; first += TOGETHER) {
    const body = { documents: ids.slice(first, first + TOGETHER), set: { allow: principals } };
    await api.patch("v1/documents", body, { signal });
  }
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
  const seen = field(t("tags.allow"), h("input", { type: "text", autocomplete: "off", spellcheck: "false" }), { hint: t("tags.allow.hint") });
  const trouble = h("div");
  const save = h("button.primary", { type: "submit" }, t(mayAllow ? "tags.save-all" : "tags.save"));
  const form = h("form.stack", {}, add.element, remove.element, mayAllow && seen.element, trouble, h("div.actions", {}, save));
  const asked = dialog(title, form);
  asked.element.classList.add("narrow");
  context.signal.addEventListener("abort", asked.close, { once: true });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const [added, removed, principals] = [add, remove, seen].map(({ control }) => parts(control));
    if (!added.length && !removed.length && !principals.length) return add.control.focus();
    save.disabled = true;
    fill(trouble);
    try {
      const found = await documents();
      if (principals.length) await allow(context.api, found.map((one) => one.id), principals, context.signal);
      const tagged = await change(context.api, byNewTags(found, added, removed), context.signal);
      const changed = principals.length ? found.length : tagged;
      asked.close();
      onEnd(changed);
    } catch (error) {
      if (!context.signal.aborted) fill(trouble, failure(error));
    }
    save.disabled = false;
  });
  add.control.focus();
}
