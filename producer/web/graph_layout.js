// Where nodes stand. What stands already stays where it is, as far as the arrangement allows.

import { labelSize, placeLabels } from "./graph_labels.js";

const COLUMN = 190; // px between two levels
const LINE = 58; // px between two nodes of a level
const MOST = 16; // nodes of a level in one column; of more there are several columns,
const BESIDE = 84; // with px between two
const TALL = 520; // px: on a canvas that is narrower a story goes down
const STEP = { across: 84, along: 210 }; // px between names of a story that goes to the right
const STEP_DOWN = { across: 160, along: 112 }; // of one that goes down
const DOTS = 30; // px between what is drawn beside a story
const SPREAD = 90; // px from a node to those that it brings
const SPRING = 100; // px that an edge would like to be long
const LABEL_WIDTH = 1.4; // how much further apart across than down
const GRAVITY = 0.3;
const OUT_OF_REACH = 260; // px beyond which nodes do not push each other
const ROUNDS = 160;
const MARGIN = 36; // px above and below a fitted graph
const ASIDE = 84; // px beside it: half of a name
const NAME_WIDTH = 130; // px that a name is given room for
const SPREADS = 80; // rounds in which nodes make room for names
const SMALLEST = 0.4; // zoom below which names get no more room
const EASE = 0.6; // share of an overlap that one round takes away
const CLOSEST = 1.15; // zoom that fitting never goes beyond
const FIRST_STEP = 40; // px that a node may move in the first round

/** Columns by level, from left to right; within one, in the order of those that led there. */
export function arrangeLevels(cy, move) {
  const shown = cy.nodes().filter((node) => !node.data("aside"));
  if (shown.length < cy.nodes().length || cy.edges("[cites]").length) return arrangeStory(cy, shown, move);
  inLevels(shown, LINE, (node, level, y, before) => move(node, { x: level * COLUMN + before * BESIDE, y }), MOST);
}

/** What carries the citations in its levels, to the right or down; all else as dots below. */
function arrangeStory(cy, shown, move) {
  const isTall = cy.width() < TALL;
  const { across, along } = isTall ? STEP_DOWN : STEP;
  const places = [];
  inLevels(shown, across, (node, level, at) => {
    const place = isTall ? { x: at, y: level * along } : { x: level * along, y: at };
    places.push(place);
    move(node, place);
  });
  const [left, right, bottom] = [Math.min(...places.map(({ x }) => x)), Math.max(...places.map(({ x }) => x)), Math.max(...places.map(({ y }) => y))];
  const inRow = Math.max(6, Math.floor((right - left) / DOTS));
  const dots = cy.nodes().filter((node) => node.data("aside"));
  dots.forEach((node, nth) => {
    const [row, place] = [Math.floor(nth / inRow), nth % inRow];
    const width = Math.min(dots.length - row * inRow, inRow) - 1;
    move(node, { x: (left + right) / 2 + (place - width / 2) * DOTS, y: bottom + 3 * DOTS + row * DOTS });
  });
}

/**
 * Go through the levels from the first: `place(node, level, across, before)`; within one, in the order of those that led
 * there. Of a level with more than `most` nodes each stands in the next of several lines; `before` counts the lines that
 * there are more than levels.
 */
function inLevels(shown, gap, place, most = Infinity) {
  const columns = new Map();
  shown.forEach((node) => {
    const level = node.data("level") ?? 0;
    if (!columns.has(level)) columns.set(level, []);
    columns.get(level).push(node);
  });
  const placed = new Map();
  let before = 0;
  for (const level of [...columns.keys()].sort((a, b) => a - b)) {
    const nodes = columns.get(level);
    const ranked = nodes
      .map((node, nth) => ({ node, nth, from: placed.get(node.data("parentNode")) ?? 0 }))
      .sort((a, b) => a.from - b.from || a.nth - b.nth);
    const lines = Math.max(1, Math.ceil(ranked.length / most));
    ranked.forEach(({ node }, nth) => {
      const across = ((nth - (ranked.length - 1) / 2) * gap) / lines;
      placed.set(node.id(), across);
      place(node, level, across, before + (nth % lines));
    });
    before += lines - 1;
  }
}

/**
 * Springs: new nodes begin beside a neighbour and find their place, the others hold still.
 * @param {boolean} [given.all] let every node move.
 */
export function arrangeForce(cy, added, { all = false } = {}) {
  placeNew(cy, added);
  const bodies = cy.nodes().map((node) => ({ node, ...node.position(), isFree: all || added.contains(node) }));
  const index = new Map(bodies.map((body, nth) => [body.node.id(), nth]));
  const springs = cy.edges().map((edge) => [index.get(edge.source().id()), index.get(edge.target().id())]);
  for (let round = 0; round < ROUNDS; round += 1) relax(bodies, springs, FIRST_STEP * (1 - round / ROUNDS) + 1);
  spread(cy, bodies);
  for (const { node, x, y, isFree } of bodies) if (isFree) node.position({ x, y });
}

/** One round after Fruchterman and Reingold (1991); nodes push each other aside further across than down. */
function relax(bodies, springs, step) {
  const push = bodies.map(({ x, y }) => ({ x: -x * GRAVITY, y: -y * GRAVITY }));
  for (let one = 0; one < bodies.length; one += 1) {
    for (let other = 0; other < one; other += 1) {
      const dx = (bodies[one].x - bodies[other].x) / LABEL_WIDTH;
      const dy = bodies[one].y - bodies[other].y;
      const far = dx * dx + dy * dy + 1;
      if (far > OUT_OF_REACH * OUT_OF_REACH) continue;
      const force = (SPRING * SPRING) / far;
      add(push[one], dx * force, dy * force);
      add(push[other], -dx * force, -dy * force);
    }
  }
  for (const [one, other] of springs) {
    const dx = bodies[other].x - bodies[one].x;
    const dy = bodies[other].y - bodies[one].y;
    const force = Math.hypot(dx, dy) / SPRING;
    add(push[one], dx * force, dy * force);
    add(push[other], -dx * force, -dy * force);
  }
  bodies.forEach((body, nth) => {
    if (!body.isFree) return;
    const far = Math.hypot(push[nth].x, push[nth].y) || 1;
    add(body, (push[nth].x / far) * Math.min(far, step), (push[nth].y / far) * Math.min(far, step));
  });
}

function add(vector, x, y) {
  vector.x += x;
  vector.y += y;
}

function placeNew(cy, added) {
  const waiting = new Set(added.map((node) => node.id()));
  added.forEach((node, nth) => {
    const beside = node.neighborhood("node").filter((other) => !waiting.has(other.id()))[0];
    const centre = beside ? beside.position() : { x: 0, y: 0 };
    const angle = nth * 2.399963; // the golden angle: no two in one direction
    const far = beside ? SPREAD : SPREAD * Math.sqrt(nth);
    node.position({ x: centre.x + Math.cos(angle) * far, y: centre.y + Math.sin(angle) * far });
    waiting.delete(node.id());
  });
}

/** Show the whole graph, with room around it for names. */
export function fitWhole(cy) {
  const box = cy.elements().boundingBox({ includeLabels: false });
  const room = roomOf(cy);
  const fitting = Math.min(room.width / Math.max(box.w, 1), room.height / Math.max(box.h, 1), CLOSEST);
  const zoom = Math.max(fitting, cy.minZoom());
  const middle = { x: (box.x1 + box.x2) / 2, y: (box.y1 + box.y2) / 2 };
  cy.viewport({ zoom, pan: { x: cy.width() / 2 - zoom * middle.x, y: cy.height() / 2 - zoom * middle.y } });
  placeLabels(cy, { isWhole: true });
}

/** What is left of the canvas for the nodes themselves, in px. */
function roomOf(cy) {
  const aside = Math.min(ASIDE, cy.width() / 5);
  return { width: cy.width() - 2 * aside, height: cy.height() - 2 * MARGIN };
}

/** Push nodes apart until their names, at the size they are read in, have room. */
function spread(cy, bodies) {
  const sizes = bodies.map(({ node }) => labelSize(node, NAME_WIDTH));
  for (let turn = 0; turn < SPREADS; turn += 1) {
    const scale = scaleOf(cy, bodies);
    const boxes = bodies.map((body, nth) => {
      const across = body.node.data("diameter");
      const [width, height] = [sizes[nth].width / scale, sizes[nth].height / scale];
      return { body, half: { x: Math.max(across, width) / 2 + 3, y: (across + height) / 2 + 4 }, down: height / 2 };
    });
    let moved = false;
    for (let one = 0; one < boxes.length; one += 1) {
      for (let other = 0; other < one; other += 1) moved = part(boxes[one], boxes[other]) || moved;
    }
    if (!moved) return;
  }
}

/** The zoom at which what is there now would be shown whole. */
function scaleOf(cy, bodies) {
  const span = (axis) => Math.max(...bodies.map((body) => body[axis])) - Math.min(...bodies.map((body) => body[axis]));
  const room = roomOf(cy);
  return Math.max(Math.min(room.width / Math.max(span("x"), 1), room.height / Math.max(span("y"), 1), CLOSEST), SMALLEST);
}

/** Move two boxes apart along the axis on which they overlap less; return whether they did. */
function part(one, other) {
  const dx = one.body.x - other.body.x;
  const dy = one.body.y + one.down - other.body.y - other.down;
  const over = { x: one.half.x + other.half.x - Math.abs(dx), y: one.half.y + other.half.y - Math.abs(dy) };
  if (over.x <= 0 || over.y <= 0 || !(one.body.isFree || other.body.isFree)) return false;
  const axis = over.x < over.y ? "x" : "y";
  const sign = (axis === "x" ? dx : dy) < 0 ? -1 : 1;
  const both = one.body.isFree && other.body.isFree;
  const far = sign * (over[axis] / (both ? 2 : 1)) * EASE;
  if (one.body.isFree) one.body[axis] += far;
  if (other.body.isFree) other.body[axis] -= far;
  return true;
}

/** Return the node that lies next in a direction, or nothing. */
export function nextInDirection(cy, from, { x, y }) {
  let best = null;
  let least = Infinity;
  const here = from.position();
  cy.nodes().forEach((node) => {
    if (node.id() === from.id()) return;
    const dx = node.position("x") - here.x;
    const dy = node.position("y") - here.y;
    const along = dx * x + dy * y;
    const aside = Math.abs(dx * y) + Math.abs(dy * x);
    if (along <= 0 || aside > along * 2) return;
    const far = along + aside * 1.5;
    if (far < least) [best, least] = [node, far];
  });
  return best;
}
