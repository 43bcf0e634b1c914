// The tabs of the view Jobs: what runs and has just ended, named batches, schedules, and the history of all that
// has ended, and the state of the server.

import { h } from "../elements.js";
import { t } from "../texts.js";

const TABS = [
  ["jobs", "#/jobs", t("jobs.tab")],
  ["batches", "#/jobs/batches", t("batches.title")],
  ["schedules", "#/jobs/schedules", t("schedules.title")],
  ["history", "#/jobs/history", t("history.title")],
  ["health", "#/jobs/health", t("health.title")],
];

/** Return the links to the lists, of which one is shown. */
export function tabs(current) {
  return h(
    "nav.tabs",
    { "aria-label": t("jobs.tabs") },
    TABS.map(([name, href, text]) => h("a", { href, "aria-current": name === current && "page" }, text)),
  );
}
