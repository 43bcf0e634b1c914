// A conversation as the server keeps it, and its questions as jobs: they outlast the jobs.

/** A turn of a conversation as the job that it was; what the job was given beside the question is read with `wholeJob`. */
export function jobOf({ job_id: id, question, collections = [], state, asked, ended, outcome }) {
  const params = { question, ...(outcome?.scope ?? {}), ...(collections.length > 1 && { collections }) };
  return { id, kind: "query", collection: collections[0], params, state, created: asked, ended, outcome, isKept: true };
}

/** A job with all that it was given, as long as the server keeps jobs. */
export async function wholeJob({ api, signal }, job) {
  if (!job.isKept) return job;
  const found = await api.get(`v1/jobs/${encodeURIComponent(job.id)}`, {}, { signal }).catch(() => job);
  return { ...job, collection: found.collection, params: found.params };
}
