// The page's texts in the language chosen. A message is written anew, where it stands, when the language changes.

const KEY = "hopline.language";
const LANGUAGES = {
  en: { name: "English", tag: "en", locale: "en-GB" },
  zh: { name: "中文", tag: "zh-Hans", locale: "zh-CN" },
};
const FIRST = "en";
const PLACEHOLDER = /\{(\w+)\}/;

let current = FIRST;
let catalogue = {};

/** The language chosen: {id, name, tag, locale}. */
export function language() {
  return { id: current, ...LANGUAGES[current] };
}

/** The languages there are: [{id, name, tag, locale}]. */
export function languages() {
  return Object.entries(LANGUAGES).map(([id, one]) => ({ id, ...one }));
}

/** Text that can be written in every language; `isRich` where it holds elements. */
export class Message {
  /** @param {() => Array<string|Node>} write */
  constructor(write, { isRich = false } = {}) {
    this.write = write;
    this.isRich = isRich;
  }

  toString() {
    return this.write().map((piece) => (piece instanceof Node ? piece.textContent : piece)).join("");
  }

  toJSON() {
    return this.toString();
  }
}

/**
 * A text of the catalogue.
 * @param {string} key
 * @param {object} [values] for its placeholders: numbers (written as the language does; `n` chooses the plural),
 *   strings, other messages, or elements.
 */
export function t(key, values = {}) {
  const isRich = Object.values(values).some((value) => value instanceof Node || value?.isRich);
  return new Message(() => piecesOf(key, values), { isRich });
}

function piecesOf(key, values) {
  const entry = catalogue[key] ?? key;
  const { locale } = LANGUAGES[current];
  const text = typeof entry === "string" ? entry : (entry[formatter("PluralRules", locale).select(values.n)] ?? entry.other);
  return text.split(PLACEHOLDER).map((piece, nth) => (nth % 2 ? written(values[piece]) : piece));
}

function written(value) {
  if (value instanceof Node) return value;
  if (typeof value === "number") return formatter("NumberFormat", LANGUAGES[current].locale).format(value);
  return String(value ?? "");
}

/** What the server calls by one of its own words, such as a state; a word that no text is known for stays as it is. */
export function known(family, word) {
  return new Message(() => [catalogue[`${family}.${word}`] ?? String(word)]);
}

/** Whether a text is known for one of the server's words. */
export function isKnown(family, word) {
  return `${family}.${word}` in catalogue;
}

/** The words of a family that have texts, in the catalogue's order. */
export function wordsOf(family) {
  const start = `${family}.`;
  return Object.keys(catalogue).filter((key) => key.startsWith(start)).map((key) => key.slice(start.length));
}

/** Several texts, one after the other: "3 facts, 2 documents". */
export function listed(parts) {
  return new Message(() => [parts.filter(Boolean).map(String).join(catalogue["list.separator"])]);
}

const formatters = new Map();

/** Return a formatter of Intl, made once for each language. */
export function formatter(kind, locale, options = {}) {
  const id = `${kind} ${locale} ${JSON.stringify(options)}`;
  if (!formatters.has(id)) formatters.set(id, new Intl[kind](locale, options));
  return formatters.get(id);
}

const updates = new WeakMap(); // node → what of it is written → how
const living = new Set(); // references to those nodes, as long as anything else holds them
const dead = new FinalizationRegistry((reference) => living.delete(reference));

/** Write a part of a node now, and again whenever the language has changed; later words for the same part replace it. */
export function keepWritten(node, part, write) {
  write();
  if (!updates.has(node)) {
    const reference = new WeakRef(node);
    updates.set(node, new Map());
    living.add(reference);
    dead.register(node, reference);
  }
  updates.get(node).set(part, write);
}

/** Change the language of all that is shown, and remember it. */
export async function chooseLanguage(id) {
  await use(id);
  try {
    localStorage.setItem(KEY, id);
  } catch {
    // Not kept then.
  }
  for (const reference of [...living]) for (const write of updates.get(reference.deref())?.values() ?? []) again(write);
}

/** Write a part anew; one that cannot be written leaves no other in the language before. */
function again(write) {
  try {
    write();
  } catch (error) {
    console.error(error);
  }
}

async function use(id) {
  const response = await fetch(new URL(`./texts/${id}.json`, import.meta.url));
  if (!response.ok) throw new Error(response.statusText);
  catalogue = await response.json();
  current = id;
  document.documentElement.lang = LANGUAGES[id].tag;
}

// Without a catalogue the page shows the texts' keys: it can still be used.
await use(document.documentElement.dataset.language ?? FIRST)
  .catch(() => use(FIRST))
  .catch((error) => console.error(error));
