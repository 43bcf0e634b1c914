// What leaves the page: files that the browser saves, text on the clipboard.

import { t } from "./texts.js";

const KEPT = 10000; // ms until the browser has read what it saves

export function saveText(name, type, text) {
  saveBlob(name, new Blob([text], { type }));
}

export function saveBlob(name, blob) {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT);
}

/** Copy a text; returns words for how that went. A page that came without HTTPS is given no clipboard. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return t("ask.copied");
  } catch {
    return t("ask.not-copied");
  }
}
