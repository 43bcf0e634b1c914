// A conversation on the page: its turns one below the other, the last one with its walk.

import { fill, h, failure, loading } from "../elements.js";
import { t } from "../texts.js";
import { createTurn } from "./turn.js";
import { askedIn, rememberQuestion } from "./session.js";

/**
 * @param {object} context of the view.
 * @param {object} given `onAgain(job)`, `onEdit(job)`, and `onLast(job)`: this is the last question now, or it ended.
 * @returns {{element, add(job), load(job), last(), destroy()}}
 */
export function createThread(context, { onAgain, onEdit, onLast }) {
  const element = h("section.thread", { "aria-label": t("ask.thread") });
  const turns = [];

  function turnOf(job) {
    return createTurn(context, job, { onAgain, onEdit, onEnd: (ended) => turns.at(-1)?.job.id === ended.id && onLast(ended) });
  }

  /** Add a question that was just asked. */
  function add(job) {
    rememberQuestion(job.params?.session, job.id, job.params?.question ?? "");
    turns.at(-1)?.fold();
    const turn = turnOf(job);
    turns.push(turn);
    element.append(turn.element);
    turn.open();
    onLast(job);
    return turn;
  }

  /** Show the whole conversation that a job's question belongs to. */
  async function load(job) {
    const asked = askedIn(job.params?.session).map((one) => one.job);
    const ids = asked.includes(job.id) ? asked : [job.id];
    const places = ids.map(() => h("div", {}, loading(t("ask.opening"))));
    fill(element, places);
    const read = (id) => (id === job.id ? job : context.api.get(`v1/jobs/${encodeURIComponent(id)}`, {}, { signal: context.signal }));
    const found = await Promise.all(ids.map((id) => Promise.resolve(read(id)).catch((error) => error)));
    if (context.signal.aborted) return;
    found.forEach((one, nth) => {
      if (!one.id) {
        places[nth].replaceWith(failure(one));
        return;
      }
      const turn = turnOf(one);
      turns.push(turn);
      places[nth].replaceWith(turn.element);
      turn.fold();
    });
    const [last] = turns.slice(-1);
    last.open();
    const opened = turns.find((turn) => turn.job.id === job.id);
    if (opened !== last) opened.element.scrollIntoView({ block: "start" });
    rememberQuestion(job.params?.session, job.id, job.params?.question ?? "");
    onLast(last.job);
  }

  return { element, add, load, last: () => turns.at(-1)?.job, destroy: () => turns.forEach((turn) => turn.destroy()) };
}
