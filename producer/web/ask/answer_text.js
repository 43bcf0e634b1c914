// An answer's text: its markers lead to citations, its calculations open to what they take.

import { h, tied } from "../elements.js";
import { withoutSigns } from "../markdown.js";
import { t } from "../texts.js";

// Markers side by side, and the punctuation that closes them.
const MARKERS = /((?:\s*\[\d+\])+)([\p{Po}\p{Pe}\p{Pf}]*)/gu;
const PARENTHESES = /^\p{Ps}.+\p{Pe}$/su;

/**
 * Text with calculations to open, and with [n] as buttons where there is a citation of that number; each stays with
 * the word before it.
 * @param {string} text
 * @param {{citations?: object[], calculations?: object[]}} answer
 * @param {(citation: object, all: object[]) => void} open what a marker does.
 * @returns {Array} children for `h`; what stands before markers is a `.claim` with their numbers.
 */
export function withMarkers(text, { citations = [], calculations = [] }, open) {
  const byNumber = new Map(citations.map((citation) => [citation.n, citation]));
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(MARKERS)) {
    const numbers = [...match[1].matchAll(/\d+/g)].map(Number);
    if (!numbers.some((n) => byNumber.has(n))) continue;
    const shown = numbers.map((n) => [" ", numbered(n)]);
    const before = withCalculations(said(end, match.index), calculations, numbered);
    parts.push(h("span.claim", { data: { cites: numbers.join(" ") } }, before.slice(0, -1), tied(before.at(-1), shown, match[2])));
    end = match.index + match[0].length;
  }
  return [...parts, said(end, text.length)];

  function said(from, to) {
    return withoutSigns(text.slice(from, to), from === 0 || text[from - 1] === "\n");
  }

  function numbered(n) {
    return byNumber.has(n) ? marker(byNumber.get(n), () => open(byNumber.get(n), citations)) : `[${n}]`;
  }
}

function marker({ n, fact }, click) {
  return h("button.marker", { type: "button", data: { n }, "aria-label": t("ask.citation", { number: n, fact }), on: { click } }, String(n));
}

/** Text whose calculations in parentheses open to their operands, each with its marker; text stands last. */
function withCalculations(text, calculations, numbered) {
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
    const items = operands.map(({ n, number }) => h("li", {}, ...(number ? [number, " "] : []), numbered(n)));
    parts.push(
      text.slice(end, from),
      h("details.calculation", {}, h("summary", { title: t("ask.calculation") }, text.slice(from, to)), h("ul", {}, items, h("li", {}, t("ask.calculation.result", { result })))),
    );
    end = to;
  }
  return [...parts, text.slice(end)];
}
