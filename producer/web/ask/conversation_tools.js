// What can be done with an open conversation: rename, share, save, print, delete.

import { askInDialog } from "../dialog_form.js";
import { dialog, failure, field, fill, h } from "../elements.js";
import { copyText, saveText } from "../saving.js";
import { t } from "../texts.js";
import { markdownOf } from "./download.js";

/**
 * Make the buttons of one's own conversation; of another's that is shared, those that change nothing.
 * @param {object} context of the view.
 * @param {object} given `conversation`: {id, title, shared, own}; `jobs()`: its questions' jobs; `onChanged(changes)`,
 *   `onDeleted()`.
 */
export function conversationTools(context, { conversation, jobs, onChanged, onDeleted }) {
  const path = `v1/conversations/${conversation.id}`;
  const button = (words, act) => h("button.quiet", { type: "button", on: { click: act } }, words);
  const save = () => saveText(`conversation-${conversation.id.slice(0, 8)}.md`, "text/markdown", jobs().map(markdownOf).join("\n"));
  const change = (changes) => context.api.patch(path, changes, { signal: context.signal });
  const own = [button(t("conversations.rename"), rename), button(t("conversations.share"), share)];
  return [conversation.own && own, button(t("conversations.save"), save), button(t("conversations.print"), () => print()), conversation.own && button(t("conversations.delete"), remove)];

  function rename() {
    const title = field(t("conversations.name"), h("input", { type: "text", required: true, maxlength: "200", value: conversation.title }));
    const send = async () => {
      const told = await change({ title: title.control.value.trim() });
      return () => onChanged({ title: told.title });
    };
    askInDialog(context, t("conversations.rename"), [title.element], t("collection.save"), send);
  }

  function remove() {
    const send = async () => {
      await context.api.remove(path, { signal: context.signal });
      return onDeleted;
    };
    askInDialog(context, t("conversations.delete"), [h("p", {}, t("conversations.delete.goes"))], t("conversations.delete.it"), send, { isGrave: true });
  }

  async function share() {
    const address = new URL(`#/ask/c/${conversation.id}`, document.baseURI).href;
    const link = field(t("conversations.link"), h("input", { type: "text", readonly: true, value: address, on: { focus: ({ currentTarget }) => currentTarget.select() } }));
    const trouble = h("div");
    const copied = h("span.muted.small", { role: "status" });
    const copy = async () => fill(copied, await copyText(address));
    const stop = () => set(false).then(() => shown.close());
    const shown = dialog(
      t("conversations.share"),
      h("p", {}, t("conversations.share.about")),
      link.element,
      trouble,
      h("div.actions", {}, h("button.primary", { type: "button", on: { click: copy } }, t("conversations.copy-link")), h("button", { type: "button", on: { click: stop } }, t("conversations.unshare")), copied),
    );
    context.signal.addEventListener("abort", shown.close, { once: true });
    if (!conversation.shared) await set(true);

    async function set(shared) {
      try {
        await change({ shared });
        onChanged({ shared });
      } catch (error) {
        if (!context.signal.aborted) fill(trouble, failure(error));
      }
    }
  }
}
