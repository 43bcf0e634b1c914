// A walk in words: what it waits for, counts, its plan, and lines of facts, topics, tools and actions.

import { h, labelled } from "../elements.js";
import { known, listed, t } from "../texts.js";
import { clockTime, number, reasonText, score, stepName } from "../words.js";

const CUT = 100; // characters of a fact that its event tells

export function waitsWords({ why, until }) {
  return until ? t("walk.waits.until", { why, time: clockTime(until) }) : t("walk.waits", { why });
}

/** What there is so far, each with its number. */
export function countsOf(walk) {
  const nodes = [...walk.nodes.values()];
  const sum = (values) => values.reduce((all, value) => all + (value ?? 0), 0);
  const counts = [];
  const count = (key, n) => counts.push(t(key, { n, shown: h("b", {}, number(n)) }));
  if (walk.paths.size) {
    const actions = [...walk.paths.values()].flatMap((path) => path.actions);
    count("walk.count.paths", walk.paths.size);
    count("walk.count.notes", sum(actions.map((one) => one.noted?.length)));
  } else if (walk.parts.length || walk.tools.length) {
    count("walk.count.calls", walk.tools.length);
    count("walk.count.facts", sum(walk.tools.map((one) => one.facts)));
  } else if (nodes.length) {
    const visited = walk.state === null ? nodes.filter((node) => node.facts !== null) : nodes;
    count("walk.count.nodes", visited.length);
    count("walk.count.facts", sum(nodes.map((node) => node.facts)));
  }
  const scored = walk.facts.length;
  const isScoring = walk.state === null && walk.toScore > scored;
  const shown = isScoring ? t("number.of", { done: scored, all: walk.toScore }) : number(scored);
  if (scored) counts.push(t("walk.count.scored", { shown: h("b", {}, shown) }));
  return counts;
}

export function planOf(walk) {
  const parts = [];
  if (walk.strategy) parts.push(h("p.small", {}, labelled(t("walk.strategy", { strategy: known("strategy", walk.strategy.strategy) }), reasonText(walk.strategy.why ?? ""))));
  const plan = walk.plan;
  if (plan?.asked) parts.push(h("p.small", {}, labelled(t("walk.asked-for"), plan.asked)));
  if (plan?.entities?.length) parts.push(h("p.small", {}, labelled(t("walk.entities"), listed(plan.entities))));
  const asked = plan?.sub_questions?.length ? plan.sub_questions : walk.parts;
  if (asked.length) {
    parts.push(h("div", {}, h("h4", {}, t("walk.to-find-out")), h("ol.plain-list", {}, asked.map((one) => h("li", {}, one)))));
  }
  return parts;
}

export function factLine(fact) {
  return h(
    "li.walk-fact",
    {},
    h("span.score", { style: { "--score": String(fact.score) } }, score(fact.score)),
    h("span", {}, cut(fact.fact)),
  );
}

/** A topic lights up where its facts help. */
export function topicLine([name, { facts, hits }]) {
  const state = !facts ? "waits" : hits ? "helps" : "looked";
  const words = facts ? t("walk.topic.looked", { hits, n: facts }) : t("walk.topic.waits");
  return h("li.walk-topic", { data: { state } }, h("span.walk-topic-name", {}, name), h("span.muted", {}, words));
}

/** The beginning of a text, as its event tells it. */
export function cut(text) {
  return text.length < CUT ? text : `${text}…`;
}

export function toolLine(call) {
  const told = Object.entries(call.arguments ?? {}).map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  return h(
    "li",
    {},
    h("span.mono", {}, `${call.tool}(${told.join(", ")})`),
    h("span.muted", {}, " → ", call.facts ? t("walk.found", { count: call.facts }) : call.note || t("walk.found.nothing")),
  );
}

export function actionLine(action) {
  return h(
    "li",
    {},
    h("b", {}, stepName(`traverse.${action.step}`)),
    action.at && ` ${action.at}`,
    h("span.muted", {}, " → ", action.decision || t("walk.no-decision")),
    action.reason && h("p.walk-reason.muted.small", {}, action.reason),
    action.error && h("span.field-error", {}, ` ${action.error}`),
    (action.noted ?? []).map((note) => h("p.walk-note", {}, note)),
  );
}
