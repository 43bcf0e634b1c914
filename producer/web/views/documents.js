// The view Documents.

import { empty, fill, h } from "../elements.js";

export const title = "Documents";

export function mount(root) {
  fill(root, h("div.view-head", {}, h("h1", {}, title)), empty("Nothing here yet", ""));
}
