// Dialogs that make or change a schedule, or make a named batch: a name, places that the server reads, a collection.

import { request } from "../api.js";
import { collectionField } from "../collections.js";
import { askInDialog } from "../dialog_form.js";
import { field, h } from "../elements.js";
import { known, t, wordsOf } from "../texts.js";

const NAME = "[\\p{L}\\p{N}][\\p{L}\\p{N}_.\\-]*"; // as the API has it

function commonFields(context, { chosen } = {}) {
  const name = field(t("intake.name"), h("input", { type: "text", required: true, maxlength: "100", pattern: NAME, autocomplete: "off", spellcheck: "false" }), { hint: t("intake.name.hint") });
  const sources = field(t("intake.sources"), h("textarea", { rows: "3", required: true, spellcheck: "false" }), { hint: t("intake.sources.hint") });
  const collection = collectionField(context, { chosen });
  collection.load().catch(() => {}); // the name that was chosen last stays
  return {
    elements: [name.element, sources.element, collection.element],
    fields: { name, sources },
    name: () => name.control.value.trim(),
    body: () => ({ sources: sources.control.value.split("\n").map((line) => line.trim()).filter(Boolean), collection: collection.value() }),
  };
}

/** Make a button that opens the dialog of a new batch. `onMade()` is called once there is one. */
export function newBatchButton(context, onMade) {
  const open = () => {
    const common = commonFields(context);
    const send = async () => {
      await context.api.post("v1/batches", { name: common.name(), ...common.body() }, { signal: context.signal });
      return onMade;
    };
    askInDialog(context, t("batches.new"), common.elements, t("batches.begin"), send);
  };
  return h("button", { type: "button", on: { click: open } }, t("batches.new"));
}

/** Make a button that opens the dialog of a new schedule. */
export function newScheduleButton(context, onMade) {
  return h("button", { type: "button", on: { click: () => askForSchedule(context, onMade) } }, t("schedules.new"));
}

/** Make a button that opens the dialog of a schedule that there is; what the dialog does not show stays as it was. */
export function changeScheduleButton(context, name, { onMade, onFailed }) {
  const open = async () => {
    try {
      const response = await request(path(name), { signal: context.signal });
      askForSchedule(context, onMade, { ...(await response.json()).schedule, tag: response.headers.get("ETag") });
    } catch (error) {
      if (!context.signal.aborted) onFailed(error);
    }
  };
  return h("button", { type: "button", "aria-label": t("schedules.change-one", { name }), data: { keep: `change ${name}` }, on: { click: open } }, t("schedules.change"));
}

/** Make a button that deletes a schedule once that is confirmed. */
export function deleteScheduleButton(context, name, onGone) {
  const send = async () => {
    await context.api.remove(path(name), { signal: context.signal });
    return onGone;
  };
  const goes = h("p", {}, t("schedules.goes", { name: h("strong", {}, name) }));
  const open = () => askInDialog(context, t("schedules.delete"), [goes], t("documents.delete"), send, { isGrave: true });
  return h("button.quiet", { type: "button", "aria-label": t("schedules.delete-one", { name }), data: { keep: `delete ${name}` }, on: { click: open } }, t("schedules.delete"));
}

function askForSchedule(context, onMade, before = null) {
  const common = commonFields(context, { chosen: before?.collection });
  const every = field(t("schedules.every"), h("select", {}, wordsOf("every").map((word) => h("option", { value: word }, known("every", word)))));
  const times = field(t("schedules.cron"), h("input", { type: "text", required: true, value: CRON.nightly, autocomplete: "off", spellcheck: "false" }), { hint: t("schedules.cron.hint") });
  const zone = field(t("batches.zone"), h("select", {}, zones().map((one) => h("option", { value: one }, one))));
  zone.control.value = own();
  if (before) {
    common.fields.name.control.value = before.name;
    common.fields.name.control.readOnly = true;
    common.fields.sources.control.value = before.sync.sources.join("\n");
    times.control.value = before.every;
    every.control.value = Object.keys(CRON).find((word) => CRON[word] === before.every) ?? "cron";
    if (![...zone.control.options].some((one) => one.value === before.zone)) zone.control.append(h("option", { value: before.zone }, before.zone));
    zone.control.value = before.zone;
  }
  times.element.hidden = every.control.value in CRON;
  every.control.addEventListener("change", () => {
    times.control.value = CRON[every.control.value] ?? times.control.value;
    times.element.hidden = every.control.value in CRON;
  });
  const send = async () => {
    const body = { ...(before && kept(before)), ...common.body(), every: times.control.value.trim(), zone: zone.control.value };
    const headers = before?.tag ? { "If-Match": before.tag } : {};
    await context.api.put(path(common.name()), body, { headers, signal: context.signal });
    return onMade;
  };
  const [title, words] = before ? ["schedules.change", "schedules.keep"] : ["schedules.new", "schedules.make"];
  askInDialog(context, t(title), [...common.elements, every.element, times.element, zone.element], t(words), send);
}

/** What a schedule was made with, beside what the dialog asks. */
function kept({ sync, tags, profile, overlap_policy, catchup_window }) {
  const { dry_run, schedule, confined, profile: _stored, ...bounds } = sync; // these four are the server's own
  const given = { ...bounds, tags, profile, overlap_policy, catchup_window };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null && value !== ""));
}

function path(name) {
  return `v1/schedules/${encodeURIComponent(name)}`;
}

const CRON = { nightly: "0 2 * * *", hourly: "0 * * * *", weekdays: "0 6 * * 1-5", weekly: "0 2 * * 0" };

function own() {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
}

function zones() {
  return [...new Set([own(), "UTC", ...Intl.supportedValuesOf("timeZone")])];
}
