// The view Jobs.

import { empty, fill, h } from "../elements.js";

export const title = "Jobs";

export function mount(root) {
  fill(root, h("div.view-head", {}, h("h1", {}, title)), empty("Nothing here yet", ""));
}
