// What the page's server is made of: its parts and queues, what is paused, which model answers, the version.

import { STAND_IN } from "../api.js";
import { badge, failure, fill, h, loading } from "../elements.js";
import { redraw } from "../focus.js";
import { isAdmin } from "../rights.js";
import { known, t } from "../texts.js";
import { brief, reasonText, when } from "../words.js";
import { refreshed } from "./refresh.js";
import { tabs } from "./tabs.js";

const REFRESH = 10000; // ms between two looks

/** Mount it; returns what stops it. */
export function mountHealth(root, context) {
  const body = h("div.stack", {});
  fill(root, h("div.view-head", {}, h("div", {}, h("h1", {}, t("health.title")), h("p", {}, t("health.about")))), tabs("health"), body);
  fill(body, loading());
  const { refresh, stop } = refreshed(context, { look, every: REFRESH, failed: (error) => fill(body, failure(error, refresh)) });

  async function look() {
    const { signal } = context;
    const mayAct = await isAdmin(context);
    const [about, ready, pauses] = await Promise.all([
      context.api.get("v1/about", {}, { signal }),
      readiness(signal),
      mayAct ? context.api.get("v1/pauses", {}, { signal }) : { pauses: [] },
    ]);
    redraw(body, () => fill(body, serverCard(about), partsCard(ready), pausesCard(pauses.pauses)));
    return true;
  }

  function pausesCard(pauses) {
    const resume = (one) => async ({ currentTarget }) => {
      currentTarget.disabled = true;
      const query = new URLSearchParams({ kind: one.kind, name: one.name });
      await context.api.remove(`v1/pauses?${query}`, { signal: context.signal }).catch((error) => body.prepend(failure(error)));
      refresh();
    };
    const line = (one) =>
      h("li.row", {}, h("b", {}, known("work-kind", one.kind), " ", one.name), h("span.muted.small", {}, t("health.paused", { by: one.by || t("health.somebody"), time: when(one.since) })), h("button", { type: "button", "aria-label": t("health.resume", { name: one.name }), on: { click: resume(one) } }, t("batches.resume")));
    return h("section.card", { "aria-label": t("health.pauses") }, h("h2", {}, t("health.pauses")), pauses.length ? h("ul.rows", {}, pauses.map(line)) : h("p.muted", {}, t("health.no-pauses")));
  }

  return stop;
}

/** Which parts are up; the server answers 503 with the same where one is away. */
async function readiness(signal) {
  const response = await fetch(new URL("health/ready", document.baseURI), { signal });
  return response.json();
}

function serverCard(about) {
  const troubles = [about.model_trouble, about.tools_trouble].filter(Boolean);
  const pairs = [
    [t("health.version"), about.version],
    [t("health.model"), about.model === STAND_IN ? t("health.stand-in") : about.model],
    [t("health.access"), known("access", about.access)],
    about.flower_url && [t("health.workers"), h("a", { href: about.flower_url }, t("health.flower"))],
  ].filter(Boolean);
  return h(
    "section.card.stack-tight",
    { "aria-label": t("health.server") },
    h("h2", {}, t("health.server")),
    troubles.map((trouble) => h("p.notice.is-warn.small", {}, reasonText(trouble))),
    h("dl.pairs", {}, pairs.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
  );
}

function partsCard({ parts = [] }) {
  const row = ({ name, state, ms, detail }) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, badge(state)), h("td", {}, detail), h("td.number", {}, state === "up" && brief(ms / 1000)));
  return h(
    "section.card",
    { "aria-label": t("health.parts") },
    h("h2", {}, t("health.parts")),
    h("table.health", {}, h("thead", {}, h("tr", {}, [t("health.part"), t("jobs.state"), t("health.detail")].map((name) => h("th", { scope: "col" }, name)), h("th.number", { scope: "col" }, t("health.took")))), h("tbody", {}, parts.map(row))),
  );
}
