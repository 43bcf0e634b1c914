// How a map came to be: live from the job's events, then in the words of its outcome.

import { fill, h } from "../elements.js";
import { Message, known, t } from "../texts.js";
import { langOf, lineOf } from "./words.js";

export function reasoningCard() {
  const heading = h("h2", {}, t("concepts.reasoning"));
  const list = h("ol");
  const named = { role: "log", tabindex: "0", "aria-label": t("concepts.reasoning"), "aria-live": "polite" };
  const log = h("div.reasoning", named, list);
  const dropped = h("div");
  const element = h("section.card.stack-tight", { "aria-label": t("concepts.reasoning.label"), hidden: true }, heading, log, dropped);

  return {
    element,
    clear() {
      fill(list);
      fill(dropped);
      element.hidden = true;
    },
    /** Add what an event says, where it says something. */
    take(name, data) {
      const line = lineOf(name, data);
      if (!line) return;
      element.hidden = false;
      list.append(h(`li.is-${line.kind || "plain"}`, { lang: line.text instanceof Message ? null : langOf(line.text) }, line.text));
    },
    /** Show the words of the outcome in the place of the events. */
    settle(outcome) {
      element.hidden = !outcome.reasoning?.length;
      fill(
        list,
        ...(outcome.reasoning ?? []).map((one, nth, all) =>
          h(
            "li.is-plain",
            {},
            all[nth - 1]?.step !== one.step && h("span.tiny.muted", {}, known("concept-step", one.step)),
            h("span", { lang: langOf(one.text) }, one.text),
          ),
        ),
      );
      const lost = outcome.dropped ?? [];
      fill(dropped, lost.length > 0 && droppedList(lost));
    },
  };
}

function droppedList(lost) {
  return h(
    "details",
    {},
    h("summary", {}, t("concepts.left-out", { count: lost.length })),
    h("ul.stack-tight", {}, ...lost.map(droppedOne)),
  );
}

function droppedOne({ name, reason }) {
  const why = h("span.muted", {}, ": ", reason);
  return h("li.small", { lang: name ? langOf(name) : null }, name || t("concepts.nameless"), why);
}
