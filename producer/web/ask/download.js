// An answer as a file, made in the browser.

import { collectionsOf } from "../jobs/label.js";
import { saveText } from "../saving.js";
import { known, listed, t } from "../texts.js";
import { reasonText, score, titlesOf, tokens } from "../words.js";
import { placeWords } from "./citation.js";

export function saveJson(job) {
  saveText(`answer-${job.id}.json`, "application/json", `${JSON.stringify(job.outcome, null, 2)}\n`);
}

export function saveMarkdown(job) {
  saveText(`answer-${job.id}.md`, "text/markdown", markdownOf(job));
}

/** The answer as Markdown: question, text, reason, citations with their quotes, what it took. */
export function markdownOf(job) {
  const answer = job.outcome ?? {};
  const usage = answer.usage ?? {};
  const lines = [`# ${line(job.params?.question ?? t("ask.answer"))}`, ""];
  if (answer.text) lines.push(answer.text, "");
  if (answer.reason) lines.push(`*${known("state", job.state)}: ${line(reasonText(answer.reason))}*`, "");
  for (const part of alsoMissing(answer)) lines.push(`*${t("list.labelled", { label: t("ask.not-found"), words: line(part) })}*`, "");
  for (const told of tablesInPart(answer)) lines.push(`*${t("list.labelled", { label: t("ask.table-in-part.label"), words: line(told) })}*`, "");
  for (const sentence of unchecked(answer)) lines.push(`*${t("list.labelled", { label: t("ask.unchecked"), words: line(sentence) })}*`, "");
  if (answer.citations?.length) lines.push(`## ${t("ask.citations")}`, "", ...citedLines(answer.citations));
  lines.push(
    "---",
    "",
    String(
      t("ask.file.job", {
        job: job.id,
        n: collectionsOf(job).length,
        collections: listed(collectionsOf(job)),
        state: known("state", job.state),
        calls: usage.model_calls ?? 0,
        tokens: tokens(usage),
      }),
    ),
    "",
  );
  return lines.join("\n");
}

/** What is missing and not named by the reason. */
export function alsoMissing(answer) {
  return (answer.missing ?? []).filter((part) => !(answer.reason ?? "").includes(part));
}

/** Which rows were read of tables of which the evidence did not hold all. */
export function tablesInPart(answer) {
  const span = ([first, last]) => (last > first ? `${first}–${last}` : String(first));
  return (answer.details?.tables_in_part ?? []).map(({ title, table, rows, of }) => t("ask.table-in-part", { title, table, rows: listed(rows.map(span)), of }));
}

/** Sentences in another language than their quotes, whose names nobody checked. */
export function unchecked(answer) {
  return (answer.details?.unchecked_sentences ?? []).map(({ sentence }) => sentence);
}

function citedLines(citations) {
  const places = citations.map((citation) => (citation.kind === "graph" ? citation.stated : citation));
  const titles = titlesOf(places.filter(Boolean).map((place) => place.document));
  return citations.flatMap((citation, nth) => cited(citation, places[nth], titles));
}

function cited(citation, place, titles) {
  const source = place ? placeOf(place, titles) : t("ask.file.graph");
  const told = citation.kind === "graph" ? `\`${citation.tool}(${line(JSON.stringify(citation.arguments ?? {}))})\`, ${source}` : source;
  return [`${citation.n}. ${told} (${t("ask.score", { score: score(citation.score) })})`, "", `   > ${line(place?.quote ?? citation.fact)}`, ""];
}

function placeOf({ document, start, end, place }, titles) {
  return t("ask.file.place", { title: listed([line(titles(document)), placeWords(place), document.collection]), start, end });
}

function line(text) {
  return String(text).split(/\s+/).join(" ").trim();
}
