// The list of schedules: when each is due next, how its last sync stands; pause and resume.

import { badge, empty, failure, fill, h, loading, oneAtATime } from "../elements.js";
import { redraw } from "../focus.js";
import { tabs } from "../jobs/tabs.js";
import { changeScheduleButton, deleteScheduleButton, newScheduleButton } from "../jobs/intake_forms.js";
import { refreshed } from "../jobs/refresh.js";
import { known, t } from "../texts.js";
import { when, whenIn } from "../words.js";

const REFRESH = 15000; // ms between two looks
const RUNS = 20; // of a schedule that are listed

/** Mount the list; returns what stops it. */
export function mountSchedules(root, context) {
  const list = h("div.stack", {});
  const opened = new Set(); // names of the schedules whose runs are listed
  let before = "";
  const act = oneAtATime({ done: () => refresh(), failed: actFailed });

  fill(
    root,
    h("div.view-head", {}, h("div", {}, h("h1", {}, t("schedules.title")), h("p", {}, t("schedules.about"))), newScheduleButton(context, () => refresh())),
    tabs("schedules"),
    h("section.card", { "aria-label": t("schedules.title") }, list),
  );
  fill(list, loading());
  const { refresh, stop } = refreshed(context, { look, every: REFRESH, failed });

  async function look() {
    show(await context.api.get("v1/schedules", {}, { signal: context.signal }));
    return true;
  }

  function failed(error) {
    if (error.status || !before) fill(list, failure(error, refresh));
  }

  function show({ schedules, watched }) {
    const now = JSON.stringify([schedules, watched]);
    if (now === before && list.querySelector("table")) return; // a reader's place in the table is not taken away
    before = now;
    const none = () => empty(t("schedules.none"), t("schedules.none.about"));
    redraw(list, () => fill(list, !watched && schedules.length > 0 && h("p.notice.is-warn", {}, t("schedules.unwatched")), schedules.length ? table(schedules) : none()));
  }

  function table(schedules) {
    const heads = [t("schedules.schedule"), t("schedules.times"), t("schedules.due"), t("schedules.last"), t("schedules.acts")];
    return h(
      "table.job-list",
      {},
      h("thead", {}, h("tr", {}, heads.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, schedules.map(row)),
    );
  }

  function row({ schedule, due, last_job: job, last_state: state, waiting, buffered, missed, skipped }) {
    const { name, sync } = schedule;
    return h(
      "tr",
      { data: { schedule: name } },
      h(
        "td",
        {},
        h("span.job-what", {}, h("b", {}, name), h("span.muted.tiny", {}, t("jobs.kind-in", { kind: known("kind", "sync"), collection: schedule.collection })), h("span.muted.tiny.schedule-place", {}, sync.sources.join(", "))),
      ),
      h("td", {}, h("code", {}, schedule.every), " ", h("span.muted.tiny", {}, schedule.zone, sync.hours && [" · ", t("batches.between", { hours: sync.hours, zone: sync.zone || schedule.zone })])),
      h(
        "td",
        { "data-label": t("schedules.due") },
        schedule.paused ? badge("paused") : due ? whenIn(due, schedule.zone) : t("schedules.never"),
        waiting && h("div.muted.tiny", {}, t(buffered ? "schedules.buffered" : "schedules.waiting", { time: when(waiting) })),
      ),
      h("td", { "data-label": t("schedules.last") }, job ? h("span.row", {}, badge(state ?? "expired"), state && h("a", { href: `#/jobs/${encodeURIComponent(job)}`, data: { keep: `job ${name}` } }, t("schedules.sync"))) : t("schedules.not-yet"), leftOut({ missed, skipped })),
      h("td", {}, h("div.actions", {}, button(name, schedule.paused), changeScheduleButton(context, name, { onMade: refresh, onFailed: actFailed }), deleteScheduleButton(context, name, refresh)), (job || missed + skipped > 0) && runs(name)),
    );
  }

  function runs(name) {
    const shown = h("div", {});
    const toggled = async ({ currentTarget: details }) => {
      opened[details.open ? "add" : "delete"](name);
      if (details.open) await showRuns(name, shown);
    };
    return h("details", { open: opened.has(name), on: { toggle: toggled } }, h("summary", { data: { keep: `runs ${name}` } }, t("schedules.runs"), h("span.visually-hidden", {}, ` ${name}`)), shown);
  }

  async function showRuns(name, shown) {
    try {
      const path = `v1/schedules/${encodeURIComponent(name)}/runs`;
      const page = await context.api.get(path, { limit: RUNS }, { signal: context.signal });
      fill(
        shown,
        page.runs.length ? h("ul.tiny", { "aria-label": t("schedules.runs-of", { name }) }, page.runs.map(run)) : t("schedules.not-yet"),
        page.not_begun.length > 0 && h("ul.tiny", { "aria-label": t("schedules.not-begun-of", { name }) }, page.not_begun.map(notBegun)),
      );
    } catch (error) {
      if (!context.signal.aborted) fill(shown, failure(error));
    }
  }

  function run({ job_id: job, state, created, reason }) {
    return h("li", {}, badge(state), " ", h("a", { href: `#/jobs/${encodeURIComponent(job)}` }, when(created)), reason && h("span.muted", {}, ` ${reason}`));
  }

  function notBegun({ due, times, outcome, reason }) {
    const said = times > 1 ? t("schedules.times-from", { times, time: when(due) }) : when(due);
    return h("li", {}, h("span.badge", {}, known("unbegun", outcome)), " ", said, h("span.muted", {}, ` ${reason}`));
  }

  function leftOut(counts) {
    const said = Object.entries(counts).filter(([, count]) => count > 0);
    return said.length > 0 && h("div.muted.tiny", {}, said.map(([outcome, count], nth) => [nth ? " · " : "", t("schedules.left-out", { count, outcome: known("unbegun", outcome) })]));
  }

  function button(name, paused) {
    const verb = paused ? "resume" : "pause";
    const work = async () => {
      await context.api.post(`v1/schedules/${encodeURIComponent(name)}/${verb}`);
      context.announce(t(paused ? "schedules.said.resumed" : "schedules.said.paused", { name }));
    };
    const label = t(paused ? "schedules.resume-one" : "schedules.pause-one", { name });
    return h("button", { type: "button", "aria-label": label, data: { keep: `act ${name}` }, on: { click: act(work) } }, t(`batches.${verb}`));
  }

  async function actFailed(error) {
    await refresh();
    list.prepend(failure(error));
  }

  return stop;
}
