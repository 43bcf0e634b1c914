// The view Jobs: the list, or one of them.

import { mountDetail } from "../jobs/detail.js";
import { mountList } from "../jobs/list.js";
import { t } from "../texts.js";

export const title = t("jobs.title");

export function mount(root, context) {
  const [id] = context.route.rest;
  return id ? mountDetail(root, context, id) : mountList(root, context);
}
