// Questions that follow one another: the session's id, and what was asked in it, kept for the tab.

const KEY = "hopline.sessions";
const MOST = 20; // sessions kept

/** A new session's id. */
export function freshSession() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `page-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

function read() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) || "[]");
  } catch {
    return [];
  }
}

/** Remember that a job asked a question in a session. */
export function rememberQuestion(session, job, question) {
  if (!session) return;
  const all = read();
  const found = all.find((one) => one.session === session) ?? { session, asked: [] };
  if (!found.asked.some((one) => one.job === job)) found.asked.push({ job, question });
  const kept = [...all.filter((one) => one.session !== session), found].slice(-MOST);
  try {
    sessionStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // Then only the newest question is shown.
  }
}

/** What was asked in a session, oldest first: [{job, question}]. */
export function askedIn(session) {
  return read().find((one) => one.session === session)?.asked ?? [];
}
