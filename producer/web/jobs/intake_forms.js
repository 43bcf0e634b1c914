// Dialogs that make a schedule or a named batch: a name, places that the server reads, a collection.

import { collectionField } from "../collections.js";
import { askInDialog } from "../dialog_form.js";
import { field, h } from "../elements.js";
import { known, t, wordsOf } from "../texts.js";

const NAME = "[\\p{L}\\p{N}][\\p{L}\\p{N}_.\\-]*"; // as the API has it

function commonFields(context) {
  const name = field(t("intake.name"), h("input", { type: "text", required: true, maxlength: "100", pattern: NAME, autocomplete: "off", spellcheck: "false" }), { hint: t("intake.name.hint") });
  const sources = field(t("intake.sources"), h("textarea", { rows: "3", required: true, spellcheck: "false" }), { hint: t("intake.sources.hint") });
  const collection = collectionField(context);
  collection.load().catch(() => {}); // the name that was chosen last stays
  return {
    elements: [name.element, sources.element, collection.element],
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
  const open = () => {
    const common = commonFields(context);
    const every = field(t("schedules.every"), h("select", {}, wordsOf("every").map((word) => h("option", { value: word }, known("every", word)))));
    const times = field(t("schedules.cron"), h("input", { type: "text", required: true, value: CRON.nightly, autocomplete: "off", spellcheck: "false" }), { hint: t("schedules.cron.hint") });
    const zone = field(t("batches.zone"), h("select", {}, zones().map((one) => h("option", { value: one }, one))));
    zone.control.value = own();
    times.element.hidden = true;
    every.control.addEventListener("change", () => {
      times.control.value = CRON[every.control.value] ?? times.control.value;
      times.element.hidden = every.control.value in CRON;
    });
    const send = async () => {
      const body = { ...common.body(), every: times.control.value.trim(), zone: zone.control.value };
      await context.api.put(`v1/schedules/${encodeURIComponent(common.name())}`, body, { signal: context.signal });
      return onMade;
    };
    askInDialog(context, t("schedules.new"), [...common.elements, every.element, times.element, zone.element], t("schedules.make"), send);
  };
  return h("button", { type: "button", on: { click: open } }, t("schedules.new"));
}

const CRON = { nightly: "0 2 * * *", hourly: "0 * * * *", weekdays: "0 6 * * 1-5", weekly: "0 2 * * 0" };

function own() {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
}

function zones() {
  return [...new Set([own(), "UTC", ...Intl.supportedValuesOf("timeZone")])];
}
