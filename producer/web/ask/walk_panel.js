// The walk as it grows: activity, counts, plan, the drawn graph, facts with scores, paths, tools.

import { fill, h } from "../elements.js";
import { redraw } from "../focus.js";
import { createGraphView } from "../graph_view.js";
import { counted, score } from "../words.js";
import { ENDINGS } from "./walk.js";

const MOST_FACTS = 40; // shown
const CUT = 100; // characters of a fact that its event tells
const FULL = 6; // facts of a node that is drawn largest

/** @returns {{element, show(walk), destroy()}} */
export function createWalkPanel() {
  let graph = null;
  const activity = h("p.walk-activity", {});
  const counts = h("p.facts-line", {});
  const bar = h("progress", { max: "1", "aria-label": "Facts scored", hidden: true });
  const plan = h("div.stack-tight", {});
  const drawing = h("section.stack-tight", { "aria-label": "Visited nodes", hidden: true });
  const tools = h("section.stack-tight", { "aria-label": "Tools asked", hidden: true });
  const paths = h("section.stack-tight", { "aria-label": "Paths", hidden: true });
  const facts = h("section.stack-tight", { "aria-label": "Facts and their scores", hidden: true });
  const failures = h("section.stack-tight", { "aria-label": "Failures", hidden: true });
  const element = h(
    "section.card.stack",
    { "aria-labelledby": "walk-title" },
    h("div.stack-tight", {}, h("h2", { id: "walk-title" }, "How it got there"), activity, counts, bar),
    plan,
    drawing,
    paths,
    tools,
    facts,
    failures,
  );

  function show(walk) {
    const isOver = walk.state !== null;
    fill(activity, isOver ? "" : `${walk.activity}…`).hidden = isOver;
    fill(counts, countsOf(walk).map(([value, word]) => h("span", {}, h("b", {}, String(value)), ` ${word}`)));
    bar.hidden = isOver || !walk.toScore;
    bar.value = walk.toScore ? Math.min(walk.facts.length / walk.toScore, 1) : 0;
    fill(plan, planOf(walk));
    drawWalk(walk);
    showList(tools, "Tools asked", walk.tools.map(toolLine));
    showPaths(walk);
    showFacts(walk);
    showList(failures, "Given up", walk.failures.map((one) => h("li", {}, h("b", {}, one.step), `: ${one.error}`)));
  }

  function drawWalk(walk) {
    if (!walk.nodes.size) return;
    drawing.hidden = false;
    if (!graph) {
      graph = createGraphView({
        label: "Nodes that were visited, by depth",
        arrangement: "levels",
        groups: walk.paths.size ? [] : [{ id: 0, name: "Where it began" }],
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
    const entry = ([number, path]) =>
      h(
        "li",
        {},
        h(
          "details",
          { open: open.has(String(number)), data: { path: number } },
          h(
            "summary",
            { data: { keep: `path ${number}` } },
            `Path ${number}: ${path.start || "…"} `,
            h("span.muted.small", {}, path.why ? `ended, ${ENDINGS[path.why] ?? path.why}` : counted(path.actions.length, "action")),
          ),
          h("ol.walk-actions", {}, path.actions.map(actionLine)),
        ),
      );
    fill(paths, h("h3", {}, "Paths"), h("ul", {}, [...walk.paths].sort((a, b) => a[0] - b[0]).map(entry)));
  }

  function showFacts(walk) {
    const shown = walk.facts.slice(0, MOST_FACTS);
    showList(facts, `Facts scored (${walk.facts.length})`, shown.map(factLine), walk.facts.length - shown.length);
  }

  return {
    element,
    show: (walk) => redraw(element, () => show(walk)),
    destroy: () => graph?.destroy(),
  };
}

function drawnNode(node, walk) {
  const words = [`depth ${node.depth}`];
  if (node.facts !== null && node.facts !== undefined) words.push(counted(node.facts, "fact"));
  if (node.failed) words.push("failed");
  const isPath = walk.paths.size > 0;
  return {
    id: node.name,
    label: node.name,
    level: node.depth,
    parent: node.parent,
    size: Math.min((node.facts ?? 0) / FULL, 1) * 0.8 + 0.2,
    group: isPath ? `path ${node.path ?? ""}` : node.depth === 0 ? 0 : `${counted(node.depth, "hop")} away`,
    pale: !isPath && walk.state === null && node.facts === null,
    words: words.join(", "),
  };
}

function edgeTo(node) {
  return { id: `${node.parent}→${node.id}`, source: node.parent, target: node.id, directed: true };
}

/** [value, word] of what there is so far. */
function countsOf(walk) {
  const nodes = [...walk.nodes.values()];
  const sum = (values) => values.reduce((all, value) => all + (value ?? 0), 0);
  const counts = [];
  if (walk.paths.size) {
    const actions = [...walk.paths.values()].flatMap((path) => path.actions);
    counts.push([walk.paths.size, "path"], [sum(actions.map((one) => one.noted?.length)), "note"]);
  } else if (walk.parts.length || walk.tools.length) {
    counts.push([walk.tools.length, "call"], [sum(walk.tools.map((one) => one.facts)), "fact"]);
  } else if (nodes.length) {
    const visited = walk.state === null ? nodes.filter((node) => node.facts !== null) : nodes;
    counts.push([visited.length, "node"], [sum(nodes.map((node) => node.facts)), "fact"]);
  }
  const told = counts.map(([value, word]) => [value, value === 1 ? word : `${word}s`]);
  const isScoring = walk.state === null && walk.toScore > walk.facts.length;
  if (walk.facts.length) told.push([isScoring ? `${walk.facts.length} of ${walk.toScore}` : walk.facts.length, "scored"]);
  return told;
}

function planOf(walk) {
  const parts = [];
  if (walk.strategy) parts.push(h("p.small", {}, h("b", {}, `Strategy: ${walk.strategy.strategy}. `), walk.strategy.why));
  if (walk.missed) parts.push(h("p.small.muted", {}, "The first events are no longer kept; what is shown begins later."));
  const plan = walk.plan;
  if (plan?.asked) parts.push(h("p.small", {}, h("b", {}, "Asked for: "), plan.asked));
  if (plan?.entities?.length) parts.push(h("p.small", {}, h("b", {}, "Entities: "), plan.entities.join(", ")));
  const asked = plan?.sub_questions?.length ? plan.sub_questions : walk.parts;
  if (asked.length) {
    parts.push(h("div", {}, h("h3", {}, "To find out"), h("ol.plain-list", {}, asked.map((one) => h("li", {}, one)))));
  }
  return parts;
}

function showList(section, title, entries, left = 0) {
  section.hidden = !entries.length;
  const held = section.querySelector("ul")?.scrollTop ?? 0;
  fill(section, h("h3", {}, title), h("ul.rows.scroll.small", { tabindex: "0", "aria-label": title }, entries));
  if (left > 0) section.append(h("p.muted.tiny", {}, `and ${left} with lower scores`));
  section.querySelector("ul").scrollTop = held;
}

function factLine(fact) {
  return h(
    "li.walk-fact",
    {},
    h("span.score", { style: { "--score": String(fact.score) } }, score(fact.score)),
    h("span", {}, fact.fact.length < CUT ? fact.fact : `${fact.fact}…`),
  );
}

function toolLine(call) {
  const told = Object.entries(call.arguments ?? {}).map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  return h(
    "li",
    {},
    h("span.mono", {}, `${call.tool}(${told.join(", ")})`),
    h("span.muted", {}, ` → ${call.facts ? `${call.facts} found` : call.note || "nothing found"}`),
  );
}

function actionLine(action) {
  return h(
    "li",
    {},
    h("b", {}, String(action.step).replaceAll("_", " ")),
    action.at && ` ${action.at}`,
    h("span.muted", {}, ` → ${action.decision || "none"}`),
    action.reason && h("p.walk-reason.muted.small", {}, action.reason),
    action.error && h("span.field-error", {}, ` ${action.error}`),
    (action.noted ?? []).map((note) => h("p.walk-note", {}, note)),
  );
}
