// A document's text in a dialog, opened at a sentence; more of it on demand, before and after.

import { dialog, failure, fill, h, loading } from "./elements.js";
import { known, t } from "./texts.js";
import { visible } from "./words.js";

const AROUND = 2500; // characters before and after the sentence
const STRETCH = 10000; // more at a time
const WHOLE_FROM = 4000; // a beginning nearer than this is shown too

/**
 * Open a document.
 * @param {object} context of the view; its end closes the dialog.
 * @param {object} given
 * @param {string} given.id of the document.
 * @param {string} [given.title]
 * @param {number} [given.start] offsets of the sentence to be marked.
 * @param {number} [given.end]
 * @param {Node[]} [given.lead] shown above the text.
 * @param {string} [given.knownAt] the version that was live at that time; what is live now unless given.
 */
export function openDocument(context, { id, title = t("reader.document"), start = null, end = null, lead = [], knownAt }) {
  const own = new AbortController();
  const about = h("p.muted.small", {}, "");
  const text = h("div.reader-text", { tabindex: "0", dir: "auto", role: "region", "aria-label": t("reader.text", { title }) });
  const earlier = h("button.quiet", { type: "button", hidden: true, on: { click: showEarlier } }, t("reader.earlier"));
  const later = h("button.quiet", { type: "button", hidden: true, on: { click: showLater } }, t("reader.later"));
  const trouble = h("div");
  const shown = dialog(title, ...lead, about, trouble, earlier, text, later);
  shown.element.classList.add("reader");
  shown.element.addEventListener("close", () => own.abort());
  context.signal.addEventListener("abort", shown.close, { signal: own.signal });
  let from = 0;
  let to = 0;
  let length = 0;
  let isReading = false;
  fill(text, loading(t("reader.opening")));
  begin();

  function read(first, last) {
    return context.api.get(
      `v1/documents/${encodeURIComponent(id)}/text`,
      { start: first, end: last, known_at: knownAt },
      { signal: own.signal },
    );
  }

  async function begin() {
    const marked = start !== null && end !== null;
    const first = marked && start - AROUND > WHOLE_FROM ? start - AROUND : 0;
    await attempt(begin, async () => {
      const passage = await read(first, marked ? end + AROUND : first + STRETCH);
      [from, to, length] = [passage.start, passage.end, passage.length];
      const { document: told } = passage;
      fill(about, told.uri, " · ", t("count.characters", { n: length }));
      if (!length) {
        fill(text, h("p.muted", {}, t("reader.nothing", { state: known("state", told.status) })));
        return;
      }
      fill(text, ...(marked ? withMark(passage) : [passage.text]).map(withoutGaps));
      tellEnds();
      text.querySelector("mark")?.scrollIntoView({ block: "center" });
      text.focus({ preventScroll: true });
    });
  }

  /** What is in no chunk, front matter, comes as a line break per character. */
  function withoutGaps(part) {
    return typeof part === "string" ? part.replace(/\n{4,}/g, "\n\n") : part;
  }

  function withMark(passage) {
    const letters = Array.from(passage.text); // offsets count characters as Python does, not UTF-16
    const [first, last] = [start - passage.start, end - passage.start];
    const piece = (...range) => letters.slice(...range).join("");
    return [piece(0, first), h("mark", {}, piece(first, last)), piece(last)];
  }

  async function showEarlier() {
    await attempt(showEarlier, async () => {
      const passage = await read(Math.max(0, from - STRETCH), from);
      const before = text.scrollHeight;
      text.prepend(visible(withoutGaps(passage.text)));
      from = passage.start;
      text.scrollTop += text.scrollHeight - before; // what was read stays where it is
      tellEnds();
      if (earlier.hidden) text.focus({ preventScroll: true });
    });
  }

  async function showLater() {
    await attempt(showLater, async () => {
      const passage = await read(to, to + STRETCH);
      text.append(visible(withoutGaps(passage.text)));
      to = passage.end;
      tellEnds();
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
      if (own.signal.aborted) return;
      if (!length) fill(text);
      fill(trouble, failure(error, again));
    } finally {
      isReading = false;
    }
  }

  function tellEnds() {
    earlier.hidden = from === 0;
    later.hidden = to >= length;
  }
}
