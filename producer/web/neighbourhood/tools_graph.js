// The tools' own database in the Graph view: the nodes around a name, and their relationships.

import { empty, failure, field, fill, h, loading } from "../elements.js";
import { createGraphView } from "../graph_view.js";
import { listed, t } from "../texts.js";
import { number } from "../words.js";
import { relationWords } from "./drawing.js";
import { otherNames } from "./opening.js";

const title = t("tools-graph.title");

/** Show it under `#/graph?tools=1`, around the node that `name` or `node` in the address identifies. */
export function mountToolsGraph(root, context) {
  const page = new ToolsGraphPage(root, context);
  page.look();
  return () => page.view.destroy();
}

class ToolsGraphPage {
  constructor(root, context) {
    this.context = context;
    const { query } = context.route;
    this.asked = { name: query.get("name") ?? "", node: query.get("node") ?? "" };
    this.looks = 0; // counts requests, so that a late answer to an older one is not shown
    this.centre = null;
    this.whole = new Set(); // ids of nodes whose relationships are all shown
    this.names = new Map(); // id → name
    this.relationships = new Map();
    this.view = createGraphView({
      label: t("tools-graph.drawing"),
      lines: [{ name: t("tools-graph.line"), relation: true }],
      describe: (node) => node.group,
      onSelect: () => this.tellChosen(),
      onOpen: (node) => this.expand(node.id),
    });
    this.build(root);
  }

  build(root) {
    this.name = field(t("graph.name"), h("input", { type: "search", autocomplete: "off", maxlength: "500", value: this.asked.name }), {
      hint: t("tools-graph.name.hint"),
    });
    const form = h(
      "form.card.near-form",
      { role: "search", on: { submit: (event) => (event.preventDefault(), this.lookFor()) } },
      this.name.element,
      h("button.primary", { type: "submit" }, t("graph.show")),
    );
    this.notice = h("div.near-notice");
    this.body = h("div");
    this.detail = h("section.card.stack-tight.near-detail", { "aria-label": t("graph.relations") });
    const drawn = h("div.stack-tight", {}, this.view.element, h("p.field-hint", {}, t("tools-graph.hint")));
    this.result = h("div.columns.near", {}, drawn, this.detail);
    const words = h("div", {}, h("h1", {}, title), h("p", {}, t("tools-graph.about")));
    const head = h("div.view-head", {}, words, h("a.button", { href: "#/graph" }, t("tools-graph.collections")));
    fill(root, head, form, this.notice, this.body);
  }

  lookFor() {
    this.go({ name: this.name.control.value.trim(), node: "" });
  }

  begin(node, name) {
    this.name.control.value = name;
    this.go({ name: "", node });
  }

  go(asked) {
    this.asked = asked;
    this.context.push(`#/graph?${new URLSearchParams({ tools: "1", ...Object.fromEntries(Object.entries(asked).filter(([, value]) => value)) })}`);
    this.look();
  }

  read(asked) {
    return this.context.api.get("v1/graph/tools", asked, { signal: this.context.signal });
  }

  /** Load what is asked for, and show it instead of what was shown. */
  async look() {
    const mine = ++this.looks;
    fill(this.notice);
    fill(this.body, loading(t("graph.looking")));
    try {
      const told = await this.read(this.asked);
      if (mine === this.looks) this.show(told);
    } catch (error) {
      if (this.context.signal.aborted || mine !== this.looks) return;
      fill(this.body, failure(error, () => this.look()));
    }
  }

  show(told) {
    const { name, node } = this.asked;
    this.centre = told.centre;
    const others = told.candidates.map((one) => ({ ...one, name: `${one.name} (${listed(one.labels)})` }));
    if (others.length) fill(this.notice, otherNames(others, (one) => one.name, (id, other) => this.begin(id, other)));
    if (told.centre === null) {
      if (name || node) fill(this.body, empty(t("graph.nothing"), t("tools-graph.nothing", { name: name || t("graph.this-element") })));
      else fill(this.body, this.opening(told));
      return;
    }
    fill(this.body, this.result);
    this.whole.clear();
    this.names.clear();
    this.relationships.clear();
    this.view.clear();
    this.add(told);
    if (!this.name.control.value) this.name.control.value = this.names.get(told.centre);
    this.context.announce(t("tools-graph.said", { n: told.relationships.length, name: this.names.get(told.centre) }));
  }

  /** Add another node's surroundings to what is shown. */
  async expand(id) {
    if (this.whole.has(id)) return;
    const mine = this.looks;
    fill(this.notice);
    try {
      const told = await this.read({ node: id });
      if (mine === this.looks && told.centre !== null) this.add(told);
    } catch (error) {
      if (!this.context.signal.aborted) fill(this.notice, failure(error, () => this.expand(id)));
    }
  }

  add(told) {
    for (const node of told.nodes) this.names.set(node.id, node.name);
    for (const one of told.relationships) this.relationships.set(one.id, one);
    this.whole.add(told.centre);
    if (told.more) fill(this.notice, h("p.muted.small", {}, t("tools-graph.more", { count: told.relationships.length, name: this.names.get(told.centre) })));
    this.view.add({
      nodes: told.nodes.map(({ id, name, labels }) => ({ id, label: name, group: labels[0] ?? "" })),
      edges: told.relationships.map(({ id, type, source, target }) => ({
        id: `relationship ${id}`, source, target, label: relationWords(type), directed: true, relation: true, width: 2,
      })),
    });
    this.view.select(told.centre, { silent: true });
  }

  /** List the chosen node's relationships; all of them if none is chosen. */
  tellChosen() {
    const node = this.view.selected();
    const own = [...this.relationships.values()].filter((one) => !node || one.source === node.id || one.target === node.id);
    const line = ({ type, source, target }) =>
      h("li", {}, h("b", {}, this.names.get(source)), h("span.relation-words", {}, ` ${relationWords(type)} `), h("b", {}, this.names.get(target)));
    fill(
      this.detail,
      h("h2", {}, node ? node.label : t("graph.relations")),
      node && h("p.muted.small", {}, node.group),
      node && !this.whole.has(node.id) &&
        h("div.actions", {}, h("button", { type: "button", on: { click: () => this.expand(node.id) } }, t("graph.expand"))),
      h("ul.near-relations.small", { "aria-label": t("graph.relations") }, own.map(line)),
    );
  }

  /** Names to begin with: for each label, the nodes with the most relationships. */
  opening({ label_counts: counts, nodes }) {
    if (!nodes.length) return empty(t("tools-graph.empty"));
    const size = listed(Object.entries(counts).map(([label, n]) => `${label} ${number(n)}`));
    const chip = ({ id, name, degree }) =>
      h("li", {}, h("button", { type: "button", on: { click: () => this.begin(id, name) } }, name, h("span.muted.tiny", {}, t("count.relations", { n: degree }))));
    return empty(t("graph.begin"), size, h("ul.chips", { "aria-label": t("tools-graph.names") }, nodes.map(chip)));
  }
}
