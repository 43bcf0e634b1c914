// Where nodes stand. What stands already stays where it is, as far as the arrangement allows.

import { NAME_WIDTH, TEXT } from "./graph_style.js";

const COLUMN = 190; // px between two levels
const LINE = 58; // px between two nodes of a level
const SPREAD = 90; // px from a node to those that it brings
const SPRING = 100; // px that an edge would like to be long
const LABEL_WIDTH = 1.4; // how much further apart across than down
const GRAVITY = 0.3;
const OUT_OF_REACH = 260; // px beyond which nodes do not push each other
const ROUNDS = 160;
const MARGIN = 36; // px around a fitted graph
const CLOSEST = 1.15; // zoom that fitting never goes beyond
const FIRST_STEP = 40; // px that a node may move in the first round

/** Columns by level, from left to right; within one, in the order of those that led there. */
export function arrangeLevels(cy, move) {
  const columns = new Map();
  cy.nodes().forEach((node) => {
    const level = node.data("level") ?? 0;
    if (!columns.has(level)) columns.set(level, []);
    columns.get(level).push(node);
  });
  const placed = new Map();
  for (const level of [...columns.keys()].sort((a, b) => a - b)) {
    const nodes = columns.get(level);
    const ranked = nodes
      .map((node, nth) => ({ node, nth, from: placed.get(node.data("parentNode")) ?? 0 }))
      .sort((a, b) => a.from - b.from || a.nth - b.nth);
    ranked.forEach(({ node }, nth) => {
      const y = (nth - (ranked.length - 1) / 2) * LINE;
      placed.set(node.id(), y);
      move(node, { x: level * COLUMN, y });
    });
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

/** Show the whole graph; names that may be told apart stay readable where it was shrunk. */
export function fitWhole(cy, isWordy) {
  cy.fit(cy.elements(), MARGIN);
  if (cy.zoom() > CLOSEST) {
    cy.zoom(CLOSEST);
    cy.center(cy.elements());
  }
  const size = Math.min(TEXT / Math.min(cy.zoom() * 1.15, 1), TEXT * 2);
  cy.nodes().forEach((node) => {
    const told = isWordy(node) ? size : TEXT;
    node.style({ "font-size": told, "text-max-width": (NAME_WIDTH * told) / TEXT });
  });
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
