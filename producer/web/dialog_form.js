// A form in a dialog: it stays open, and says why, where what it asks for is refused.

import { dialog, failure, fill, h } from "./elements.js";

/**
 * Ask, and do it.
 * @param {object} context of the view; its end closes the dialog.
 * @param {Message} title
 * @param {Array<Node>} parts of the form.
 * @param {Message} words of its button.
 * @param {() => Promise<(() => void)|null>} send does it; what it resolves to is called once the dialog has closed, which
 *   it does not for null.
 * @param {{isGrave?: boolean}} [given] whether it takes something away.
 */
export function askInDialog(context, title, parts, words, send, { isGrave = false } = {}) {
  const trouble = h("div");
  const go = h(isGrave ? "button.danger" : "button.primary", { type: "submit" }, words);
  const form = h("form.stack", {}, ...parts, trouble, h("div.actions", {}, go));
  const asked = dialog(title, form);
  asked.element.classList.add("narrow");
  context.signal.addEventListener("abort", asked.close, { once: true });
  form.elements[0].focus();
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    go.disabled = true;
    fill(trouble);
    try {
      const then = await send();
      if (then) {
        asked.close();
        then();
      }
    } catch (error) {
      if (!context.signal.aborted) fill(trouble, failure(error));
    }
    go.disabled = false;
  });
}
