// Asks before documents are removed, removes them one after the other, and says which could not be.

import { dialog, fill, h } from "../elements.js";
import { known, t } from "../texts.js";

const NAMED = 8; // documents that the question names

/**
 * Ask, and remove.
 * @param {object} context of the view.
 * @param {Array<[string, string]>} some ids and titles of documents.
 * @param {object} given
 * @param {(id: string) => void} given.onRemoved one is gone.
 * @param {(removed: number) => void} given.onEnd it is over, and some have gone.
 */
export function confirmRemoval(context, some, { onRemoved, onEnd }) {
  const isOne = some.length === 1;
  const words = isOne ? t("removal.delete-it") : t("removal.delete", { n: some.length });
  const trouble = h("div");
  const progress = h("p.small.muted", { role: "status", hidden: true });
  const remove = h("button.danger", { type: "button" }, words);
  const keep = h("button", { type: "button" }, isOne ? t("removal.keep-it") : t("removal.keep"));
  const asked = dialog(
    isOne ? t("removal.title-one") : t("removal.title", { n: some.length }),
    ...named(some),
    h("p", {}, t("removal.final")),
    progress,
    trouble,
    h("div.actions", {}, remove, keep),
  );
  asked.element.classList.add("narrow");
  keep.addEventListener("click", asked.close);
  context.signal.addEventListener("abort", asked.close, { once: true });
  let left = [...some];
  let removed = 0;
  let isStopped = false;
  asked.element.addEventListener("close", () => {
    isStopped = true;
    if (removed && !context.signal.aborted) onEnd(removed);
  });
  remove.addEventListener("click", async () => {
    remove.disabled = true;
    fill(remove, t("removal.deleting"));
    if (!isOne) fill(keep, t("removal.stop"));
    fill(trouble);
    const failed = [];
    for (const [id, title] of left) {
      if (isStopped || context.signal.aborted) return;
      if (!isOne) fill(progress, t("removal.progress", { done: removed, n: some.length })).hidden = false;
      try {
        await removeByJob(context, `v1/documents/${encodeURIComponent(id)}`);
        removed += 1;
        onRemoved(id);
      } catch (error) {
        if (context.signal.aborted) return;
        failed.push([id, title, error.detail || error.message]);
        if (failed.length >= NAMED) break; // what is wrong is wrong for all of them
      }
    }
    if (!failed.length) {
      asked.close();
      return;
    }
    const gone = new Set(failed.map(([id]) => id));
    left = removed ? left.filter(([id]) => gone.has(id)) : left;
    fill(trouble, notRemoved(failed));
    remove.disabled = false;
    fill(remove, t("shell.again"));
    fill(keep, t("shell.close"));
  });
}

function named(some) {
  if (some.length === 1) return [h("p", {}, t("removal.goes", { title: h("strong", {}, some[0][1]) }))];
  const rest = some.length - NAMED;
  return [
    h("ul.removal-names", {}, ...some.slice(0, NAMED).map(([, title]) => h("li", {}, h("strong", {}, title)))),
    rest > 0 && h("p.muted.small", {}, t("removal.others", { n: rest })),
    h("p", {}, t("removal.go")),
  ].filter(Boolean);
}

function notRemoved(failed) {
  const lines = failed.map(([, title, reason]) => h("li.small", {}, h("strong", {}, title), `: ${reason}`));
  return h("div.notice.is-bad", { role: "alert" }, h("strong", {}, t("removal.failed")), h("ul.stack-tight", {}, ...lines));
}

/** Remove what stands at a path of the API by its job; throws where that does not end well. */
export async function removeByJob({ api, signal }, path) {
  const job = await api.remove(path, { signal });
  const ended = job.ended ? job : await api.ended(job.id, { signal });
  if (ended.state === "done") return;
  const state = known("state", ended.state);
  throw Object.assign(new Error(), { detail: ended.outcome?.error || t("removal.not-deleted", { state }) });
}
