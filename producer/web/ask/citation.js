// A citation opened: the document's text around the sentence, or the row of a graph with the query that found it.

import { api } from "../api.js";
import { dialog, failure, fill, h, loading } from "../elements.js";
import { score } from "../words.js";

const AROUND = 700; // characters of the document on both sides

/** Open what a citation leads to; places count characters as Python does, not UTF-16. */
export function openCitation(citation) {
  const title = citation.kind === "graph" ? `[${citation.n}] ${citation.tool}` : `[${citation.n}] ${titleOf(citation.document)}`;
  const place = citation.kind === "graph" ? citation.stated : citation;
  const text = h("div", {});
  const shown = dialog(title, h("p", {}, citation.fact), scoresOf(citation), graphParts(citation), place ? text : null);
  if (place) showText(place, text, shown.element);
  return shown;
}

function titleOf(document) {
  return document?.title || document?.uri || "a document";
}

function scoresOf(citation) {
  const decayed = citation.depth ? `, ${score(citation.final_decayed_score)} after decay at depth ${citation.depth}` : "";
  return h("p.muted.small", {}, `Score ${score(citation.score)}${decayed}`);
}

async function showText(place, root, element) {
  fill(root, loading("Opening the document…"));
  const start = Math.max(place.start - AROUND, 0);
  try {
    const path = `v1/documents/${encodeURIComponent(place.document.id)}/text`;
    const found = await api.get(path, { start, end: place.end + AROUND });
    if (element.open) fill(root, textAround(found, place));
    root.querySelector("mark")?.scrollIntoView({ block: "center" });
  } catch (error) {
    fill(root, failure(error, () => showText(place, root, element)), h("blockquote.cited-quote", {}, place.quote));
  }
}

function textAround(found, place) {
  const letters = Array.from(found.text); // by code point
  const from = place.start - found.start;
  const to = place.end - found.start;
  return [
    h("p.muted.small", {}, `${titleOf(place.document)} · ${place.document.uri} · characters ${place.start} to ${place.end}`),
    h(
      "div.document-text",
      { tabindex: "0", role: "region", "aria-label": "The document around the sentence" },
      found.start > 0 && h("span.muted", {}, "… "),
      letters.slice(0, from).join(""),
      h("mark", {}, letters.slice(from, to).join("")),
      letters.slice(to).join(""),
      found.end < found.length && h("span.muted", {}, " …"),
    ),
  ];
}

function graphParts(citation) {
  if (citation.kind !== "graph") return null;
  const pairs = Object.entries(citation.row ?? {}).map(([name, value]) => [h("dt", {}, name), h("dd", {}, plain(value))]);
  return [
    h("h3", {}, "Call"),
    h("pre", {}, `${citation.tool}(${JSON.stringify(citation.arguments ?? {}, null, 1)})`),
    pairs.length ? [h("h3", {}, "Row"), h("dl.pairs", {}, pairs)] : null,
    citation.cypher ? [h("h3", {}, "Query"), h("pre", {}, citation.cypher)] : null,
    citation.cypher && Object.keys(citation.parameters ?? {}).length
      ? [h("h3", {}, "Parameters"), h("pre", {}, JSON.stringify(citation.parameters, null, 1))]
      : null,
  ];
}

function plain(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}
