// Topics as a treemap: a box a topic, as large as the number of its documents. Each box is a button.

import { fill, h } from "../elements.js";
import { t } from "../texts.js";
import { hierarchy, treemap } from "../vendor/d3-hierarchy.esm.min.mjs";

const GROUPS = 10; // colours of tokens.css
const ELEMENTS = 4; // names that a box has room for
const LEAST = { width: 64, height: 34 }; // px of a box that has words
const TALL = 0.45; // of the width
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
    treemap().size([width, height]).paddingInner(3).round(true)(root);
    const before = list.contains(document.activeElement) ? document.activeElement.dataset.topic : null;
    fill(list, ...(root.children ?? []).map((box, nth) => boxOf(box, nth)));
    if (before) list.querySelector(`[data-topic="${CSS.escape(before)}"]`)?.focus();
  }

  function boxOf({ data: topic, x0, y0, x1, y1 }, nth) {
    const isRoomy = x1 - x0 >= LEAST.width && y1 - y0 >= LEAST.height;
    const words = isRoomy
      ? [
          h("b.topic-name", {}, nameOf(topic)),
          h("span.tiny", {}, t("count.documents", { n: topic.documents })),
        ]
      : [];
    const button = h(
      "button.topic-box",
      {
        type: "button",
        "aria-label": describe(topic),
        title: describe(topic),
        data: { topic: topic.id, group: String(nth % GROUPS) },
        on: { click: () => onOpen(topic) },
      },
      ...words,
    );
    const style = { left: `${x0}px`, top: `${y0}px`, width: `${x1 - x0}px`, height: `${y1 - y0}px` };
    return h("li", { style }, button);
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

/** What a topic is about, in the names that its documents share; its sentence where it has none. */
export function nameOf(topic) {
  return topic.elements.slice(0, ELEMENTS).join(", ") || topic.label;
}

function describe(topic) {
  const documents = t("count.documents", { n: topic.documents });
  const facts = t("count.facts", { n: topic.facts });
  return t("topics.described", { name: nameOf(topic), documents, facts });
}
