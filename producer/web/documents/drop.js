// Where files are chosen; they may be dropped anywhere on the page.

import { h } from "../elements.js";
import { t } from "../texts.js";
import { chosenFiles, droppedFiles } from "./files.js";

/**
 * Make the area; drops are taken until `signal` is aborted.
 * `onFiles([{file, name}], [{uri, error}])` gets what was dropped or chosen, and what cannot be read.
 */
export function dropArea({ formats, onFiles, signal }) {
  const input = h("input.visually-hidden", {
    type: "file",
    id: "documents-files",
    multiple: true,
    accept: formats.join(","),
    "aria-describedby": "documents-formats",
    on: {
      change: () => {
        const chosen = chosenFiles(input.files);
        input.value = ""; // the same file may be chosen again
        if (chosen.length) onFiles(chosen);
      },
    },
  });
  const element = h(
    "div.drop",
    {},
    input,
    h("label.button.drop-button", { for: "documents-files" }, t("documents.choose-files")),
    h("span", {}, t("documents.drop")),
    h("details.small.muted", {}, h("summary", {}, t("documents.formats")), h("p", { id: "documents-formats" }, formats.join(" "), " · ", t("documents.replaces"))),
  );
  const over = (event) => {
    if (![...event.dataTransfer.types].includes("Files")) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    element.classList.add("is-over");
  };
  const drop = async (event) => {
    event.preventDefault();
    element.classList.remove("is-over");
    const { files, refused } = await droppedFiles(event.dataTransfer);
    if (files.length || refused.length) onFiles(files, refused);
  };
  const left = (event) => event.relatedTarget || element.classList.remove("is-over"); // the window
  for (const [name, listener] of Object.entries({ dragenter: over, dragover: over, dragleave: left, drop })) document.addEventListener(name, listener, { signal });
  return element;
}
