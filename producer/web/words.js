// Numbers and times as people read them.

import { Message, formatter, isKnown, known, language, t } from "./texts.js";

const WHEN = { dateStyle: "medium", timeStyle: "short" };

/**
 * What documents are called that are shown together: two of one title with the fewest of the last parts of
 * their addresses that tell them apart (hopline/titles.py).
 * @param {{title?: string, uri: string}[]} documents one may come again.
 * @returns {(document: {title?: string, uri: string}) => string}
 */
export function titlesOf(documents) {
  const uris = new Map(); // by title
  for (const { title, uri } of documents) uris.set(title, (uris.get(title) ?? new Set()).add(uri));
  const parts = new Map();
  for (const [title, some] of uris) if (title && some.size > 1) parts.set(title, distinctParts([...some]));
  return ({ title, uri }) => {
    const part = parts.get(title)?.get(uri);
    return part ? `${title} (${part})` : title || uri;
  };
}

function distinctParts(uris) {
  let paths = uris.map((uri) => uri.split("/"));
  while (paths.every((path) => path.length > 1) && new Set(paths.map((path) => path.at(-1))).size === 1) paths = paths.map((path) => path.slice(0, -1));
  const parts = new Map();
  for (let size = 1; parts.size < uris.length; size++) {
    const ends = paths.map((path) => path.slice(-size).join("/"));
    uris.forEach((uri, nth) => {
      const isAlone = ends.indexOf(ends[nth]) === ends.lastIndexOf(ends[nth]);
      if (!parts.has(uri) && (isAlone || size >= paths[nth].length)) parts.set(uri, ends[nth]);
    });
  }
  return parts;
}

/** 1234 → "1,234" */
export function number(value) {
  return new Message(() => [formatter("NumberFormat", language().locale).format(value ?? 0)]);
}

/** "2026-11-21T21:31:07Z" → "21 Nov 2026, 22:31" */
export function when(time) {
  if (!time) return "";
  return new Message(() => [formatter("DateTimeFormat", language().locale, WHEN).format(new Date(time))]);
}

/** A time as a clock of a zone shows it: "21 Nov 2026, 22:31 Europe/Berlin" */
export function whenIn(time, zone) {
  const written = () => formatter("DateTimeFormat", language().locale, { ...WHEN, timeZone: zone }).format(new Date(time));
  return new Message(() => [`${written()} ${zone}`]);
}

/** "2026-11-21T21:31:07Z" → "10:31:07 PM" */
export function clockTime(time) {
  return new Message(() => [formatter("DateTimeFormat", language().locale, { timeStyle: "medium" }).format(new Date(time))]);
}

/** The seconds from one time to another, or to this moment; 0 if that comes first. */
export function secondsBetween(earlier, later) {
  return Math.max(0, ((later ? new Date(later) : Date.now()) - new Date(earlier)) / 1000);
}

/** Seconds → "0.8 s", "2 min 5 s" */
export function duration(seconds) {
  if (seconds === null || seconds === undefined || Number.isNaN(seconds)) return "";
  if (seconds < 60) return t("duration.seconds", { seconds: seconds.toFixed(seconds < 10 ? 1 : 0) });
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return t("duration.minutes", { minutes, seconds: Math.round(seconds % 60) });
  return t("duration.hours", { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
}

/** Seconds, short ones to the millisecond: "38 ms", "0.8 s" */
export function brief(seconds) {
  return seconds < 1 ? t("duration.milliseconds", { ms: Math.round(seconds * 1000) }) : duration(seconds);
}

/** A cost, where one is known. */
export function cost(usage) {
  return usage?.cost === null || usage?.cost === undefined ? "" : usage.cost.toFixed(4);
}

/** All tokens of a usage. */
export function tokens(usage) {
  return (usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0);
}

const ENDS = "\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073}"; // eng, sct, wls
const FLAG = `\u{1f3f4}\u{e0067}\u{e0062}(?:${ENDS})\u{e007f}`;
const HIDDEN = "[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u202d\\u202e\u{e0000}-\u{e007f}]";
const FLAG_OR_HIDDEN = new RegExp(`${FLAG}|${HIDDEN}`, "gu");

/** Text without what hides or reorders it: control and tag characters, direction overrides. Flags stay. */
export function visible(text) {
  return String(text).replace(FLAG_OR_HIDDEN, (sign) => (sign.startsWith("\u{1f3f4}") ? sign : ""));
}

/** "traverse.visit" → "visit" */
export function stepName(step) {
  return isKnown("step", step) ? known("step", step) : String(step).split(".").pop().replaceAll("_", " ");
}

/**
 * A reason of the server's: its own sentences in the page's language, what it adds behind a colon as it comes.
 * @returns {Message|string}
 */
export function reasonText(text) {
  const sentence = reasonKey(text);
  if (isKnown("reason", sentence)) return known("reason", sentence);
  const [head, ...rest] = text.split(": ");
  if (!rest.length || !isKnown("reason", reasonKey(head))) return text;
  return t("list.detail", { head: known("reason", reasonKey(head)), detail: rest.join(": ") });
}

/** "No fact was found." → "no-fact-was-found" */
function reasonKey(text) {
  return text.toLowerCase().match(/[a-z]+/g)?.join("-") ?? "";
}

/** A score between 0 and 1 → "0.83" */
export function score(value) {
  return Number(value ?? 0).toFixed(2);
}

/** An error as people read it: without the name of its class; a message of the page stays as it is. */
export function plainError(said) {
  return typeof said === "string" ? said.replace(/^[A-Z]\w+: /, "") : said;
}

/** Whether doing again what ended with this error can help: a file that is no document stays none. */
export function mayHelpAgain(text) {
  return !/^DocumentUnreadable: /.test(text ?? "");
}
