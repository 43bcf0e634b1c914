// Which names a drawn graph shows, and where: none lies over another, over a node or beyond the edge. What has no
// room is left out until there is some (zoom in, or choose the node); the list below the graph names everything.

import { TEXT } from "./graph_style.js";

const GAP = 3; // px between two labels
const SURROUNDED = 0.3; // of 1: below it a node's lines lead to all sides
const NODE_GAP = 1; // px between a label and another's node
const MARGIN = 4; // px from a node to its label
const LINE_HEIGHT = 1.25; // of the text's size
const WIDTHS = [200, 130, 96, 72]; // px after which a name is cut: the first that has room
const EDGE_TEXT = 11; // px
const CITE_TEXT = 14; // of an edge that carries a citation
const SHIFTS = [0, -14, 14, -28, 28]; // px that a line's words move up or down
const MOST_MEASURED = 5000; // texts
const CORNER = 0.7; // share of the radius at which a label at a corner begins
// Where a label stands beside its node, the best place first.
const SIDES = [
  { x: 0, y: 1 },
  { x: 1, y: 0 },
  { x: -1, y: 0 },
  { x: 0, y: -1 },
  { x: 1, y: 1 },
  { x: 1, y: -1 },
  { x: -1, y: 1 },
  { x: -1, y: -1 },
];
const ALIGN = { x: { "-1": "left", 0: "center", 1: "right" }, y: { "-1": "top", 0: "center", 1: "bottom" } };

const WRITTEN = "_label"; // where the style of a label is noted

const pen = document.createElement("canvas").getContext("2d");

const widths = new Map(); // of texts that were measured, by font and text

function measure(text, size, isBold = false) {
  const font = `${isBold ? "700 " : ""}${size}px`;
  const id = `${font} ${text}`;
  if (!widths.has(id)) {
    if (widths.size >= MOST_MEASURED) widths.clear();
    pen.font = `${font} ${getComputedStyle(document.body).fontFamily}`;
    widths.set(id, pen.measureText(text).width);
  }
  return widths.get(id);
}

/** Width and height in px of a node's label that is cut, or wrapped, at a width. */
export function labelSize(node, most = WIDTHS[0]) {
  const isBold = node.hasClass("is-chosen");
  const lines = [node.data("label"), node.data("second")].filter(Boolean).map((line) => measure(line, TEXT, isBold));
  const isWrapped = lines.length > 1;
  const rows = isWrapped ? lines.reduce((sum, width) => sum + Math.ceil(width / most), 0) : 1;
  return { width: Math.min(Math.max(...lines), most), height: rows * TEXT * LINE_HEIGHT };
}

/**
 * Place all labels anew, at the size that is read well whatever the zoom.
 * @param {object} cy
 * @param {object} [given]
 * @param {boolean} [given.isWhole] the whole graph is in view: no label goes beyond its edge.
 */
export function placeLabels(cy, { isWhole = false } = {}) {
  const zoom = cy.zoom();
  const view = { x1: 2, y1: 2, x2: cy.width() - 2, y2: cy.height() - 2 };
  const taken = [];
  const bodies = cy.nodes().map((node) => [node.id(), bodyOf(node)]);
  const isInside = (box) => !isWhole || (box.x1 >= view.x1 && box.x2 <= view.x2 && box.y1 >= view.y1 && box.y2 <= view.y2);
  const fits = (box, own) =>
    isInside(box) && !taken.some((other) => overlap(box, other, GAP)) && !bodies.some(([id, body]) => id !== own && overlap(box, body, NODE_GAP));
  cy.batch(() => {
    const [first, ...others] = ranked(cy);
    // The chosen one is named in any crowd and in full, if need be over a smaller node.
    if (first && ![fits, isInside].some((room) => placeNode(first, room, taken, zoom, WIDTHS.slice(0, 1)))) placeNode(first, isInside, taken, zoom);
    const worded = ranked(cy, "edges");
    const isTold = (node) => Boolean(node.data("cites"));
    for (const node of others.filter(isTold)) placeNode(node, fits, taken, zoom);
    const isFirst = (edge) => edge.data("relation") || edge.data("cites");
    for (const edge of worded.filter(isFirst)) placeEdge(edge, fits, taken, zoom);
    for (const node of others.filter((one) => !isTold(one))) {
      if (node.data("aside")) node.addClass("is-nameless");
      else placeNode(node, fits, taken, zoom);
    }
    for (const edge of worded.filter((one) => !isFirst(one))) placeEdge(edge, fits, taken, zoom);
  });
}

/** Nodes or lines in the order in which they get room: the chosen first, then what is joined to it, then the largest. */
function ranked(cy, kind = "nodes") {
  const rank = (one) => (one.hasClass("is-chosen") ? 4 : 0) + (one.hasClass("is-near") ? 2 : 0) + (one.data("aside") ? -1 : (one.data("size") ?? 0));
  const near = cy.nodes(".is-chosen").neighborhood("node");
  const all = kind === "edges" ? cy.edges().filter((edge) => edge.data("label")) : cy.nodes();
  return all.toArray().sort((one, other) => rank(other) + near.contains(other) - rank(one) - near.contains(one));
}

function bodyOf(node) {
  const { x, y } = node.renderedPosition();
  const radius = (node.data("diameter") / 2) * node.cy().zoom();
  return { x1: x - radius, y1: y - radius, x2: x + radius, y2: y + radius };
}

function overlap(one, other, gap) {
  return one.x1 < other.x2 + gap && other.x1 < one.x2 + gap && one.y1 < other.y2 + gap && other.y1 < one.y2 + gap;
}

/** Name a node where there is room; return whether there was. */
function placeNode(node, fits, taken, zoom, widths = WIDTHS) {
  const body = bodyOf(node);
  const sides = sidesOf(node);
  let tried = 0;
  for (const most of widths) {
    const size = labelSize(node, most);
    if (size.width === tried) continue; // no narrower than the one before
    tried = size.width;
    for (const place of sides) {
      const box = boxAt(body, size, place);
      if (!fits(box, node.id())) continue;
      taken.push(box);
      node.removeClass("is-nameless");
      write(node, {
        "font-size": TEXT / zoom,
        "text-max-width": (most + 1) / zoom,
        "text-valign": ALIGN.y[place.y],
        "text-halign": ALIGN.x[place.x],
        "text-margin-x": (place.x * offset(body, place)) / zoom,
        "text-margin-y": (place.y * offset(body, place)) / zoom,
        "text-outline-width": 2.5 / zoom,
      });
      return true;
    }
  }
  node.addClass("is-nameless");
  return false;
}

/** Give a node or line its style, unless it has it: the library works it out anew each time. */
function write(one, style) {
  const told = JSON.stringify(style);
  if (one.scratch(WRITTEN) === told) return;
  one.scratch(WRITTEN, told);
  one.style(style);
}

/** The sides of a node, those that its lines do not lead to first; of a level, below it first. */
function sidesOf(node) {
  const near = node.neighborhood("node");
  if (node.data("level") !== undefined) return SIDES;
  const away = { x: 0, y: 0 };
  near.forEach((other) => {
    const [dx, dy] = [node.position("x") - other.position("x"), node.position("y") - other.position("y")];
    const far = Math.hypot(dx, dy) || 1;
    away.x += dx / far;
    away.y += dy / far;
  });
  if (Math.hypot(away.x, away.y) < SURROUNDED * near.length || !near.length) return SIDES;
  const along = ({ x, y }) => (x * away.x + y * away.y) / Math.hypot(x, y);
  return [...SIDES].sort((one, other) => along(other) - along(one));
}

/** How far a label begins beyond its node's box, in px: less than nothing at a corner. */
function offset(body, { x, y }) {
  const radius = (body.x2 - body.x1) / 2;
  return x && y ? radius * CORNER - radius + 1 : MARGIN;
}

function boxAt(body, { width, height }, { x, y }) {
  const middle = { x: (body.x1 + body.x2) / 2, y: (body.y1 + body.y2) / 2 };
  const across = (body.x2 - body.x1) / 2 + offset(body, { x, y });
  const left = x === 0 ? middle.x - width / 2 : x > 0 ? middle.x + across : middle.x - across - width;
  const top = y === 0 ? middle.y - height / 2 : y > 0 ? middle.y + across : middle.y - across - height;
  return { x1: left, y1: top, x2: left + width, y2: top + height };
}

function placeEdge(edge, fits, taken, zoom) {
  if (edge.hasClass("is-far")) {
    edge.addClass("is-nameless"); // too pale to be read
    return;
  }
  const middle = edge.renderedMidpoint?.() ?? halfway(edge);
  const text = edge.data("cites") ? CITE_TEXT : EDGE_TEXT;
  const width = measure(edge.data("label"), text);
  const height = text * LINE_HEIGHT;
  for (const shift of SHIFTS) {
    const y = middle.y + shift;
    const box = { x1: middle.x - width / 2, y1: y - height / 2, x2: middle.x + width / 2, y2: y + height / 2 };
    if (!fits(box)) continue;
    taken.push(box);
    edge.removeClass("is-nameless");
    write(edge, { "font-size": text / zoom, "text-margin-y": shift / zoom, "text-outline-width": 2.5 / zoom });
    return;
  }
  edge.addClass("is-nameless");
}

function halfway(edge) {
  const [one, other] = [edge.source().renderedPosition(), edge.target().renderedPosition()];
  return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
}
