// One question of a conversation with its answer, its walk and the document that a citation opens.

import { failure, fill, h } from "../elements.js";
import { followJob } from "../events.js";
import { known, listed, t } from "../texts.js";
import { createAnswerPanel } from "./answer_panel.js";
import { openCitation } from "./citation.js";
import { namesOfFacts, storyOf } from "./story.js";
import { Walk } from "./walk.js";
import { createWalkPanel } from "./walk_panel.js";

const LONG = 240; // characters from which a question is folded

/**
 * Make a turn of a job; `open` follows it to its end, `fold` leaves its walk to be opened again.
 * @param {object} context of the view.
 * @param {object} job a question's.
 * @param {object} given `onAgain(job)`, `onEdit(job)`, `onEnd(job)`.
 * @returns {{element, job, open(), fold(), ended(), destroy()}} `ended()` is the job at its end, null before.
 */
export function createTurn(context, job, { onAgain, onEdit, onEnd }) {
  const question = job.params?.question ?? "";
  const heading = h("h2.asked", { tabindex: "-1", dir: "auto" }, ...questionParts(question));
  const reader = h("div.reader-slot");
  const walkSlot = h("div");
  const lost = h("p.notice.is-warn.small", { hidden: true }, t("ask.lost"));
  const trouble = h("div");
  const answer = createAnswerPanel(context, { onCitation: cite, onCancel: cancel, onAgain, onEdit });
  const element = h(
    "article.turn",
    { "aria-label": question, data: { job: job.id } },
    heading,
    lost,
    trouble,
    h("div.columns", {}, answer.element, h("div.beside", {}, reader, walkSlot)),
  );
  let panel = null;
  let story = null;
  let stop = null;
  let chosen = null;
  let ended = job.ended ? job : null;
  if (ended) answer.showFinal(ended);
  else answer.showRunning();

  function open() {
    if (panel) return;
    const walk = new Walk();
    const own = (stop = new AbortController());
    panel = createWalkPanel({ onCite: citeNumber });
    fill(walkSlot, panel.element);
    panel.show(walk);
    answer.showActivity(t("walk.activity", { activity: walk.activity }));
    const redraw = inFrames(() => {
      if (own.signal.aborted) return;
      panel.show(walk);
      if (ended) return;
      answer.showActivity(t("walk.activity", { activity: walk.doing }));
      answer.showProvisional(walk.sentences);
    });
    const isNew = !ended;
    const finish = async () => {
      ended ??= await context.api.ended(job.id, { signal: own.signal });
      walk.state = ended.state;
      if (ended.outcome) walk.complete(ended.outcome);
      panel.show(walk);
      if (isNew) {
        answer.showFinal(ended);
        context.announce(endingOf(ended));
        onEnd(ended);
      }
      await tellStory(own.signal);
    };
    followJob(job.id, {
      signal: own.signal,
      onState: (state) => (lost.hidden = state !== "lost"),
      onEvent: (name, data) => {
        walk.add(name, data);
        if (isNew) announceEvent(context, name, data);
        redraw();
      },
    })
      .then(() => own.signal.aborted || finish())
      .catch((error) => {
        if (error.name === "AbortError") return null;
        return ended ? finish() : showFailure(error); // its events are no longer kept: the answer tells the walk
      });
  }

  async function tellStory(signal) {
    if (!ended.outcome?.citations?.length) return;
    if (!story) {
      panel.tell(storyOf(ended.outcome, new Map(), question)); // what the walk alone tells, until more is read
      story = storyOf(ended.outcome, await namesOfFacts(context, ended, signal), question);
      if (signal.aborted) return;
    }
    panel.tell(story);
    panel.cite(chosen);
  }

  function showFailure(error) {
    fill(trouble, failure(error, () => (fill(trouble), fold(), open())));
  }

  /** Leave the answer alone; the walk can be opened again. */
  function fold() {
    forget();
    if (!ended) return;
    fill(walkSlot, h("button.quiet", { type: "button", on: { click: () => (open(), panel.element.querySelector("h3").focus()) } }, t("walk.show")));
  }

  function forget() {
    stop?.abort();
    panel?.destroy();
    stop = panel = null;
  }

  function citeNumber(n) {
    const all = ended?.outcome?.citations ?? [];
    const citation = all.find((one) => one.n === n);
    if (citation) cite(citation, all);
  }

  /** Open a citation; its sentence, its edge and its passage are shown together. */
  function cite(citation, all) {
    const knownAt = (ended?.outcome?.scope ?? job.params)?.known_at;
    const onShown = (n) => (n === null && reader.querySelector("dialog[open]") ? null : mark(n)); // another is open by now
    openCitation(context, citation, all, { knownAt, slot: reader, onShown });
  }

  function mark(n) {
    chosen = n;
    panel?.cite(n);
    for (const one of answer.element.querySelectorAll("[data-n]")) one.classList.toggle("is-chosen", Number(one.dataset.n) === n);
    for (const one of answer.element.querySelectorAll(".claim")) one.classList.toggle("is-chosen", one.dataset.cites.split(" ").includes(String(n)));
  }

  async function cancel() {
    try {
      await context.api.remove(`v1/jobs/${encodeURIComponent(job.id)}`);
    } catch (error) {
      showFailure(error);
    }
  }

  return { element, job, open, fold, ended: () => ended, destroy: forget };
}

/** A question as a heading; a long one is folded. */
function questionParts(question) {
  if (question.length <= LONG) return [question];
  const cut = question.slice(0, LONG).replace(/\s+\S*$/, "");
  return [h("details.asked-long", {}, h("summary", {}, `${cut}…`), h("p", {}, question))];
}

/** Draw once a frame, however many events come. */
function inFrames(draw) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      draw();
    });
  };
}

const SPOKEN = {
  "plan.finished": () => t("ask.said.planned"),
  "seed.finished": ({ seeds = [] }) => t("ask.said.seeds", { seeds: listed(seeds) }),
  "starts.chosen": ({ starts = [] }) => t("ask.said.paths", { n: starts.length }),
  "phase.opened": ({ step, items, subjects }) => (step === "critic.score_fact" ? t("ask.said.scoring", { n: Number(subjects ?? items) }) : ""),
};

function announceEvent(context, name, data) {
  const words = SPOKEN[name]?.(data);
  if (words) context.announce(words);
}

function endingOf(job) {
  const citations = job.outcome?.citations?.length ?? 0;
  if (job.state === "done") return t("ask.said.answer", { n: citations });
  return t("ask.said.ended", { state: known("state", job.state) });
}
