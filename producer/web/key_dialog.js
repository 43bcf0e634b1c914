// The dialog that asks for an API key: to use one, or to forget the one that is kept.

import { hasKey, setKey } from "./api.js";
import { fill, h } from "./elements.js";
import { t } from "./texts.js";

const error = h("p.field-error", { id: "key-error", role: "alert", hidden: true });
const value = h("input", {
  id: "key-value",
  type: "password",
  autocomplete: "off",
  spellcheck: "false",
  placeholder: "hop_…",
  "aria-describedby": "key-why key-error",
});
const locked = h("p.field-error", { hidden: true }, t("key.locked", { command: h("code", {}, "hopline keys open") }));
const forget = h("button", { type: "submit", value: "forget" }, t("key.forget"));
const element = h(
  "dialog.dialog.narrow",
  { "aria-labelledby": "key-title" },
  h(
    "form.stack",
    { method: "dialog" },
    h("h2", { id: "key-title" }, t("key.title")),
    h(
      "div.stack",
      { id: "key-why" },
      h("p", {}, t("key.why", { command: h("code", {}, "hopline keys create NAME") })),
      locked,
      h("p.muted", {}, t("key.kept")),
    ),
    h("div.field", {}, h("label", { for: value.id }, t("key.label")), value, error),
    h(
      "div.actions",
      {},
      h("button.primary", { type: "submit", value: "use" }, t("key.use")),
      forget,
      h("button.quiet", { type: "submit", value: "cancel" }, t("shell.close")),
    ),
  ),
);
document.body.append(element);
let waiting = null;

/** Ask for a key; all that wait for one share the answer: whether what waits may be tried again. */
export function askForKey(isRefused, why = "") {
  waiting ??= new Promise((resolve) => {
    error.hidden = !isRefused;
    fill(error, isRefused && t("key.refused"));
    locked.hidden = !why.includes("there is none any more");
    forget.hidden = !hasKey();
    value.value = "";
    element.returnValue = "cancel";
    element.addEventListener("close", () => resolve(takeKey()), { once: true });
    if (!element.open) element.showModal();
    value.focus();
  }).finally(() => (waiting = null));
  return waiting;
}

function takeKey() {
  const chosen = element.returnValue;
  const given = value.value.trim();
  value.value = "";
  if (chosen === "forget") {
    const had = hasKey();
    setKey("");
    return had; // what waits is tried without one
  }
  if (chosen !== "use" || !given) return false;
  setKey(given);
  return true;
}
