// The view Jobs: the list, or one of them.

import { mountDetail } from "../jobs/detail.js";
import { mountList } from "../jobs/list.js";

export const title = "Jobs";

export function mount(root, context) {
  const [id] = context.route.rest;
  return id ? mountDetail(root, context, id) : mountList(root, context);
}
