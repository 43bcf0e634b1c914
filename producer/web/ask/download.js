// An answer as a file, made in the browser.

import { score } from "../words.js";

function save(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

export function saveJson(job) {
  save(`answer-${job.id}.json`, "application/json", `${JSON.stringify(job.outcome, null, 2)}\n`);
}

export function saveMarkdown(job) {
  save(`answer-${job.id}.md`, "text/markdown", markdownOf(job));
}

/** The answer as Markdown: question, text, reason, citations with their quotes, what it took. */
export function markdownOf(job) {
  const answer = job.outcome ?? {};
  const usage = answer.usage ?? {};
  const lines = [`# ${line(job.params?.question ?? "Answer")}`, ""];
  if (answer.text) lines.push(answer.text, "");
  if (answer.reason) lines.push(`*${job.state}: ${line(answer.reason)}*`, "");
  for (const part of alsoMissing(answer)) lines.push(`*Not found: ${line(part)}*`, "");
  if (answer.citations?.length) lines.push("## Citations", "", ...answer.citations.flatMap(cited));
  lines.push(
    "---",
    "",
    `Job ${job.id}, collection ${job.collection}, ${job.state}. Model calls: ${usage.model_calls ?? 0}, ` +
      `tokens: ${(usage.prompt_tokens ?? 0) + (usage.completion_tokens ?? 0)}.`,
    "",
  );
  return lines.join("\n");
}

/** What is missing and not named by the reason. */
export function alsoMissing(answer) {
  return (answer.missing ?? []).filter((part) => !(answer.reason ?? "").includes(part));
}

function cited(citation) {
  const place = citation.kind === "graph" ? citation.stated : citation;
  const source = place ? `${line(place.document.title || place.document.uri)}, characters ${place.start} to ${place.end}` : "the graph";
  const told = citation.kind === "graph" ? `\`${citation.tool}(${line(JSON.stringify(citation.arguments ?? {}))})\`, ${source}` : source;
  return [`${citation.n}. ${told} (score ${score(citation.score)})`, "", `   > ${line(place?.quote ?? citation.fact)}`, ""];
}

function line(text) {
  return String(text).split(/\s+/).join(" ").trim();
}
