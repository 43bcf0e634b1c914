// What a question reads: documents by their metadata, by date, or chosen one by one, and as they were at a time.

import { datedIn, filterText, having } from "../documents/filter_text.js";
import { field, fill, h } from "../elements.js";
import { whenTyped } from "../rest.js";
import { listed, t } from "../texts.js";
import { titlesOf } from "../words.js";
import { knownAtFields, timeWords } from "./known_at.js";

const LONGEST = 2000; // characters of a filter, as of the API
const FOUND = 8; // documents that are offered for some words
export const SCOPE = ["where", "as_of", "known_at", "documents"];

/** The fields of a scope among a question's parameters. */
export function scopeOf(params = {}) {
  return Object.fromEntries(SCOPE.filter((name) => params[name] !== undefined && params[name] !== null).map((name) => [name, params[name]]));
}

/** What a question was about, in words: [] where it was about everything. */
export function scopeWords(params) {
  const { where, as_of: asOf, known_at: knownAt, documents } = scopeOf(params);
  return [
    params?.collections?.length > 1 && String(t("ask.scope.collections", { names: listed(params.collections) })),
    where && (typeof where === "string" ? where : filterText(where)),
    asOf && String(t("ask.scope.until", { date: asOf })),
    knownAt && String(t("ask.scope.live-at", { time: timeWords(knownAt) })),
    documents && String(t("ask.scope.named", { n: documents.length })),
  ].filter(Boolean);
}

/**
 * @param {object} context of the view.
 * @param {object} given `collections()`: whose documents, the chosen one first; `others`: where to choose the rest.
 * @returns {{element, read(), show(params), load(collections), fail(name, text), incomplete(), clear()}}
 */
export function scopeFields(context, { collections, others }) {
  const where = field(
    t("ask.scope.where"),
    h("input", { type: "text", autocomplete: "off", spellcheck: "false", maxlength: String(LONGEST), placeholder: t("documents.filter.placeholder") }),
    { hint: t("ask.scope.where.hint") },
  );
  const asOf = field(t("ask.scope.as-of"), h("input", { type: "date" }), { hint: t("ask.scope.as-of.hint") });
  const knownAt = knownAtFields();
  const documents = field(t("ask.scope.documents"), h("input", { type: "search", autocomplete: "off", maxlength: "200", placeholder: t("documents.search.placeholder") }));
  const offered = h("div.document-metadata", { role: "group", "aria-label": t("ask.scope.tags"), hidden: true });
  const dated = h("div.document-metadata", { role: "group", "aria-label": t("ask.scope.years"), hidden: true });
  const found = h("div.document-metadata", { role: "group", "aria-label": t("ask.scope.found"), hidden: true });
  const chosen = h("div.document-metadata", { role: "group", "aria-label": t("ask.scope.chosen"), hidden: true });
  const summary = h("summary", {}, t("ask.scope"));
  const element = h("details", {}, summary, h("div.stack-tight", {}, others, offered, dated, h("div.fields", {}, where.element, asOf.element, knownAt.elements, documents.element), found, chosen));
  const tags = new Set();
  const years = new Set();
  const titles = new Map(); // of chosen documents, by id
  let current; // the collection that the choices are of
  let offering; // those whose tags are offered
  let searches = 0;
  whenTyped(documents.control, search, context.signal);
  element.addEventListener("toggle", () => element.open && load(collections()));

  /** A chip that chooses a value; it says how many documents have it, of those that the caller may see. */
  function facetChip(choice, value, count) {
    const toggle = ({ currentTarget }) => {
      if (!choice.delete(value)) choice.add(value);
      currentTarget.setAttribute("aria-pressed", String(choice.has(value))); // in its place, where the focus is
    };
    const often = count !== undefined && h("span.muted", {}, ` ${count}`);
    return h("button.tag", { type: "button", "aria-pressed": String(choice.has(value)), on: { click: toggle } }, value, often);
  }

  function offer(group, choice, facets) {
    const counts = new Map(facets.map(({ value, documents: count }) => [value, count]));
    fill(group, [...new Set([...choice, ...counts.keys()])].map((value) => facetChip(choice, value, counts.get(value))));
    group.hidden = !group.children.length;
  }

  /** Offer the tags and years of collections, once they can be seen; what was chosen beside another first one is forgotten. */
  async function load(names) {
    if (current !== undefined && current !== names[0]) forget();
    [current] = names;
    const wanted = names.join("\n");
    if (!element.open || offering === wanted) return;
    offering = wanted;
    const none = { tags: [], years: [] };
    const counted = await ofEach(names, "v1/documents/facets", {}, none);
    if (wanted !== offering) return;
    offer(offered, tags, summed(counted.flatMap((one) => one.tags)));
    offer(dated, years, summed(counted.flatMap((one) => one.years)).sort((a, b) => b.value.localeCompare(a.value)));
  }

  /** Ask the same of each collection; what cannot be had is `none`. */
  function ofEach(names, path, query, none) {
    const own = (collection) => context.api.get(path, { ...query, collection }, { signal: context.signal });
    return Promise.all(names.map((name) => own(name).catch(() => none)));
  }

  async function search() {
    const mine = ++searches;
    const q = documents.control.value.trim();
    const pages = q ? await ofEach(collections(), "v1/documents", { q, limit: FOUND }, { documents: [] }) : [];
    if (mine !== searches) return;
    const others = pages.flatMap((page) => page.documents).filter((one) => !titles.has(one.id));
    const shown = others.slice(0, FOUND);
    const named = titlesOf(shown);
    fill(found, shown.map((one) => foundChip(one.id, named(one))));
    found.hidden = !found.children.length;
  }

  function foundChip(id, title) {
    const choose = ({ currentTarget }) => {
      titles.set(id, title);
      const next = currentTarget.nextElementSibling ?? currentTarget.previousElementSibling ?? documents.control;
      currentTarget.remove();
      found.hidden = !found.children.length;
      drawChosen();
      next.focus();
    };
    return h("button.tag", { type: "button", on: { click: choose } }, h("span", { "aria-hidden": "true" }, "+ "), title);
  }

  function drawChosen() {
    fill(chosen, [...titles].map(([id, title]) => chosenChip(id, title)));
    chosen.hidden = !titles.size;
  }

  function chosenChip(id, title) {
    const leave = ({ currentTarget }) => {
      const next = currentTarget.nextElementSibling ?? currentTarget.previousElementSibling ?? documents.control;
      titles.delete(id);
      currentTarget.remove();
      chosen.hidden = !titles.size;
      next.focus();
    };
    return h("button.tag", { type: "button", "aria-pressed": "true", on: { click: leave } }, title, h("span", { "aria-hidden": "true" }, " ×"));
  }

  function forget() {
    where.control.value = "";
    asOf.control.value = "";
    knownAt.show(undefined);
    documents.control.value = "";
    for (const choice of [tags, years, titles]) choice.clear();
    for (const group of [found, offered, dated]) {
      fill(group);
      group.hidden = true;
    }
    offering = undefined;
    drawChosen();
  }

  /** The scope as a request has it: {} where everything is read. */
  function read() {
    const typed = where.control.value.trim();
    const parts = [...tags].map(having);
    if (years.size) parts.push(`(${[...years].sort().map((year) => (years.size > 1 ? `(${datedIn(year)})` : datedIn(year))).join(" or ")})`);
    const whole = [parts.length && typed ? `(${typed})` : typed, ...parts].filter(Boolean).join(" and ");
    return scopeOf({
      where: whole || undefined,
      as_of: asOf.control.value || undefined,
      known_at: knownAt.read(),
      documents: titles.size ? [...titles.keys()] : undefined,
    });
  }

  /** Show the scope of a question that was asked. */
  function show(params) {
    forget();
    const told = scopeOf(params);
    if (told.where) where.control.value = typeof told.where === "string" ? told.where : filterText(told.where);
    if (told.as_of) asOf.control.value = told.as_of;
    knownAt.show(told.known_at);
    for (const id of told.documents ?? []) titles.set(id, id);
    drawChosen();
    [current] = collections();
    element.open = Object.keys(told).length > 0 || collections().length > 1;
  }

  /** Say below a field what is wrong with it; of a filter, what is wrong with what was typed. */
  async function fail(name, text) {
    element.open = true;
    const named = { where, as_of: asOf, known_at: knownAt, documents }[name];
    named.fail(text);
    if (name !== "where" || !where.control.value.trim()) return;
    const typed = { collection: collections()[0], where: where.control.value.trim(), limit: 1 };
    const own = await context.api.get("v1/documents", typed, { signal: context.signal }).catch((error) => error);
    if (own.status === 422) where.fail(own.detail);
  }

  /** The fields of dates and times of which a part is missing: as texts they are empty. What is disabled is not read. */
  function incomplete() {
    const fields = [asOf, ...knownAt.fields].filter(({ control }) => !control.disabled && control.validity.badInput);
    if (fields.length) element.open = true;
    return fields;
  }

  return { element, read, show, load, fail, incomplete, clear: () => [where, asOf, knownAt, documents].forEach((one) => one.clear()) };
}

/** Counts of several collections as one, the most first: [{value, documents}]. */
function summed(facets) {
  const sums = new Map();
  for (const { value, documents } of facets) sums.set(value, (sums.get(value) ?? 0) + documents);
  return [...sums].map(([value, documents]) => ({ value, documents })).sort((a, b) => b.documents - a.documents);
}
