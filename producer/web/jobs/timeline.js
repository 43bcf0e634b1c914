// When the items of a job waited and ran: a waterfall by phase, which is a table to those who read it.

import { fill, h } from "../elements.js";
import { redraw } from "../focus.js";
import { known, listed, t } from "../texts.js";
import { brief, number, reasonText, stepName } from "../words.js";
import { attemptsBar, crowdBar } from "./waterfall.js";

const SINGLE = 12; // items of a step in a phase that have a line each; of more the slowest
const SLOWEST = 5;
const ENDINGS = ["done", "running", "failed", "dead", "lost", "deferred"];
const COLUMNS = ["item", "waited", "ran", "attempts", "worker", "tokens"];
const NUMBERS = new Set(["waited", "ran", "tokens"]);
const NUMBERED = /(?:^|[:+])[a-z]?[0-9a-f]{12,}(?:$|[:+])/; // a task that is named by numbers alone

/**
 * Make the card of a job's timeline; it shows itself once there is something in it.
 * @returns {{element, refresh(names)}} names of what items are about, by their ids.
 */
export function timelineCard(context, path) {
  const element = h("section.card", { "aria-labelledby": "timeline-title", hidden: true });
  const open = new Set(); // groups of which every item is shown
  let turn = 0;

  async function refresh(names) {
    const mine = ++turn;
    let timeline;
    try {
      timeline = await context.api.get(`${path}/timeline`, {}, { signal: context.signal });
    } catch (error) {
      // The job's own view says what is wrong; a key of some people is not shown what was read on the way.
      if (error.status && mine === turn) element.hidden = true;
      return;
    }
    if (mine === turn && !context.signal.aborted) show({ ...timeline, names });
  }

  function show(timeline) {
    element.hidden = !timeline.items.length;
    redraw(element, () => fill(element, ...card(timeline, open, toggle)));

    function toggle(name) {
      if (!open.delete(name)) open.add(name);
      show(timeline);
    }
  }

  return { element, refresh };
}

function card(timeline, open, toggle) {
  return [
    h("h2", { id: "timeline-title" }, t("timeline.title")),
    h("p.facts-line", {}, totals(timeline).map((text) => h("span", {}, text))),
    h("p.timeline-legend.tiny", {}, endingsIn(timeline).map((how) => h(`span.timeline-key.is-${how}`, {}, known("timeline-end", how)))),
    timeline.cut && h("p.muted.small", {}, t("timeline.cut")),
    Object.entries(timeline.closed).map(([phase, why]) => h("p.small", {}, t("timeline.closed", { phase, why: reasonText(why) }))),
    h(
      "div.timeline-scroll",
      { tabindex: "0", role: "region", "aria-label": t("timeline.table"), data: { keep: "timeline" } },
      h(
        "table.timeline",
        {},
        h("thead", {}, h("tr", {}, COLUMNS.map((name) => h(`th.timeline-${name}${NUMBERS.has(name) ? ".number" : ""}`, { scope: "col" }, known("timeline-column", name))), h("td", {}))),
        phasesOf(timeline).map(([phase, groups]) => h("tbody", {}, phaseRow(phase), groups.map((group) => rowsOf(group, timeline, open, toggle)))),
      ),
    ),
  ];
}

function totals(timeline) {
  const attempts = timeline.items.flatMap((item) => item.attempts);
  const workers = new Set(attempts.map((attempt) => attempt.worker).filter(Boolean));
  const again = attempts.length - timeline.items.length;
  return [
    t("timeline.items", { n: timeline.items.length }),
    again > 0 && t("timeline.again", { n: again }),
    workers.size > 0 && t("timeline.workers", { n: workers.size }),
    t("timeline.over", { time: brief(timeline.seconds) }),
  ].filter(Boolean);
}

function endingsIn(timeline) {
  const there = new Set(timeline.items.flatMap((item) => item.attempts.map((attempt) => attempt.how)));
  return ENDINGS.filter((how) => there.has(how));
}

/** Return the phases in order, each with the items of every step, the step that began first before. */
function phasesOf(timeline) {
  const phases = new Map();
  for (const item of timeline.items) {
    if (!phases.has(item.phase)) phases.set(item.phase, new Map());
    const groups = phases.get(item.phase);
    if (!groups.has(item.step)) groups.set(item.step, { name: `${item.phase} ${item.step}`, step: item.step, items: [] });
    groups.get(item.step).items.push(item);
  }
  return [...phases].sort(([a], [b]) => a - b).map(([phase, groups]) => [phase, [...groups.values()]]);
}

function phaseRow(phase) {
  return h("tr.timeline-phase", {}, h("th", { scope: "rowgroup", colspan: COLUMNS.length + 1 }, t("timeline.phase", { phase: String(phase) })));
}

function rowsOf(group, timeline, open, toggle) {
  if (group.items.length <= SINGLE) return group.items.map((item) => itemRow(item, timeline));
  const isOpen = open.has(group.name);
  const shown = isOpen ? group.items : slowest(group.items, timeline);
  return [groupRow(group, timeline, isOpen, () => toggle(group.name)), shown.map((item) => itemRow(item, timeline))];
}

function slowest(items, timeline) {
  return [...items].sort((a, b) => ran(b, timeline) - ran(a, timeline)).slice(0, SLOWEST);
}

function itemRow(item, timeline) {
  const last = item.attempts.at(-1);
  const workers = [...new Set(item.attempts.map((attempt) => attempt.worker).filter(Boolean))];
  return h(
    "tr",
    {},
    h("th.timeline-item", { scope: "row" }, h("span", {}, stepName(item.step)), item.item !== item.step.split(".").pop() && h("span.muted.tiny.timeline-name", { title: item.item }, nameOf(item, timeline))),
    cell("waited", brief(waited(item))),
    cell("ran", brief(ran(item, timeline))),
    h("td.timeline-attempts", {}, listed(item.attempts.map((attempt) => known("timeline-end", attempt.how))), last.why && h("span.muted.tiny.timeline-name", {}, last.why)),
    h("td.timeline-worker.tiny", {}, workers.join(", ")),
    tokensCell([item]),
    h("td.timeline-bar", {}, attemptsBar(item, timeline.seconds)),
  );
}

/** What a task is about; "" where it has a number alone. */
function nameOf({ item }, { names }) {
  return names.get(item) ?? (NUMBERED.test(item) ? "" : item.replace(/^\d+:/, "")); // a document's place in its batch
}

function groupRow(group, timeline, isOpen, toggle) {
  const { items } = group;
  const workers = new Set(items.flatMap((item) => item.attempts.map((attempt) => attempt.worker)).filter(Boolean));
  const { bar, most } = crowdBar(items, timeline.seconds);
  const button = h("button.link.tiny", { type: "button", "aria-expanded": String(isOpen), data: { keep: group.name }, on: { click: toggle } }, isOpen ? t("timeline.fewer", { n: SLOWEST }) : t("timeline.all", { n: items.length }));
  return h(
    "tr.timeline-group",
    {},
    h("th.timeline-item", { scope: "row" }, h("span", {}, t("timeline.group", { step: stepName(group.step), items: t("timeline.items", { n: items.length }) })), button),
    cell("waited", spread(items.map(waited))),
    cell("ran", spread(items.map((item) => ran(item, timeline)))),
    h("td.timeline-attempts", {}, endingsOf(items)),
    h("td.timeline-worker.tiny", {}, workers.size > 0 && t("timeline.workers", { n: workers.size })),
    tokensCell(items),
    h("td.timeline-bar", {}, bar, h("span.muted.tiny", {}, t("timeline.at-once", { n: most }))),
  );
}

function cell(name, text) {
  return h(`td.number.timeline-${name}`, { "data-label": known("timeline-column", name) }, text);
}

/** "57 done, 3 failed", of the last attempts. */
function endingsOf(items) {
  const counts = new Map();
  for (const item of items) counts.set(item.attempts.at(-1).how, (counts.get(item.attempts.at(-1).how) ?? 0) + 1);
  return listed(ENDINGS.filter((how) => counts.has(how)).map((how) => t("timeline.count", { n: counts.get(how), state: known("timeline-end", how) })));
}

function tokensCell(items) {
  const attempts = items.flatMap((item) => item.attempts);
  const tokens = attempts.reduce((sum, attempt) => sum + (attempt.tokens ?? 0), 0);
  const costs = attempts.map((attempt) => attempt.cost).filter((value) => value !== null && value !== undefined);
  if (!tokens) return h("td.number.timeline-tokens");
  const cost = costs.length ? costs.reduce((sum, value) => sum + value, 0).toFixed(4) : "";
  return h("td.number.timeline-tokens", { "data-label": known("timeline-column", "tokens") }, number(tokens), cost && h("span.muted.tiny.timeline-name", {}, t("timeline.cost", { cost })));
}

/** Seconds from the opening of its phase to its first attempt. */
function waited(item) {
  return Math.max(item.attempts[0].began - item.opened, 0);
}

/** Seconds that workers had it in hand. */
function ran(item, timeline) {
  return item.attempts.reduce((sum, attempt) => sum + (attempt.ended ?? timeline.seconds) - attempt.began, 0);
}

/** Of several times the middle one, and that which 95 of 100 do not exceed. */
function spread(seconds) {
  const sorted = [...seconds].sort((a, b) => a - b);
  const at = (share) => brief(sorted[Math.min(Math.floor(share * sorted.length), sorted.length - 1)]);
  return t("timeline.spread", { half: at(0.5), most: at(0.95) });
}
