// The part of a walk that the answer rests on: which names its citations join, and how they lead from one to the next.

import { spelled } from "../neighbourhood/drawing.js";
import { isLimited } from "../rights.js";

const FACTS = 200; // around a name, as the API allows
const MOST_READ = 4; // names whose facts are read
const MOST_NAMES = 3; // of one citation that are drawn
const DATED = /^[\d\s./:–-]+$|\d{3,4}$/;

/**
 * Read which key elements the cited facts hold; a caller who may not read the graph gets none.
 * @returns {Promise<Map<string, string[]>>} names, as documents spell them, by a fact's id.
 */
export async function namesOfFacts(context, job, signal) {
  const { citations = [], walk = [] } = job.outcome ?? {};
  const cited = walk.filter((step) => citations.some((one) => holds(one.fact, step.name)));
  const found = new Map();
  if (await isLimited(context)) return found;
  const read = async ({ node_id: element }) => {
    const told = await context.api.get("v1/graph/neighbourhood", { collection: job.collection, element, limit: FACTS }, { signal });
    const names = new Map(told.elements.map((one) => [one.id, spelled(one)]));
    for (const fact of told.facts) found.set(fact.id, fact.elements.map((id) => names.get(id)).filter(Boolean));
  };
  if (!(job.params?.collections?.length > 1)) await Promise.all(cited.slice(0, MOST_READ).map((step) => read(step).catch(() => {})));
  return found;
}

/**
 * Join the names of an answer's citations.
 * @param {object} answer with `text`, `citations` and `walk`.
 * @param {Map<string, string[]>} names by a fact's id; a fact without them has the nodes of the walk that it names.
 * @param {string} question
 * @returns {{nodes: {id, label, step, cites: number[]}[], edges: {source, target, cites: number[]}[]}} steps from 0,
 *   ids in lower case.
 */
export function storyOf({ text = "", citations = [], walk = [] }, names, question = "") {
  const nodes = new Map();
  const edges = new Map();
  const known = new Map(walk.map(({ name }) => [keyOf(name), name]));
  const told = citations.map((one) => ({ n: one.n, fact: one.fact, names: namesIn(one) }));
  let waiting = told.map((one) => ({ ...one, names: worthDrawing(one) })).filter((one) => one.names.length);
  while (waiting.length) {
    const next = waiting.find((one) => one.names.some(isPlaced)) ?? waiting.find((one) => one.names.some(isAsked)) ?? waiting[0];
    waiting = waiting.filter((one) => one !== next);
    tell(next);
  }
  return { nodes: [...nodes.values()], edges: [...edges.values()] };

  function namesIn({ fact_id: id, fact }) {
    const all = names.get(id) ?? [...known.values()].filter((name) => holds(fact, name));
    const worth = (name) => (holds(question, name) ? 0 : 4) + (known.has(keyOf(name)) ? 0 : 2) + (holds(text, name) ? 0 : 2) + (DATED.test(name) ? 3 : 0);
    const own = all.filter((name) => !all.some((other) => other !== name && keyOf(other).includes(keyOf(name))));
    return own.sort((one, other) => worth(one) - worth(other) || at(fact, one) - at(fact, other));
  }

  /** The names of a citation that lead on, from the question or to another citation; where none does, the best. */
  function worthDrawing({ n, names: own }) {
    const isShared = (name) => told.some((other) => other.n !== n && other.names.some((one) => keyOf(one) === keyOf(name)));
    const joining = own.filter((name) => isAsked(name) || isShared(name));
    return joining.length > 1 ? joining : own.slice(0, MOST_NAMES);
  }

  function isPlaced(name) {
    return nodes.has(keyOf(name));
  }

  function isAsked(name) {
    return holds(question, name);
  }

  function tell({ n, fact, names: own }) {
    const stepOf = (name) => nodes.get(keyOf(name))?.step ?? (isAsked(name) ? 0.5 : Infinity);
    const [source, ...others] = [...own].sort((one, other) => stepOf(one) - stepOf(other) || at(fact, one) - at(fact, other));
    const begin = place(source, 0, n);
    for (const name of others) {
      const end = place(name, begin.step + 1, n);
      const id = `${begin.id} ${end.id}`;
      edges.set(id, { source: begin.id, target: end.id, cites: [...(edges.get(id)?.cites ?? []), n] });
    }
  }

  function place(name, step, n) {
    const id = keyOf(name);
    const before = nodes.get(id);
    const node = before ?? { id, label: known.get(id) ?? name, step, cites: [] };
    node.cites.push(n);
    nodes.set(id, node);
    return node;
  }
}

/** What a name is known by, whatever its capitals. */
export function keyOf(name) {
  return name.normalize("NFC").toLowerCase();
}

function holds(text, name) {
  return keyOf(text).includes(keyOf(name));
}

function at(text, name) {
  const found = keyOf(text).indexOf(keyOf(name));
  return found < 0 ? text.length : found;
}
