// How nodes and edges look; the values come from the style sheets, so that light and dark fit.

import { resolveColours } from "./colours.js";

export const GROUPS = 10; // --group-0 … --group-9
export const TEXT = 13; // px
const SMALLEST = 16; // px across
const LARGEST = 46;
const ASIDE = 12; // of what is drawn beside a story

const NAMES = ["--surface", "--ink", "--ink-soft", "--line-strong", "--accent", "--relation", ...groupNames()];

function groupNames() {
  return Array.from({ length: GROUPS }, (_, index) => `--group-${index}`);
}

/** The custom property of a group's colour; groups beyond the palette share its last. */
export function groupColour(index) {
  return `var(--group-${Math.min(Math.max(index, 0), GROUPS - 1)})`;
}

/** Diameter of a node of a size of 0 to 1. */
export function diameter({ size, aside }) {
  if (aside) return ASIDE;
  return SMALLEST + (LARGEST - SMALLEST) * Math.min(Math.max(size ?? 0.3, 0), 1);
}

/** Return the library's style sheet in the colours of the moment. */
export function graphStyle() {
  const colour = resolveColours(NAMES);
  const font = getComputedStyle(document.body).fontFamily;
  return [
    {
      selector: "node",
      style: {
        width: "data(diameter)",
        height: "data(diameter)",
        "background-color": (node) => colour[`--group-${Math.min(node.data("groupIndex"), GROUPS - 1)}`],
        "border-width": 2,
        "border-color": colour["--surface"],
        label: "data(label)",
        "font-family": font,
        "font-size": TEXT,
        color: colour["--ink"],
        "text-valign": "bottom",
        "text-margin-y": 5,
        "text-wrap": "ellipsis",
        "text-outline-color": colour["--surface"],
        "text-outline-width": 2.5,
      },
    },
    {
      selector: "node[second]",
      style: { label: (node) => `${node.data("label")}\n${node.data("second")}`, "text-wrap": "wrap", "line-height": 1.2 },
    },
    {
      selector: "edge",
      style: {
        width: "data(width)",
        "line-color": colour["--line-strong"],
        opacity: 0.75,
        "curve-style": "bezier",
        "target-arrow-shape": (edge) => (edge.data("directed") ? "triangle" : "none"),
        "target-arrow-color": colour["--line-strong"],
        "arrow-scale": 0.8,
        label: "data(label)",
        "font-family": font,
        "font-size": 11,
        color: colour["--ink-soft"],
        "text-outline-color": colour["--surface"],
        "text-outline-width": 2.5,
      },
    },
    { selector: "node.is-far", style: { opacity: 0.45 } },
    { selector: "edge.is-far", style: { opacity: 0.25 } },
    { selector: "edge.is-near", style: { "line-color": colour["--accent"], "target-arrow-color": colour["--accent"], opacity: 1 } },
    {
      selector: "edge.is-relation",
      style: { "line-color": colour["--relation"], "target-arrow-color": colour["--relation"], color: colour["--relation"] },
    },
    { selector: "node.is-chosen", style: { "border-color": colour["--ink"], "border-width": 3, "font-weight": 700, "z-index": 10 } },
    {
      selector: "edge[cites]",
      style: { width: 3, opacity: 1, "line-color": colour["--accent"], "target-arrow-color": colour["--accent"], "arrow-scale": 1.2, color: colour["--accent"], "font-weight": 700, "z-index": 5, "text-background-color": colour["--surface"], "text-background-opacity": 1, "text-background-padding": 2 },
    },
    { selector: "edge.is-cited", style: { width: 5 } },
    { selector: ".is-dim", style: { opacity: 0.35 } },
    { selector: "node[?aside]", style: { "background-opacity": 0.3, "border-width": 0, color: colour["--ink-soft"] } },
    { selector: "node.is-pale", style: { "background-opacity": 0.35 } },
    { selector: ".is-waiting", style: { opacity: 0 } }, // for its place
    { selector: ".is-nameless", style: { label: "" } },
    { selector: "node, edge", style: { "overlay-opacity": 0 } },
  ];
}

/** Show which node is chosen, by its id, and what is joined to it; null for none. */
export function markChosen(cy, id) {
  cy.batch(() => {
    cy.elements().removeClass("is-chosen is-near is-far");
    if (id === null) return;
    const node = cy.getElementById(id);
    node.addClass("is-chosen");
    cy.elements().difference(node.closedNeighborhood()).addClass("is-far");
    node.connectedEdges().addClass("is-near");
  });
}

/** Draw what carries a citation stronger than what carries others; null for all alike. */
export function markCited(cy, n) {
  cy.batch(() => {
    const carriers = cy.elements().filter((one) => one.data("cites")?.includes(n));
    cy.elements().removeClass("is-cited is-dim");
    if (!carriers.length) return;
    carriers.addClass("is-cited");
    cy.elements().difference(carriers).addClass("is-dim");
  });
}
