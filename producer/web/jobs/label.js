// What a job is about, in a line.

import { known, listed, t } from "../texts.js";
import { titlesOf } from "../words.js";

const LABELS = {
  query: ({ question }) => question,
  batch: ({ label, documents }) => label || t("count.documents", { n: documents ?? 0 }),
  document: ({ title, name, uri }) => title || name || uri,
  concept: ({ concept }) => concept,
  sync: ({ name, schedule }) => name || schedule,
  delete: ({ document_id: id }) => t("jobs.label.delete", { document: id }),
  reindex: () => t("jobs.label.reindex"),
  topics: () => t("jobs.label.topics"),
  merge: ({ undo, dry_run: isDry }) => {
    if (undo) return t("jobs.label.unmerge", { merge: undo });
    return isDry ? t("jobs.label.find-merges") : t("jobs.label.merge");
  },
  webhook: ({ url, job_id: job, state }) => t("jobs.label.webhook", { url, job, state: known("state", state) }),
};

/** All collections that a job reads; the first is the one that it is listed under. */
export function collectionsOf(job) {
  return job.params?.collections ?? [job.collection];
}

/** "query in default", "query in contracts, letters" */
export function kindIn(job) {
  return t("jobs.kind-in", { kind: known("kind", job.kind), collection: listed(collectionsOf(job)) });
}

/** What jobs that are shown together are about: two documents of one title are told apart. */
export function labelsOf(jobs) {
  const named = (job) => job.kind === "document" && job.params?.uri && { title: labelOf(job), uri: job.params.uri };
  const titles = titlesOf(jobs.map(named).filter(Boolean));
  return (job) => (named(job) ? titles(named(job)) : labelOf(job));
}

export function labelOf(job) {
  return LABELS[job.kind]?.(job.params ?? {}) || job.id;
}
