// One job: its steps as they go on, what it took, what was given up, and what can be done about it.

import { badge, code, failure, fill, h, labelled, loading, oneAtATime } from "../elements.js";
import { followJob } from "../events.js";
import { redraw } from "../focus.js";
import { known, listed, t, wordsOf } from "../texts.js";
import { cost, duration, number, plainError, reasonText, secondsBetween, stepName, tokens, when } from "../words.js";
import { kindIn, labelOf } from "./label.js";
import { replayCard } from "./replay.js";
import { timelineCard } from "./timeline.js";

const SETTLE = 400; // ms: after an event, the job is read again at most so often
const TIMELINE = 3000; // ms between two looks at the timeline of a job that runs
const OUTCOME_SHOWN = 20000; // characters

/** Mount a job's page; returns what stops it. */
export function mountDetail(root, context, id) {
  const body = h("div.stack", {});
  const path = `v1/jobs/${encodeURIComponent(id)}`;
  let following = new AbortController();
  let timer = null;
  let previous = null; // the job as it was read before
  let drawn = 0; // when the timeline was read
  const replay = replayCard(context);
  const timeline = timelineCard(context, path);
  const act = oneAtATime({ done: begin, failed });

  fill(root, h("p", {}, h("a", { href: "#/jobs" }, t("jobs.all"))), body, replay.element, timeline.element);
  fill(body, loading(t("jobs.loading-one")));
  begin();
  context.onOnline(begin);

  async function begin() {
    const job = await refresh();
    if (job && !job.ended) follow();
  }

  async function refresh() {
    try {
      const job = await context.api.get(path, {}, { signal: context.signal });
      const letters = job.dead ? (await context.api.get(`${path}/dead-letters`, {}, { signal: context.signal })).dead_letters : [];
      show(job, letters);
      context.entitle(labelOf(job));
      replay.show(job);
      readTimeline(job);
      if (previous && !previous.ended && job.ended) context.announce(t("jobs.said.ended", { state: known("state", job.state) }));
      previous = job;
      return job;
    } catch (error) {
      if (context.signal.aborted) return null;
      // What is shown already stays while the server is away.
      if (previous === null || error.status) fill(body, failure(error, begin));
      return null;
    }
  }

  function readTimeline(job) {
    if (!job.ended && performance.now() - drawn < TIMELINE) return;
    drawn = performance.now();
    timeline.refresh(namesOf(job));
  }

  function follow() {
    following.abort();
    following = new AbortController();
    const { signal } = following;
    followJob(id, {
      signal,
      onEvent: () => {
        timer ??= setTimeout(() => {
          timer = null;
          refresh();
        }, SETTLE);
      },
    })
      .then(() => signal.aborted || refresh())
      .catch(() => {});
  }

  function show(job, letters) {
    redraw(body, () => draw(job, letters), () => body.querySelector("h1"));
  }

  function draw(job, letters) {
    const open = new Set([...body.querySelectorAll("details[open]")].map((one) => one.dataset.part));
    fill(
      body,
      h(
        "div.view-head",
        {},
        h("div", {}, h("h1.job-title", { tabindex: "-1", title: labelOf(job) }, labelOf(job)), h("p.row", {}, badge(job.state), kindIn(job))),
        h("div.actions", {}, actions(job)),
      ),
      job.waits_for && h("p.notice.is-warn", {}, labelled(t("jobs.waits"), job.waits_for)),
      job.closed_for && h(job.state === "done" ? "p.muted" : "p.notice.is-warn", {}, reasonText(job.closed_for)),
      h("div.columns", {}, h("div.stack", {}, stepsOf(job), lettersOf(letters, open), outcomeOf(job, open)), factsOf(job)),
    );
  }

  function actions(job) {
    return [
      job.kind === "query" && h("a.button", { href: `#/ask/${encodeURIComponent(job.id)}`, data: { keep: "open" } }, t("jobs.walk")),
      !job.ended && h("button.danger", { type: "button", data: { keep: "cancel" }, on: { click: act(() => context.api.remove(path)) } }, t("jobs.cancel")),
      job.ended &&
        (job.dead > 0 || ["failed", "cancelled", "partial"].includes(job.state)) &&
        h("button", { type: "button", data: { keep: "retry" }, on: { click: act(retry) } }, t("jobs.retry")),
    ];
  }

  async function retry() {
    const job = await context.api.post(`${path}/retry`);
    if (job.id !== id) context.go(`#/jobs/${encodeURIComponent(job.id)}`);
  }

  async function failed(error) {
    await refresh();
    body.prepend(failure(error));
  }

  return () => {
    following.abort();
    clearTimeout(timer);
  };
}

/** The names of the nodes that a question visited, by the id of the item that did. */
function namesOf({ outcome }) {
  return new Map((outcome?.walk ?? []).map((step) => [`visit:${step.node_id}`, step.name]));
}

function stepsOf(job) {
  const order = wordsOf("step"); // as steps follow one another; others come behind, by name
  const place = (step) => (order.includes(step) ? order.indexOf(step) : order.length);
  const steps = Object.keys(job.items).sort((a, b) => place(a) - place(b) || a.localeCompare(b));
  const entry = (step) => {
    const [all, done] = [job.items[step], job.done[step] ?? 0];
    const share = all ? Math.min(done / all, 1) : 0;
    return h(
      "li.step-line",
      {},
      h("span", {}, stepName(step), " ", h("span.muted.tiny", {}, known("stage", step.split(".")[0]))),
      h("div.progress", { "aria-hidden": "true" }, h("span", { style: { width: `${share * 100}%` } })),
      h("span.number", {}, t("number.of", { done, all }), job.timings[step] !== undefined && [" · ", duration(job.timings[step])]),
    );
  };
  return h(
    "section.card",
    { "aria-labelledby": "steps-title" },
    h("h2", { id: "steps-title" }, t("jobs.steps")),
    steps.length ? h("ul.rows", {}, steps.map(entry)) : h("p.muted", {}, t("jobs.not-begun")),
  );
}

function lettersOf(letters, open) {
  if (!letters.length) return null;
  const entry = (letter) =>
    h(
      "li.dead-letter",
      {},
      h("p", {}, h("b", {}, stepName(letter.step)), " ", h("span.muted.tiny", {}, letter.item_id, " · ", when(letter.at))),
      h("p.field-error", {}, plainError(letter.error)),
      h(
        "details.small",
        { open: open.has(letter.item_id), data: { part: letter.item_id } },
        h("summary", { data: { keep: `input ${letter.item_id}` } }, t("jobs.input")),
        code(t("jobs.input-of", { item: letter.item_id }), JSON.stringify(letter.input, null, 2)),
      ),
    );
  return h(
    "section.card",
    { "aria-labelledby": "dead-title" },
    h("h2", { id: "dead-title" }, t("jobs.given-up.title", { count: letters.length })),
    h("ul.rows", {}, letters.map(entry)),
  );
}

function outcomeOf(job, open) {
  if (!job.outcome) return null;
  const text = JSON.stringify(job.outcome, null, 2);
  return h(
    "section.card",
    { "aria-labelledby": "outcome-title" },
    h("h2", { id: "outcome-title" }, t("jobs.outcome")),
    job.outcome.text && h("p", {}, job.outcome.text),
    job.outcome.reason && h("p.muted", {}, reasonText(job.outcome.reason)),
    documentsOf(job.outcome.documents),
    h(
      "details.small",
      { open: open.has("outcome"), data: { part: "outcome" } },
      h("summary", {}, t("jobs.outcome.all")),
      code(t("jobs.outcome.json"), text.length > OUTCOME_SHOWN ? `${text.slice(0, OUTCOME_SHOWN)}\n…` : text),
    ),
  );
}

function documentsOf(documents) {
  if (!Array.isArray(documents) || !documents.length) return null;
  const entry = (one) =>
    h(
      "li",
      {},
      h("span.row", {}, badge(one.status), one.uri),
      h("span.muted.tiny", {}, listed([t("count.chunks", { n: one.chunks ?? 0 }), t("count.facts", { n: one.facts ?? 0 })])),
      one.error && h("p.field-error", {}, plainError(one.error)),
    );
  return h("ul.rows.scroll", { tabindex: "0", "aria-label": t("documents.title") }, documents.map(entry));
}

function factsOf(job) {
  const bounds = job.budget ?? {};
  const limited = (value, limit) => (limit === null || limit === undefined ? value : t("jobs.at-most", { value, limit }));
  const pairs = [
    [t("jobs.job"), h("code", {}, job.id)],
    [t("jobs.begun"), when(job.created)],
    [t("jobs.ended"), job.ended ? when(job.ended) : t("jobs.not-yet")],
    [t("jobs.took"), duration(secondsBetween(job.created, job.ended))],
    [t("jobs.calls"), limited(number(job.usage?.model_calls), bounds.model_calls)],
    [t("jobs.tokens"), limited(number(tokens(job.usage)), bounds.tokens)],
    [t("jobs.cost"), limited(cost(job.usage) || t("jobs.not-known"), bounds.cost)],
    [t("jobs.priority"), known("priority", job.priority)],
    [t("jobs.phase"), String(job.phase)],
    job.epoch > 1 ? [t("jobs.opened"), t("count.times", { n: job.epoch })] : null,
    job.leases_lost ? [t("jobs.leases-lost"), number(job.leases_lost)] : null,
    job.dropped ? [t("jobs.dropped"), number(job.dropped)] : null,
    job.parent ? [t("jobs.parent"), h("a", { href: `#/jobs/${encodeURIComponent(job.parent.job_id)}` }, job.parent.job_id)] : null,
    job.request_id ? [t("jobs.request"), h("code", {}, job.request_id)] : null,
  ].filter(Boolean);
  return h(
    "section.card",
    { "aria-labelledby": "facts-title" },
    h("h2", { id: "facts-title" }, t("jobs.figures")),
    h("dl.pairs", {}, pairs.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
  );
}
