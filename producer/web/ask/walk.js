// What the events of a question add up to: pure, and tolerant of events that never came.

import { isKnown, known, t } from "../texts.js";

const HELPS = 0.35; // score from which a fact helps a survey
const CUT = 100; // characters of a claim that its event tells

/** How far a question has come. */
export class Walk {
  constructor() {
    this.activity = t("ask.waiting");
    this.begun = false;
    this.strategy = null; // {strategy, why}, where it was chosen for the user
    this.plan = null; // {entities, sub_questions, asked?, steps?}
    this.seeds = [];
    this.nodes = new Map(); // name → {name, depth, parent, facts, failed?, path?}
    this.facts = []; // {fact, score, scored_by}
    this.toScore = 0;
    this.topics = null; // of a survey, by name: {facts, hits}, of those scored so far
    this.claims = []; // that a survey makes of facts, their beginnings
    this.paths = new Map(); // number → {start, actions, why}
    this.parts = []; // what tools are to find out
    this.tools = []; // {tool, arguments, facts, note}
    this.checks = []; // what the answer critic said
    this.sentences = []; // {n, text, citations}, provisional
    this.waits = null; // {why, until}: why the newest item was put off or failed, where none was done since
    this.failures = [];
    this.isVisiting = false; // nodes are read
    this.missed = false; // events that the stream no longer keeps
    this.state = null;
  }

  /** What is being done, in words; while nodes are read, about what. */
  get doing() {
    if (!this.isVisiting) return this.activity;
    const waiting = [...this.nodes.values()].filter((node) => node.facts === null);
    const name = (waiting.at(-1) ?? [...this.nodes.values()].at(-1))?.name;
    return name ? t("ask.reading", { name }) : this.activity;
  }

  /** Take one event in. */
  add(name, data) {
    this[HANDLERS[name]]?.(data);
  }

  opened({ step, items, subjects }) {
    this.turnTo(step);
    // A survey scores in rounds: what each of them is about adds up.
    const before = this.topics ? this.toScore : 0;
    if (step === "critic.score_fact") this.toScore = before + (Number(subjects ?? items) || 0);
  }

  itemBegun({ step }) {
    this.begun = true;
    this.turnTo(step);
  }

  turnTo(step) {
    this.isVisiting = step === "traverse.visit";
    if (isKnown("activity", step)) this.activity = known("activity", step);
  }

  planned(data) {
    this.plan = data;
  }

  seeded({ seeds = [] }) {
    this.seeds = seeds;
    for (const name of seeds) this.seen({ name, depth: 0, parent: null, facts: null });
  }

  topicsFound({ topics = [] }) {
    this.topics = new Map(topics.map((name) => [name, { facts: 0, hits: 0 }]));
  }

  /** Take over what an answer tells of a survey. */
  surveyed({ coverage, claims = [] }) {
    const seen = [...(coverage.looked_at ?? []), ...(coverage.not_looked_at ?? [])];
    this.topics = new Map(seen.map(({ name, facts, hits = 0 }) => [name, { facts, hits }]));
    if (!this.claims.length) this.claims = claims.map((claim) => claim.text.slice(0, CUT));
  }

  claimed({ claims = [] }) {
    this.claims.push(...claims);
  }

  visited({ node, parent, depth, facts, failed }) {
    this.seen({ name: node, parent, depth, facts, failed });
  }

  seen(node) {
    const before = this.nodes.get(node.name);
    const depth = Math.min(before?.depth ?? Infinity, node.depth ?? 0);
    this.nodes.set(node.name, { ...before, ...node, depth, parent: before?.parent ?? node.parent });
  }

  scored(data) {
    this.facts.push(data);
    this.facts.sort((a, b) => b.score - a.score);
    if (!data.topic) return;
    this.topics ??= new Map(); // the event that named them is no longer kept
    const { facts, hits } = this.topics.get(data.topic) ?? { facts: 0, hits: 0 };
    this.topics.set(data.topic, { facts: facts + 1, hits: hits + (data.score >= HELPS ? 1 : 0) });
  }

  started({ starts = [] }) {
    for (const { path, name, score } of starts) {
      this.pathOf(path).start = name;
      this.pathOf(path).score = score;
      this.seen({ name, depth: 0, parent: null, facts: null, path });
    }
  }

  moved(data) {
    const path = this.pathOf(data.path);
    path.actions.push(data);
    if (data.step === "read_chunk" || !data.at) return;
    const last = path.at ?? path.start;
    if (data.at !== last && !this.nodes.has(data.at)) {
      const depth = (this.nodes.get(last)?.depth ?? 0) + 1;
      this.seen({ name: data.at, depth, parent: last ?? null, facts: null, path: data.path });
    }
    path.at = data.at;
  }

  leftOff({ path, why, reason }) {
    Object.assign(this.pathOf(path), { why, reason });
  }

  pathOf(number) {
    if (!this.paths.has(number)) this.paths.set(number, { start: "", actions: [], why: "" });
    return this.paths.get(number);
  }

  normalised({ sub_questions: parts = [] }) {
    this.parts = [...parts];
  }

  asked(data) {
    this.tools.push(data);
  }

  checked(data) {
    this.checks.push(data);
    this.parts.push(...(data.missing ?? []));
  }

  chosen(data) {
    this.strategy = data;
  }

  said(sentence) {
    this.sentences = [...this.sentences.filter((one) => one.n !== sentence.n), sentence].sort((a, b) => a.n - b.n);
  }

  /** Events were missed, perhaps also that the answer began anew. */
  skipped() {
    this.missed = true;
    this.sentences = [];
  }

  restarted() {
    this.sentences = [];
  }

  putOff({ why, until }) {
    this.waits = { why, until };
  }

  itemFailed({ error }) {
    this.waits = { why: error };
  }

  itemDone() {
    this.waits = null;
  }

  died({ step, error }) {
    this.failures.push({ step, error });
  }

  ended({ state }) {
    this.state = state;
  }

  /** Take over from an answer what events did not tell: they may have passed, or were never read. */
  complete(answer) {
    const names = new Map((answer.walk ?? []).map((step) => [step.node_id, step.name]));
    for (const step of answer.walk ?? []) {
      const parent = names.get(step.parent) ?? step.parent;
      if (!this.nodes.has(step.name)) this.seen({ name: step.name, depth: step.depth, parent, facts: null });
    }
    const details = answer.details ?? {};
    if (!this.tools.length && Array.isArray(details.tools)) this.tools = details.tools;
    if (!this.topics && details.coverage) this.surveyed(details);
    if (!this.parts.length && Array.isArray(details.sub_questions)) this.parts = details.sub_questions;
  }
}

const HANDLERS = {
  snapshot: "skipped",
  "phase.opened": "opened",
  "item.begun": "itemBegun",
  "plan.finished": "planned",
  "seed.finished": "seeded",
  "topics.found": "topicsFound",
  "claims.made": "claimed",
  "visit.finished": "visited",
  "fact.scored": "scored",
  "starts.chosen": "started",
  "path.moved": "moved",
  "path.ended": "leftOff",
  "question.normalised": "normalised",
  "tool.finished": "asked",
  "answer.checked": "checked",
  "strategy.chosen": "chosen",
  "answer.sentence": "said",
  "answer.restarted": "restarted",
  "item.deferred": "putOff",
  "item.failed": "itemFailed",
  "item.done": "itemDone",
  "item.dead": "died",
  "job.ended": "ended",
};
