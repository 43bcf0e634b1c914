// The answer: sentences as they come, then the final text with its citations, and what to do with it.

import { badge, fill, h, labelled } from "../elements.js";
import { plainPassage } from "../markdown.js";
import { copyText } from "../saving.js";
import { t } from "../texts.js";
import { reasonText } from "../words.js";
import { withMarkers } from "./answer_text.js";
import { citedTitles, placeWords, versionWords } from "./citation.js";
import { alsoMissing, markdownOf, saveJson, saveMarkdown, tablesInPart, unchecked } from "./download.js";
import { nearestPassages } from "./nearest.js";
import { scopeWords } from "./scope.js";
import { tookParts } from "./took.js";

const OPENINGS = {
  abstained: t("ask.opening.abstained"),
  partial: t("ask.opening.partial"),
  failed: t("ask.opening.failed"),
  cancelled: t("ask.opening.cancelled"),
};
const MANY = 12; // citations from which only the
const FIRST = 8; // are shown
const SAID = 2000; // ms for which a button says that something was copied

/**
 * @param {object} context of the view.
 * @param {object} given `onCitation(citation, all)`, `onCancel()`, `onAgain(job)`, `onEdit(job)`.
 * @returns {{element, showRunning(), showActivity(words), showProvisional(sentences), showFinal(job)}}
 */
export function createAnswerPanel(context, { onCitation, onCancel, onAgain, onEdit }) {
  const state = h("span", {});
  const tools = h("div.actions", {});
  // Sentences are read out as they come; the final answer replaces them without being read again.
  const coming = h("div.answer-text", { "aria-live": "polite", "aria-atomic": "false" });
  const activity = h("p.walk-activity", {});
  const bars = h("div.answer-waiting", { "aria-hidden": "true" }, h("span", {}), h("span", {}), h("span", {}));
  const waiting = h("div.stack", {}, activity, bars);
  const final = h("div.stack", { hidden: true });
  const element = h("section.card.stack.answer", { "aria-label": t("ask.answer"), data: { state: "running" } }, waiting, coming, final, h("div.card-head.answer-foot", {}, state, tools));

  function showRunning() {
    element.dataset.state = "running";
    fill(state, badge("running"));
    fill(tools, h("button", { type: "button", on: { click: onCancel } }, t("ask.stop")));
    waiting.hidden = false;
    coming.hidden = false;
    final.hidden = true;
  }

  function showProvisional(sentences) {
    if (!final.hidden) return; // a frame that was asked for before the answer came
    while (coming.children.length > sentences.length) coming.lastChild.remove();
    const citations = sentences.flatMap((sentence) => sentence.citations ?? []); // a number is told once, cited often
    const told = { citations, calculations: sentences.flatMap((sentence) => sentence.calculations ?? []) };
    sentences.forEach((sentence, nth) => {
      const before = coming.children[nth];
      if (before?.dataset.text === sentence.text) return;
      const made = h("p", { dir: "auto", data: { text: sentence.text } }, withMarkers(sentence.text, told, onCitation));
      if (before) before.replaceWith(made);
      else coming.append(made);
    });
    bars.hidden = sentences.length > 0;
  }

  function showFinal(job) {
    const answer = job.outcome ?? {};
    const hadFocus = tools.contains(document.activeElement);
    element.dataset.state = job.state;
    fill(state, job.state === "done" ? null : badge(job.state));
    waiting.hidden = true;
    coming.replaceChildren();
    coming.hidden = true;
    const again = h(job.outcome?.text ? "button.quiet" : "button", { type: "button", on: { click: () => onAgain(job) } }, t("ask.again"));
    fill(tools, again, h("button.quiet", { type: "button", on: { click: () => onEdit(job) } }, t("ask.edit")), answer.text ? copyButton(job) : null, downloads(job));
    if (hadFocus) again.focus();
    final.hidden = false;
    fill(final, answerParts(context, answer, job, onCitation), ...tookParts(answer, job));
  }

  return { element, showRunning, showActivity: (words) => fill(activity, words), showProvisional, showFinal };
}

function copyButton(job) {
  const said = t("ask.copy");
  const copy = async ({ currentTarget }) => {
    fill(currentTarget, await copyText(markdownOf(job)));
    setTimeout(() => fill(currentTarget, said), SAID);
  };
  return h("button.quiet", { type: "button", on: { click: copy } }, said);
}

function downloads(job) {
  const button = (format, save) => h("button.quiet", { type: "button", "aria-label": t("ask.download", { format }), on: { click: () => save(job) } }, format);
  return [button("Markdown", saveMarkdown), button("JSON", saveJson)];
}

function answerParts(context, answer, job, onCitation) {
  const citations = answer.citations ?? [];
  const reason = answer.reason
    ? h("p.answer-reason", {}, labelled(OPENINGS[job.state] ?? "", reasonText(answer.reason)))
    : !answer.text && h("p.answer-reason", {}, job.state === "cancelled" ? t("ask.cancelled-before") : t("ask.no-answer"));
  const read = scopeWords(answer.scope ?? job.params);
  const titles = citedTitles(citations);
  return [
    read.length ? h("p.small.muted", {}, labelled(t("ask.scope.read-only"), read.join("; "))) : null,
    answer.text ? h("div.answer-text", {}, h("p", { dir: "auto" }, withMarkers(answer.text, answer, onCitation))) : null,
    reason || null,
    alsoMissing(answer).map((part) => h("p.answer-reason", {}, labelled(t("ask.not-found"), part))),
    tablesInPart(answer).map((told) => h("p.answer-reason", {}, labelled(t("ask.table-in-part.label"), told))),
    unchecked(answer).map((sentence) => h("p.answer-reason", {}, labelled(t("ask.unchecked"), h("q", { dir: "auto" }, sentence)))),
    job.state === "abstained" && !citations.length ? nearestPassages(context, job) : null,
    citations.length
      ? h("div.stack-tight", {}, h("h3", {}, t("ask.citations")), citationLists(citations, (one) => citationEntry(one, titles, () => onCitation(one, citations))))
      : null,
  ];
}

/** The list of citations; of many, those behind the first can be opened. */
function citationLists(citations, entry) {
  const shown = citations.length > MANY ? FIRST : citations.length;
  const rest = citations.slice(shown);
  const more = () => h("details.more-citations", {}, h("summary.small", {}, t("ask.citations.more", { n: rest.length })), h("ol.citations", { start: String(shown + 1) }, rest.map(entry)));
  return [h("ol.citations", {}, citations.slice(0, shown).map(entry)), rest.length > 0 && more()];
}

/** Title, place and quote of a citation, each once. */
function citationEntry(citation, titles, open) {
  const place = citation.kind === "graph" ? citation.stated : citation;
  const source = citation.kind === "graph" ? t("ask.in-graph", { tool: citation.tool }) : titles(citation.document);
  const places = placesOf(citation, source);
  return h(
    "li",
    {},
    h(
      "button.citation",
      { type: "button", data: { n: citation.n }, on: { click: open } },
      h("span.marker", { "aria-hidden": "true" }, String(citation.n)),
      h(
        "span.stack-tight",
        {},
        h("span", {}, h("b", { dir: "auto" }, source), " ", places.length ? h("span.muted.small", {}, places.join(" · ")) : null),
        h("q.cited", { dir: "auto" }, plainPassage(place?.quote ?? citation.fact)),
      ),
    ),
  );
}

/** Where the fact stands: in the critic's words, unless these repeat title or quote, in which of several collections, and version. */
function placesOf(citation, source) {
  const told = (citation.source_description ?? "").trim();
  const { document = {} } = citation;
  const { place, quote = "" } = citation.kind === "graph" ? (citation.stated ?? {}) : citation;
  const said = told.replace(`${document.title}: `, "").replace(/…$/, "");
  const isNew = ![source, document.title].includes(told) && !quote.includes(said) && !(quote.trim() && told.includes(quote.trim()));
  return [isNew ? told : "", placeWords(place), document.collection, versionWords(document)].filter(Boolean);
}
