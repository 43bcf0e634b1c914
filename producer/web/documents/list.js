// The documents of a collection: pages of them in a chosen order, searched by words; open one, remove some.

import { badge, empty, failure, field, fill, h, loading } from "../elements.js";
import { heldFocus, redraw } from "../focus.js";
import { openDocument } from "../reader/document.js";
import { whenTyped } from "../rest.js";
import { known, t } from "../texts.js";
import { titlesOf } from "../words.js";
import { metadataFilter } from "./filter.js";
import { languagesDateAndAuthor, metadataLine } from "./metadata.js";
import { confirmRemoval } from "./removal.js";
import { editTags } from "./tags.js";

const PAGE = 50;
const MOST = 500; // that a page of the API holds
const ORDERS = ["title", "facts", "chunks", "uri", "status"];

/** The text that counts documents: how many, whether there are more, and whether they were searched for. */
function countKey(hasMore, isSearched) {
  if (isSearched) return hasMore ? "documents.count.found-so-far" : "documents.count.found";
  return hasMore ? "documents.count.so-far" : "count.documents";
}

/** Make the list; `load(collection)` shows a collection from its beginning, `refresh()` shows it anew. */
export function documentList(context, { mayChange, mayAllow }) {
  return new DocumentList(context, mayChange, mayAllow);
}

class DocumentList {
  constructor(context, mayChange, mayAllow) {
    this.context = context;
    this.mayChange = mayChange;
    this.mayAllow = mayAllow; // say who may see documents
    this.documents = [];
    this.next = null;
    this.asked = {}; // of the API, for what is shown
    this.loads = 0;
    this.restoreFocus = () => {};
    this.chosen = new Map(); // ids → titles
    this.titles = titlesOf([]); // of what is shown
    this.count = h("span.muted.small");
    this.body = h("div");
    this.trouble = h("div");
    this.heading = h("h2", { tabindex: "-1" }, t("documents.in-collection"));
    this.words = field(t("documents.search"), h("input", { type: "search", autocomplete: "off", maxlength: "200", placeholder: t("documents.search.placeholder") }));
    this.order = field(t("documents.sort"), h("select", {}, ORDERS.map((value) => h("option", { value }, known("order", value)))));
    this.filter = metadataFilter(() => this.load(this.collection));
    whenTyped(this.words.control, () => this.load(this.collection), context.signal);
    this.order.control.addEventListener("change", () => this.load(this.collection));
    this.tools = h("form.document-tools", { role: "search", "aria-label": t("documents.title"), hidden: true }, this.words.element, this.order.element, this.filter.chips, this.filter.element);
    this.tools.addEventListener("submit", (event) => event.preventDefault());
    this.all = h("input", { type: "checkbox", on: { change: () => this.chooseAll(this.all.checked) } });
    this.removeChosen = h("button.danger", { type: "button", on: { click: () => this.confirm([...this.chosen]) } });
    this.tag = h("button", { type: "button", on: { click: () => this.editTags() } });
    this.choice = h("div.row.document-choice", { hidden: true }, h("label.check", {}, this.all, t("documents.choose-all")), h("div.actions", {}, this.tag, this.removeChosen));
    this.element = h(
      "section.card.stack-tight",
      { "aria-label": t("documents.list") },
      h("div.row", {}, this.heading, this.count),
      this.tools,
      this.choice,
      this.trouble,
      this.body,
    );
  }

  searched() {
    return this.words.control.value.trim();
  }

  isNarrowed() {
    return Boolean(this.asked.q || this.asked.where);
  }

  query() {
    return { collection: this.collection, q: this.searched(), where: this.filter.where(), sort: this.order.control.value };
  }

  async load(collection) {
    if (collection !== this.collection) {
      this.words.control.value = "";
      this.filter.reset();
      this.tools.hidden = true;
    }
    this.collection = collection;
    this.asked = this.query(); // what is typed later changes nothing until it is asked for
    this.documents = [];
    this.chosen.clear();
    this.tellChosen();
    if (!this.body.querySelector(".loading")) this.restoreFocus = heldFocus(this.body); // as of a chip that was pressed
    fill(this.body, loading());
    await this.read(null);
  }

  /** Read again what is shown, and no more. */
  refresh() {
    return this.collection === undefined ? null : this.read(null, Math.max(this.documents.length, PAGE));
  }

  async read(cursor, limit = PAGE) {
    const mine = ++this.loads;
    fill(this.trouble);
    this.filter.clear();
    try {
      const page = await this.context.api.get(
        "v1/documents",
        { ...this.asked, cursor, limit: Math.min(limit, MOST) },
        { signal: this.context.signal },
      );
      if (mine !== this.loads) return;
      const first = this.documents.length;
      this.documents = cursor ? [...this.documents, ...page.documents] : page.documents;
      this.next = page.next;
      this.tell();
      if (cursor) this.focusRow(first);
    } catch (error) {
      if (this.context.signal.aborted || mine !== this.loads) return;
      if (!this.documents.length) fill(this.body);
      if (error.status === 422 && this.asked.where) return this.tellFault(error, mine);
      fill(this.trouble, failure(error, () => this.read(cursor, limit)));
    }
  }

  /** Say what is wrong with the filter; places are counted in what was typed, without the tags around it. */
  async tellFault(error, mine) {
    fill(this.count);
    const typed = { collection: this.collection, where: this.filter.typed(), limit: 1 };
    const own = await this.context.api.get("v1/documents", typed, { signal: this.context.signal }).catch((other) => other);
    if (!this.context.signal.aborted && mine === this.loads) this.filter.fail(own.detail || error.detail);
  }

  focusRow(at) {
    this.body.querySelectorAll("li")[at]?.querySelector("button")?.focus();
  }

  tell() {
    redraw(this.body, () => this.draw(), () => this.heading);
    this.restoreFocus(() => this.heading);
    this.restoreFocus = () => {};
  }

  draw() {
    const isSearched = this.isNarrowed();
    const told = t(countKey(Boolean(this.next), isSearched), { n: this.documents.length });
    fill(this.count, this.documents.length ? told : "");
    this.tools.hidden = !this.documents.length && !isSearched;
    const shown = new Set(this.documents.map((one) => one.id));
    this.titles = titlesOf(this.documents);
    for (const id of this.chosen.keys()) if (!shown.has(id)) this.chosen.delete(id);
    this.tellChosen();
    if (!this.documents.length) {
      const none = isSearched
        ? empty(...this.nothingFound())
        : empty(t("documents.none"), t("documents.none.about", { collection: this.collection }));
      none.classList.toggle("documents-none", !isSearched);
      fill(this.body, none);
      return;
    }
    fill(
      this.body,
      h("ul.rows", {}, ...this.documents.map((one) => this.row(one))),
      this.next && h("button", { type: "button", data: { keep: "more" }, on: { click: () => this.read(this.next) } }, t("documents.more")),
    );
  }

  nothingFound() {
    if (this.asked.where) return [t("documents.none-fit"), t("documents.none-fit.about")];
    return [t("documents.none-found"), t("documents.none-found.about")];
  }

  choose(one, isChosen) {
    if (isChosen) this.chosen.set(one.id, this.titles(one));
    else this.chosen.delete(one.id);
    this.tellChosen();
  }

  chooseAll(isChosen) {
    for (const one of this.documents) this.choose(one, isChosen);
    for (const box of this.body.querySelectorAll("input[type=checkbox]")) box.checked = isChosen;
  }

  tellChosen() {
    const some = this.chosen.size;
    this.choice.hidden = !this.mayChange || !this.documents.length;
    this.all.checked = some > 0 && some === this.documents.length;
    this.all.indeterminate = some > 0 && some < this.documents.length;
    this.removeChosen.hidden = !some;
    fill(this.removeChosen, t("documents.delete-chosen", { n: some }));
    this.tag.hidden = !some && !this.isNarrowed();
    fill(this.tag, this.tagWords());
  }

  row(one) {
    const title = this.titles(one);
    const told = [one.uri, ...languagesDateAndAuthor(one), t("count.chunks", { n: one.chunks }), t("count.facts", { n: one.facts })];
    if (one.version > 1) told.push(t("documents.version", { version: one.version }));
    const open = () => openDocument(this.context, { id: one.id, title });
    const remove = () => this.confirm([[one.id, title]]);
    const choose = (event) => this.choose(one, event.currentTarget.checked);
    return h(
      "li.document-row",
      { data: { document: one.id } },
      this.mayChange &&
        h("input.document-check", {
          type: "checkbox",
          "aria-label": t("documents.choose", { title }),
          checked: this.chosen.has(one.id),
          data: { keep: `choose ${one.id}` },
          on: { change: choose },
        }),
      h(
        "div.stack-tight",
        {},
        h(
          "div.row.is-tied",
          {},
          h("button.link.document-title", { type: "button", data: { keep: `open ${one.id}` }, on: { click: open } }, title),
          one.status !== "indexed" && badge(one.status), // most are, and need nobody
        ),
        h("p.small.muted", {}, told.map((part, nth) => [nth > 0 && " · ", part])),
        metadataLine(one, { isChosen: (tag) => this.filter.has(tag), onTag: (tag) => this.filter.toggle(tag) }),
        one.error && h("p.small.field-error", {}, one.error),
      ),
      this.mayChange &&
        h(
          "button.quiet.danger",
          { type: "button", "aria-label": t("documents.delete-one", { title }), data: { keep: `delete ${one.id}` }, on: { click: remove } },
          t("documents.delete"),
        ),
    );
  }

  tagWords() {
    const n = this.chosen.size;
    if (n) return t(this.mayAllow ? "documents.access-chosen" : "documents.tags-chosen", { n });
    return t(this.mayAllow ? "documents.access-found" : "documents.tags-found");
  }

  /** Edit the tags, and who may see them, of the documents that are chosen, or else of all that are found, shown or not. */
  editTags() {
    const chosen = new Set(this.chosen.keys());
    const query = { ...this.asked, limit: MOST };
    editTags(this.context, {
      title: this.tagWords(),
      mayAllow: this.mayAllow,
      // Read now: others may have changed tags since the list was read.
      documents: async () => {
        const found = [];
        for await (const page of this.context.api.pages("v1/documents", query, { signal: this.context.signal })) {
          found.push(...page.documents.filter((one) => !chosen.size || chosen.has(one.id)));
          if (found.length === chosen.size) break;
        }
        return found;
      },
      onEnd: (changed) => {
        this.context.announce(t(this.mayAllow ? "tags.said.changed-all" : "tags.said.changed", { n: changed }));
        this.refresh();
      },
    });
  }

  /** Ask before some documents are removed: [[id, title]]. */
  confirm(some) {
    confirmRemoval(this.context, some, {
      onRemoved: (id) => this.forget(id),
      onEnd: (removed) => {
        this.heading.focus(); // the button that was pressed may be gone
        if (removed) this.context.announce(t("documents.said.deleted", { n: removed }));
        if (!this.documents.length) this.refresh();
      },
    });
  }

  forget(id) {
    this.documents = this.documents.filter((other) => other.id !== id);
    this.chosen.delete(id);
    this.tell();
  }
}
