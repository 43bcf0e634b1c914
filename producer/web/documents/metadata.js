// What a document carries in fields: its tags as chips, languages, date and author beside its size, the rest on demand.

import { h } from "../elements.js";
import { t } from "../texts.js";

const SHOWN = new Set(["tags", "date", "author", "allow"]);
const EVERYONE = "*";

/** A value as a reader sees it. */
function written(value) {
  return Array.isArray(value) ? value.join(", ") : String(value);
}

/** A document's languages, date and author, where it has them. */
export function languagesDateAndAuthor({ languages = [], metadata = {} }) {
  const given = ["date", "author"].filter((name) => name in metadata).map((name) => written(metadata[name]));
  return languages.length ? [written(languages), ...given] : given;
}

/**
 * A document's tags and its other fields, or null where there are none.
 * @param {object} document as the API lists it.
 * @param {object} given `isChosen(tag)`: whether the list is narrowed to it; `onTag(tag)`: its chip was pressed.
 */
export function metadataLine({ id, metadata = {} }, { isChosen, onTag }) {
  const tags = metadata.tags ?? [];
  const rest = Object.entries(metadata).filter(([name]) => !SHOWN.has(name));
  const allowed = [metadata.allow ?? []].flat();
  const isRestricted = allowed.length > 0 && !allowed.includes(EVERYONE);
  if (!tags.length && !rest.length && !isRestricted) return null;
  return h(
    "div.document-metadata",
    {},
    isRestricted && h("span.badge.is-restricted", {}, t("documents.restricted", { names: allowed.join(", ") })),
    tags.map((tag) =>
      h(
        "button.tag",
        { type: "button", "aria-pressed": String(isChosen(tag)), data: { keep: `tag ${id} ${tag}` }, on: { click: () => onTag(tag) } },
        tag,
      ),
    ),
    rest.length > 0 &&
      h(
        "details.document-fields.small",
        {},
        h("summary", {}, t("documents.fields", { n: rest.length })),
        h("dl", {}, rest.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, written(value))))),
      ),
  );
}
