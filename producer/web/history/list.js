// The history of ended jobs: filters, rows, and what they cost.

import { collectionField } from "../collections.js";
import { badge, empty, failure, field, fill, h, loading } from "../elements.js";
import { redraw } from "../focus.js";
import { kindIn, labelsOf } from "../jobs/label.js";
import { tabs } from "../jobs/tabs.js";
import { known, t, wordsOf } from "../texts.js";
import { cost, duration, number, tokens, when } from "../words.js";
import { costsCard } from "./costs.js";

const STATES = ["done", "partial", "abstained", "failed", "cancelled"];
const ORDERS = ["ended", "cost", "tokens", "seconds"];
const PAGE = 25;
const DAYS = 30; // that are asked for at first
const DAY = 86_400_000; // ms

/** Mount history. */
export function mountHistory(root, context) {
  const { query } = context.route;
  const list = h("div", {});
  const more = h("div.actions", {});
  const fields = makeFields();
  const collection = collectionField(context, { chosen: query.get("collection") ?? "", any: t("jobs.all-collections"), onChange: change });
  const costs = costsCard(context, query.get("by"));
  let jobs = [];
  let cursor = "";
  let turn = 0;

  const elements = Object.values(fields).map(({ element }) => element);
  elements.splice(2, 0, collection.element);
  fill(
    root,
    h("div.view-head", {}, h("div", {}, h("h1", {}, t("history.title")), h("p", {}, t("history.about")))),
    tabs("history"),
    h("form.job-filters", { "aria-label": t("history.filters"), on: { submit: (event) => event.preventDefault(), change } }, elements),
    costs.element,
    h("section.card", { "aria-label": t("history.title") }, list, more),
  );
  collection.load().catch(() => {}); // the list says what is wrong
  costs.onChange(remember);
  context.onOnline(begin);
  begin();

  function makeFields() {
    const select = (words, chosen, textOf, all) => choice(words, query.get(chosen), textOf, all);
    const input = (type, name, value = "") => h("input", { type, value: query.get(name) ?? value, autocomplete: "off" });
    return {
      state: field(t("jobs.state"), select(STATES, "state", (word) => known("state", word), t("jobs.all-states"))),
      kind: field(t("jobs.kind"), select(wordsOf("kind"), "kind", (word) => known("kind", word), t("jobs.all-kinds"))),
      since: field(t("history.since"), input("date", "since", dayOf(Date.now() - DAYS * DAY))),
      until: field(t("history.until"), input("date", "until")),
      error: field(t("history.error"), input("search", "error")),
      tag: field(t("history.tag"), h("input", { type: "search", value: query.get("tag") ?? "", placeholder: "team=legal", autocomplete: "off" })),
      sort: field(t("history.sort"), select(ORDERS, "sort", (word) => known("history-order", word))),
    };
  }

  function chosen() {
    const values = Object.fromEntries(Object.entries(fields).map(([name, { control }]) => [name, control.value.trim()]));
    return { ...values, collection: collection.value() };
  }

  /** What is asked of the server: whole days of this browser's time zone. */
  function wanted() {
    const { since, until, sort, ...rest } = chosen();
    return { ...rest, since: since && momentOf(since), until: until && momentOf(until, DAY) };
  }

  function change() {
    remember();
    begin();
  }

  function remember() {
    const told = new URLSearchParams(Object.entries({ ...chosen(), by: costs.by() }).filter(([, value]) => value));
    context.replace(`#/jobs/history?${told}`);
  }

  async function begin() {
    const mine = ++turn;
    fill(list, loading());
    fill(more);
    costs.load(wanted());
    try {
      const page = await read("");
      if (mine !== turn) return;
      jobs = page.jobs;
      cursor = page.next;
      show();
    } catch (error) {
      if (mine === turn && !context.signal.aborted) fill(list, failure(error, begin));
    }
  }

  function read(after) {
    return context.api.get("v1/history", { ...wanted(), sort: chosen().sort, limit: PAGE, cursor: after }, { signal: context.signal });
  }

  async function readMore(event) {
    event.currentTarget.disabled = true;
    const mine = turn;
    try {
      const page = await read(cursor);
      if (mine !== turn) return;
      cursor = page.next;
      const [first] = page.jobs;
      jobs = [...jobs, ...page.jobs];
      show();
      if (first) list.querySelector(`[data-job="${CSS.escape(first.id)}"]`)?.focus();
    } catch (error) {
      fill(more, failure(error, showMore));
    }
  }

  function show() {
    redraw(list, () => fill(list, jobs.length ? table(jobs) : empty(t("jobs.none-like-that"), t("history.none.about"))));
    showMore();
  }

  function showMore() {
    fill(more, cursor && h("button", { type: "button", on: { click: readMore } }, t("history.more")));
  }
}

function choice(values, chosen, textOf, all) {
  const select = h("select", {}, all && h("option", { value: "" }, all), values.map((value) => h("option", { value }, textOf(value))));
  select.value = values.includes(chosen) ? chosen : all ? "" : values[0];
  return select;
}

/** "2026-11-25" in this browser's time zone. */
function dayOf(moment) {
  const day = new Date(moment);
  return new Date(moment - day.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}

function momentOf(day, later = 0) {
  return new Date(new Date(`${day}T00:00`).getTime() + later).toISOString();
}

function table(jobs) {
  const heads = [[t("jobs.job")], [t("jobs.state")], [t("jobs.ended")], [t("jobs.took"), true], [t("jobs.tokens"), true], [t("jobs.cost"), true]];
  const labels = labelsOf(jobs);
  return h(
    "table.job-list",
    {},
    h("thead", {}, h("tr", {}, heads.map(([name, isNumber]) => h(isNumber ? "th.number" : "th", { scope: "col" }, name)))),
    h("tbody", {}, jobs.map((job) => row(job, labels(job)))),
  );
}

function row(job, label) {
  const usage = { prompt_tokens: job.prompt_tokens, completion_tokens: job.completion_tokens, cost: job.cost };
  const tags = Object.entries(job.tags).map(([name, value]) => `${name}=${value}`);
  return h(
    "tr",
    {},
    h(
      "td",
      {},
      h("span.job-what", {}, h("a", { href: `#/jobs/${encodeURIComponent(job.id)}`, dir: "auto", data: { job: job.id, keep: job.id } }, label), h("span.muted.tiny", {}, kindIn(job), tags.length > 0 && [" · ", tags.join(", ")])),
    ),
    h("td", {}, badge(job.state), whyOf(job)),
    h("td.when", {}, when(job.ended)),
    h("td.number", { "data-label": t("jobs.label-took") }, duration(job.seconds)),
    h("td.number", { "data-label": t("jobs.label-tokens") }, number(tokens(usage))),
    h("td.number", cost(usage) ? { "data-label": t("jobs.label-cost") } : {}, cost(usage)),
  );
}

/** Why it ended as it did, or the first error; a success needs none. */
function whyOf(job) {
  if (job.state === "done") return null;
  const why = job.reason || job.errors[0]?.error;
  return why && h("span.muted.tiny.batch-why", {}, why);
}
