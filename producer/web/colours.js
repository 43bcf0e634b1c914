// Light, dark, or as the system is set; and colours for what is drawn on a canvas.

import { fill, label } from "./elements.js";
import { t } from "./texts.js";

const KEY = "hopline.theme";
const NEXT = { system: "light", light: "dark", dark: "system" };
const WORDS = { system: t("colours.system"), light: t("colours.light"), dark: t("colours.dark") };
const page = document.documentElement;

/** Tells `change` when the colours have changed. */
export const colours = new EventTarget();

function current() {
  return page.dataset.theme || "system";
}

function choose(theme) {
  if (theme === "system") delete page.dataset.theme;
  else page.dataset.theme = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Not kept then.
  }
  colours.dispatchEvent(new Event("change"));
}

/** Make a button go through the three choices. */
export function mountThemeButton(button) {
  const tell = () => {
    fill(button, WORDS[current()]);
    label(button, "aria-label", t("colours.change", { now: WORDS[current()], next: WORDS[NEXT[current()]] }));
  };
  button.addEventListener("click", () => {
    choose(NEXT[current()]);
    tell();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () =>
    colours.dispatchEvent(new Event("change")),
  );
  tell();
}

/** Return custom properties as colours that a canvas understands: "--accent" → "rgb(15, 111, 99)". */
export function resolveColours(names) {
  const probe = document.createElement("span");
  probe.hidden = true;
  document.body.append(probe);
  const found = {};
  for (const name of names) {
    probe.style.setProperty("color", `var(${name})`);
    found[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  return found;
}
