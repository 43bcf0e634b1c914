// Markdown as people read it in running text: without its signs.

const HEADING = /(^|\n)#{1,6} {1,4}(?=\S)/g;
const BULLET = /(^|\n)( {0,8})[-*+] {1,4}(?!\d{1,9}[.,]\d)/g; // "- 3.5" is a number
const BOLD = /\*\*(?=[^\s*])([^*\n]{1,400})\*\*/g;
const LINK = /!?\[([^[\]\n]{1,400})\]\([^()\s]{1,2000}\)/g;
const RULE = /(^|\n) {0,3}\|(?: {0,9}:?-{1,99}:? {0,9}\|){1,99} {0,9}(?=\n|$)/g; // below the row that names the columns
const ROW = /(^|\n) {0,3}\|([^\n]{1,4000})\| {0,9}(?=\n|$)/g;

/**
 * Lists with dots, strong words and links as words alone.
 * @param {string} text
 * @param {boolean} [begins] whether the text begins a line.
 */
export function withoutSigns(text, begins = true) {
  const dotted = text.replace(BULLET, (all, before, indent) => (before || begins ? `${before}${indent}• ` : all));
  return dotted.replace(BOLD, "$1").replace(LINK, "$1");
}

/** The same of a passage: headings as lines, rows of tables with dots between their cells. */
export function plainPassage(text) {
  const cells = (all, before, inner) => before + inner.split(/(?<!\\)\|/).map((cell) => cell.trim()).filter(Boolean).join(" · ");
  return withoutSigns(text.replace(RULE, "").replace(ROW, cells).replace(HEADING, "$1"));
}
