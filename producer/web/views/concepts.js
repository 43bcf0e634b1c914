// The view Concepts: a concept and its relations to other disciplines, what is held at once, more by a job.

import { collectionField } from "../collections.js";
import { editRelation, undoChange } from "../concepts/edit.js";
import { historyCard } from "../concepts/history.js";
import { conceptMap } from "../concepts/map.js";
import { reasoningCard } from "../concepts/reasoning.js";
import { langOf } from "../concepts/words.js";
import { empty, failure, field, fill, h, loading } from "../elements.js";
import { followJob } from "../events.js";
import { mayChange } from "../rights.js";
import { known, t } from "../texts.js";

export const title = t("concepts.title");

const EXAMPLES = ["entropy", "博弈论", "natural selection", "熵"];

export function mount(root, context) {
  const page = new ConceptsPage(root, context);
  page.start();
  return () => page.map.destroy();
}

class ConceptsPage {
  constructor(root, context) {
    this.context = context;
    this.growing = null; // the address of the map that a job is growing
    this.round = 0; // counts what was asked; an older answer is not shown
    this.mayChange = false; // whether the key allows changes
    this.map = conceptMap((link, other) => this.changeButton(link, other));
    this.reasoning = reasoningCard();
    const asked = () => ({ concept: this.concept, collection: this.collection.value() });
    this.history = historyCard(context, asked, (change) => this.undoButton(change));
    this.build(root);
  }

  build(root) {
    const { query } = this.context.route;
    const chosen = query.get("collection") ?? undefined;
    const value = query.get("concept") ?? "";
    this.collection = collectionField(this.context, { chosen, opens: false });
    this.name = field(t("concepts.concept"), h("input", { type: "search", autocomplete: "off", maxlength: "200", value }), {
      hint: t("concepts.concept.hint"),
    });
    this.refresh = field(t("concepts.refresh"), h("input", { type: "checkbox" }));
    this.lookButton = h("button", { type: "button", on: { click: () => this.ask({ grow: false }) } }, t("concepts.look-up"));
    this.growButton = h("button.primary", { type: "submit" }, t("concepts.grow"));
    const form = h(
      "form.card.stack",
      { on: { submit: (event) => (event.preventDefault(), this.ask({ grow: true })) } },
      h("div.concept-fields", {}, this.name.element, this.collection.element),
      this.refresh.element,
      h("div.actions", {}, this.growButton, this.lookButton),
    );
    this.progress = h("div.concept-progress");
    this.notice = h("div.concept-notice");
    this.body = h("div");
    this.side = h("div.stack", {}, this.map.detail, this.reasoning.element, this.history.element);
    const drawn = h("div.stack-tight", {}, this.map.element, h("p.field-hint", {}, t("concepts.hint")));
    this.result = h("div.columns", {}, drawn, this.side);
    const head = h("div.view-head", {}, h("div", {}, h("h1", {}, title), h("p", {}, t("concepts.about"))));
    fill(root, head, form, this.progress, this.notice, this.body);
  }

  async start() {
    this.collection.load().catch(() => {}); // any name may be typed
    await this.allow();
    if (this.name.control.value) {
      await this.ask({ grow: false, isFirst: true });
      this.findRunning();
    } else this.welcome();
  }

  /** Take away what the key does not allow. */
  async allow() {
    const told = await this.context.about().catch(() => null);
    this.mayChange = !told?.caller || mayChange(told.caller);
    if (this.mayChange) return;
    this.growButton.disabled = true;
    this.refresh.element.hidden = true;
  }

  welcome() {
    const choose = (name) => {
      this.name.control.value = name;
      this.ask({ grow: this.mayChange });
    };
    const example = (name) =>
      h("li", {}, h("button", { type: "button", lang: langOf(name), on: { click: () => choose(name) } }, name));
    const examples = h("ul.chips", { "aria-label": t("concepts.examples") }, ...EXAMPLES.map(example));
    fill(this.body, empty(t("concepts.begin"), t("concepts.for-example"), examples));
  }

  /** Look the concept up, and grow its map; `isFirst` where the address said what to ask. */
  async ask({ grow, isFirst = false }) {
    const concept = this.name.control.value.trim();
    if (!concept) {
      this.name.fail(t("concepts.missing"));
      this.name.control.focus();
      return;
    }
    const address = `#/concepts?${new URLSearchParams({ concept, collection: this.collection.value() })}`;
    if (grow && address === this.growing) {
      this.context.announce(t("concepts.said.growing", { concept }));
      return;
    }
    this.name.clear();
    this.collection.clear();
    const mine = ++this.round;
    this.note(null);
    this.address = address;
    this.concept = concept;
    this.following?.abort();
    // What is shown anew is no new place: pushing it would take away where Forward leads.
    if (isFirst || address === location.hash) this.context.replace(address);
    else this.context.push(address);
    this.reasoning.clear();
    this.history.forget();
    fill(this.notice);
    fill(this.progress);
    await this.lookUp(mine, grow);
    if (grow && mine === this.round) await this.grow(mine);
  }

  /** Show what the database holds. */
  async lookUp(mine, isGrown) {
    if (!this.body.contains(this.result)) fill(this.body, loading(t("concepts.looking")));
    try {
      const told = await this.context.api.get("v1/concepts", this.asked(), { signal: this.context.signal });
      if (mine !== this.round) return;
      if (told.nodes.length) this.show(told);
      else if (isGrown) fill(this.body, loading(t("concepts.nothing-yet")));
      else this.showNothing();
    } catch (error) {
      if (mine === this.round) this.fail(error, () => this.ask({ grow: isGrown }));
    }
  }

  asked(more = {}) {
    const collection = this.collection.value();
    return { concept: this.concept, ...(collection ? { collection } : {}), ...more };
  }

  showNothing() {
    const grow = () => this.ask({ grow: true });
    const button = h("button.primary", { type: "button", on: { click: grow } }, t("concepts.grow-one"));
    fill(this.body, empty(t("concepts.nothing"), t("concepts.nothing.about", { concept: this.concept }), button));
    this.context.announce(t("concepts.nothing"));
  }

  show(told) {
    fill(this.body, this.result);
    this.map.show(told);
    const others = told.nodes.length - 1;
    this.context.announce(t("concepts.said.map", { concept: told.concept, n: others, version: told.version }));
  }

  changeButton(link, other) {
    if (!this.mayChange || !link.id) return null;
    const collection = this.collection.value();
    const given = { link, other, collection, onChanged: (version) => this.changed(version) };
    const name = t("concepts.edit.title", { name: other.name });
    const click = () => editRelation(this.context, given);
    return h("div", {}, h("button.quiet.small", { type: "button", "aria-label": name, on: { click } }, t("concepts.edit")));
  }

  undoButton(change) {
    if (!this.mayChange) return null;
    const undo = async () => {
      button.disabled = true;
      try {
        const told = await undoChange(this.context, { change, collection: this.collection.value() });
        await this.changed(told.version);
      } catch (error) {
        button.disabled = false;
        this.fail(error);
      }
    };
    const name = t("concepts.undo.label", { name: change.name });
    const button = h("button.quiet.small", { type: "button", "aria-label": name, on: { click: undo } }, t("concepts.undo"));
    return button;
  }

  /** Show what the map is after a change by hand. */
  async changed(version) {
    this.history.forget();
    await this.lookUp(this.round, false);
    this.context.announce(t("concepts.line.saved", { version }));
  }

  /** Run the job, and follow it. */
  async grow(mine) {
    this.note(this.address);
    try {
      const job = await this.context.api.post("v1/concepts", this.asked({ refresh: this.refresh.control.checked }), {
        query: { wait: 0 },
        signal: this.context.signal,
      });
      if (mine === this.round) await this.follow(job.id, mine);
    } catch (error) {
      if (mine === this.round) this.fail(error, () => this.ask({ grow: true }));
    }
  }

  /** After a reload: is there a job that still grows this map? */
  async findRunning() {
    const mine = this.round;
    try {
      const query = { kind: "concept", collection: this.collection.value(), limit: 50 };
      const { jobs } = await this.context.api.get("v1/jobs", query, { signal: this.context.signal });
      const job = jobs.find((one) => !one.ended && one.params.concept === this.concept);
      if (job && mine === this.round) await this.follow(job.id, mine);
    } catch {
      // What is held is shown all the same.
    }
  }

  async follow(jobId, mine) {
    this.note(this.address);
    this.following = new AbortController();
    const stop = () => this.following.abort();
    this.context.signal.addEventListener("abort", stop, { once: true });
    this.tellRunning(jobId);
    try {
      await followJob(jobId, {
        signal: this.following.signal,
        onEvent: (name, data) => mine === this.round && this.reasoning.take(name, data),
      });
      if (this.following.signal.aborted || mine !== this.round) return;
      this.settle(await this.context.api.get(`v1/jobs/${encodeURIComponent(jobId)}`, {}, { signal: this.context.signal }));
    } catch (error) {
      if (mine === this.round) this.fail(error, () => this.follow(jobId, mine));
    } finally {
      this.context.signal.removeEventListener("abort", stop);
    }
  }

  /** Keep what is growing, so that it is not grown twice; the button keeps the focus. */
  note(growing) {
    this.growing = growing;
    if (growing) this.growButton.setAttribute("aria-disabled", "true");
    else this.growButton.removeAttribute("aria-disabled");
  }

  tellRunning(jobId) {
    const { api, signal } = this.context;
    const path = `v1/jobs/${encodeURIComponent(jobId)}`;
    const cancel = () => api.remove(path, { signal }).catch((error) => this.fail(error));
    const words = h("span.loading", { role: "status" }, t("concepts.growing", { concept: this.concept }));
    const button = h("button", { type: "button", on: { click: cancel } }, t("jobs.cancel"));
    fill(this.progress, h("div.card.row.concept-running", {}, words, button));
    if (!this.body.contains(this.result)) fill(this.body, h("div.stack", {}, this.reasoning.element));
  }

  settle(job) {
    this.note(null);
    fill(this.progress);
    const outcome = { concept: this.concept, nodes: [], links: [], reasoning: [], version: 0, ...job.outcome };
    this.reasoning.settle(outcome);
    this.side.append(this.reasoning.element, this.history.element);
    if (outcome.nodes.length) this.show(outcome);
    this.history.forget();
    if (job.state === "done") return;
    this.tellWhy(job, outcome);
    if (!outcome.nodes.length && !this.body.contains(this.result)) fill(this.body, h("div.stack", {}, this.reasoning.element));
  }

  tellWhy(job, outcome) {
    const otherwise = job.state === "cancelled" ? t("concepts.held-shown") : t("concepts.no-reason");
    const reason = outcome.reason || otherwise;
    const kind = job.state === "failed" ? "bad" : "warn";
    const heading = h("strong", {}, known("concept-end", job.state));
    fill(this.notice, h(`div.notice.is-${kind}`, { role: "alert" }, heading, h("p", { lang: outcome.reason ? langOf(reason) : null }, reason)));
  }

  fail(error, retry) {
    if (this.context.signal.aborted) return;
    this.note(null);
    fill(this.progress);
    const wrong = error.errors?.[0];
    if (wrong?.field === "concept") this.name.fail(t("field.allowed", { allowed: wrong.allowed }));
    if (wrong?.field === "collection") this.collection.fail(t("field.allowed", { allowed: wrong.allowed }));
    if (!this.body.contains(this.result)) fill(this.body);
    fill(this.notice, failure(error, retry));
  }
}
