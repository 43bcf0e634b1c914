// A batch of documents on its way into the graph: how far each is, what failed and why, and trying that again.

import { badge, failure, fill, h } from "../elements.js";
import { followJob, isPassing } from "../events.js";
import { rest } from "../rest.js";
import { known, listed, t } from "../texts.js";
import { mayHelpAgain, when } from "../words.js";
import { WHOLE, needsSomebody, progressOf, rowOf } from "./batch_row.js";
import { takeStream } from "./streams.js";

const LOOK = 1200; // ms between two looks at the documents' own jobs
const LOOKED_AT = 4; // documents at a time
const POLL = 2000; // ms between two looks at a batch that has no stream
const ITEM = new Set(["item.begun", "item.done", "item.dead"]);

/**
 * Show a batch and follow it to its end.
 * @param {object} context of the view, its signal the card's own: aborting it ends whatever the card does.
 * @param {object} given
 * @param {object} given.job the batch as the API tells it.
 * @param {Array<{uri, job_id}>} [given.documents] with their jobs, where they are known.
 * @param {Array<{uri, error}>} [given.refused] what was no document.
 * @param {boolean} [given.mayChange] retry and cancel are offered.
 * @param {() => void} given.onDocument a document has ended.
 * @param {(card) => void} given.onDismiss
 */
export function batchCard(context, { job, documents = [], refused = [], mayChange = true, onDocument, onDismiss }) {
  return new BatchCard(context, { job, documents, refused, mayChange, onDocument, onDismiss });
}

class BatchCard {
  constructor(context, given) {
    Object.assign(this, given);
    this.context = context;
    this.rows = new Map(); // position in the batch → what is known of the document
    this.last = "";
    this.documents.forEach(({ uri, job_id: id }, at) => this.rows.set(at, { uri, id, state: "waiting" }));
    this.title = h("h2", {}, this.label());
    this.head = h("div.row", {}, this.title, h("span"));
    this.line = h("p.small.muted", { role: "status" });
    const ended = t("batch.ended", { batch: this.label() });
    this.bar = h("progress", { "aria-label": ended, max: this.job.params.documents });
    this.list = h("ul.rows.batch-rows", { tabindex: "0", "aria-label": t("batch.rows", { batch: this.label() }) });
    this.trouble = h("div");
    this.actions = h("div.actions");
    this.element = h(
      "section.card.stack-tight.batch",
      { "aria-label": this.label() },
      ...[this.head, this.line, this.bar, this.trouble, this.list, this.actions],
    );
    this.tell();
    if (!this.job.ended) this.follow();
    else this.settle();
  }

  path() {
    return `v1/jobs/${encodeURIComponent(this.job.id)}`;
  }

  label() {
    const { documents, label } = this.job.params;
    return documents === 1 && label ? label : listed([t("count.documents", { n: documents }), when(this.job.created)]);
  }

  async follow() {
    const stop = new AbortController();
    const end = () => stop.abort();
    this.context.signal.addEventListener("abort", end, { once: true });
    const looking = this.lookAtDocuments(stop.signal);
    try {
      const leave = await this.placeForStream();
      if (leave) await this.stream().finally(leave);
      stop.abort();
      await looking;
      if (!this.context.signal.aborted) await this.settle();
    } catch (error) {
      stop.abort();
      if (!this.context.signal.aborted) fill(this.trouble, failure(error, () => this.follow()));
    } finally {
      this.context.signal.removeEventListener("abort", end);
    }
  }

  /** Wait for a place among the streams, and look at the batch meanwhile; null where it has ended before. */
  async placeForStream() {
    const { signal } = this.context;
    for (;;) {
      const leave = takeStream();
      if (leave) return leave;
      await rest(POLL, signal);
      if (signal.aborted) return null;
      try {
        this.job = await this.context.api.get(this.path(), {}, { signal });
      } catch (error) {
        if (signal.aborted) return null;
        if (!isPassing(error)) throw error;
      }
      if (this.job.ended) return null;
      this.tell();
    }
  }

  async stream() {
    this.last = await followJob(this.job.id, {
      after: this.last,
      signal: this.context.signal,
      onEvent: (name, data) => this.take(name, data),
      onState: (state) => this.element.toggleAttribute("data-lost", state === "lost"),
    });
  }

  take(name, data) {
    if (name === "snapshot") {
      if (data.job?.params) this.job = data.job;
    } else if (data.step === "ingest.document" && ITEM.has(name)) {
      const [at, shown] = splitOnce(data.item, ":");
      const row = this.rows.get(Number(at)) ?? { uri: shown };
      if (name === "item.begun" && this.job.state === "queued") this.job = { ...this.job, state: "running" };
      if (name === "item.begun" && !row.ended) this.rows.set(Number(at), { ...row, state: "running" });
      if (name !== "item.begun") this.rows.set(Number(at), { ...row, state: row.ended ? row.state : "ended", over: true });
      if (name === "item.done") this.onDocument();
    }
    this.tell();
  }

  /** Ask the documents' own jobs how far they are, a few at a time. */
  async lookAtDocuments(signal) {
    while (!signal.aborted) {
      const open = [...this.rows.values()].filter((row) => row.id && !row.ended && row.state !== "waiting");
      for (const row of open.slice(0, LOOKED_AT)) await this.look(row, signal);
      this.tell();
      await rest(LOOK, signal);
    }
  }

  async look(row, signal) {
    try {
      const job = await this.context.api.get(`v1/jobs/${encodeURIComponent(row.id)}`, {}, { signal });
      const [known] = job.outcome?.documents ?? [];
      if (known) this.note(row, known);
      else row.now = progressOf(job);
    } catch {
      // The batch's own stream goes on telling; it knows the end of every document.
    }
  }

  note(row, told) {
    Object.assign(row, { state: told.status, error: told.error, chunks: told.chunks, facts: told.facts, ended: true, now: null });
  }

  /** Take over what the batch ended with. */
  async settle() {
    try {
      this.job = await this.context.api.get(this.path(), {}, { signal: this.context.signal });
    } catch (error) {
      if (!this.context.signal.aborted) fill(this.trouble, failure(error, () => this.settle()));
      return;
    }
    if (!this.job.ended) {
      this.follow(); // retried by someone else
      return;
    }
    const told = this.job.outcome?.documents ?? [];
    told.forEach((one, at) => {
      const position = this.rows.size === told.length || !this.rows.size ? at : this.positionOf(one.uri, at);
      if (!this.rows.has(position)) this.rows.set(position, { uri: one.uri });
      this.note(this.rows.get(position), one);
    });
    this.tell();
    this.onDocument();
    this.context.announce(t("batch.said", { batch: this.label(), summary: this.summary() }));
  }

  positionOf(uri, at) {
    for (const [position, row] of this.rows) if (row.uri === uri) return position;
    return at;
  }

  async retry() {
    fill(this.trouble);
    try {
      this.job = await this.context.api.post(`${this.path()}/retry`, {}, { signal: this.context.signal });
    } catch (error) {
      if (!this.context.signal.aborted) fill(this.trouble, failure(error, () => this.retry()));
      return;
    }
    for (const row of this.rows.values()) {
      if (!WHOLE.has(row.state)) Object.assign(row, { state: "waiting", error: null, ended: false, over: false });
    }
    this.context.announce(t("batch.said.again"));
    this.tell();
    this.title.setAttribute("tabindex", "-1");
    this.title.focus(); // the button that was pressed is gone
    this.follow();
  }

  async cancel() {
    try {
      await this.context.api.remove(this.path(), { signal: this.context.signal });
    } catch (error) {
      if (!this.context.signal.aborted) fill(this.trouble, failure(error, () => this.cancel()));
    }
  }

  over() {
    const told = [...this.rows.values()].filter((row) => row.ended || row.over).length;
    return this.job.ended ? this.job.params.documents : Math.max(told, this.job.done["ingest.document"] ?? 0);
  }

  summary() {
    const counts = new Map();
    for (const row of this.rows.values()) if (row.ended) counts.set(row.state, (counts.get(row.state) ?? 0) + 1);
    if (this.refused.length) counts.set("refused", (counts.get("refused") ?? 0) + this.refused.length);
    const told = [...counts].map(([state, n]) => t("batch.count", { n, state: known("state", state) }));
    return told.length ? listed(told) : known("state", this.job.state);
  }

  tell() {
    const isRunning = !this.job.ended;
    this.head.lastChild.replaceWith(badge(this.job.state));
    const text = isRunning ? t("batch.over", { done: this.over(), n: this.job.params.documents }) : this.summary();
    if (this.line.textContent !== String(text)) fill(this.line, text);
    this.bar.hidden = !isRunning;
    this.bar.value = this.over();
    this.tellRows();
    this.tellActions(isRunning);
  }

  tellRows() {
    const rows = [...this.rows].sort(([one], [other]) => one - other).map(([, row]) => row);
    const refused = this.refused.map((one) => ({ uri: one.uri, state: "refused", error: one.error }));
    // At the end what needs somebody comes first; until then the order stays, so that no row jumps.
    if (this.job.ended) rows.sort((one, other) => needsSomebody(other) - needsSomebody(one));
    const entries = [...refused, ...rows];
    entries.forEach((row, at) => {
      const told = JSON.stringify([row.uri, row.state, row.error, row.now, row.facts]);
      const known = this.list.children[at];
      if (known?.dataset.told === told) return;
      const fresh = rowOf(row);
      fresh.dataset.told = told;
      if (known) known.replaceWith(fresh);
      else this.list.append(fresh);
    });
    this.list.hidden = !entries.length;
  }

  tellActions(isRunning) {
    const told = `${isRunning} ${this.job.dead}`;
    if (this.actions.dataset.told === told) return;
    this.actions.dataset.told = told;
    const failed = [...this.rows.values()].filter((row) => !WHOLE.has(row.state));
    const canRetry = this.mayChange && !isRunning && this.job.dead > 0 && (!failed.length || failed.some((row) => mayHelpAgain(row.error)));
    const button = (text, act, kind = "button") => h(kind, { type: "button", on: { click: act } }, text);
    fill(
      this.actions,
      this.mayChange && isRunning && button(t("jobs.cancel"), () => this.cancel()),
      canRetry && button(t("batch.again"), () => this.retry(), "button.primary"),
      !isRunning && [...this.rows.values()].some((row) => WHOLE.has(row.state)) && h("a.button", { href: `#/ask?${new URLSearchParams({ collection: this.job.collection })}` }, t("batch.ask")),
      !isRunning && button(t("batch.dismiss"), () => this.onDismiss(this), "button.quiet"),
    );
  }
}

function splitOnce(text, sign) {
  const at = text.indexOf(sign);
  return [text.slice(0, at), text.slice(at + 1)];
}
