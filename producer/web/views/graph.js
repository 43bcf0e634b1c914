// The view Graph: the elements and facts of a collection around a name.

import { collectionField } from "../collections.js";
import { failure, field, fill, h, loading } from "../elements.js";
import { createGraphView } from "../graph_view.js";
import { detailPanel } from "../neighbourhood/detail.js";
import { Drawing, spelled } from "../neighbourhood/drawing.js";
import { documentsOf } from "../neighbourhood/facts.js";
import { nothingOf, nothingYet, opening, otherNames } from "../neighbourhood/opening.js";
import { mountToolsGraph } from "../neighbourhood/tools_graph.js";
import { rest } from "../rest.js";
import { listed, t } from "../texts.js";

export const title = t("graph.title");

const FACTS = 40; // at a time
const CENTRES = 3; // names that are drawn before one is asked for
const AROUND = 10; // facts around each of them
const LOOK = 4000; // ms between two looks whether there are documents by now
const MOST_FACTS = 200;
const GROUPS = [
  { id: "near", name: t("graph.group.near") },
  { id: "whole", name: t("graph.group.whole") },
];
const LINES = [
  { name: t("graph.line.fact") },
  { name: t("graph.line.relation"), relation: true },
];

export function mount(root, context) {
  if (context.route.query.get("tools")) return mountToolsGraph(root, context);
  const page = new GraphPage(root, context);
  page.start();
  return () => page.view.destroy();
}

class GraphPage {
  constructor(root, context) {
    this.context = context;
    this.asked = { collection: "", name: "", element: "", document: "", ...fromAddress(context) };
    this.limit = FACTS;
    this.centre = null;
    this.looks = 0; // counts what was asked; an older answer is not shown
    this.documents = [];
    this.begin = (id, name) => this.beginAt(id, name);
    this.view = createGraphView({
      label: t("graph.drawing"),
      groups: GROUPS,
      lines: LINES,
      describe: (node) => t("count.facts", { n: node.degree }),
      onSelect: () => this.tellChosen(),
      onOpen: (node) => this.expand(node.id),
    });
    this.drawing = new Drawing(this.view);
    this.detail = detailPanel(context, {
      onDocument: (document) => this.go({ ...this.asked, element: this.centre, name: "", document }),
      onExpand: (id) => this.expand(id),
      onBegin: this.begin,
    });
    this.build(root);
  }

  build(root) {
    const { collection, name } = this.asked;
    this.collection = collectionField(this.context, { chosen: collection || undefined, onChange: () => this.changeCollection() });
    this.asked.collection = this.collection.value();
    this.name = field(t("graph.name"), h("input", { type: "search", autocomplete: "off", maxlength: "500", value: name }), {
      hint: t("graph.name.hint"),
    });
    const form = h(
      "form.card.near-form",
      { role: "search", on: { submit: (event) => (event.preventDefault(), this.lookFor()) } },
      this.collection.element,
      this.name.element,
      h("button.primary", { type: "submit" }, t("graph.show")),
    );
    this.notice = h("div.near-notice");
    this.body = h("div");
    const drawn = h("div.stack-tight", {}, this.view.element, h("p.field-hint", {}, t("graph.hint")));
    this.result = h("div.columns.near", {}, drawn, this.detail.element);
    this.head = h("div.view-head", {}, h("div", {}, h("h1", {}, title), h("p", {}, t("graph.about"))));
    fill(root, this.head, form, this.notice, this.body);
  }

  async start() {
    const { collection } = this.asked;
    this.offerToolsGraph();
    const loading = this.collection.load().catch(() => {}); // the name that was chosen last stays
    if (this.asked.name || this.asked.element) await this.look();
    else {
      await loading;
      if (!this.looks && this.asked.collection === collection && !this.context.signal.aborted) await this.suggest();
    }
  }

  async offerToolsGraph() {
    const told = await this.context.about().catch(() => null);
    if (told?.tools_graph) this.head.append(h("a.button", { href: "#/graph?tools=1" }, t("tools-graph.open")));
  }

  changeCollection() {
    this.asked = { collection: this.collection.value(), name: "", element: "", document: "" };
    this.name.control.value = "";
    this.context.replace(address(this.asked));
    this.suggest();
  }

  lookFor() {
    const name = this.name.control.value.trim();
    if (!name) {
      this.name.fail(t("graph.name.missing"));
      this.name.control.focus();
      return;
    }
    this.name.clear();
    this.go({ collection: this.collection.value(), name, element: "", document: "" });
  }

  beginAt(element, name) {
    this.name.control.value = name;
    this.go({ ...this.asked, element, name: "", document: "" });
  }

  go(asked) {
    this.asked = asked;
    this.limit = FACTS;
    this.context.push(address(asked));
    this.look();
  }

  read(given) {
    const { collection, document } = this.asked;
    const query = { collection, document, limit: FACTS, ...given };
    return this.context.api.get("v1/graph/neighbourhood", query, { signal: this.context.signal });
  }

  /** Show what is asked for, from nothing. */
  async look() {
    const mine = ++this.looks;
    const { name, element } = this.asked;
    fill(this.notice);
    if (!this.body.contains(this.result)) fill(this.body, loading(t("graph.looking")));
    this.result.setAttribute("aria-busy", "true");
    try {
      const told = await this.read({ name, element, limit: this.limit });
      if (mine === this.looks) this.show(told);
    } catch (error) {
      if (this.context.signal.aborted || mine !== this.looks) return;
      if (!this.body.contains(this.result)) fill(this.body);
      fill(this.notice, failure(error, () => this.look()));
    } finally {
      this.result.removeAttribute("aria-busy");
    }
  }

  show(told) {
    this.told = told;
    this.centre = told.centre;
    if (told.centre === null) {
      const name = this.asked.name ? t("graph.quoted", { name: this.asked.name }) : t("graph.this-element");
      fill(this.body, nothingOf(name, this.asked.collection));
      this.context.announce(t("graph.said.nothing", { name }));
      return;
    }
    fill(this.body, this.result);
    this.drawing.clear();
    this.drawing.add(told);
    if (!this.asked.document) this.documents = documentsOf(told.facts);
    const shownTitle = told.facts[0]?.sources[0]?.title ?? t("graph.chosen-document");
    this.detail.offer(this.documents, this.asked.document, shownTitle);
    this.view.select(told.centre, { silent: true });
    if (told.candidates.length) fill(this.notice, otherNames(told.candidates, spelled, this.begin));
    const name = spelled(this.drawing.elements.get(told.centre));
    if (!this.name.control.value) this.name.control.value = name;
    const around = t("graph.said.facts", { n: told.facts.length, name });
    this.context.announce(listed([around, told.more && t("graph.said.more")]));
  }

  /** Bring what is around another element, beside what is shown. */
  async expand(id) {
    if (this.drawing.isWhole(id)) return;
    const mine = this.looks;
    fill(this.notice);
    this.result.setAttribute("aria-busy", "true");
    try {
      const told = await this.read({ element: id });
      if (mine !== this.looks || told.centre === null) return;
      const before = this.view.nodes().length;
      this.drawing.add(told);
      this.view.select(told.centre, { silent: true });
      const name = spelled(this.drawing.elements.get(told.centre));
      const added = t("graph.said.elements", { n: this.view.nodes().length - before });
      this.context.announce(listed([t("graph.said.facts", { n: told.facts.length, name }), added]));
    } catch (error) {
      if (!this.context.signal.aborted) fill(this.notice, failure(error, () => this.expand(id)));
    } finally {
      this.result.removeAttribute("aria-busy");
    }
  }

  /** Say what is known of the chosen element, or of all that is shown. */
  tellChosen() {
    const node = this.view.selected();
    const element = node && this.drawing.elements.get(node.id);
    const chosen = element && {
      element,
      isWhole: this.drawing.isWhole(element.id),
      isCentre: element.id === this.centre,
    };
    const facts = this.drawing.factsOf(element?.id ?? null);
    const relations = element ? this.drawing.relationsOf(element.id) : [];
    this.detail.show({ chosen, facts, relations, more: this.moreButton(chosen) });
  }

  moreButton(chosen) {
    if ((chosen && !chosen.isCentre) || !this.told?.more) return null;
    if (this.limit >= MOST_FACTS) {
      return h("p.muted.small", {}, t("graph.more-than", { count: MOST_FACTS }));
    }
    const more = () => {
      this.limit = Math.min(this.limit + FACTS, MOST_FACTS);
      this.look();
    };
    return h("button", { type: "button", on: { click: more } }, t("graph.more"));
  }

  /** Look whether there are documents by now, as long as nothing else is asked for. */
  async lookAgain(mine) {
    await rest(LOOK, this.context.signal);
    if (this.context.signal.aborted || mine !== this.looks) return;
    const collections = await this.collection.load().catch(() => []);
    if (mine !== this.looks) return;
    if (collections.some((one) => one.name === this.asked.collection)) await this.suggest();
    else this.lookAgain(mine);
  }

  /** Show the names with the most facts, and what is around the first of them. */
  async overview(census, mine) {
    const around = await Promise.all(census.hubs.slice(0, CENTRES).map(({ id }) => this.read({ element: id, limit: AROUND }).catch(() => null)));
    if (mine !== this.looks) return;
    this.told = this.centre = null;
    this.drawing.clear();
    for (const told of around.filter((one) => one?.centre)) this.drawing.add(told);
    const nameOf = ({ id, name }) => (this.drawing.elements.has(id) ? spelled(this.drawing.elements.get(id)) : name);
    const hubs = census.hubs.map((hub) => ({ ...hub, name: nameOf(hub) }));
    fill(this.body, opening({ ...census, hubs }, this.begin), this.drawing.elements.size > 0 && this.result);
    this.detail.offer([], "", "");
    this.view.select(null);
  }

  /** Offer names to begin with. */
  async suggest() {
    const mine = ++this.looks;
    fill(this.notice);
    fill(this.body, loading(t("graph.looking-at-collection")));
    const path = `v1/collections/${encodeURIComponent(this.asked.collection)}`;
    try {
      const census = await this.context.api.get(path, {}, { signal: this.context.signal });
      if (mine === this.looks) await this.overview(census, mine);
    } catch (error) {
      if (this.context.signal.aborted || mine !== this.looks) return;
      if (error.status === 404) {
        fill(this.body, nothingYet(this.asked.collection));
        this.lookAgain(mine);
      } else fill(this.body, failure(error, () => this.suggest()));
    }
  }
}

function fromAddress({ route }) {
  const found = {};
  for (const name of ["collection", "name", "element", "document"]) {
    if (route.query.get(name)) found[name] = route.query.get(name);
  }
  return found;
}

function address(asked) {
  const query = new URLSearchParams(Object.entries(asked).filter(([, value]) => value));
  return `#/graph?${query}`;
}
