// A document's text in a dialog, opened at a sentence, beside the page of the file; more of it on demand.

import { request } from "../api.js";
import { dialog, failure, fill, h, loading } from "../elements.js";
import { known, t } from "../texts.js";
import { saveBlob } from "../saving.js";
import { isBeheaded, markedText } from "./marked_text.js";
import { pagePictures, scrollToMiddle } from "./page_pictures.js";

const AROUND = 2500; // characters before and after the sentence
const STRETCH = 10000; // more at a time
const WHOLE_FROM = 4000; // a beginning nearer than this is shown too

/**
 * Open a document in a dialog of its own.
 * @param {object} context of the view; its end closes the dialog.
 * @param {object} given as `showDocument` takes it.
 */
export function openDocument(context, given) {
  const shown = dialog(given.title);
  const own = new AbortController();
  shown.element.addEventListener("close", () => own.abort());
  context.signal.addEventListener("abort", shown.close, { signal: own.signal });
  showDocument(context, shown, given, { signal: own.signal });
}

/**
 * Show a document in a dialog that is open.
 * @param {object} context of the view.
 * @param {object} shown as `dialog` returns it.
 * @param {object} given
 * @param {string} given.id of the document.
 * @param {string} given.title
 * @param {number} [given.start] offsets of the sentence to be marked.
 * @param {number} [given.end]
 * @param {object} [given.place] where the sentence stands in the document's file; null where that is not known.
 * @param {Node[]} [given.lead] shown above the text,
 * @param {Node[]} [given.about] and what is told of it in small print.
 * @param {string} [given.knownAt] the version that was live at that time; what is live now unless given.
 * @param {object} options
 * @param {AbortSignal} options.signal of when it is shown no more.
 * @param {boolean} [options.takesFocus] whether the text is focused once it is there.
 */
export function showDocument(context, shown, given, { signal, takesFocus = true }) {
  const { id, title, start = null, end = null, place, lead = [], about = [], knownAt } = given;
  const isMarked = start !== null && end !== null;
  const file = h("span", {}, "");
  const note = h("p.muted.small", { hidden: true });
  const text = h("div.reader-text", { tabindex: "0", dir: "auto", role: "region", "aria-label": t("reader.text", { title }) });
  const earlier = h("button.quiet", { type: "button", hidden: true, on: { click: showEarlier } }, t("reader.earlier"));
  const later = h("button.quiet", { type: "button", hidden: true, on: { click: showLater } }, t("reader.later"));
  const trouble = h("div");
  const pages = place?.page ? pagePictures({ id, title, place, knownAt, signal }) : null;
  let from = 0;
  let to = 0;
  let length = 0;
  let read = "";
  let isReading = false;
  let isMarkdown = true;
  shown.element.classList.add("reader");
  shown.element.classList.toggle("has-pages", pages !== null);
  fill(shown.title, title);
  fill(
    shown.body,
    h("div.stack-tight", {}, lead, h("p.reader-about.muted.small", {}, about, file), note),
    h("div.reader-panes", {}, pages?.element, h("div.reader-read", {}, trouble, earlier, text, later)),
  );
  fill(text, loading(t("reader.opening")));
  begin();

  function passage(first, last) {
    const range = { start: first, end: last, known_at: knownAt };
    return context.api.get(`v1/documents/${encodeURIComponent(id)}/text`, range, { signal });
  }

  async function begin() {
    const first = isMarked && start - AROUND > WHOLE_FROM ? start - AROUND : 0;
    await attempt(begin, async () => {
      const got = await passage(first, isMarked ? end + AROUND : first + STRETCH);
      [from, to, length, read] = [got.start, got.end, got.length, got.text];
      fill(file, got.document.uri, " · ", t("count.characters", { n: length }), got.document.original === "kept" && [" · ", originalButton(got.document)]);
      isMarkdown = got.document.media_type !== "text/plain";
      showPages(got.document);
      if (!length) {
        fill(text, h("p.muted", {}, t("reader.nothing", { state: known("state", got.document.status) })));
        return;
      }
      if (isMarked && from > 0 && isBeheaded(read, start - from)) await readEarlier();
      draw();
      showMark(text.querySelector("mark"));
      if (takesFocus) text.focus({ preventScroll: true });
    });
  }

  /** A button that saves the file itself: a link could not send the key. */
  function originalButton({ uri }) {
    const get = () =>
      attempt(get, async () => {
        const response = await request(`v1/documents/${encodeURIComponent(id)}/original`, { query: { known_at: knownAt }, signal });
        saveBlob(uri.split("/").at(-1) || title, await response.blob());
      });
    return h("button.link", { type: "button", on: { click: get } }, t("reader.original"));
  }

  /** Show the pages, or say why there are none. */
  function showPages({ original, media_type: kind }) {
    const isDrawn = kind === "application/pdf" || kind?.startsWith("image/");
    const hasPages = pages && isDrawn;
    if (hasPages && original === "kept") pages.load();
    else if (hasPages) tellNone(t("reader.no-picture", { why: known("original", original ?? "older") }));
    else if (place === null && isDrawn) tellNone(t("reader.no-place"));
    else if (kind && place !== undefined && !["text/plain", "text/markdown"].includes(kind)) tellNone(t("reader.no-pages"));
  }

  function tellNone(why) {
    shown.element.classList.remove("has-pages");
    pages?.element.remove();
    fill(note, why).hidden = false;
  }

  function draw() {
    fill(text, ...markedText(read, isMarked ? { start: start - from, end: end - from, column: place?.column } : null, { isMarkdown }));
    for (const table of text.querySelectorAll(".reader-table")) {
      if (table.scrollWidth > table.clientWidth) table.tabIndex = 0; // so that it can be scrolled by keyboard
    }
    earlier.hidden = from === 0;
    later.hidden = to >= length;
  }

  function showMark(mark) {
    if (!mark) return;
    scrollToMiddle(text, mark);
    const table = mark.closest(".reader-table");
    if (table) scrollToMiddle(table, mark);
    if (!pages) mark.scrollIntoView({ block: "nearest" });
  }

  async function readEarlier() {
    const got = await passage(Math.max(0, from - STRETCH), from);
    read = got.text + read;
    from = got.start;
  }

  async function showEarlier() {
    await attempt(showEarlier, async () => {
      await readEarlier();
      const before = text.scrollHeight - text.scrollTop;
      draw();
      text.scrollTop = text.scrollHeight - before; // what was read stays where it is
      if (earlier.hidden) text.focus({ preventScroll: true });
    });
  }

  async function showLater() {
    await attempt(showLater, async () => {
      const got = await passage(to, to + STRETCH);
      read += got.text;
      to = got.end;
      const { scrollTop } = text;
      draw();
      text.scrollTop = scrollTop;
      if (later.hidden) text.focus({ preventScroll: true });
    });
  }

  async function attempt(again, work) {
    if (isReading) return; // a second click would add the same text again
    isReading = true;
    fill(trouble);
    try {
      await work();
    } catch (error) {
      if (signal.aborted) return;
      if (!length) fill(text);
      fill(trouble, failure(error, again));
    } finally {
      isReading = false;
    }
  }
}
