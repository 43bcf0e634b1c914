// A conversation on the page: its turns one below the other, the last one with its walk.

import { fill, h } from "../elements.js";
import { t } from "../texts.js";
import { createTurn } from "./turn.js";

/**
 * @param {object} context of the view.
 * @param {object} given `onAgain(job)`, `onEdit(job)`, and `onLast(job)`: this is the last question now, or it ended.
 * @returns {{element, add(job), show(jobs, chosen), jobs(), destroy()}}
 */
export function createThread(context, { onAgain, onEdit, onLast }) {
  const element = h("section.thread", { "aria-label": t("ask.thread") });
  let turns = [];

  function turnOf(job) {
    return createTurn(context, job, { onAgain, onEdit, onEnd: (ended) => turns.at(-1)?.job.id === ended.id && onLast(ended) });
  }

  /** Add a question that was just asked. */
  function add(job) {
    turns.at(-1)?.fold();
    const turn = turnOf(job);
    turns.push(turn);
    element.append(turn.element);
    turn.open();
    onLast(job);
    return turn;
  }

  /** Show questions that were asked, oldest first; the chosen one, of this id, is scrolled to. */
  function show(jobs, chosen) {
    turns = jobs.map(turnOf);
    fill(element, turns.map((turn) => turn.element));
    for (const turn of turns.slice(0, -1)) turn.fold();
    const last = turns.at(-1);
    last.open();
    const opened = turns.find((turn) => turn.job.id === chosen);
    if (opened && opened !== last) opened.element.scrollIntoView({ block: "start" });
    onLast(last.job);
  }

  return { element, add, show, jobs: () => turns.map((turn) => turn.ended() ?? turn.job), destroy: () => turns.forEach((turn) => turn.destroy()) };
}
