// How concept maps are put into words of the page; what a map says itself is in the language of its concept.

/** "zh" for a text with Chinese characters, so that it is spoken and drawn as Chinese; else nothing. */
export function langOf(text) {
  return /[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]/.test(text ?? "") ? "zh" : null;
}

const STEPS = {
  validate_concept: "Is it a concept?",
  read: "What is held",
  check: "Checked again",
  expand: "Expanded",
  validate: "Validated",
  save: "Saved",
  graph: "Shown",
};

export function reasonedStep(step) {
  return STEPS[step] ?? step;
}

const CHANGES = {
  defined: "Defined",
  added: "Added",
  changed: "Changed",
  restored: "Restored",
  abnormal: "Marked abnormal",
  deleted: "Taken out",
};

export function changeWord(change) {
  return CHANGES[change] ?? change;
}

/** An event of the job as a line: {kind: "good"|"bad"|"", text}; nothing for those that people need not see. */
export function lineOf(name, data) {
  switch (name) {
    case "item.begun":
      return data.step === "concepts.validate_concept" ? { text: "Asking whether this is a concept…" } : null;
    case "concept.validated":
      if (data.valid === null) return { kind: "bad", text: "Nobody could say whether it is a concept" };
      return data.valid ? { kind: "good", text: "It is a concept" } : { kind: "bad", text: data.reason };
    case "relations.read":
      if (!data.n) return { text: "The database holds nothing of it yet" };
      return { text: `The database holds ${data.n} relations of it, in version ${data.version}` };
    case "relation.checked":
      return judged(data, "still right");
    case "relations.expanded":
      return { text: `Round ${data.round} offers ${data.names.length ? data.names.join(", ") : "nothing"}` };
    case "relation.validated":
      return judged(data, "valid");
    case "concept.saved":
      return { kind: "good", text: `Saved as version ${data.version}` };
    default:
      return null;
  }
}

function judged({ name, valid, reason }, words) {
  if (valid) return { kind: "good", text: `${name}: ${words}` };
  return { kind: "bad", text: reason ? `${name}: ${reason}` : `${name}: not ${words}` };
}
