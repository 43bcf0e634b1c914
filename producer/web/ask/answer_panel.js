// The answer: sentences as they come, then the final text with citations, what it took, and what to do with it.

import { badge, fill, h, labelled, tied } from "../elements.js";
import { t } from "../texts.js";
import { cost, duration, number, reasonText, score, secondsBetween, stepName, tokens } from "../words.js";
import { citedTitles, openCitation, placeWords, versionWords } from "./citation.js";
import { alsoMissing, saveJson, saveMarkdown, tablesInPart, unchecked } from "./download.js";
import { behindAnswer } from "./left_out.js";
import { nearestPassages } from "./nearest.js";
import { scopeWords } from "./scope.js";

// Markers side by side, and the punctuation that closes them.
const MARKERS = /((?:\s*\[\d+\])+)([\p{Po}\p{Pe}\p{Pf}]*)/gu;
const PARENTHESES = /^\p{Ps}.+\p{Pe}$/su;
const OPENINGS = {
  abstained: t("ask.opening.abstained"),
  partial: t("ask.opening.partial"),
  failed: t("ask.opening.failed"),
  cancelled: t("ask.opening.cancelled"),
};

/** Text with calculations to open, and with [n] as buttons where there is a citation of that number; each stays with the word before it. */
function withMarkers(context, text, { citations = [], calculations = [] }, knownAt) {
  const byNumber = new Map(citations.map((citation) => [citation.n, citation]));
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(MARKERS)) {
    const numbers = [...match[1].matchAll(/\d+/g)].map(Number);
    if (!numbers.some((n) => byNumber.has(n))) continue;
    const shown = numbers.map((n) => [" ", open(n)]);
    const before = withCalculations(text.slice(end, match.index), calculations, open);
    parts.push(before.slice(0, -1), tied(before.at(-1), shown, match[2]));
    end = match.index + match[0].length;
  }
  return [...parts, text.slice(end)];

  function open(n) {
    return byNumber.has(n) ? marker(context, byNumber.get(n), citations, knownAt) : `[${n}]`;
  }
}

/** Text whose calculations in parentheses open to their operands, each with its marker; text stands last. */
function withCalculations(text, calculations, open) {
  const found = [];
  // One expression may lie in another: the longest are looked for first.
  for (const calculation of [...calculations].sort((one, other) => other.expression.length - one.expression.length)) {
    const { length } = calculation.expression;
    for (let at = text.indexOf(calculation.expression); at >= 0; at = text.indexOf(calculation.expression, at + 1)) {
      const [from, to] = [at - 1, at + length + 1];
      if (from < 0 || !PARENTHESES.test(text.slice(from, to)) || found.some((one) => from < one.to && one.from < to)) continue;
      found.push({ from, to, calculation });
      break;
    }
  }
  const parts = [];
  let end = 0;
  for (const { from, to, calculation } of found.sort((one, other) => one.from - other.from)) {
    const { operands, result } = calculation;
    const items = operands.map(({ n, number }) => h("li", {}, ...(number ? [number, " "] : []), open(n)));
    parts.push(
      text.slice(end, from),
      h("details.calculation", {}, h("summary", { title: t("ask.calculation") }, text.slice(from, to)), h("ul", {}, items, h("li", {}, t("ask.calculation.result", { result })))),
    );
    end = to;
  }
  return [...parts, text.slice(end)];
}

function marker(context, citation, all, knownAt) {
  return h(
    "button.marker",
    { type: "button", "aria-label": t("ask.citation", { number: citation.n, fact: citation.fact }), on: { click: () => openCitation(context, citation, all, knownAt) } },
    String(citation.n),
  );
}

/**
 * @param {object} context of the view.
 * @param {object} given `onCancel()`, `onAgain(job)`, `onFollowUp(job, question)`; `knownAt`: as of when the question reads.
 * @returns {{element, showProvisional(sentences), showFinal(job)}}
 */
export function createAnswerPanel(context, { onCancel, onAgain, onFollowUp, knownAt }) {
  const state = h("span", {});
  const tools = h("div.actions", {});
  // Sentences are read out as they come; the final answer replaces them without being read again.
  const coming = h("div.answer-text", { "aria-live": "polite", "aria-atomic": "false" });
  const waiting = h("div.answer-waiting", { "aria-hidden": "true" }, h("span", {}), h("span", {}), h("span", {}));
  const final = h("div.stack", { hidden: true });
  const element = h(
    "section.card.stack",
    { "aria-labelledby": "answer-title", data: { state: "running" } },
    h("div.card-head", {}, h("div.row.is-tied", {}, h("h2", { id: "answer-title" }, t("ask.answer")), state), tools),
    waiting,
    coming,
    final,
  );

  function showRunning() {
    element.dataset.state = "running";
    fill(state, badge("running"));
    fill(tools, h("button.danger", { type: "button", on: { click: onCancel } }, t("jobs.cancel")));
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
      const made = h("p", { dir: "auto", data: { text: sentence.text } }, withMarkers(context, sentence.text, told, knownAt));
      if (before) before.replaceWith(made);
      else coming.append(made);
    });
    waiting.hidden = sentences.length > 0;
  }

  function showFinal(job) {
    const answer = job.outcome ?? {};
    const hadFocus = tools.contains(document.activeElement);
    element.dataset.state = job.state;
    fill(state, badge(job.state));
    waiting.hidden = true;
    coming.replaceChildren();
    coming.hidden = true;
    const download = (format, save) => {
      const named = { type: "button", "aria-label": t("ask.download", { format }), on: { click: () => save(job) } };
      return h("button", named, format);
    };
    fill(
      tools,
      h("button", { type: "button", on: { click: () => onAgain(job) } }, t("ask.again")),
      download("JSON", saveJson),
      download("Markdown", saveMarkdown),
    );
    if (hadFocus) tools.firstChild.focus();
    final.hidden = false;
    fill(final, answerParts(context, answer, job), tookParts(answer, job), job.ended ? followUp(job) : null);
  }

  function followUp(job) {
    if (!job.params?.session) return null;
    const input = h("input", { type: "text", dir: "auto", maxlength: "4000", "aria-label": t("ask.follow-up"), placeholder: t("ask.follow-up.placeholder") });
    const submit = (event) => {
      event.preventDefault();
      if (input.value.trim()) onFollowUp(job, input.value.trim());
    };
    return h("form.follow-up", { on: { submit } }, input, h("button", { type: "submit" }, t("ask.on")));
  }

  return { element, showRunning, showProvisional, showFinal };
}

function answerParts(context, answer, job) {
  const citations = answer.citations ?? [];
  const reason = answer.reason
    ? h("p.answer-reason", {}, labelled(OPENINGS[job.state] ?? "", reasonText(answer.reason)))
    : !answer.text && h("p.answer-reason", {}, job.state === "cancelled" ? t("ask.cancelled-before") : t("ask.no-answer"));
  const scope = answer.scope ?? job.params;
  const read = scopeWords(scope);
  const titles = citedTitles(citations);
  return [
    read.length ? h("p.small.muted", {}, labelled(t("ask.scope.read-only"), read.join("; "))) : null,
    answer.text ? h("div.answer-text", {}, h("p", { dir: "auto" }, withMarkers(context, answer.text, answer, scope?.known_at))) : null,
    reason || null,
    alsoMissing(answer).map((part) => h("p.answer-reason", {}, labelled(t("ask.not-found"), part))),
    tablesInPart(answer).map((told) => h("p.answer-reason", {}, labelled(t("ask.table-in-part.label"), told))),
    unchecked(answer).map((sentence) => h("p.answer-reason", {}, labelled(t("ask.unchecked"), h("q", { dir: "auto" }, sentence)))),
    job.state === "abstained" && !citations.length ? nearestPassages(context, job) : null,
    citations.length
      ? h("div.stack-tight", {}, h("h3", {}, t("ask.citations")), h("ol.citations", {}, citations.map((one) => citationEntry(one, titles, () => openCitation(context, one, citations, scope?.known_at)))))
      : null,
  ];
}

function citationEntry(citation, titles, open) {
  const place = citation.kind === "graph" ? citation.stated : citation;
  const source = citation.kind === "graph" ? t("ask.in-graph", { tool: citation.tool }) : titles(citation.document);
  const places = placesOf(citation, source);
  const scored = [" ", h("span.muted.tiny", {}, t("ask.score", { score: score(citation.score) }))];
  const named = typeof source === "string" ? tied(source, ...scored) : [source, scored];
  return h(
    "li",
    {},
    h(
      "button.citation",
      { type: "button", on: { click: open } },
      h("span.marker", { "aria-hidden": "true" }, String(citation.n)),
      h(
        "span.stack-tight",
        {},
        h("b", { dir: "auto" }, named),
        places.length ? h("span.muted.small", {}, places.join(" · ")) : null,
        h("q.cited", { dir: "auto" }, place?.quote ?? citation.fact),
      ),
    ),
  );
}

/** Where the fact stands: in the critic's words, unless these only repeat the title, in which of several collections, and version. */
function placesOf(citation, source) {
  const told = (citation.source_description ?? "").trim();
  const { document = {} } = citation;
  const { place } = citation.kind === "graph" ? (citation.stated ?? {}) : citation;
  return [told !== source && told !== document.title ? told : "", placeWords(place), document.collection, versionWords(document)].filter(Boolean);
}

/** A number that chooses the plural and is shown in bold. */
function figure(value) {
  return { n: value, shown: h("b", {}, number(value)) };
}

function tookParts(answer, job) {
  const usage = answer.usage ?? job.usage ?? {};
  const seconds = job.ended ? secondsBetween(job.created, job.ended) : null;
  const figures = [
    t("ask.took.calls", figure(usage.model_calls ?? 0)),
    t("ask.took.tokens", figure(tokens(usage))),
    cost(usage) && t("ask.took.cost", { shown: h("b", {}, cost(usage)) }),
    answer.details?.contradictions && t("ask.took.contradictions", figure(answer.details.contradictions)),
    seconds !== null && t("ask.took.time", { shown: h("b", {}, duration(seconds)) }),
  ].filter(Boolean);
  const timings = Object.entries(answer.timings ?? {}).sort((a, b) => b[1] - a[1]);
  return h(
    "div.stack-tight",
    {},
    h("p.facts-line", {}, figures),
    ...behindAnswer(answer.details),
    timings.length
      ? h(
          "details.small",
          {},
          h("summary", {}, t("ask.timings")),
          h("dl.pairs", {}, timings.map(([step, took]) => [h("dt", {}, stepName(step)), h("dd", {}, t("ask.timing", { time: duration(took), n: job.items?.[step] ?? 1 }))])),
        )
      : null,
    h("p.tiny.muted", {}, t("ask.job", { job: h("a", { href: `#/jobs/${encodeURIComponent(job.id)}` }, job.id) })),
  );
}
