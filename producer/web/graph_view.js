// A drawn graph that also works by keyboard, and a list that says the same to those who do not see it.

import cytoscape from "./vendor/cytoscape.esm.min.mjs";
import { colours } from "./colours.js";
import { fill, h } from "./elements.js";
import { arrangeForce, arrangeLevels, fitWhole, nextInDirection } from "./graph_layout.js";
import { diameter, graphStyle, groupColour } from "./graph_style.js";
import { counted } from "./words.js";

const SETTLE = 120; // ms: what is added in quick succession is arranged once
const STEP = 1.3;
const WORDY = 30; // nodes whose names fit side by side however small they are drawn
const LARGE = 0.6; // size of a node whose name is shown in any crowd
const ARROWS = { ArrowLeft: { x: -1, y: 0 }, ArrowRight: { x: 1, y: 0 }, ArrowUp: { x: 0, y: -1 }, ArrowDown: { x: 0, y: 1 } };

/**
 * Draw a graph.
 *
 * A node is {id, label, second? (words below it), group?, size? (0 to 1), level?, parent? (id; orders a level),
 * pale?, ...own}; an edge is {id, source, target, label?, width? (px), directed?}. Groups get their colours in the
 * order in which they come.
 *
 * @param {object} given
 * @param {string} given.label what the graph shows, for screen readers.
 * @param {"force"|"levels"} [given.arrangement]
 * @param {Array<{id, name}>} [given.groups] known from the beginning; others are added as they come.
 * @param {boolean} [given.legend] show the groups' names.
 * @param {(node) => string} [given.describe] a few words beside the name in the list.
 * @param {(node|null) => void} [given.onSelect]
 * @param {(node) => void} [given.onOpen] Enter, or a double click.
 */
export function createGraphView({
  label,
  arrangement = "force",
  groups = [],
  legend = true,
  describe = () => "",
  onSelect = () => {},
  onOpen = () => {},
}) {
  const known = new Map();
  const nodes = new Map();
  const fresh = new Set(); // ids that wait for their place
  let chosen = null;
  let timer = null;
  let rearrange = false;

  const said = h("p.visually-hidden", { role: "status" });
  const canvas = h("div.graph-canvas", {
    tabindex: "0",
    role: "application",
    "aria-roledescription": "graph",
    "aria-label": `${label}. Arrow keys go from node to node, Enter opens one, plus and minus zoom, 0 shows all.`,
  });
  const legendList = h("ul.graph-legend", { "aria-label": "Colours" });
  const list = h("ul", { "aria-label": label });
  const listTitle = h("summary", {}, "As a list");
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
        tool("−", "Zoom out", () => zoom(1 / STEP)),
        tool("+", "Zoom in", () => zoom(STEP)),
        tool("Fit", "Show the whole graph", () => fit()),
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
  cy.on("dbltap", "node", (event) => onOpen(nodes.get(event.target.id())));
  canvas.addEventListener("focus", () => cy.userZoomingEnabled(true));
  canvas.addEventListener("blur", () => cy.userZoomingEnabled(false));
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
    fitWhole(cy, (node) => nodes.size <= WORDY || node.data("size") >= LARGE || node.id() === chosen);
  }

  function forgetGroups() {
    known.clear();
    groups.forEach((group, index) => known.set(group.id, { ...group, index }));
  }

  function groupOf(id = "") {
    if (!known.has(id)) known.set(id, { id, name: String(id), index: known.size });
    return known.get(id);
  }

  function drawn(node) {
    const told = { ...node, parentNode: node.parent, diameter: diameter(node.size), groupIndex: groupOf(node.group).index };
    delete told.parent; // to the library, a parent is a box around its children
    return told;
  }

  /** Add what is new; what is there already is brought up to date. Edges to unknown nodes are left out. */
  function add({ nodes: given = [], edges = [] }) {
    cy.batch(() => {
      for (const node of given) {
        const before = nodes.get(node.id);
        nodes.set(node.id, { ...before, ...node });
        if (before) cy.getElementById(node.id).data(drawn(nodes.get(node.id)));
        else {
          cy.add({ group: "nodes", data: drawn(node), classes: node.pale ? "is-pale" : "" });
          fresh.add(node.id);
        }
        if (before) cy.getElementById(node.id).toggleClass("is-pale", Boolean(nodes.get(node.id).pale));
      }
      for (const edge of edges) {
        const both = nodes.has(edge.source) && nodes.has(edge.target);
        if (!both || cy.getElementById(edge.id).length) continue;
        cy.add({ group: "edges", data: { label: "", width: 1.5, directed: false, ...edge } });
      }
    });
    settle();
  }

  /** Remove nodes, with their edges. */
  function remove(ids) {
    for (const id of ids) {
      cy.getElementById(id).remove();
      nodes.delete(id);
      fresh.delete(id);
      if (chosen === id) select(null);
    }
    settle();
  }

  function clear() {
    forgetGroups();
    cy.elements().remove();
    nodes.clear();
    fresh.clear();
    chosen = null;
    rearrange = true;
    settle();
  }

  function settle() {
    clearTimeout(timer);
    timer = setTimeout(arrange, SETTLE);
  }

  function arrange() {
    const added = cy.nodes().filter((node) => fresh.has(node.id()));
    if (arrangement === "levels") arrangeLevels(cy, move);
    else if (added.length) arrangeForce(cy, added, { all: rearrange || added.length === cy.nodes().length });
    fresh.clear();
    rearrange = false;
    if (arrangement !== "levels" || isStill()) fit();
    writeList();
    writeLegend();
    element.dataset.settled = String(nodes.size);
  }

  function move(node, position) {
    if (isStill() || fresh.has(node.id())) {
      node.position(position);
      fit();
    } else {
      node.animate({ position }, { duration: 220, easing: "ease-out", complete: fit });
    }
  }

  /** Select a node by its id, or none. */
  function select(id, { silent = false } = {}) {
    if (id !== null && !nodes.has(id)) return;
    chosen = id;
    cy.batch(() => {
      cy.elements().removeClass("is-chosen is-near is-far");
      if (id === null) return;
      const node = cy.getElementById(id);
      node.addClass("is-chosen");
      cy.elements().difference(node.closedNeighborhood()).addClass("is-far");
      node.connectedEdges().addClass("is-near");
    });
    for (const button of list.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.dataset.node === id));
    }
    if (id === null) {
      onSelect(null);
      return;
    }
    const node = nodes.get(id);
    const near = cy.getElementById(id).neighborhood("node").length;
    if (!silent) said.textContent = `${[node.label, describe(node)].filter(Boolean).join(", ")}, ${counted(near, "neighbour")}`;
    onSelect(node);
  }

  function writeList() {
    listTitle.textContent = `As a list (${nodes.size})`;
    const focused = list.contains(document.activeElement) ? document.activeElement.dataset.node : null;
    const entry = (node) =>
      h(
        "li",
        {},
        h(
          "button",
          {
            type: "button",
            data: { node: node.id },
            "aria-pressed": String(node.id === chosen),
            on: { click: () => select(node.id, { silent: true }), dblclick: () => onOpen(nodes.get(node.id)) },
          },
          h("span.graph-dot", { "aria-hidden": "true", style: { "--group": groupColour(groupOf(node.group).index) } }),
          node.label,
          describe(node) && h("span.muted", {}, describe(node)),
        ),
      );
    fill(list, ...[...nodes.values()].map(entry));
    if (focused) list.querySelector(`[data-node="${CSS.escape(focused)}"]`)?.focus();
  }

  function writeLegend() {
    const used = new Set([...nodes.values()].map((node) => node.group ?? ""));
    const shown = [...known.values()].filter((group) => used.has(group.id) && group.name);
    legendList.hidden = !legend || shown.length < 1;
    fill(
      legendList,
      ...shown.map((group) =>
        h("li", {}, h("span.graph-dot", { "aria-hidden": "true", style: { "--group": groupColour(group.index) } }), group.name),
      ),
    );
  }

  forgetGroups();
  writeList();
  writeLegend();
  return {
    element,
    add,
    remove,
    clear,
    select,
    fit,
    selected: () => (chosen === null ? null : nodes.get(chosen)),
    has: (id) => nodes.has(id),
    nodes: () => [...nodes.values()],
    destroy() {
      clearTimeout(timer);
      colours.removeEventListener("change", restyle);
      observer.disconnect();
      cy.destroy();
    },
  };
}
