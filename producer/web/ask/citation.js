// The citations of an answer opened: the document at the sentence, or the row of a graph with the query that found it.

import { code, dialog, fill, h, pane } from "../elements.js";
import { openDocument, showDocument } from "../reader/document.js";
import { listed, t } from "../texts.js";
import { titlesOf } from "../words.js";
import { timeWords } from "./known_at.js";

const ROOM = matchMedia("(min-width: 68.75rem)"); // for a document beside the answer

/**
 * Open what a citation leads to: beside the answer where there is room, else in a dialog. From there one goes to the
 * citations before and after it.
 * @param {object} context of the view.
 * @param {object} citation
 * @param {object[]} all of the answer, in their order.
 * @param {object} given
 * @param {string} [given.knownAt] the time that its question looks back to.
 * @param {Element} given.slot where there is room beside the answer.
 * @param {(n: number|null) => void} [given.onShown] which citation is shown now, null for none.
 */
export function openCitation(context, citation, all, { knownAt, slot, onShown = () => {} }) {
  const shown = ROOM.matches ? pane(slot) : dialog("");
  const titles = citedTitles(all);
  let own = new AbortController(); // of the citation that is shown
  let at = all.indexOf(citation);
  const place = h("span.small.muted", { role: "status" });
  const before = step(-1, t("ask.citation.previous.short"), { "aria-label": t("ask.citation.previous"), title: t("ask.citation.previous.key"), "aria-keyshortcuts": "ArrowLeft" });
  const after = step(1, t("ask.citation.next.short"), { "aria-label": t("ask.citation.next"), title: t("ask.citation.next.key"), "aria-keyshortcuts": "ArrowRight" });
  if (all.length > 1) shown.body.before(h("nav.reader-steps", { "aria-label": t("ask.citations") }, before, place, after));
  shown.element.addEventListener("close", () => (own.abort(), onShown(null)));
  shown.element.addEventListener("keydown", goByKey);
  context.signal.addEventListener("abort", shown.close, { once: true });
  show();

  function step(by, words, named) {
    return h("button.quiet", { type: "button", ...named, on: { click: () => go(by) } }, words);
  }

  function go(by) {
    if (!all[at + by]) return;
    own.abort();
    own = new AbortController();
    at += by;
    show(shown.body.contains(document.activeElement));
  }

  function goByKey(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const isScrolled = event.target.scrollWidth > event.target.clientWidth; // by these keys
    if (!by || isScrolled || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go(by);
  }

  function show(takesFocus = true) {
    before.ariaDisabled = at === 0 ? "true" : null;
    after.ariaDisabled = at === all.length - 1 ? "true" : null;
    fill(place, t("ask.citation.of", { at: at + 1, all: all.length }));
    if (takesFocus) shown.title.focus({ preventScroll: true });
    onShown(all[at].n);
    if (all[at].kind === "graph") showRow(context, shown, all[at], titles);
    else showDocument(context, shown, placeOf(all[at], all[at], titles, knownAt), { signal: own.signal, takesFocus });
  }
}

/** What the documents of an answer's citations are called beside each other. */
export function citedTitles(citations) {
  return titlesOf(citations.map((one) => (one.kind === "graph" ? one.stated : one)?.document).filter(Boolean));
}

/** What `showDocument` shows of a place that a citation leads to. */
function placeOf(citation, place, titles, knownAt) {
  const { id, collection } = place.document;
  const isQuoted = citation.fact.trim() === (place.quote ?? "").trim(); // then the mark in the text says it
  const lead = isQuoted ? [] : [h("p", { dir: "auto" }, h("b", {}, `[${citation.n}] `), citation.fact)];
  const home = collection && t("ask.in-collection", { collection });
  const told = [placeWords(place.place), home, versionWords(place.document)].filter(Boolean);
  const about = told.map((words) => h("span", { dir: "auto" }, words));
  return { id, title: titles(place.document), start: place.start, end: place.end, place: place.place ?? null, lead, about, knownAt };
}

function showRow(context, shown, citation, titles) {
  const { stated } = citation;
  const pairs = Object.entries(citation.row ?? {});
  shown.element.classList.remove("reader", "has-pages");
  fill(shown.title, `[${citation.n}] ${citation.tool}`);
  fill(
    shown.body,
    h("p", { dir: "auto" }, citation.fact),
    part(t("ask.row.call"), code(t("ask.row.call"), `${citation.tool}(${JSON.stringify(citation.arguments ?? {}, null, 1)})`)),
    pairs.length && part(t("ask.row.row"), h("dl.pairs", {}, pairs.map(([name, value]) => [h("dt", {}, name), h("dd", {}, plain(value))]))),
    citation.cypher && part(t("ask.row.query"), code(t("ask.row.query"), citation.cypher)),
    citation.cypher && part(t("ask.row.parameters"), code(t("ask.row.parameters"), JSON.stringify(citation.parameters ?? {}, null, 1))),
    stated && part(t("ask.row.stated"), statedIn(context, citation, titles)),
  );
}

function statedIn(context, citation, titles) {
  const { stated } = citation;
  return h(
    "div.stack-tight",
    {},
    h("blockquote.cited-quote", { dir: "auto" }, stated.quote),
    h(
      "div.actions",
      {},
      h("button", { type: "button", on: { click: () => openDocument(context, placeOf(citation, stated, titles)) } }, t("ask.open", { title: titles(stated.document) })),
    ),
  );
}

/** Where a quote stands in its document's file; "" where that is not known. */
export function placeWords(place) {
  const { words = "", part, page, last_page: last, sheet, cell, table, row, column, line } = place ?? {};
  const isSlide = words.split(", ").some((said) => /^slides? \d/.test(said));
  const parts = [
    part && partWords(part),
    page && (isSlide ? t(last ? "ask.place.slides" : "ask.place.slide", { page, last }) : last ? t("ask.place.pages", { page, last }) : t("ask.place.page", { page })),
    cell && (sheet ? `${sheet}!${cell}` : t("ask.place.cell", { cell })),
    line && t("ask.place.line", { line }),
    table && !cell && t("ask.place.table", { table }),
    row && t("ask.place.row", { row }),
    column && t("ask.place.column", { column }),
  ];
  return String(listed(parts));
}

/** A named part of a file in the page's language, where it is one of a usual kind. */
function partWords(part) {
  const [kind, ...rest] = part.split(" ");
  const name = rest.join(" ");
  if (kind === "message") return name === "head" ? t("ask.place.message-head") : t("ask.place.message-body");
  if (kind === "cell") return t("ask.place.cell", { cell: name });
  if (kind === "chapter") return t("ask.place.chapter", { name });
  if (kind === "section") return t("ask.place.section", { name });
  if (kind === "paragraph") return t("ask.place.paragraph", { name });
  if (kind === "attachment") return t("ask.place.attachment", { name });
  if (kind === "function") return t("ask.place.function", { name });
  if (kind === "class") return t("ask.place.class", { name });
  return part;
}

/** Which version of a document was read, where it is live no more; "" for what is live. */
export function versionWords({ version, until }) {
  return until ? String(t("ask.version", { version, time: timeWords(until) })) : "";
}

function part(title, content) {
  return h("section.stack-tight", {}, h("h3", {}, title), content);
}

function plain(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}
