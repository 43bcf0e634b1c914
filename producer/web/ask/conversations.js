// The list of one's conversations: find one, and open it.

import { failure, field, fill, h } from "../elements.js";
import { redraw } from "../focus.js";
import { whenTyped } from "../rest.js";
import { t } from "../texts.js";
import { when } from "../words.js";

const PAGE = 30;

/**
 * Make the list; `load(current)` reads it again and marks the conversation that is open.
 * @param {object} context of the view.
 */
export function conversationList(context) {
  const words = field(t("conversations.search"), h("input", { type: "search", autocomplete: "off", maxlength: "200" }));
  const list = h("div.stack-tight");
  const element = h("details.conversations", { hidden: true }, h("summary", {}, t("conversations.title")), h("nav.stack-tight", { "aria-label": t("conversations.title") }, words.element, list));
  const wide = matchMedia("(min-width: 96rem)");
  let shown = [];
  let current = null;
  let next = "";
  let turn = 0;
  const follow = () => (element.open = wide.matches);
  wide.addEventListener("change", follow, { signal: context.signal });
  follow();
  whenTyped(words.control, () => read(""), context.signal);
  context.onOnline(() => read(""));

  async function read(cursor) {
    const mine = ++turn;
    try {
      const page = await context.api.get("v1/conversations", { q: words.control.value.trim(), cursor, limit: PAGE }, { signal: context.signal });
      if (mine !== turn) return;
      shown = cursor ? [...shown, ...page.conversations] : page.conversations;
      next = page.next ?? "";
      show();
    } catch (error) {
      // That the server is away is said above the page; it is read when it is back.
      if (!context.signal.aborted && mine === turn && error.status) fill(list, failure(error, () => read(cursor)));
    }
  }

  function show() {
    if (shown.length || words.control.value) element.hidden = false;
    redraw(list, () =>
      fill(
        list,
        shown.length ? h("ul.conversation-list", {}, shown.map(entry)) : h("p.muted.small", {}, t("conversations.none")),
        next && h("button.quiet", { type: "button", data: { keep: "more" }, on: { click: () => read(next) } }, t("conversations.more")),
      ),
    );
  }

  function entry({ id, title, updated, turns, shared }) {
    return h(
      "li",
      {},
      h(
        "a",
        { href: `#/ask/c/${id}`, dir: "auto", data: { keep: id }, "aria-current": id === current ? "page" : null },
        h("b", {}, title),
        h("span.muted.tiny", {}, when(updated), " · ", t("count.questions", { n: turns }), shared && [" · ", t("conversations.shared")]),
      ),
    );
  }

  return {
    element,
    load(id) {
      current = id;
      return read("");
    },
  };
}
