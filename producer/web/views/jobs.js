// The view Jobs: the list or one of them, named batches, schedules, history, health.

import { mountBatch } from "../batches/detail.js";
import { mountBatches } from "../batches/list.js";
import { mountHistory } from "../history/list.js";
import { mountDetail } from "../jobs/detail.js";
import { mountHealth } from "../jobs/health.js";
import { mountList } from "../jobs/list.js";
import { mountSchedules } from "../schedules/list.js";
import { t } from "../texts.js";

export const title = t("jobs.title");

export function mount(root, context) {
  const [first, name] = context.route.rest;
  if (first === "batches") return name ? mountBatch(root, context, name) : mountBatches(root, context);
  if (first === "schedules") return mountSchedules(root, context);
  if (first === "history") return mountHistory(root, context);
  if (first === "health") return mountHealth(root, context);
  return first ? mountDetail(root, context, first) : mountList(root, context);
}
