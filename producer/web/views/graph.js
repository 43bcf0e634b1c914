// The view Graph: the elements and facts of a collection around a name.

import { collectionField, rememberedCollection } from "../collections.js";
import { empty, failure, field, fill, h, loading } from "../elements.js";
import { createGraphView } from "../graph_view.js";
import { Drawing, spelled } from "../neighbourhood/drawing.js";
import { documentsOf, factList } from "../neighbourhood/facts.js";
import { counted } from "../words.js";

export const title = "Graph";

const FACTS = 40; // at a time
const MOST_FACTS = 200;
const SUGGESTED = 8;

export function mount(root, context) {
  return new GraphPage(root, context).unmount;
}

class GraphPage {
  constructor(root, context) {
    this.context = context;
    this.asked = { collection: rememberedCollection(), name: "", element: "", document: "", ...fromAddress(context) };
    this.limit = FACTS;
    this.centre = null;
    this.looks = 0;
    this.view = createGraphView({
      label: "Elements and the facts that join them",
      groups: [
        { id: "near", name: "There is more around it" },
        { id: "whole", name: "Shown with its facts" },
      ],
      describe: (node) => counted(node.degree, "fact"),
      onSelect: () => this.tellChosen(),
      onOpen: (node) => this.expand(node.id),
    });
    this.drawing = new Drawing(this.view);
    this.unmount = () => this.view.destroy();
    this.build(root);
    this.start();
  }

  build(root) {
    const { context } = this;
    this.collection = collectionField(context, { chosen: this.asked.collection, onChange: () => this.changeCollection() });
    this.name = field("Name", h("input", { type: "search", autocomplete: "off", maxlength: "500", value: this.asked.name }), {
      hint: "A person, place, thing, date: as it is written, or a part of it.",
    });
    this.document = field("Document", h("select", { on: { change: () => this.filter() } }));
    this.form = h(
      "form.card.near-form",
      { role: "search", on: { submit: (event) => (event.preventDefault(), this.lookFor()) } },
      this.collection.element,
      this.name.element,
      h("button.primary", { type: "submit" }, "Show"),
    );
    this.notice = h("div.near-notice");
    this.body = h("div");
    fill(
      root,
      h("div.view-head", {}, h("div", {}, h("h1", {}, title), h("p", {}, "What a collection says around a name: its elements, the facts that join them, and where they stand."))),
      this.form,
      this.notice,
      this.body,
    );
    this.detail = h("section.card.stack-tight.near-detail", { "aria-label": "Facts" });
    this.result = h("div.columns.near", {}, h("div.stack-tight", {}, this.view.element, h("p.field-hint", {}, "Choose an element to read its facts; Enter or a double click brings what is around it.")), this.detail);
  }

  async start() {
    this.collection.load().catch(() => {}); // the name that was chosen last stays
    if (this.asked.name || this.asked.element) await this.look();
    else await this.suggest();
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
      this.name.fail("Type a name to look for.");
      this.name.control.focus();
      return;
    }
    this.name.clear();
    this.go({ collection: this.collection.value(), name, element: "", document: "" });
  }

  go(asked) {
    this.asked = asked;
    this.limit = FACTS;
    this.context.push(address(asked));
    return this.look();
  }

  filter() {
    this.go({ ...this.asked, element: this.centre, name: "", document: this.document.control.value });
  }

  read(given) {
    const { collection, document } = this.asked;
    return this.context.api.get(
      "v1/graph/neighbourhood",
      { collection, document, limit: FACTS, ...given },
      { signal: this.context.signal },
    );
  }

  /** Show what is asked for, from nothing. */
  async look() {
    const mine = ++this.looks;
    const { name, element } = this.asked;
    fill(this.notice);
    if (!this.body.contains(this.result)) fill(this.body, loading("Looking around…"));
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
      this.showNothing();
      return;
    }
    fill(this.body, this.result);
    this.drawing.clear();
    this.drawing.add(told);
    if (!this.asked.document) this.documents = documentsOf(told.facts);
    this.tellDocuments();
    this.view.select(told.centre, { silent: true });
    if (told.candidates.length) fill(this.notice, this.candidates(told.candidates));
    const centre = this.drawing.elements.get(told.centre);
    if (!this.name.control.value) this.name.control.value = spelled(centre);
    this.context.announce(`${counted(told.facts.length, "fact")} around ${spelled(centre)}${told.more ? ", and there are more" : ""}`);
  }

  showNothing() {
    const { name, collection } = this.asked;
    const words = name ? `“${name}”` : "this element";
    fill(this.body, empty("Nothing of that name", `The collection ${collection} knows nothing of ${words}. Names are those of people, places, things and dates in its documents.`));
    this.context.announce(`Nothing is known of ${words}`);
  }

  candidates(others) {
    return h(
      "div.row.small",
      {},
      h("span.muted", {}, "It may also mean:"),
      ...others.map((one) =>
        h("button.quiet", { type: "button", on: { click: () => this.centreOn(one.id, spelled(one)) } }, spelled(one)),
      ),
    );
  }

  centreOn(element, name) {
    this.name.control.value = name;
    this.go({ ...this.asked, element, name: "", document: "" });
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
      this.context.announce(`${counted(told.facts.length, "fact")} around ${name}, ${counted(this.view.nodes().length - before, "new element")}`);
    } catch (error) {
      if (!this.context.signal.aborted) fill(this.notice, failure(error, () => this.expand(id)));
    } finally {
      this.result.removeAttribute("aria-busy");
    }
  }

  /** Say what is known of the chosen element, or of all that is shown. */
  tellChosen() {
    const chosen = this.view.selected();
    const facts = this.drawing.factsOf(chosen?.id ?? null);
    fill(
      this.detail,
      chosen ? this.head(this.drawing.elements.get(chosen.id)) : h("h2", {}, "All facts shown"),
      this.document.element,
      facts.length
        ? factList(this.context, facts)
        : h("p.muted", {}, "This document says nothing of it. Choose another, or all of them."),
      this.moreButton(chosen),
    );
  }

  head(element) {
    const name = spelled(element);
    const others = element.aliases.filter((alias) => alias !== name);
    return h(
      "div.stack-tight",
      {},
      h("h2", {}, name),
      others.length > 0 && h("p.muted.small", {}, `Also: ${others.join(", ")}`),
      h("p.muted.small", {}, `${counted(element.degree, "fact")} of the collection`),
      element.id !== this.centre &&
        h(
          "div.actions",
          {},
          !this.drawing.isWhole(element.id) && h("button", { type: "button", on: { click: () => this.expand(element.id) } }, "Expand"),
          h("button.quiet", { type: "button", on: { click: () => this.centreOn(element.id, name) } }, "Begin here"),
        ),
    );
  }

  moreButton(chosen) {
    const here = chosen ? chosen.id === this.centre : true;
    if (!here || !this.told.more) return null;
    if (this.limit >= MOST_FACTS) {
      return h("p.muted.small", {}, `There are more than ${MOST_FACTS} facts; choose a document to see others.`);
    }
    const more = () => {
      this.limit = Math.min(this.limit + FACTS, MOST_FACTS);
      this.look();
    };
    return h("button", { type: "button", on: { click: more } }, "More facts");
  }

  tellDocuments() {
    const known = this.documents ?? [];
    const chosen = this.asked.document;
    const strange = chosen && !known.some((one) => one.id === chosen);
    fill(
      this.document.control,
      h("option", { value: "" }, "All documents"),
      strange && h("option", { value: chosen }, this.told.facts[0]?.sources[0]?.title ?? "The document chosen"),
      ...known.map((one) => h("option", { value: one.id }, `${one.title} (${counted(one.facts, "fact")})`)),
    );
    this.document.control.value = chosen;
  }

  /** Offer names to begin with: those with the most facts. */
  async suggest() {
    const mine = ++this.looks;
    fill(this.notice);
    fill(this.body, loading("Looking at the collection…"));
    try {
      const census = await this.context.api.get(`v1/collections/${encodeURIComponent(this.asked.collection)}`, {}, { signal: this.context.signal });
      if (mine === this.looks) this.offer(census);
    } catch (error) {
      if (this.context.signal.aborted || mine !== this.looks) return;
      fill(this.body, failure(error, () => this.suggest()));
    }
  }

  offer(census) {
    if (!census.live.facts) {
      fill(this.body, empty("No facts yet", `The collection ${census.collection} holds no facts.`, h("a.button", { href: "#/documents" }, "Add documents")));
      return;
    }
    const told = `${counted(census.live.elements, "element")}, ${counted(census.live.facts, "fact")}, ${counted(census.live.documents, "document")}`;
    const names = census.hubs.slice(0, SUGGESTED).map((hub) =>
      h("li", {}, h("button", { type: "button", on: { click: () => this.centreOn(hub.id, hub.name) } }, hub.name, h("span.muted.tiny", {}, counted(hub.degree, "fact")))),
    );
    fill(this.body, empty("Begin with a name", told, names.length > 0 && h("ul.near-names", { "aria-label": "Names with the most facts" }, ...names)));
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
