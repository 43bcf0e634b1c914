// A citation opened: the document at the sentence, or the row of a graph with the query that found it.

import { openDocument } from "../document_reader.js";
import { code, dialog, h } from "../elements.js";
import { listed, t } from "../texts.js";
import { score } from "../words.js";
import { timeWords } from "./known_at.js";

/**
 * Open what a citation leads to.
 * @param {object} context of the view.
 * @param {object} citation
 * @param {string} [knownAt] the time as of which its question read.
 */
export function openCitation(context, citation, knownAt) {
  if (citation.kind === "graph") openRow(context, citation);
  else openPlace(context, citation, citation, knownAt);
}

function openPlace(context, citation, place, knownAt) {
  const { id, title, uri, collection } = place.document;
  const home = collection ? h("p.muted.small", {}, t("ask.in-collection", { collection })) : null;
  const version = versionWords(place.document);
  const earlier = version && h("p.muted.small", {}, version);
  const where = place.place && h("p.muted.small", { dir: "auto" }, placeWords(place.place));
  const said = h("p", { dir: "auto" }, h("b", {}, `[${citation.n}] `), citation.fact);
  const lead = [said, where, scoresOf(citation), home, earlier].filter(Boolean);
  openDocument(context, { id, title: title || uri, start: place.start, end: place.end, lead, knownAt });
}

function openRow(context, citation) {
  const { stated } = citation;
  const pairs = Object.entries(citation.row ?? {});
  const shown = dialog(
    `[${citation.n}] ${citation.tool}`,
    h("p", { dir: "auto" }, citation.fact),
    scoresOf(citation),
    part(t("ask.row.call"), code(t("ask.row.call"), `${citation.tool}(${JSON.stringify(citation.arguments ?? {}, null, 1)})`)),
    pairs.length && part(t("ask.row.row"), h("dl.pairs", {}, pairs.map(([name, value]) => [h("dt", {}, name), h("dd", {}, plain(value))]))),
    citation.cypher && part(t("ask.row.query"), code(t("ask.row.query"), citation.cypher)),
    citation.cypher && part(t("ask.row.parameters"), code(t("ask.row.parameters"), JSON.stringify(citation.parameters ?? {}, null, 1))),
    stated && part(t("ask.row.stated"), statedIn(context, citation)),
  );
  context.signal.addEventListener("abort", shown.close, { once: true });
}

function statedIn(context, citation) {
  const { stated } = citation;
  return h(
    "div.stack-tight",
    {},
    h("blockquote.cited-quote", { dir: "auto" }, stated.quote),
    h(
      "div.actions",
      {},
      h("button", { type: "button", on: { click: () => openPlace(context, citation, stated) } }, t("ask.open", { title: stated.document.title || stated.document.uri })),
    ),
  );
}

/** Where a quote stands in its document's file; "" where that is not known. */
export function placeWords(place) {
  const { page, last_page: last, table, row, column, line } = place ?? {};
  const parts = [
    page && (last ? t("ask.place.pages", { page, last }) : t("ask.place.page", { page })),
    table && t("ask.place.table", { table }),
    row && t("ask.place.row", { row }),
    column && t("ask.place.column", { column }),
    line && t("ask.place.line", { line }),
  ];
  return String(listed(parts));
}

/** Which version of a document was read, where it is live no more; "" for what is live. */
export function versionWords({ version, until }) {
  return until ? String(t("ask.version", { version, time: timeWords(until) })) : "";
}

function part(title, content) {
  return h("section.stack-tight", {}, h("h3", {}, title), content);
}

function scoresOf(citation) {
  const told = { score: score(citation.score), decayed: score(citation.final_decayed_score), depth: citation.depth };
  return h("p.muted.small", {}, citation.depth ? t("ask.scores.decayed", told) : t("ask.scores", { score: told.score }));
}

function plain(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}
