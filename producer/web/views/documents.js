// The view Documents: hand files over, see what becomes of each, list, open and delete them.

import { USUAL, collectionField } from "../collections.js";
import { batchCard } from "../documents/batch.js";
import { collectionTools } from "../documents/collection_tools.js";
import { dropArea } from "../documents/drop.js";
import { grouped, sorted } from "../documents/files.js";
import { documentList } from "../documents/list.js";
import { seenBy } from "../documents/seen_by.js";
import { documentsOfBatch, keepBatch } from "../documents/submitted.js";
import { failure, fill, h } from "../elements.js";
import { isAdmin, mayChange } from "../rights.js";
import { t } from "../texts.js";

export const title = t("documents.title");

const REFRESH = 2500; // ms between two looks at the list while documents come in
const EARLIER = 5; // batches
const WATCH = 4000; // ms between two looks for batches that others hand over
const SHOWN = 20; // of the files that are none

export function mount(root, context) {
  const page = new DocumentsPage(root, context);
  page.start();
}

class DocumentsPage {
  constructor(root, context) {
    this.context = context;
    this.timer = null;
    this.watch = null;
    this.shown = new Map(); // batches' ids → what ends the card's requests
    this.collection = collectionField(context, {
      chosen: context.route.query.get("collection") ?? undefined,
      onChange: () => this.change(),
    });
    this.collections = [];
    this.about = null;
    this.described = h("p.muted");
    this.intake = h("section.card.stack-tight", { "aria-label": t("documents.add") }, h("div.collection-line", {}, this.collection.element), this.described);
    this.notice = h("div.documents-notice", { role: "status" });
    this.batches = h("div.stack-tight.batches");
    this.listed = h("div");
    const head = h("div.view-head", {}, h("div", {}, h("h1", {}, title), h("p", {}, t("documents.about"))));
    fill(root, head, this.intake, this.notice, this.batches, this.listed);
    context.signal.addEventListener("abort", () => (clearTimeout(this.timer), clearTimeout(this.watch)), { once: true });
  }

  async start() {
    try {
      this.about = await this.context.about();
    } catch (error) {
      const again = () => (fill(this.notice), this.start());
      if (!this.context.signal.aborted) fill(this.notice, failure(error, again));
      return;
    }
    this.mayChange = mayChange(this.about.caller);
    const onFiles = (files, unreadable) => this.submit(files, unreadable);
    if (this.mayChange) {
      const tools = { current: () => this.current(), onNew: (name) => this.collection.choose(name), onChanged: () => this.loadCollections(), onDeleted: () => this.leaveCollection() };
      this.intake.firstChild.append(collectionTools(this.context, tools));
      this.intake.append(dropArea({ formats: this.about.formats, onFiles, signal: this.context.signal }));
    }
    else this.intake.append(seenBy(this.about.caller.principals) ?? h("p.muted.small", {}, t("documents.read-only")));
    this.list = documentList(this.context, { mayChange: this.mayChange, mayAllow: await isAdmin(this.context) });
    fill(this.listed, this.list.element);
    await this.loadCollections();
    if (this.context.signal.aborted) return;
    if (this.list.collection === undefined) this.change(); // loading has not chosen another
    this.context.onOnline(() => this.list.refresh());
  }

  /** Read which collections there are. */
  async loadCollections() {
    this.collections = await this.collection.load().catch(() => this.collections);
    this.describe();
  }

  /** The chosen collection as it was listed. */
  current() {
    return this.collections.find((one) => one.name === this.name()) ?? { name: this.name(), documents: 0 };
  }

  describe() {
    const { description = "" } = this.current();
    fill(this.described, description).hidden = !description;
  }

  /** The chosen collection is deleted: show another. */
  async leaveCollection() {
    const [other] = this.collections.filter((one) => one.name !== this.name());
    this.collection.choose(other?.name ?? USUAL);
    await this.loadCollections();
  }

  change() {
    this.collection.clear();
    const name = this.name();
    this.context.replace(`#/documents?${new URLSearchParams({ collection: name })}`);
    this.describe();
    this.list?.load(name);
    for (const own of this.shown.values()) own.abort();
    this.shown.clear();
    fill(this.batches);
    this.findBatches(name);
  }

  /**
   * Show batches that still run, and those of late that did not end well; then look for others now and then: the
   * command line or another page may have handed them over. The list is read anew where one has come or ended.
   */
  async findBatches(collection, before = null) {
    clearTimeout(this.watch);
    let seen = before;
    try {
      const query = { kind: "batch", collection, limit: EARLIER };
      const { jobs } = await this.context.api.get("v1/jobs", query, { signal: this.context.signal });
      if (collection !== this.name()) return;
      seen = JSON.stringify(jobs.map(({ id, state, epoch }) => [id, state, epoch]));
      if (before !== null && seen !== before) this.refreshSoon();
      for (const job of jobs.reverse()) {
        const isOpen = !job.ended || (job.dead > 0 && before === null);
        if (isOpen && !this.isDismissed(job)) this.follow(job, documentsOfBatch(job.id));
      }
    } catch (error) {
      // The list below says what is wrong with the server; where it refuses, asking again would not help.
      if (error.status && error.status < 500) return;
    }
    if (this.context.signal.aborted || collection !== this.name()) return;
    this.watch = setTimeout(() => this.findBatches(collection, seen), WATCH);
  }

  name() {
    return this.collection.value() || USUAL;
  }

  async submit(files, unreadable = []) {
    const { taken, refused: unknown } = sorted(files, this.about);
    const refused = [...unreadable, ...unknown];
    fill(this.notice);
    this.collection.clear();
    if (!taken.length) {
      this.tellRefused(refused);
      return;
    }
    let left = refused;
    for (const group of grouped(taken, this.about.limits)) {
      fill(this.notice, h("p.notice", {}, t("documents.sending", { n: group.length })));
      if (!(await this.send(group, left))) return;
      left = []; // told once
    }
    fill(this.notice);
  }

  async send(group, refused) {
    const form = new FormData();
    form.append("collection", this.name());
    for (const { file, name } of group) form.append("files", file, name);
    try {
      const told = await this.context.api.post("v1/documents", form, { signal: this.context.signal });
      keepBatch(told.batch.id, told.documents);
      this.collection.begin();
      this.follow(told.batch, told.documents, [...refused, ...told.refused]);
      return true;
    } catch (error) {
      if (this.context.signal.aborted) return false;
      const wrong = error.errors?.find((one) => one.field === "collection");
      if (wrong) this.collection.fail(t("documents.collection-name", { allowed: wrong.allowed }));
      fill(this.notice, failure(error, () => this.submit(group)));
      this.tellRefused(refused, this.notice.lastChild);
      return false;
    }
  }

  follow(job, documents, refused = []) {
    if (this.shown.has(job.id)) return;
    const own = new AbortController();
    this.context.signal.addEventListener("abort", () => own.abort(), { once: true, signal: own.signal });
    this.shown.set(job.id, own);
    const card = batchCard({ ...this.context, signal: own.signal }, {
      job,
      documents,
      refused,
      mayChange: this.mayChange,
      onDocument: () => this.refreshSoon(),
      onDismiss: () => this.dismiss(card),
    });
    this.batches.prepend(card.element);
  }

  dismiss(card) {
    card.element.remove();
    this.shown.get(card.job.id)?.abort();
    this.shown.delete(card.job.id);
    try {
      sessionStorage.setItem(`hopline.dismissed.${card.job.id}`, String(card.job.epoch));
    } catch {
      // It comes back with the next visit.
    }
    this.list.heading.focus();
  }

  isDismissed(job) {
    try {
      return sessionStorage.getItem(`hopline.dismissed.${job.id}`) === String(job.epoch);
    } catch {
      return false;
    }
  }

  refreshSoon() {
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.list.refresh();
      this.loadCollections();
    }, REFRESH);
  }

  tellRefused(refused, after = null) {
    if (!refused.length) return;
    const lines = refused.slice(0, SHOWN).map((one) => h("li.small", {}, one.uri, ": ", one.error));
    const heading = h("strong", {}, t("documents.refused", { n: refused.length }));
    const list = h("div.notice.is-warn", {}, heading, h("ul.stack-tight", {}, ...lines));
    if (after) after.after(list);
    else fill(this.notice, list);
  }
}
