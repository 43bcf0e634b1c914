// The filter language, written from its form as JSON: what the API keeps of a filter.

/** A text in quotes, as the language has it. */
export function quoted(text) {
  return `"${text.replace(/[\\"]/g, "\\$&")}"`;
}

/** The filter that a document has a tag. */
export function having(tag) {
  return ["tags", "has", quoted(tag)].join(" ");
}

/** The filter that a document is dated within a year. */
export function datedIn(year) {
  const ends = [
    ["date", ">=", `${year}-01-01`],
    ["date", "<=", `${year}-12-31`],
  ];
  return ends.map((test) => test.join(" ")).join(" and ");
}

function literal(value) {
  return typeof value === "number" ? String(value) : quoted(String(value));
}

/** Write a filter: {field, op, value}, {and: […]}, {or: […]} or {not: …}. */
export function filterText(tree) {
  for (const joint of ["and", "or"]) {
    if (tree[joint]) return tree[joint].map((part) => inner(part)).join(` ${joint} `);
  }
  if (tree.not) return `not ${inner(tree.not)}`;
  if (tree.op === "exists") return `exists(${tree.field})`;
  if (tree.op === "in") return `${tree.field} in (${tree.value.map(literal).join(", ")})`;
  return `${tree.field} ${tree.op} ${literal(tree.value)}`;
}

function inner(part) {
  return part.and || part.or ? `(${filterText(part)})` : filterText(part);
}
