// What a job is about, in a line.

import { counted } from "../words.js";

const LABELS = {
  query: ({ question }) => question,
  batch: ({ label, documents }) => label || counted(documents ?? 0, "document"),
  document: ({ title, name, uri }) => title || name || uri,
  concept: ({ concept }) => concept,
  delete: ({ document_id: id }) => `Remove document ${id}`,
  reindex: () => "Build the vectors anew",
  merge: ({ undo, dry_run: isDry }) => (undo ? `Undo merge ${undo}` : isDry ? "Find what names one thing" : "Merge what names one thing"),
  webhook: ({ url, job_id: job, state }) => `Tell ${url} that ${job} ended ${state}`,
};

export function labelOf(job) {
  return LABELS[job.kind]?.(job.params ?? {}) || job.id;
}
