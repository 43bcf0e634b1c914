// The passages that a search for the question finds nearest: shown where there is no answer, and said to be none.

import { filterText } from "../documents/filter_text.js";
import { fill, h, loading } from "../elements.js";
import { collectionsOf } from "../jobs/label.js";
import { plainPassage } from "../markdown.js";
import { openDocument } from "../reader/document.js";
import { t } from "../texts.js";
import { titlesOf } from "../words.js";
import { placeWords } from "./citation.js";
import { scopeOf } from "./scope.js";

const SHOWN = 4;
const LONGEST = 280; // characters of a passage
const NEAR = "100% 0px"; // a screen above and below

/** Make the section for a question that was not answered; it searches once it is near to be seen. */
export function nearestPassages(context, job) {
  const body = h("div", {}, loading(t("ask.nearest.searching")));
  const element = h("section.stack-tight.nearest", { "aria-label": t("ask.nearest") }, h("h3", {}, t("ask.nearest")), body);
  const seen = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      seen.disconnect();
      search();
    },
    { rootMargin: NEAR },
  );
  seen.observe(element);
  return element;

  async function search() {
    const query = { question: job.params.question, collection: collectionsOf(job), limit: SHOWN, sentences: 1, ...readOnly(job) };
    try {
      const { chunks } = await context.api.get("v1/search", query, { signal: context.signal });
      const titles = titlesOf(chunks.map((found) => found.document));
      const entries = chunks.map((found) => entry(context, passageOf(found), titles, query.collection.length > 1, query.known_at));
      if (entries.length) fill(body, h("p.field-hint", {}, t("ask.nearest.about")), h("ol.citations", {}, entries));
      else fill(body, h("p.muted.small", {}, t("ask.nearest.nothing")));
    } catch (error) {
      if (!context.signal.aborted) fill(body, h("p.muted.small", {}, t("ask.nearest.failed", { error: error.detail || error.message })));
    }
  }
}

/** What the question was about, as a search takes it: the filter as text. */
function readOnly(job) {
  const scope = scopeOf(job.params);
  return { ...scope, ...(scope.where && typeof scope.where !== "string" && { where: filterText(scope.where) }) };
}

/** A found chunk as {document, place, text, start, end}: from its best sentence on. */
function passageOf({ chunk, document, place, sentences: [best] }) {
  const at = Math.max(best ? chunk.text.search(spaced(best)) : 0, 0);
  const shown = shortened(chunk.text.slice(at).trim());
  // Offsets count characters as Python does, not UTF-16.
  const start = chunk.start + Array.from(chunk.text.slice(0, at)).length;
  return { document, place, text: `${at ? "…" : ""}${shown}`, start, end: start + Array.from(shown.replace(/…$/, "")).length };
}

/** A sentence as it stands in the text, where lines may break between its words. */
function spaced(sentence) {
  const words = sentence.split(" ").map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(words.join("\\s+"), "u");
}

function shortened(text) {
  if (text.length <= LONGEST) return text;
  return `${text.slice(0, LONGEST).replace(/\s+\S*$/, "")}…`;
}

function entry(context, { document, place, text, start, end }, titles, areSeveral, knownAt) {
  const title = titles(document);
  const where = [placeWords(place), areSeveral && document.collection].filter(Boolean);
  const open = () => openDocument(context, { id: document.id, title, start, end, place, about: [h("span", { dir: "auto" }, placeWords(place))], knownAt });
  return h(
    "li",
    {},
    h("button.citation", { type: "button", on: { click: open } }, h("span.stack-tight", {}, h("span", {}, h("b", { dir: "auto" }, title), " ", where.length ? h("span.muted.small", {}, where.join(" · ")) : null), h("span.cited", {}, plainPassage(text)))),
  );
}
