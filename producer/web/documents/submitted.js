// Which documents belong to a batch, kept for the tab: a reload finds the documents' jobs again.

const KEY = "hopline.batches";
const KEPT = 20;

function read() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) || "{}");
  } catch {
    return {};
  }
}

/** Return a batch's documents as they were handed over: [{uri, job_id}]; empty where this tab did not do it. */
export function documentsOfBatch(id) {
  return read()[id] ?? [];
}

export function keepBatch(id, documents) {
  try {
    const kept = Object.entries({ ...read(), [id]: documents }).slice(-KEPT);
    sessionStorage.setItem(KEY, JSON.stringify(Object.fromEntries(kept)));
  } catch {
    // Without storage the page knows less after a reload.
  }
}
