// The time that a question looks back to, for what hopline knew then: a day, and a time of day where that matters.

import { field, h } from "../elements.js";
import { t } from "../texts.js";
import { when } from "../words.js";

const DAY_ENDS = "23:59:59.999";
const LAST_DAY = "9999-12-31"; // beyond it a text in ISO 8601 is none that a Date can be made of

/** A time as the API has it, in words of this place's zone. */
export function timeWords(time) {
  return String(when(time));
}

/** @returns {{elements, fields, read(), show(time), fail(text), clear()}} where a time is a text in ISO 8601, undefined for now. */
export function knownAtFields() {
  const day = field(t("ask.scope.known-at"), h("input", { type: "date", max: LAST_DAY }), { hint: t("ask.scope.known-at.hint") });
  const hour = field(t("ask.scope.known-at.time"), h("input", { type: "time", disabled: true }));
  day.control.addEventListener("input", enable);

  /** A time alone means nothing. */
  function enable() {
    hour.control.disabled = !day.control.value;
  }

  function read() {
    if (!day.control.value) return undefined;
    return new Date(`${day.control.value}T${hour.control.value || DAY_ENDS}`).toISOString();
  }

  function show(time) {
    const at = time ? new Date(time) : null;
    const [date, clock] = at ? new Date(at - at.getTimezoneOffset() * 60000).toISOString().slice(0, -1).split("T") : ["", ""];
    day.control.value = date;
    hour.control.value = clock === DAY_ENDS ? "" : clock;
    enable();
  }

  return { elements: [day.element, hour.element], fields: [day, hour], read, show, fail: day.fail, clear: () => [day, hour].forEach((one) => one.clear()) };
}
