// The view Ask: a conversation of questions, each with its answer and how it was found.

import { exampleQuestions } from "../ask/examples.js";
import { askedAs, createForm } from "../ask/form.js";
import { freshSession } from "../ask/session.js";
import { empty, failure, fill, h, loading } from "../elements.js";
import { rest } from "../rest.js";
import { t } from "../texts.js";
import { reasonText } from "../words.js";

export const title = t("ask.title");

const LOOK = 4000; // ms between two looks whether there are documents by now

export function mount(root, context) {
  const form = createForm(context, { onSubmit: submit, onCollection: (name) => examples.load(name) });
  const examples = exampleQuestions(context, { onQuestion: (question) => form.put(question) });
  const head = h("div.view-head", {}, h("div", {}, h("h1", {}, t("ask.heading")), h("p", {}, t("ask.about"))));
  const talk = h("div.view-head.talk-head", { hidden: true }, h("h1", {}, t("ask.thread")), h("div.actions", {}, h("a.button", { href: "#/ask" }, t("ask.new"))));
  const place = h("div"); // of the conversation
  const welcome = h("div");
  const trouble = h("p.notice.is-warn.small", { role: "status", hidden: true });
  const [jobId] = context.route.rest;
  let thread = null;
  let isOpening = Boolean(jobId);

  fill(root, head, talk, trouble, place, form.element, welcome);
  showTrouble();
  const load = () =>
    form.load().then(
      (collections) => thread || isOpening || showWelcome(collections),
      (error) => !context.signal.aborted && !thread && !isOpening && fill(welcome, failure(error, load)),
    );
  if (jobId) open(jobId);
  else form.focus();
  load();
  context.onOnline(() => thread || load());
  const coming = import("../ask/thread.js").catch(() => null); // while the form is read

  function showWelcome(collections) {
    const documents = collections.reduce((sum, one) => sum + one.documents, 0);
    if (documents) {
      const size = { documents: t("count.documents", { n: documents }), collections: t("count.in-collections", { n: collections.length }) };
      fill(welcome, empty(t("ask.nothing-asked"), t("ask.welcome", size), examples.element));
      examples.load(form.collection());
    } else {
      if (!welcome.querySelector(".state:not(.loading)")) fill(welcome, noDocuments());
      rest(LOOK, context.signal).then(() => context.signal.aborted || thread || load());
    }
  }

  /** Say why the model answered nothing when it was asked last, where it did not. */
  async function showTrouble() {
    const told = await context.api.get("v1/about", {}, { signal: context.signal }).catch(() => null);
    trouble.hidden = !told?.model_trouble;
    fill(trouble, reasonText(told?.model_trouble ?? ""));
  }

  async function begun() {
    if (thread) return thread;
    const { createThread } = (await coming) ?? (await import("../ask/thread.js"));
    if (context.signal.aborted) return null;
    thread = createThread(context, { onAgain: (job) => submit(askedAs(job)), onEdit: form.edit, onLast });
    fill(place, thread.element);
    fill(welcome);
    head.hidden = true;
    talk.hidden = false;
    return thread;
  }

  function onLast(job) {
    form.follow(job);
    context.entitle(job.params?.question);
  }

  async function submit(given) {
    form.busy(true);
    try {
      const session = thread?.last()?.params?.session ?? freshSession();
      const job = await context.api.post("v1/queries", { ...given, session }, { signal: context.signal });
      const conversation = await begun();
      context.push(`#/ask/${encodeURIComponent(job.id)}`);
      context.announce(t("ask.handed-over"));
      form.clear();
      conversation.add(job).element.scrollIntoView({ block: "start" });
      form.focus();
    } catch (error) {
      if (error.name !== "AbortError") form.showErrors(error);
    } finally {
      form.busy(false);
    }
  }

  async function open(id) {
    isOpening = true;
    fill(place, loading(t("ask.opening")));
    form.element.hidden = true;
    try {
      const job = await context.api.get(`v1/jobs/${encodeURIComponent(id)}`, {}, { signal: context.signal });
      if (job.kind !== "query") {
        context.go(`#/jobs/${encodeURIComponent(id)}`);
        return;
      }
      const conversation = await begun();
      await conversation.load(job);
    } catch (error) {
      if (error.name === "AbortError") return;
      fill(place, failure(error, () => open(id)));
    }
    form.element.hidden = false;
    isOpening = false;
  }

  return () => thread?.destroy();
}

function noDocuments() {
  const add = h("a.button", { href: "#/documents" }, t("documents.add"));
  return empty(t("ask.no-documents"), t("ask.no-documents.about"), add);
}
