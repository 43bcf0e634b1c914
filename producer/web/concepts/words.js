// How concept maps are put into words of the page; what a map says itself is in the language of its concept.

import { listed, t } from "../texts.js";

/** "zh" for a text with Chinese characters, so that it is spoken and drawn as Chinese; else nothing. */
export function langOf(text) {
  return /[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]/.test(text ?? "") ? "zh" : null;
}

/** An event of the job as a line: {kind: "good"|"bad"|"", text}; nothing for those that people need not see. */
export function lineOf(name, data) {
  switch (name) {
    case "item.begun":
      return data.step === "concepts.validate_concept" ? { text: t("concepts.line.asking") } : null;
    case "concept.validated":
      if (data.valid === null) return { kind: "bad", text: t("concepts.line.unsaid") };
      return data.valid ? { kind: "good", text: t("concepts.line.valid") } : { kind: "bad", text: data.reason };
    case "relations.read":
      if (!data.n) return { text: t("concepts.line.empty") };
      return { text: t("concepts.line.held", { n: data.n, version: data.version }) };
    case "relation.checked":
      return judged(data, "concepts.line.right", "concepts.line.not-right");
    case "relations.expanded":
      return { text: t("concepts.line.offers", { round: data.round, names: data.names.length ? listed(data.names) : t("concepts.line.none") }) };
    case "relation.validated":
      return judged(data, "concepts.line.sound", "concepts.line.not-sound");
    case "concept.saved":
      return { kind: "good", text: t("concepts.line.saved", { version: data.version }) };
    default:
      return null;
  }
}

function judged({ name, valid, reason }, good, bad) {
  if (valid) return { kind: "good", text: t(good, { name }) };
  return { kind: "bad", text: reason ? `${name}: ${reason}` : t(bad, { name }) };
}
