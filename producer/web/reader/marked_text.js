// A document's text as nodes: what is cited is marked; tables, headings and lists in Markdown become such.

import { h } from "../elements.js";
import { withoutSigns } from "../markdown.js";
import { t } from "../texts.js";

const RULE = /^ {0,3}\|?(?: *:?-+:? *\|)+ *(?::?-+:? *)?$/; // below the row that names the columns
const HEADING = /^#{1,6} +(?=\S)/;
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)/;

/**
 * @param {string} text
 * @param {{start: number, end: number, column?: string}} [cited] offsets in the text in characters, as Python counts
 *   them; where a column is named, only its cell is marked in a row of a table.
 * @param {{isMarkdown?: boolean}} [given] whether signs at the beginning of a line and around words mean something.
 * @returns {Array<Node|string>}
 */
export function markedText(text, cited, { isMarkdown = true } = {}) {
  const mark = cited && { ...cited, start: unitsBefore(text, cited.start), end: unitsBefore(text, cited.end) };
  const shown = isMarkdown ? (said, begins) => withoutSigns(withoutGaps(said), begins) : withoutGaps;
  const parts = [];
  let done = 0;
  for (const block of blocksOf(text)) {
    if (!block.rows && !isMarkdown) continue;
    parts.push(...marked(text, done, block.start, mark, shown));
    done = Math.min(block.end + 1, text.length); // without the line break, which a block brings
    if (block.rows) parts.push(tableNode(text, block, mark, shown));
    else if (block.isCode) parts.push(...marked(text, block.start, done, mark));
    else parts.push(h("strong.reader-heading", { dir: "auto" }, marked(text, block.inner, block.end, mark, shown)));
  }
  return [...parts, ...marked(text, done, text.length, mark, shown)];
}

/** Whether an offset stands in a line of a table whose first row is not in the text. */
export function isBeheaded(text, offset) {
  const at = unitsBefore(text, offset);
  const isOfTable = text.slice(text.lastIndexOf("\n", at - 1) + 1).startsWith("|");
  return isOfTable && !blocksOf(text).some(({ start, end }) => start <= at && at < end);
}

/** The UTF-16 units of so many characters. */
function unitsBefore(text, characters) {
  return Array.from(text).slice(0, characters).join("").length;
}

/** A part of the text, and what is cited of it in a mark. */
function marked(text, start, end, mark, shown = withoutGaps) {
  const [first, last] = mark ? [mark.start, mark.end].map((at) => Math.min(Math.max(at, start), end)) : [end, end];
  const piece = (from, to) => shown(text.slice(from, to), from === 0 || text[from - 1] === "\n");
  const said = piece(first, last);
  return [piece(start, first), said.trim() ? h("mark", {}, said) : said, piece(last, end)].filter(Boolean);
}

/** What is in no chunk, front matter, comes as a line break per character. */
function withoutGaps(text) {
  return text.replace(/\n{4,}/g, "\n\n");
}

/**
 * The tables of a Markdown text, {start, end, rows: [[{start, end}]]}, its headings, {start, inner, end}, and its code,
 * {start, end, isCode}, which has neither.
 */
function blocksOf(text) {
  const blocks = [];
  let start = 0;
  let head = "";
  let fence = "";
  let table = null;
  let code = null;
  for (const ended of text.split("\n")) {
    const line = ended.replace(/\r$/, "");
    const wasCode = fence !== "";
    fence = fenceAfter(line, fence);
    if (wasCode || fence) {
      table = null;
      if (!code) blocks.push((code = { start, isCode: true }));
      code.end = start + ended.length;
      if (!fence) code = null;
    } else if (!line.includes("|")) {
      table = null;
      const sign = line.match(HEADING);
      if (sign) blocks.push({ start, inner: start + sign[0].length, end: start + ended.length });
    } else if (table) {
      table.rows.push(cellsOf(line, start));
      table.end = start + ended.length;
    } else if (RULE.test(line) && head.includes("|") && cellsOf(head, 0).length === cellsOf(line, 0).length) {
      const begin = start - head.length - 1;
      table = { start: begin, end: start + ended.length, rows: [cellsOf(head, begin)] };
      blocks.push(table);
    }
    head = ended;
    start += ended.length + 1;
  }
  return blocks;
}

/** The fence of the code that goes on after a line; "" for none. */
function fenceAfter(line, fence) {
  const [, sign, words] = line.match(FENCE) ?? [];
  if (!sign) return fence;
  if (!fence) return sign;
  return sign.startsWith(fence) && !words.trim() ? "" : fence;
}

/** The cells of a table's line, which begins at an offset. */
function cellsOf(line, offset) {
  const inner = line.trim().replace(/^\|/, "").replace(/(?<!\\)\|$/, "");
  let start = offset + line.indexOf(inner);
  return inner.split(/(?<!\\)\|/).map((said) => {
    const begin = start + said.length - said.trimStart().length;
    start += said.length + 1;
    return { start: begin, end: begin + said.trim().length };
  });
}

function tableNode(text, { rows }, mark, shown) {
  const [head, ...body] = rows;
  const said = ({ start, end }) => plain(text.slice(start, end));
  const at = mark?.column ? head.findIndex((cell) => said(cell) === mark.column) : -1;
  const cellNode = (name, given) => (cell, nth) =>
    h(name, { dir: "auto", ...given }, marked(text, cell.start, cell.end, at < 0 || nth === at ? mark : null, (words) => plain(shown(words, false))));
  const table = h(
    "table",
    { dir: "auto" },
    h("thead", {}, h("tr", {}, head.map(cellNode("th", { scope: "col" })))),
    h("tbody", {}, body.map((row) => h("tr", {}, row.map(cellNode("td", {}))))),
  );
  return h("div.reader-table", { role: "region", "aria-label": t("reader.table") }, table);
}

function plain(cell) {
  return cell.replaceAll("\\|", "|");
}
