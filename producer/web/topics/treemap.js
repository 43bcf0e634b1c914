// Topics as a treemap: a box a topic, as large as the number of its documents, with its sentence and the topics within
// it. Each box is a button.

import { fill, h } from "../elements.js";
import { GROUPS } from "../graph_style.js";
import { t } from "../texts.js";
import { hierarchy, treemap } from "../vendor/d3-hierarchy.esm.min.mjs";

const ELEMENTS = 4; // names that a box has room for
const LEAST = { width: 64, height: 34 }; // px of a box that has words
const SENTENCE = { width: 120, height: 96 }; // px of one that has room for a sentence
const NESTED = { width: 200, height: 190 }; // px of one that shows what lies within
const OWN_WORDS = 104; // px at its top that are its own
const INNER = { width: 56, height: 26 }; // px of a box within that has words
const TALL = 0.5; // of the width
const LEAST_TALL = 320; // px

/**
 * Make a treemap that keeps to the width it is given.
 * @param {(topic) => void} onOpen is called with the topic that was chosen.
 */
export function createTreemap(onOpen) {
  const list = h("ul.topic-map", { "aria-label": t("topics.map") });
  let shown = [];
  const watch = new ResizeObserver(() => draw());
  watch.observe(list);

  function draw() {
    const width = list.clientWidth;
    if (!width) return;
    const height = Math.max(LEAST_TALL, Math.round(width * TALL));
    list.style.setProperty("height", `${height}px`);
    const root = hierarchy({ children: shown }).sum((topic) => topic.documents ?? 0);
    placed(root, width, height);
    const before = list.contains(document.activeElement) ? document.activeElement.dataset.topic : null;
    fill(list, ...(root.children ?? []).map((box, nth) => boxOf(box, nth)));
    if (before) list.querySelector(`[data-topic="${CSS.escape(before)}"]`)?.focus();
  }

  function boxOf({ data: topic, x0, y0, x1, y1 }, nth) {
    const [width, height] = [x1 - x0, y1 - y0];
    const hasRoom = (size) => width >= size.width && height >= size.height;
    const counted = [t("count.documents", { n: topic.documents }), h("span.visually-hidden", {}, ", ", t("count.facts", { n: topic.facts }))];
    const words = hasRoom(LEAST)
      ? [
          h("b.topic-name", {}, nameOf(topic)),
          h("span.tiny", {}, counted),
          hasRoom(SENTENCE) && topic.label !== nameOf(topic) && h("span.topic-sentence.small", {}, topic.label),
          hasRoom(NESTED) && topic.parts?.length > 1 && innerOf(topic, width, height - OWN_WORDS),
        ]
      : [];
    const button = h(
      "button.topic-box",
      {
        type: "button",
        "aria-label": words.length ? null : describe(topic),
        title: describe(topic),
        data: { topic: topic.id, group: String(nth % GROUPS) },
        on: { click: () => onOpen(topic) },
      },
      ...words,
    );
    const style = { left: `${x0}px`, top: `${y0}px`, width: `${x1 - x0}px`, height: `${y1 - y0}px` };
    return h("li", { style }, button);
  }

  /** What lies within a topic, drawn only: one goes there through it. A part of its own name is told by its sentence. */
  function innerOf(topic, width, height) {
    const words = (part) => (nameOf(part) === nameOf(topic) ? part.label : nameOf(part));
    const root = placed(hierarchy({ children: topic.parts }).sum((part) => part.documents ?? 0), width, height);
    const boxes = (root.children ?? []).map(({ data, x0, y0, x1, y1 }) =>
      h("span.topic-part.tiny", { style: { left: `${x0}px`, top: `${y0}px`, width: `${x1 - x0}px`, height: `${y1 - y0}px` } }, x1 - x0 >= INNER.width && y1 - y0 >= INNER.height && words(data)),
    );
    return h("span.topic-parts", { "aria-hidden": "true", style: { height: `${height}px` } }, boxes);
  }

  return {
    element: list,
    show(topics) {
      shown = topics;
      draw();
    },
    destroy: () => watch.disconnect(),
  };
}

function placed(root, width, height) {
  return treemap().size([width, height]).paddingInner(3).round(true)(root);
}

/** What a topic is about, in the names that its documents share; its sentence where it has none. */
export function nameOf(topic) {
  return topic.elements.slice(0, ELEMENTS).join(", ") || topic.label;
}

function describe(topic) {
  const documents = t("count.documents", { n: topic.documents });
  const facts = t("count.facts", { n: topic.facts });
  return t("topics.described", { name: nameOf(topic), documents, facts });
}
