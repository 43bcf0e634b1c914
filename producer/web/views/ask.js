// The view Ask: a question, its walk as it grows, and its answer.

import { createAnswerPanel } from "../ask/answer_panel.js";
import { exampleQuestions } from "../ask/examples.js";
import { createForm } from "../ask/form.js";
import { SCOPE, scopeOf } from "../ask/scope.js";
import { askedIn, freshSession, rememberQuestion } from "../ask/session.js";
import { createWalkPanel } from "../ask/walk_panel.js";
import { Walk } from "../ask/walk.js";
import { empty, failure, fill, h, loading } from "../elements.js";
import { followJob } from "../events.js";
import { rest } from "../rest.js";
import { known, listed, t } from "../texts.js";
import { reasonText } from "../words.js";

export const title = t("ask.title");

const LOOK = 4000; // ms between two looks whether there are documents by now

export function mount(root, context) {
  const form = createForm(context, {
    onSubmit: (given) => submit(withSession(given)),
    onCollection: (name) => examples.load(name),
  });
  const examples = exampleQuestions(context, { onQuestion: (question) => form.put(question) });
  const head = h("div.view-head", {}, h("div", {}, h("h1", {}, t("ask.heading")), h("p", {}, t("ask.about"))));
  const question = h("h1.asked", { tabindex: "-1", dir: "auto" });
  const change = h("button", { type: "button", "aria-expanded": "false", on: { click: () => showForm(form.element.hidden) } }, t("ask.edit"));
  const fresh = h("a.button", { href: "#/ask" }, t("ask.new"));
  const asked = h("div.view-head.asked-head", { hidden: true }, question, h("div.actions", {}, change, fresh));
  const thread = h("nav.thread", { "aria-label": t("ask.thread.label"), hidden: true });
  const result = h("div", { id: "result" });
  const trouble = h("p.notice.is-warn.small", { role: "status", hidden: true });
  let leave = () => {};

  fill(
    root,
    head,
    asked,
    trouble,
    form.element,
    thread,
    result,
  );
  showTrouble();
  const [jobId] = context.route.rest;
  const load = () =>
    form.load().then(
      (collections) => !jobId && !result.querySelector(".run") && showWelcome(collections),
      (error) => !context.signal.aborted && !jobId && fill(result, failure(error, load)),
    );
  load();
  context.onOnline(() => !result.querySelector(".run") && load());
  if (jobId) open(jobId);
  else form.focus();

  function showWelcome(collections) {
    const documents = collections.reduce((sum, one) => sum + one.documents, 0);
    if (documents) {
      const size = { documents: t("count.documents", { n: documents }), collections: t("count.in-collections", { n: collections.length }) };
      fill(result, empty(t("ask.nothing-asked"), t("ask.welcome", size), examples.element));
      examples.load(form.collection());
    } else {
      if (!result.querySelector(".state:not(.loading)")) fill(result, noDocuments());
      rest(LOOK, context.signal).then(() => context.signal.aborted || result.querySelector(".run") || load());
    }
  }

  /** Say why the model answered nothing when it was asked last, where it did not. */
  async function showTrouble() {
    const told = await context.api.get("v1/about", {}, { signal: context.signal }).catch(() => null);
    trouble.hidden = !told?.model_trouble;
    fill(trouble, reasonText(told?.model_trouble ?? ""));
  }

  /** A question and its answer come first; the form that asked it is a button away. */
  function showAsked(text) {
    question.textContent = text;
    head.hidden = true;
    asked.hidden = false;
    showForm(false);
  }

  function showForm(isShown) {
    form.element.hidden = !isShown;
    change.setAttribute("aria-expanded", String(isShown));
    if (isShown) form.focus();
  }

  async function submit(given) {
    form.busy(true);
    try {
      const job = await context.api.post("v1/queries", given, { signal: context.signal });
      context.push(`#/ask/${encodeURIComponent(job.id)}`);
      run(job);
      question.focus({ preventScroll: true }); // the button that was pressed is gone
      scrollTo(0, 0);
    } catch (error) {
      if (error.name === "AbortError") return;
      showForm(true);
      form.showErrors(error);
    } finally {
      form.busy(false);
    }
  }

  async function open(id) {
    fill(result, loading(t("ask.opening")));
    form.element.hidden = true;
    try {
      const job = await context.api.get(`v1/jobs/${encodeURIComponent(id)}`, {}, { signal: context.signal });
      if (job.kind !== "query") {
        context.go(`#/jobs/${encodeURIComponent(id)}`);
        return;
      }
      form.show(job);
      run(job);
    } catch (error) {
      if (error.name === "AbortError") return;
      form.element.hidden = false;
      fill(result, failure(error, () => open(id)));
    }
  }

  /** Follow a job from its first event to its answer. */
  function run(job) {
    leave();
    const stop = new AbortController();
    const walk = new Walk();
    const walkPanel = createWalkPanel();
    const lost = h("p.notice.is-warn.small", { hidden: true }, t("ask.lost"));
    const answer = createAnswerPanel(context, {
      knownAt: job.params?.known_at,
      onCancel: () => cancel(job.id),
      onAgain: (ended) => again(ended),
      onFollowUp: (ended, question) => submit({ ...askedAs(ended), question, session: ended.params.session }),
    });
    rememberQuestion(job.params?.session, job.id, job.params?.question ?? "");
    showThread(job);
    showAsked(job.params?.question ?? "");
    fill(
      result,
      h("div.run.stack", {}, lost, h("div.columns", {}, answer.element, walkPanel.element)),
    );
    answer.showRunning();
    walkPanel.show(walk);
    leave = () => {
      stop.abort();
      walkPanel.destroy();
    };
    context.announce(t("ask.handed-over"));
    const redraw = inFrames(() => {
      walkPanel.show(walk);
      answer.showProvisional(walk.sentences);
    });
    const finish = async () => {
      const ended = await context.api.ended(job.id, { signal: stop.signal });
      walk.state = ended.state;
      if (ended.outcome) walk.complete(ended.outcome);
      walkPanel.show(walk);
      answer.showFinal(ended);
      context.announce(endingOf(ended));
    };
    followJob(job.id, {
      signal: stop.signal,
      onState: (state) => (lost.hidden = state !== "lost"),
      onEvent: (name, data) => {
        walk.add(name, data);
        tell(context, name, data);
        redraw();
      },
    })
      .then(() => stop.signal.aborted || finish())
      .catch((error) => error.name !== "AbortError" && fill(result, failure(error, () => run(job))));
  }

  function showThread(job) {
    const asked = askedIn(job.params?.session);
    thread.hidden = asked.length < 2;
    const entry = (one) =>
      h("li", {}, h("a", { dir: "auto", href: `#/ask/${encodeURIComponent(one.job)}`, "aria-current": one.job === job.id ? "true" : null }, one.question));
    fill(thread, h("h2.label", {}, t("ask.thread")), h("ol", {}, asked.map(entry)));
  }

  async function cancel(id) {
    try {
      await context.api.remove(`v1/jobs/${encodeURIComponent(id)}`);
    } catch (error) {
      result.prepend(failure(error));
    }
  }

  function again(job) {
    submit(withSession(askedAs(job)));
  }

  return () => leave();
}

function noDocuments() {
  const add = h("a.button", { href: "#/documents" }, t("documents.add"));
  return empty(t("ask.no-documents"), t("ask.no-documents.about"), add);
}

const OWN = new Set(["question", "strategy", "session", "retry_of", "replay_of", "collections", ...SCOPE]);

/** A question with a session of its own. */
function withSession(given) {
  return { ...given, session: freshSession() };
}

/** A job's question as a request asks it. */
function askedAs(job) {
  const parameters = Object.fromEntries(Object.entries(job.params).filter(([name]) => !OWN.has(name)));
  return { question: job.params.question, collection: job.params.collections ?? job.collection, strategy: job.params.strategy, ...scopeOf(job.params), parameters };
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

function tell(context, name, data) {
  const words = SPOKEN[name]?.(data);
  if (words) context.announce(words);
}

function endingOf(job) {
  const citations = job.outcome?.citations?.length ?? 0;
  if (job.state === "done") return t("ask.said.answer", { n: citations });
  return t("ask.said.ended", { state: known("state", job.state) });
}
