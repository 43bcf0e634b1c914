// The walk as it grows: activity, counts, plan, the drawn graph, facts with scores, paths, tools.

import { failure, fill, freshId, h, loading } from "../elements.js";
import { redraw } from "../focus.js";
import { known, listed, t } from "../texts.js";
import { stepName } from "../words.js";
import { keyOf } from "./story.js";
import { actionLine, countsOf, cut, factLine, planOf, toolLine, topicLine, waitsWords } from "./walk_words.js";

const MOST_FACTS = 40; // shown
const FULL = 6; // facts of a node that is drawn largest

/**
 * @param {object} [given] `onCite(n)`: an edge that carries a citation was pressed.
 * @returns {{element, show(walk), tell(story), cite(n), destroy()}}
 */
export function createWalkPanel({ onCite = () => {} } = {}) {
  let graph = null;
  let drawn = null; // the walk that is shown
  let story = null; // what of it the answer rests on
  let isGone = false;
  const waits = h("p.notice.is-warn.small", { role: "status", hidden: true });
  const missed = h("p.small.muted", { hidden: true }, t("walk.missed"));
  const counts = h("p.facts-line", {});
  const bar = h("progress", { max: "1", "aria-label": t("walk.scored.label"), hidden: true });
  const plan = h("details.small", { hidden: true }, h("summary", {}, t("walk.plan")), h("div.stack-tight", {}));
  const drawing = h("section.stack-tight", { "aria-label": t("walk.visited"), hidden: true });
  const tools = h("section.stack-tight", { "aria-label": t("walk.tools"), hidden: true });
  const paths = h("section.stack-tight", { "aria-label": t("walk.paths"), hidden: true });
  const topics = h("section.stack-tight", { "aria-label": t("walk.topics"), hidden: true });
  const claims = h("section.stack-tight", { "aria-label": t("walk.claims"), hidden: true });
  const facts = h("section", { "aria-label": t("walk.facts"), hidden: true }, h("details.small", {}, h("summary", {}), h("div.stack-tight", {})));
  const failures = h("section.stack-tight", { "aria-label": t("walk.failures"), hidden: true });
  const id = freshId("walk");
  const element = h(
    "section.card.stack.walk",
    { "aria-labelledby": id },
    h("div.stack-tight", {}, h("h3", { id }, t("walk.title")), waits, missed, counts, bar),
    drawing,
    plan,
    topics,
    claims,
    paths,
    tools,
    facts,
    failures,
  );

  function show(walk) {
    const isOver = walk.state !== null;
    drawn = walk;
    waits.hidden = isOver || !walk.waits;
    if (!waits.hidden) fill(waits, waitsWords(walk.waits));
    missed.hidden = !walk.missed;
    fill(counts, countsOf(walk));
    bar.hidden = isOver || !walk.toScore;
    bar.value = walk.toScore ? Math.min(walk.facts.length / walk.toScore, 1) : 0;
    fill(plan.lastChild, planOf(walk));
    plan.hidden = !plan.lastChild.children.length;
    drawWalk(walk);
    showTopics(walk);
    showList(claims, t("walk.claims"), walk.claims.map((text) => h("li", {}, cut(text))));
    showList(tools, t("walk.tools"), walk.tools.map(toolLine));
    showPaths(walk);
    showFacts(walk);
    showList(failures, t("walk.given-up"), walk.failures.map((one) => h("li", {}, h("b", {}, stepName(one.step)), `: ${one.error}`)));
  }

  function drawWalk(walk) {
    if (!walk.nodes.size && !story?.edges.length) return;
    drawing.hidden = false;
    if (!graph) {
      begin();
      return;
    }
    if (story) {
      drawStory(walk);
      return;
    }
    const nodes = [...walk.nodes.values()].map((node) => drawnNode(node, walk));
    const edges = nodes.filter((node) => node.parent).map((node) => edgeTo(node));
    graph.add({ nodes, edges });
  }

  /** Load the graph library, which is large, when there is something to draw. */
  async function begin() {
    if (drawing.firstChild) return;
    const place = drawing.appendChild(h("div.graph-coming", {}, loading()));
    try {
      const { createGraphView } = await import("../graph_view.js");
      if (isGone) return;
      graph = createGraphView({
        label: t("walk.graph"),
        arrangement: "levels",
        groups: drawn.paths.size ? [] : [{ id: 0, name: t("walk.began") }],
        describe: (node) => node.words,
        onCite,
      });
      place.replaceWith(graph.element);
      drawWalk(drawn);
    } catch (error) {
      if (!isGone) fill(drawing, failure(error, () => (fill(drawing), begin())));
    }
  }

  /** Draw what the answer rests on, numbered; what else was read becomes dots beside it. */
  function drawStory(walk) {
    const carried = new Set(story.nodes.map(({ id }) => id));
    const beside = [...walk.nodes.values()].filter(({ name }) => !carried.has(keyOf(name)));
    const nodes = story.nodes.map((node) => storyNode(node, story));
    const dots = beside.map((node) => ({ ...drawnNode(node, walk), aside: true, pale: false, group: "aside", groupName: t("walk.aside") }));
    const edges = story.edges.map((edge) => ({ ...edge, id: `${edge.source} ${edge.target}`, directed: true, label: numbers(edge.cites) }));
    graph.add({ nodes: [...nodes, ...dots], edges });
  }

  /** Show what the answer rests on. */
  function tell(told) {
    if (!told.edges.length) return;
    story = told;
    graph?.clear();
    if (drawn) drawWalk(drawn);
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
    fill(paths, h("h4", {}, t("walk.paths")), h("ul", {}, [...walk.paths].sort((a, b) => a[0] - b[0]).map(entry)));
  }

  function showTopics(walk) {
    const entries = [...(walk.topics ?? [])];
    topics.hidden = !entries.length;
    fill(topics, h("h4", {}, t("walk.topics")), h("ul.walk-topics.small", {}, entries.map(topicLine)));
  }

  function showFacts(walk) {
    const shown = walk.facts.slice(0, MOST_FACTS);
    facts.hidden = !shown.length;
    fill(facts.firstChild.firstChild, t("walk.scored", { count: walk.facts.length }));
    writeList(facts.firstChild.lastChild, t("walk.facts"), shown.map(factLine), walk.facts.length - shown.length);
  }

  return {
    element,
    show: (walk) => redraw(element, () => show(walk)),
    tell,
    cite: (n) => graph?.cite(n),
    destroy() {
      isGone = true;
      graph?.destroy();
    },
  };
}

function drawnNode(node, walk) {
  const words = [t("walk.depth", { depth: node.depth })];
  if (node.facts !== null && node.facts !== undefined) words.push(t("count.facts", { n: node.facts }));
  if (node.failed) words.push(known("state", "failed"));
  const isPath = walk.paths.size > 0;
  return {
    id: keyOf(node.name),
    label: node.name,
    level: node.depth,
    parent: node.parent && keyOf(node.parent),
    size: Math.min((node.facts ?? 0) / FULL, 1) * 0.8 + 0.2,
    group: isPath ? `path ${node.path ?? ""}` : node.depth,
    groupName: isPath ? t("walk.path.group", { path: node.path ?? "" }) : t("walk.hops", { n: node.depth }),
    pale: !isPath && walk.state === null && node.facts === null,
    words: listed(words),
  };
}

function storyNode({ id, label, step, cites }, { edges }) {
  const parent = edges.find((edge) => edge.target === id)?.source ?? null;
  const words = listed([t("walk.depth", { depth: step }), t("walk.carries", { numbers: numbers(cites) })]);
  return { id, label, cites, level: step, parent, size: 0.55, group: step, groupName: t("walk.hops", { n: step }), words };
}

/** "[1] [2]" */
function numbers(cites) {
  return [...new Set(cites)].sort((a, b) => a - b).map((n) => `[${n}]`).join(" ");
}

function edgeTo(node) {
  return { id: `${node.parent}→${node.id}`, source: node.parent, target: node.id, directed: true };
}

function showList(section, title, entries) {
  section.hidden = !entries.length;
  writeList(section, title, entries, 0, h("h4", {}, title));
}

/** Write a list that may scroll and stays where it was scrolled to. */
function writeList(place, name, entries, left = 0, heading = null) {
  const isSeen = !place.hidden && !place.closest("details:not([open])"); // else asking costs a layout of the page
  const held = isSeen ? (place.querySelector("ul")?.scrollTop ?? 0) : 0;
  fill(place, heading, h("ul.rows.scroll.small", { tabindex: "0", "aria-label": name }, entries));
  if (left > 0) place.append(h("p.muted.tiny", {}, t("walk.lower", { count: left })));
  if (held) place.querySelector("ul").scrollTop = held;
}
