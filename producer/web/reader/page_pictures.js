// The pages of a document's file on which a quote stands, as pictures with the quote marked.

import { request } from "../api.js";
import { failure, fill, h, loading } from "../elements.js";
import { t } from "../texts.js";

const AROUND_BOX = 2; // points
const LEGIBLE = 544; // px, as in the style sheet
const REFUSED = new Set([404, 422]); // there is no such page, or it cannot be drawn: asking again does not help
const WIDEST = 3000; // px that the API draws

/**
 * Make the pane of the pages of a place; `load` fetches their pictures.
 * @param {object} given `id` and `title` of the document, `place`, `knownAt`, and `signal` of when it is shown no more.
 * @returns {{element: Element, load: () => void}}
 */
export function pagePictures({ id, title, place, knownAt, signal }) {
  const numbers = [...new Set([place.page, ...(place.boxes ?? []).map(({ page }) => page)])];
  const sheets = numbers.map(() => h("div.reader-page"));
  const name = place.last_page ? t("ask.place.pages", { page: place.page, last: place.last_page }) : t("ask.place.page", { page: place.page });
  const element = h("div.reader-pages", { tabindex: "0", role: "region", "aria-label": t("reader.pages", { title, pages: name }) }, sheets);
  sheets.forEach(wait);
  return { element, load };

  async function load() {
    for (const [nth, sheet] of sheets.entries()) await show(sheet, numbers[nth]);
  }

  function wait(sheet) {
    fill(sheet, loading(t("reader.drawing")));
  }

  async function show(sheet, number) {
    wait(sheet);
    try {
      const width = Math.min(WIDEST, Math.round(Math.max(sheet.clientWidth, LEGIBLE) * devicePixelRatio));
      const path = `v1/documents/${encodeURIComponent(id)}/pages/${number}/picture`;
      const response = await request(path, { query: { width, known_at: knownAt }, signal });
      const points = ["Page-Width", "Page-Height"].map((named) => Number(response.headers.get(named)));
      const picture = h("img", { alt: t("reader.page", { page: number, title }) });
      await drawn(picture, await response.blob());
      fill(sheet, picture, (place.boxes ?? []).filter((box) => box.page === number).map((box) => markNode(box, points)));
      sheet.style.setProperty("aspect-ratio", points.join("/"));
      if (sheet === sheets[0]) scrollToMiddle(element, sheet.querySelector(".reader-box") ?? sheet);
    } catch (error) {
      const again = REFUSED.has(error.status) ? null : () => (element.focus(), show(sheet, number));
      if (!signal.aborted) fill(sheet, failure(error, again));
    }
  }
}

async function drawn(picture, blob) {
  const address = URL.createObjectURL(blob);
  picture.src = address;
  try {
    await picture.decode();
  } finally {
    URL.revokeObjectURL(address);
  }
}

function markNode({ left, top, right, bottom }, [width, height]) {
  const share = (points, whole) => `${(points / whole) * 100}%`;
  return h("div.reader-box", {
    style: {
      left: share(left - AROUND_BOX, width),
      top: share(top - AROUND_BOX, height),
      width: share(right - left + 2 * AROUND_BOX, width),
      height: share(bottom - top + 2 * AROUND_BOX, height),
    },
  });
}

/** Scroll a box, and nothing around it, until what it holds stands in its middle; of what is wider, the left end is shown. */
export function scrollToMiddle(box, held) {
  const [outer, inner] = [box, held].map((one) => one.getBoundingClientRect());
  box.scrollTop += inner.top + inner.height / 2 - outer.top - outer.height / 2;
  box.scrollLeft += inner.left + Math.min(inner.width, outer.width) / 2 - outer.left - outer.width / 2;
}
