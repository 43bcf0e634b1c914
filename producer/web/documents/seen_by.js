// For whom documents are shown.

import { h } from "../elements.js";
import { t } from "../texts.js";

/** A line that says that only what some principals may see is shown; null where everything is. */
export function seenBy(principals) {
  if (!principals) return null;
  const named = principals.filter((name) => name !== "*");
  return h("p.muted.small", {}, named.length ? t("seen-by", { names: named.join(", ") }) : t("seen-by.everyone"));
}
