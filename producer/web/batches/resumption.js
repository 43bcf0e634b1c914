// The dialog for a batch's limits and hours.

import { dialog, failure, field, fill, h } from "../elements.js";
import { t } from "../texts.js";

/**
 * Ask for new limits and hours; what is left empty stays as it is.
 * @param {object} batch as the API shows it.
 * @param {(how: object) => Promise<void>} resume throws a Problem where it is refused.
 */
export function askForLimits(batch, resume) {
  const bounds = batch.budget ?? {};
  const amount = (name, value, step) => h("input", { type: "number", name, min: step, step, value: value ?? "", inputmode: "decimal" });
  const limits = {
    max_cost: field(t("batches.max-cost"), amount("max_cost", bounds.cost, "any")),
    max_tokens: field(t("batches.max-tokens"), amount("max_tokens", bounds.tokens, "1")),
    max_calls: field(t("batches.max-calls"), amount("max_calls", bounds.model_calls, "1")),
  };
  const hours = field(t("batches.hours"), h("input", { type: "text", value: batch.hours, placeholder: "22:00-06:00", autocomplete: "off" }), { hint: t("batches.hours.hint") });
  const zone = field(t("batches.zone"), h("input", { type: "text", value: batch.zone, placeholder: "Europe/Berlin", autocomplete: "off" }));
  const now = field(t("batches.now"), h("input", { type: "checkbox" }));
  const fault = h("div", {});
  const form = h(
    "form.stack",
    { on: { submit } },
    h("div.fields", {}, Object.values(limits).map(({ element }) => element)),
    h("div.fields", {}, hours.element, zone.element),
    now.element,
    fault,
    h("div.actions", {}, h("button.primary", { type: "submit" }, t("batches.apply"))),
  );
  const shown = dialog(t("batches.limits-of", { name: batch.name }), form);

  async function submit(event) {
    event.preventDefault();
    fill(fault);
    try {
      await resume(chosen());
      shown.close();
    } catch (error) {
      fill(fault, failure(error));
    }
  }

  function chosen() {
    const how = { now: now.control.checked };
    for (const [name, { control }] of Object.entries(limits)) if (control.value) how[name] = Number(control.value);
    if (hours.control.value.trim() !== batch.hours || zone.control.value.trim() !== batch.zone) {
      how.between = hours.control.value.trim();
      how.zone = zone.control.value.trim();
    }
    return how;
  }
}
