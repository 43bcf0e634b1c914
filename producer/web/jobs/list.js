// The list of jobs: filters, pages by cursor, and running ones brought up to date.

import { collectionField } from "../collections.js";
import { badge, empty, failure, field, fill, h, loading } from "../elements.js";
import { redraw } from "../focus.js";
import { known, t } from "../texts.js";
import { cost, duration, number, secondsBetween, tokens, when } from "../words.js";
import { kindIn, labelsOf } from "./label.js";
import { tabs } from "./tabs.js";

const STATES = ["queued", "running", "done", "partial", "abstained", "failed", "cancelled"];
const KINDS = ["query", "batch", "document", "concept", "sync", "delete", "delete_documents", "delete_collection", "reindex", "topics", "merge", "webhook"];
const PAGE = 25;
const REFRESH = 2500; // ms between two looks at the newest page

/** Mount the list; returns what stops it. */
export function mountList(root, context) {
  const { query } = context.route;
  const state = field(t("jobs.state"), choice(STATES, query.get("state"), (state) => known("state", state), t("jobs.all-states")));
  const kind = field(t("jobs.kind"), choice(KINDS, query.get("kind"), (kind) => known("kind", kind), t("jobs.all-kinds")));
  const collection = collectionField(context, { chosen: query.get("collection") ?? "", any: t("jobs.all-collections"), onChange: change });
  const list = h("div", {});
  const more = h("div.actions", {});
  const flower = h("span", {});
  let jobs = []; // newest first, of one page or more
  let cursor = null;
  let timer = null;
  let turn = 0;

  state.control.addEventListener("change", change);
  kind.control.addEventListener("change", change);
  fill(
    root,
    h(
      "div.view-head",
      {},
      h("div", {}, h("h1", {}, t("jobs.title")), h("p", {}, t("jobs.about"))),
      flower,
    ),
    tabs("jobs"),
    h("form.job-filters", { "aria-label": t("jobs.filters"), on: { submit: (event) => event.preventDefault() } }, state.element, kind.element, collection.element),
    h("section.card", { "aria-label": t("jobs.title") }, list, more),
  );
  collection.load().catch(() => {}); // the list says what is wrong
  linkFlower(context, flower);
  context.onOnline(() => refresh());
  begin();

  function wanted() {
    return { state: state.control.value, kind: kind.control.value, collection: collection.value() };
  }

  function change() {
    const told = new URLSearchParams(Object.entries(wanted()).filter(([, value]) => value));
    context.replace(`#/jobs${told.size ? `?${told}` : ""}`);
    begin();
  }

  async function begin() {
    turn += 1;
    jobs = [];
    cursor = null;
    fill(list, loading(t("jobs.loading")));
    fill(more);
    await refresh({ isFirst: true });
  }

  async function refresh({ isFirst = false } = {}) {
    clearTimeout(timer);
    const mine = turn;
    try {
      const page = await read(null);
      const behind = isFirst ? [] : await brought(jobs, page);
      if (mine !== turn || context.signal.aborted) return;
      if (!behind.length) cursor = page.next;
      const before = isFirst ? "" : JSON.stringify(jobs);
      jobs = [...page.jobs, ...behind];
      // Drawn anew only where there is news: a reader's place in the table is not taken away.
      if (before !== JSON.stringify(jobs) || jobs.some((job) => !job.ended)) show();
    } catch (error) {
      if (mine !== turn || context.signal.aborted) return;
      const isRefused = error.status >= 400 && error.status < 500;
      if (isFirst || isRefused) fill(list, failure(error, begin));
      if (isRefused) return; // asking again would not help, and would ask for a key again and again
    }
    timer = setTimeout(() => (document.hidden ? wait() : refresh()), REFRESH);
  }

  /** Return what was read before and lies behind the newest page, running ones brought up to date. */
  async function brought(known, page) {
    const ids = new Set(page.jobs.map((job) => job.id));
    const at = known.findLastIndex((job) => ids.has(job.id));
    if (at < 0 || !page.next) return []; // so much has come that pages would be missing between
    return Promise.all(known.slice(at + 1).map((job) => (job.ended ? job : again(job))));
  }

  function again(job) {
    return context.api.get(`v1/jobs/${encodeURIComponent(job.id)}`, {}, { signal: context.signal }).catch(() => job);
  }

  function wait() {
    document.addEventListener("visibilitychange", () => refresh(), { once: true, signal: context.signal });
  }

  function read(after) {
    return context.api.get("v1/jobs", { ...wanted(), limit: PAGE, cursor: after }, { signal: context.signal });
  }

  async function readMore(event) {
    const button = event.currentTarget;
    button.disabled = true;
    const mine = turn;
    try {
      const page = await read(cursor);
      if (mine !== turn) return;
      cursor = page.next;
      const known = new Set(jobs.map((job) => job.id));
      const first = page.jobs.find((job) => !known.has(job.id));
      jobs = [...jobs, ...page.jobs.filter((job) => !known.has(job.id))];
      show();
      if (first) list.querySelector(`[data-job="${CSS.escape(first.id)}"] a`)?.focus();
    } catch (error) {
      fill(more, failure(error, () => showMore()));
    }
  }

  function show() {
    if (!jobs.length) {
      const isFiltered = Object.values(wanted()).some(Boolean);
      fill(list, isFiltered ? empty(t("jobs.none-like-that"), t("jobs.none-like-that.about")) : empty(t("jobs.none"), t("jobs.none.about")));
      fill(more);
      return;
    }
    redraw(list, () => fill(list, table(jobs)));
    showMore();
  }

  function showMore() {
    redraw(more, () => fill(more, cursor && h("button", { type: "button", on: { click: readMore } }, t("jobs.older"))));
  }

  return () => clearTimeout(timer);
}

async function linkFlower(context, place) {
  const { flower_url: address } = await context.about().catch(() => ({}));
  if (address && /^https?:/.test(address)) fill(place, h("a.button", { href: address, target: "_blank", rel: "noreferrer" }, t("jobs.flower")));
}

function choice(values, chosen, textOf, all) {
  const select = h("select", {}, h("option", { value: "" }, all), values.map((value) => h("option", { value }, textOf(value))));
  select.value = values.includes(chosen) ? chosen : "";
  return select;
}

function table(jobs) {
  const hasCost = jobs.some((job) => cost(job.usage)); // no price, no column
  const heads = [[t("jobs.job")], [t("jobs.state")], [t("jobs.begun")], [t("jobs.took"), true], [t("jobs.calls"), true], [t("jobs.tokens"), true]];
  if (hasCost) heads.push([t("jobs.cost"), true]);
  const labels = labelsOf(jobs);
  return h(
    "table.job-list",
    {},
    h("thead", {}, h("tr", {}, heads.map(([name, isNumber]) => h(isNumber ? "th.number" : "th", { scope: "col" }, name)))),
    h("tbody", {}, jobs.map((job) => row(job, labels(job), hasCost))),
  );
}

function row(job, label, hasCost) {
  return h(
    "tr",
    { data: { job: job.id } },
    h(
      "td",
      {},
      h("span.job-what", {}, h("a", { href: `#/jobs/${encodeURIComponent(job.id)}`, data: { keep: job.id } }, label), h("span.muted.tiny", {}, kindIn(job))),
    ),
    h("td", {}, badge(job.state), job.dead ? h("span.muted.tiny", {}, " ", t("jobs.given-up", { n: job.dead })) : null),
    h("td.when", {}, when(job.created)),
    h("td.number", { "data-label": t("jobs.label-took") }, duration(secondsBetween(job.created, job.ended))),
    h("td.number", { "data-label": t("jobs.label-calls") }, number(job.usage?.model_calls)),
    h("td.number", { "data-label": t("jobs.label-tokens") }, number(tokens(job.usage))),
    hasCost && h("td.number", cost(job.usage) ? { "data-label": t("jobs.label-cost") } : {}, cost(job.usage)),
  );
}
