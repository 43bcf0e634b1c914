// The view Topics: what a collection is about, from its coarsest topics down to facts and documents.

import { collectionField } from "../collections.js";
import { empty, failure, field, fill, h, loading } from "../elements.js";
import { factList } from "../neighbourhood/facts.js";
import { nothingYet } from "../neighbourhood/opening.js";
import { t } from "../texts.js";
import { createTreemap, nameOf } from "../topics/treemap.js";
import { when } from "../words.js";

export const title = t("topics.title");

const READ = 1000; // topics, the largest: what the filter looks through
const SHOWN = 100; // in one picture
const FACTS = 20; // of a topic, the most central
const FINEST = 2; // level

export function mount(root, context) {
  const page = new TopicsPage(root, context);
  page.start();
  return () => page.map.destroy();
}

class TopicsPage {
  constructor(root, context) {
    this.context = context;
    this.topic = context.route.query.get("topic") ?? "";
    this.collections = [];
    this.looks = 0; // counts what was asked; an older answer is not shown
    this.map = createTreemap((topic) => this.open(topic.id));
    const chosen = context.route.query.get("collection") || undefined;
    this.collection = collectionField(context, { chosen, opens: true, onChange: () => this.open("") });
    this.filter = field(t("topics.filter"), h("input", { type: "search", autocomplete: "off", maxlength: "100" }), {
      hint: t("topics.filter.hint"),
    });
    this.filter.control.addEventListener("input", () => this.draw());
    const form = h("div.card.topic-form", {}, this.collection.element, this.filter.element);
    this.body = h("div.stack");
    const head = h("div.view-head", {}, h("div", {}, h("h1", {}, title), h("p", {}, t("topics.about"))));
    fill(root, head, form, this.body);
  }

  async start() {
    const before = this.looks;
    this.collections = await this.collection.load().catch(() => []); // the name that was chosen last stays
    if (this.looks === before && !this.context.signal.aborted) await this.look();
  }

  /** Show what lies within a topic; "" is the whole collection. */
  open(topic) {
    this.topic = topic;
    this.filter.control.value = "";
    const query = new URLSearchParams({ collection: this.collection.value(), ...(topic && { topic }) });
    this.context.push(`#/topics?${query}`);
    this.look();
  }

  path(rest = "") {
    return `v1/collections/${encodeURIComponent(this.collection.value())}/topics${rest}`;
  }

  get(path, query) {
    return this.context.api.get(path, query, { signal: this.context.signal });
  }

  async look() {
    const mine = ++this.looks;
    fill(this.body, loading(t("topics.looking")));
    try {
      const told = await this.read();
      if (mine === this.looks) this.show(told);
    } catch (error) {
      if (this.context.signal.aborted || mine !== this.looks) return;
      this.told = null;
      if (error.status === 404 && !this.topic) fill(this.body, this.notBuilt());
      else fill(this.body, failure(error, () => this.look()));
    }
  }

  async read() {
    if (!this.topic) {
      const told = await this.get(this.path(), { level: 0, limit: READ });
      return { ...told, topics: await this.withParts(told.topics), within: [], facts: [] };
    }
    const one = await this.get(this.path(`/${encodeURIComponent(this.topic)}`), { facts: FACTS });
    const query = { parent: this.topic, limit: READ };
    const { topics } = one.topic.level < FINEST ? await this.get(this.path(), query) : { topics: [] };
    if (topics.length === 1) {
      this.topic = topics[0].id; // it says nothing that its only part does not say
      return this.read();
    }
    return { topics: await this.withParts(topics), epoch: one.epoch, within: [...one.within, one.topic], facts: one.facts };
  }

  /** Topics with those that lie within them, as `parts`. */
  async withParts(topics) {
    const level = (topics[0]?.level ?? FINEST) + 1;
    if (level > FINEST) return topics;
    const { topics: below } = await this.get(this.path(), { level, limit: READ });
    return topics.map((topic) => ({ ...topic, parts: below.filter((part) => part.parent === topic.id && nameOf(part)) }));
  }

  show(told) {
    const live = told.topics.filter((one) => nameOf(one)); // of the others all facts were deleted
    this.told = { ...told, topics: live, isCut: told.topics.length === READ };
    const topic = told.within.at(-1);
    const head = topic
      ? h("div.stack-tight", {}, this.trail(told.within), h("h2", {}, nameOf(topic)), h("p.topic-label", {}, topic.label))
      : h("p.muted.small", {}, t("topics.built", { when: when(told.epoch.built_at), n: told.epoch.facts }));
    const facts = told.facts.length
      ? h("section.card", { "aria-label": t("topics.facts") }, h("h3", {}, t("topics.facts")), factList(this.context, told.facts))
      : null;
    this.note = h("p.muted.small", { hidden: true });
    fill(this.body, head, live.length > 0 && this.map.element, this.note, facts, !topic && this.buildButton());
    this.draw();
    this.context.announce(t("topics.said", { n: live.length }));
  }

  /** Draw those topics that the filter leaves. */
  draw() {
    if (!this.told) return;
    const wanted = this.filter.control.value.trim().toLocaleLowerCase();
    const isWanted = (topic) => [topic.label, ...topic.elements].some((text) => text.toLocaleLowerCase().includes(wanted));
    const left = this.told.topics.filter(isWanted);
    const note = this.noteOf(left);
    this.note.hidden = !note;
    fill(this.note, note);
    this.map.show(left.slice(0, SHOWN));
  }

  /** What is to be said of the topics that the filter leaves; null where all of them are seen. */
  noteOf(left) {
    const { topics, facts, epoch, isCut } = this.told;
    if (!topics.length) return facts.length ? null : t("topics.gone");
    if (!left.length) return isCut ? t("topics.none-of", { n: topics.length }) : t("topics.none");
    const isAll = left.length === topics.length && !this.topic;
    const n = isAll ? Math.max(epoch.topics[0], left.length) : left.length;
    return left.length > SHOWN ? t("topics.some", { shown: SHOWN, n }) : null;
  }

  trail(within) {
    const link = (name, topic) => h("button.link", { type: "button", on: { click: () => this.open(topic) } }, name);
    const steps = [link(t("topics.all"), ""), ...within.slice(0, -1).map((one) => link(nameOf(one), one.id))];
    return h("nav.row.small", { "aria-label": t("topics.trail") }, ...steps);
  }

  notBuilt() {
    const collection = this.collection.value();
    const isKnown = this.collections.some((one) => one.name === collection);
    if (!isKnown) return nothingYet(collection);
    return empty(t("topics.not-built"), t("topics.not-built.about"), this.buildButton());
  }

  buildButton() {
    const button = h("button", { type: "button", on: { click: () => this.build(button) } }, t("topics.build"));
    return h("div.actions", {}, button);
  }

  async build(button) {
    button.disabled = true;
    const mine = ++this.looks;
    fill(button, t("topics.building"));
    try {
      const { id: job } = await this.context.api.post(this.path(), {}, { signal: this.context.signal });
      const ended = await this.context.api.ended(job, { signal: this.context.signal });
      if (mine !== this.looks) return;
      if (ended.state !== "done") throw new Error(ended.outcome?.reason ?? ended.outcome?.error ?? ended.state);
      await this.look();
    } catch (error) {
      if (!this.context.signal.aborted && mine === this.looks) fill(this.body, failure(error, () => this.look()));
    }
  }
}
