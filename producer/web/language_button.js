// The button that changes the page's language; it bears the name of the language that it leads to.

import { fill, label } from "./elements.js";
import { chooseLanguage, keepWritten, language, languages, t } from "./texts.js";

export function mountLanguageButton(button) {
  keepWritten(button, "next", () => {
    const { name, tag } = next();
    fill(button, name).lang = tag;
    label(button, "aria-label", t("shell.language", { name }));
  });
  // Where the texts cannot be had, the page stays as it is; that the server is away is said in its own place.
  button.addEventListener("click", () => chooseLanguage(next().id).catch(() => {}));
}

function next() {
  const all = languages();
  const at = all.findIndex(({ id }) => id === language().id);
  return all[(at + 1) % all.length];
}
