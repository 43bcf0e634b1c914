// The documents of a collection: pages of them, open one, remove one.

import { openDocument } from "../document_reader.js";
import { badge, dialog, empty, failure, fill, h, loading } from "../elements.js";
import { redraw } from "../focus.js";
import { counted, number } from "../words.js";

const PAGE = 50;

/** Make the list; `load(collection)` shows a collection from its beginning, `refresh()` shows it anew. */
export function documentList(context, { mayChange }) {
  return new DocumentList(context, mayChange);
}

class DocumentList {
  constructor(context, mayChange) {
    this.context = context;
    this.mayChange = mayChange;
    this.documents = [];
    this.next = null;
    this.loads = 0;
    this.count = h("span.muted.small");
    this.body = h("div");
    this.trouble = h("div");
    this.heading = h("h2", { tabindex: "-1" }, "In the collection");
    this.element = h(
      "section.card.stack-tight",
      { "aria-label": "Documents of the collection" },
      h("div.row", {}, this.heading, this.count),
      this.trouble,
      this.body,
    );
  }

  async load(collection) {
    this.collection = collection;
    this.documents = [];
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
    try {
      const page = await this.context.api.get(
        "v1/documents",
        { collection: this.collection, cursor, limit: Math.min(limit, 500) },
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
      fill(this.trouble, failure(error, () => this.read(cursor, limit)));
    }
  }

  focusRow(at) {
    this.body.querySelectorAll("li")[at]?.querySelector("button")?.focus();
  }

  tell() {
    redraw(this.body, () => this.draw(), () => this.heading);
  }

  draw() {
    const told = `${counted(this.documents.length, "document")}${this.next ? " so far" : ""}`;
    fill(this.count, this.documents.length ? told : "");
    if (!this.documents.length) {
      fill(this.body, empty("No documents yet", `The collection ${this.collection} is empty. Drop files above to begin.`));
      return;
    }
    // The server pages by id; what is all here can be in the order of the titles.
    const shown = this.next ? this.documents : [...this.documents].sort((a, b) => a.title.localeCompare(b.title));
    fill(
      this.body,
      h("ul.rows", {}, ...shown.map((one) => this.row(one))),
      this.next && h("button", { type: "button", data: { keep: "more" }, on: { click: () => this.read(this.next) } }, "More documents"),
    );
  }

  row(one) {
    const title = one.title || one.uri;
    const told = [one.uri, counted(one.chunks, "chunk"), counted(one.facts, "fact")];
    if (one.version > 1) told.push(`version ${number(one.version)}`);
    const open = () => openDocument(this.context, { id: one.id, title });
    const remove = () => this.confirm(one, title);
    return h(
      "li.document-row",
      { data: { document: one.id } },
      h(
        "div.stack-tight",
        {},
        h(
          "div.row",
          {},
          h("button.link.document-title", { type: "button", data: { keep: `open ${one.id}` }, on: { click: open } }, title),
          badge(one.status),
        ),
        h("p.small.muted", {}, told.join(" · ")),
        one.error && h("p.small.field-error", {}, one.error),
      ),
      this.mayChange &&
        h(
          "button.quiet.danger",
          { type: "button", "aria-label": `Delete ${title}`, data: { keep: `delete ${one.id}` }, on: { click: remove } },
          "Delete",
        ),
    );
  }

  confirm(one, title) {
    const trouble = h("div");
    const remove = h("button.danger", { type: "button" }, "Delete it");
    const keep = h("button", { type: "button" }, "Keep it");
    const asked = dialog(
      "Delete this document?",
      h("p", {}, h("strong", {}, title), " goes with all of its facts that no other document holds."),
      h("p", {}, "This cannot be undone."),
      trouble,
      h("div.actions", {}, remove, keep),
    );
    asked.element.classList.add("narrow");
    keep.addEventListener("click", asked.close);
    remove.addEventListener("click", async () => {
      remove.disabled = true;
      remove.textContent = "Deleting…";
      try {
        await this.remove(one);
        asked.close();
        this.forget(one, title);
      } catch (error) {
        if (this.context.signal.aborted) return;
        remove.disabled = false;
        remove.textContent = "Delete it";
        fill(trouble, failure(error));
      }
    });
    this.context.signal.addEventListener("abort", asked.close, { once: true });
  }

  async remove(one) {
    const { api, signal } = this.context;
    const job = await api.remove(`v1/documents/${encodeURIComponent(one.id)}`, { signal });
    const ended = job.state === "running" ? await api.ended(job.id, { signal }) : job;
    if (ended.state !== "done") throw new Error(ended.outcome?.error || `It was not deleted: the job is ${ended.state}.`);
  }

  forget(one, title) {
    this.documents = this.documents.filter((other) => other.id !== one.id);
    this.tell();
    this.heading.focus(); // the row's button is gone
    this.context.announce(`${title} was deleted`);
  }
}
