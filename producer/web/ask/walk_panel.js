// The walk as it grows: activity, counts, plan, the drawn graph, facts with scores, paths, tools.

import { fill, h, labelled } from "../elements.js";
import { redraw } from "../focus.js";
import { createGraphView } from "../graph_view.js";
import { known, listed, t } from "../texts.js";
import { clockTime, number, reasonText, score, stepName } from "../words.js";

const MOST_FACTS = 40; // shown
const CUT = 100; // characters of a fact that its event tells
const FULL = 6; // facts of a node that is drawn largest

/** @returns {{element, show(walk), destroy()}} */
export function createWalkPanel() {
  let graph = null;
  const activity = h("p.walk-activity", {});
  const waits = h("p.notice.is-warn.small", { role: "status", hidden: true });
  const counts = h("p.facts-line", {});
  const bar = h("progress", { max: "1", "aria-label": t("walk.scored.label"), hidden: true });
  const plan = h("div.stack-tight", {});
  const drawing = h("section.stack-tight", { "aria-label": t("walk.visited"), hidden: true });
  const tools = h("section.stack-tight", { "aria-label": t("walk.tools"), hidden: true });
  const paths = h("section.stack-tight", { "aria-label": t("walk.paths"), hidden: true });
  const topics = h("section.stack-tight", { "aria-label": t("walk.topics"), hidden: true });
  const claims = h("section.stack-tight", { "aria-label": t("walk.claims"), hidden: true });
  const facts = h("section.stack-tight", { "aria-label": t("walk.facts"), hidden: true });
  const failures = h("section.stack-tight", { "aria-label": t("walk.failures"), hidden: true });
  const element = h(
    "section.card.stack",
    { "aria-labelledby": "walk-title" },
    h("div.stack-tight", {}, h("h2", { id: "walk-title" }, t("walk.title")), activity, waits, counts, bar),
    plan,
    drawing,
    topics,
    claims,
    paths,
    tools,
    facts,
    failures,
  );

  function show(walk) {
    const isOver = walk.state !== null;
    fill(activity, isOver ? "" : t("walk.activity", { activity: walk.activity })).hidden = isOver;
    waits.hidden = isOver || !walk.waits;
    if (!waits.hidden) fill(waits, waitsWords(walk.waits));
    fill(counts, countsOf(walk));
    bar.hidden = isOver || !walk.toScore;
    bar.value = walk.toScore ? Math.min(walk.facts.length / walk.toScore, 1) : 0;
    fill(plan, planOf(walk));
    drawWalk(walk);
    showTopics(walk);
    showList(claims, t("walk.claims"), walk.claims.map((text) => h("li", {}, cut(text))));
    showList(tools, t("walk.tools"), walk.tools.map(toolLine));
    showPaths(walk);
    showFacts(walk);
    showList(failures, t("walk.given-up"), walk.failures.map((one) => h("li", {}, h("b", {}, stepName(one.step)), `: ${one.error}`)));
  }

  function drawWalk(walk) {
    if (!walk.nodes.size) return;
    drawing.hidden = false;
    if (!graph) {
      graph = createGraphView({
        label: t("walk.graph"),
        arrangement: "levels",
        groups: walk.paths.size ? [] : [{ id: 0, name: t("walk.began") }],
        describe: (node) => node.words,
      });
      drawing.append(graph.element);
    }
    const nodes = [...walk.nodes.values()].map((node) => drawnNode(node, walk));
    const edges = nodes.filter((node) => node.parent).map((node) => edgeTo(node));
    graph.add({ nodes, edges });
  }

  function showPaths(walk) {
    paths.hidden = !walk.paths.size;
    const open = new Set([...paths.querySelectorAll("details[open]")].map((one) => one.dataset.path));
    const entry = ([nth, path]) =>
      h(
        "li",
        {},
        h(
          "details",
          { open: open.has(String(nth)), data: { path: nth } },
          h(
            "summary",
            { data: { keep: `path ${nth}` } },
            t("walk.path", { path: nth, start: path.start || "…" }),
            " ",
            h("span.muted.small", {}, path.why ? t("walk.path.ended", { why: known("path-end", path.why) }) : t("walk.actions", { n: path.actions.length })),
          ),
          h("ol.walk-actions", {}, path.actions.map(actionLine)),
        ),
      );
    fill(paths, h("h3", {}, t("walk.paths")), h("ul", {}, [...walk.paths].sort((a, b) => a[0] - b[0]).map(entry)));
  }

  function showTopics(walk) {
    const entries = [...(walk.topics ?? [])];
    topics.hidden = !entries.length;
    fill(topics, h("h3", {}, t("walk.topics")), h("ul.walk-topics.small", {}, entries.map(topicLine)));
  }

  function showFacts(walk) {
    const shown = walk.facts.slice(0, MOST_FACTS);
    showList(facts, t("walk.scored", { count: walk.facts.length }), shown.map(factLine), walk.facts.length - shown.length);
  }

  return {
    element,
    show: (walk) => redraw(element, () => show(walk)),
    destroy: () => graph?.destroy(),
  };
}

function waitsWords({ why, until }) {
  return until ? t("walk.waits.until", { why, time: clockTime(until) }) : t("walk.waits", { why });
}

function drawnNode(node, walk) {
  const words = [t("walk.depth", { depth: node.depth })];
  if (node.facts !== null && node.facts !== undefined) words.push(t("count.facts", { n: node.facts }));
  if (node.failed) words.push(known("state", "failed"));
  const isPath = walk.paths.size > 0;
  return {
    id: node.name,
    label: node.name,
    level: node.depth,
    parent: node.parent,
    size: Math.min((node.facts ?? 0) / FULL, 1) * 0.8 + 0.2,
    group: isPath ? `path ${node.path ?? ""}` : node.depth,
    groupName: isPath ? t("walk.path.group", { path: node.path ?? "" }) : t("walk.hops", { n: node.depth }),
    pale: !isPath && walk.state === null && node.facts === null,
    words: listed(words),
  };
}

function edgeTo(node) {
  return { id: `${node.parent}→${node.id}`, source: node.parent, target: node.id, directed: true };
}

/** What there is so far, each with its number. */
function countsOf(walk) {
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

function planOf(walk) {
  const parts = [];
  if (walk.strategy) parts.push(h("p.small", {}, labelled(t("walk.strategy", { strategy: known("strategy", walk.strategy.strategy) }), reasonText(walk.strategy.why ?? ""))));
  if (walk.missed) parts.push(h("p.small.muted", {}, t("walk.missed")));
  const plan = walk.plan;
  if (plan?.asked) parts.push(h("p.small", {}, labelled(t("walk.asked-for"), plan.asked)));
  if (plan?.entities?.length) parts.push(h("p.small", {}, labelled(t("walk.entities"), listed(plan.entities))));
  const asked = plan?.sub_questions?.length ? plan.sub_questions : walk.parts;
  if (asked.length) {
    parts.push(h("div", {}, h("h3", {}, t("walk.to-find-out")), h("ol.plain-list", {}, asked.map((one) => h("li", {}, one)))));
  }
  return parts;
}

function showList(section, title, entries, left = 0) {
  section.hidden = !entries.length;
  const held = section.querySelector("ul")?.scrollTop ?? 0;
  fill(section, h("h3", {}, title), h("ul.rows.scroll.small", { tabindex: "0", "aria-label": title }, entries));
  if (left > 0) section.append(h("p.muted.tiny", {}, t("walk.lower", { count: left })));
  section.querySelector("ul").scrollTop = held;
}

function factLine(fact) {
  return h(
    "li.walk-fact",
    {},
    h("span.score", { style: { "--score": String(fact.score) } }, score(fact.score)),
    h("span", {}, cut(fact.fact)),
  );
}

/** A topic lights up where its facts help. */
function topicLine([name, { facts, hits }]) {
  const state = !facts ? "waits" : hits ? "helps" : "looked";
  const words = facts ? t("walk.topic.looked", { hits, n: facts }) : t("walk.topic.waits");
  return h("li.walk-topic", { data: { state } }, h("span.walk-topic-name", {}, name), h("span.muted", {}, words));
}

/** The beginning of a text, as its event tells it. */
function cut(text) {
  return text.length < CUT ? text : `${text}…`;
}

function toolLine(call) {
  const told = Object.entries(call.arguments ?? {}).map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  return h(
    "li",
    {},
    h("span.mono", {}, `${call.tool}(${told.join(", ")})`),
    h("span.muted", {}, " → ", call.facts ? t("walk.found", { count: call.facts }) : call.note || t("walk.found.nothing")),
  );
}

function actionLine(action) {
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
