// What is known of a collection so far, and how it is drawn: elements by degree, joined where they share facts.

const WIDEST = 7; // px
const MARKS = /\p{M}/gu;

/** An element's name as documents spell it, where one spells it as it is stored but for capitals and accents. */
export function spelled({ name, aliases = [] }) {
  return aliases.find((alias) => plain(alias) === plain(name)) ?? name;
}

function plain(text) {
  return text.normalize("NFD").replace(MARKS, "").toLowerCase();
}

/** "FRIEND_OF" → "friend of" */
export function relationWords(type) {
  return type.replaceAll("_", " ").toLowerCase();
}

/** Elements and facts, gathered over several looks; drawn into a graph view. */
export class Drawing {
  /** @param {object} view of graph_view.js. */
  constructor(view) {
    this.view = view;
    this.clear();
  }

  clear() {
    this.elements = new Map();
    this.facts = new Map();
    this.expanded = new Map(); // element id → whether there are more facts than were told
    this.joined = new Map(); // pair of ids → ids of the facts that join them
    this.relations = new Map(); // "source type target" → a typed relation
    this.view.clear();
  }

  /** Add a neighbourhood; its centre is expanded from now on. */
  add(told) {
    for (const element of told.elements) this.elements.set(element.id, element);
    for (const fact of told.facts) this.facts.set(fact.id, fact);
    for (const one of told.relations) this.relations.set(`${one.source} ${one.type} ${one.target}`, one);
    this.expanded.set(told.centre, told.more);
    // An element whose facts are all here is as good as expanded: its lines are drawn too.
    for (const id of this.elements.keys()) {
      if (this.isWhole(id)) for (const fact of this.factsOf(id)) this.join(id, fact);
    }
    this.draw();
  }

  join(centre, fact) {
    for (const other of fact.elements) {
      if (other === centre) continue;
      const pair = [centre, other].sort().join(" ");
      if (!this.joined.has(pair)) this.joined.set(pair, new Set());
      this.joined.get(pair).add(fact.id);
    }
  }

  /** Whether there is nothing more to bring: it was expanded, or all its facts came with others. */
  isWhole(id) {
    return this.expanded.has(id) || this.factsOf(id).length >= this.elements.get(id).degree;
  }

  draw() {
    const most = Math.max(...[...this.elements.values()].map((element) => element.degree), 2);
    const nodes = [...this.elements.values()].map((element) => ({
      id: element.id,
      label: spelled(element),
      degree: element.degree,
      size: Math.log(1 + element.degree) / Math.log(1 + most),
      group: this.isWhole(element.id) ? "whole" : "near",
    }));
    const typed = [...this.relations].map(([id, { source, type, target }]) => {
      return { id, source, target, label: relationWords(type), width: 2, directed: true, relation: true };
    });
    const related = new Set(typed.map(({ source, target }) => [source, target].sort().join(" ")));
    this.view.remove([...this.joined.keys()].filter((pair) => related.has(pair)));
    const shared = [...this.joined].filter(([pair]) => !related.has(pair)); // the relation says more
    const edges = shared.map(([pair, facts]) => {
      const [source, target] = pair.split(" ");
      return { id: pair, source, target, width: Math.min(WIDEST, 0.75 + 0.75 * facts.size) };
    });
    this.view.add({ nodes, edges: [...edges, ...typed] });
  }

  /** The typed relations of an element: [{words, other}], with the other element's name. */
  relationsOf(id) {
    const own = [...this.relations.values()].filter((one) => one.source === id || one.target === id);
    const name = (other) => spelled(this.elements.get(other));
    return own.map(({ source, type, target }) => ({ source: name(source), words: relationWords(type), target: name(target) }));
  }

  /** The facts that hold an element; all, without one. In the order in which they were told, best first. */
  factsOf(id = null) {
    const facts = [...this.facts.values()];
    return id === null ? facts : facts.filter((fact) => fact.elements.includes(id));
  }
}
