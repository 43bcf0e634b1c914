// A drawn graph that also works by keyboard, and a list that says the same to those who do not see it.

import cytoscape from "./vendor/cytoscape.esm.min.mjs";
import { colours } from "./colours.js";
import { fill, h } from "./elements.js";
import { placeLabels } from "./graph_labels.js";
import { arrangeForce, arrangeLevels, fitWhole, nextInDirection } from "./graph_layout.js";
import { diameter, graphStyle, markChosen, markCited } from "./graph_style.js";
import { groupBook, writeLegend, writeList } from "./graph_words.js";
import { listed, t } from "./texts.js";

const SETTLE = 120; // ms: what is added in quick succession is arranged once
const SETTLE_EACH = 3; // ms more for each node
const MOVE = 220; // ms
const MOST_MOVED = 60; // nodes from which none glides
const STEP = 1.3;
const ARROWS = { ArrowLeft: { x: -1, y: 0 }, ArrowRight: { x: 1, y: 0 }, ArrowUp: { x: 0, y: -1 }, ArrowDown: { x: 0, y: 1 } };

/**
 * Draw a graph.
 *
 * A node is {id, label, second? (words below it), group?, groupName? (in the legend; else the group), size? (0 to 1),
 * level?, parent? (id; orders a level), pale?, aside? (a nameless dot beside the story), ...own}; an edge is {id, source,
 * target, label?, width? (px), directed?, relation? (drawn apart), cites? (numbers of the citations that it carries)}. Groups get their colours in the order in which they come.
 *
 * @param {object} given
 * @param {string} given.label what the graph shows, for screen readers.
 * @param {"force"|"levels"} [given.arrangement]
 * @param {Array<{id, name}>} [given.groups] known from the beginning; others are added as they come.
 * @param {boolean} [given.legend] show the groups' names.
 * @param {Array<{name, relation?}>} [given.lines] what lines mean, in the legend where there are such.
 * @param {(node) => string} [given.describe] a few words beside the name in the list.
 * @param {(node|null) => void} [given.onSelect]
 * @param {(node) => void} [given.onOpen] Enter, or a double click.
 * @param {(n: number) => void} [given.onCite] an edge that carries a citation was pressed.
 */
export function createGraphView({
  label,
  arrangement = "force",
  groups = [],
  legend = true,
  lines = [],
  describe = () => "",
  onSelect = () => {},
  onOpen = () => {},
  onCite = () => {},
}) {
  const known = groupBook(groups);
  const nodes = new Map();
  const fresh = new Set(); // ids that wait for their place
  let chosen = null;
  const written = new Map(); // id → what is drawn of it
  let timer = null;
  let fitting = null;
  let rearrange = false;
  let isFitting = false;
  let relabelling = 0;
  let isWhole = true; // the whole graph is in view

  const said = h("p.visually-hidden", { role: "status" });
  const canvas = h("div.graph-canvas", {
    tabindex: "0",
    role: "application",
    "aria-roledescription": t("drawing.role"),
    "aria-label": t("drawing.keys", { label }),
  });
  const legendList = h("ul.graph-legend", { "aria-label": t("drawing.legend") });
  const list = h("ul", { "aria-label": label });
  const listTitle = h("summary", {}, t("drawing.list", { count: 0 }));
  const tool = (text, name, act) => h("button.quiet", { type: "button", "aria-label": name, on: { click: act } }, text);
  const element = h(
    "div.graph",
    {},
    canvas,
    h(
      "div.graph-tools",
      {},
      legendList,
      h(
        "div.row",
        {},
        tool("−", t("drawing.zoom-out"), () => zoom(1 / STEP)),
        tool("+", t("drawing.zoom-in"), () => zoom(STEP)),
        tool(t("drawing.fit"), t("drawing.whole"), () => fit()),
      ),
    ),
    h("details.graph-list", {}, listTitle, list),
    said,
  );

  const cy = cytoscape({
    container: canvas,
    style: graphStyle(),
    layout: { name: "preset" },
    userZoomingEnabled: false, // a wheel scrolls the page until the graph has the focus
    boxSelectionEnabled: false,
    autounselectify: true,
    minZoom: 0.15,
    maxZoom: 3,
  });
  const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
  const restyle = () => cy.style(graphStyle());
  colours.addEventListener("change", restyle);
  const observer = new ResizeObserver(() => {
    cy.resize();
    fit();
  });
  observer.observe(canvas);

  cy.on("tap", "node", (event) => select(event.target.id()));
  cy.on("tap", (event) => event.target === cy && select(null));
  cy.on("tap", "edge[cites]", (event) => onCite(event.target.data("cites")[0]));
  cy.on("dbltap", "node", (event) => onOpen(nodes.get(event.target.id())));
  cy.on("zoom", () => isFitting || relabel());
  for (const [event, isOn] of [["focus", true], ["blur", false]]) canvas.addEventListener(event, () => cy.userZoomingEnabled(isOn));
  canvas.addEventListener("mousedown", () => canvas.focus({ preventScroll: true }));
  canvas.addEventListener("keydown", steer);
  function steer(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const direction = ARROWS[event.key];
    if (direction) go(direction);
    else if (event.key === "Enter" && chosen) onOpen(nodes.get(chosen));
    else if (event.key === "Escape" && chosen) select(null);
    else if (event.key === "+" || event.key === "=") zoom(STEP);
    else if (event.key === "-") zoom(1 / STEP);
    else if (event.key === "0") fit();
    else return;
    event.preventDefault();
  }

  function go(direction) {
    const from = chosen ? cy.getElementById(chosen) : null;
    const next = from ? nextInDirection(cy, from, direction) : cy.nodes()[0];
    if (next) select(next.id());
  }

  function zoom(factor) {
    cy.zoom({ level: cy.zoom() * factor, renderedPosition: { x: cy.width() / 2, y: cy.height() / 2 } });
  }

  function fit() {
    if (!cy.nodes().length) return;
    isFitting = true;
    fitWhole(cy);
    isFitting = false;
    isWhole = true;
  }

  /** Place the names anew after a zoom: what is larger has room for more of them. */
  function relabel() {
    isWhole = false;
    relabelling ||= requestAnimationFrame(() => {
      relabelling = 0;
      if (!cy.destroyed()) placeLabels(cy);
    });
  }

  function drawn(node) {
    const told = { ...node, parentNode: node.parent, diameter: diameter(node), groupIndex: known.of(node.group, node.groupName).index };
    delete told.parent; // to the library, a parent is a box around its children
    return told;
  }

  /** Add what is new; what is there already is brought up to date. Edges to unknown nodes are left out. */
  function add({ nodes: given = [], edges = [] }) {
    cy.batch(() => {
      for (const node of given) {
        const before = nodes.get(node.id);
        nodes.set(node.id, { ...before, ...node });
        const data = drawn(nodes.get(node.id));
        const told = JSON.stringify(data);
        if (written.get(node.id) === told) continue;
        written.set(node.id, told);
        if (before) cy.getElementById(node.id).data(data);
        else {
          cy.add({ group: "nodes", data, classes: "is-waiting" });
          fresh.add(node.id);
        }
        cy.getElementById(node.id).toggleClass("is-pale", Boolean(nodes.get(node.id).pale));
      }
      for (const edge of edges) {
        const both = nodes.has(edge.source) && nodes.has(edge.target);
        if (!both || cy.getElementById(edge.id).length) continue;
        const classes = edge.relation ? "is-relation" : "";
        cy.add({ group: "edges", data: { label: "", width: 1.5, directed: false, ...edge }, classes });
      }
    });
    settle();
  }

  /** Remove nodes with their edges, or edges. */
  function remove(ids) {
    for (const id of ids) {
      cy.getElementById(id).remove();
      nodes.delete(id);
      written.delete(id);
      fresh.delete(id);
      if (chosen === id) select(null);
    }
    settle();
  }

  function clear() {
    known.forget();
    cy.elements().remove();
    nodes.clear();
    written.clear();
    fresh.clear();
    chosen = null;
    rearrange = true;
    settle();
  }

  function settle() {
    timer ??= setTimeout(arrange, SETTLE + SETTLE_EACH * nodes.size);
  }

  function arrange() {
    timer = null;
    clearTimeout(fitting);
    const added = cy.nodes().filter((node) => fresh.has(node.id()));
    if (arrangement === "levels") arrangeLevels(cy, move);
    else if (added.length) arrangeForce(cy, added, { all: rearrange || added.length === cy.nodes().length });
    fresh.clear();
    cy.nodes().removeClass("is-waiting");
    rearrange = false;
    fit();
    if (cy.nodes(":animated").length) fitting = setTimeout(fit, MOVE + SETTLE);
    tellList();
    tellLegend();
    element.dataset.settled = String(nodes.size);
  }

  function move(node, position) {
    const { x, y } = node.position();
    if (x === position.x && y === position.y) return;
    if (isStill() || fresh.has(node.id()) || nodes.size > MOST_MOVED) node.stop().position(position);
    else node.animate({ position }, { duration: MOVE, easing: "ease-out" });
  }

  /** Select a node by its id, or none. */
  function select(id, { silent = false } = {}) {
    if (id !== null && !nodes.has(id)) return;
    chosen = id;
    markChosen(cy, id);
    placeLabels(cy, { isWhole }); // the chosen one has its name, whatever else has to go
    for (const button of list.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.dataset.node === id));
    }
    if (id === null) return onSelect(null);
    const node = nodes.get(id);
    const near = cy.getElementById(id).neighborhood("node").length;
    if (!silent) fill(said, listed([node.label, describe(node), t("count.neighbours", { n: near })]));
    onSelect(node);
  }

  function tellList() {
    fill(listTitle, t("drawing.list", { count: nodes.size }));
    writeList(list, [...nodes.values()], {
      chosen,
      groupOf: known.of,
      describe,
      onSelect: (id) => select(id, { silent: true }),
      onOpen: (id) => onOpen(nodes.get(id)),
    });
  }

  function tellLegend() {
    const used = new Set([...nodes.values()].map((node) => node.group ?? ""));
    const shown = known.all().filter((group) => used.has(group.id) && group.name);
    const hasLine = ({ relation }) => cy.edges().some((edge) => Boolean(edge.data("relation")) === Boolean(relation));
    const drawnLines = lines.filter(hasLine);
    legendList.hidden = !legend || shown.length + drawnLines.length < 1;
    writeLegend(legendList, shown, drawnLines);
  }

  tellList();
  tellLegend();
  return {
    element,
    add,
    remove,
    clear,
    select,
    cite: (n) => markCited(cy, n),
    fit,
    selected: () => (chosen === null ? null : nodes.get(chosen)),
    has: (id) => nodes.has(id),
    nodes: () => [...nodes.values()],
    destroy() {
      clearTimeout(timer);
      clearTimeout(fitting);
      cancelAnimationFrame(relabelling);
      colours.removeEventListener("change", restyle);
      observer.disconnect();
      cy.destroy();
    },
  };
}
