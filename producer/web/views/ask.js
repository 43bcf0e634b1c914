// The view Ask: a conversation of questions, each with its answer and how it was found.

import { freshSecret } from "../api.js";
import { jobOf, wholeJob } from "../ask/conversation.js";
import { exampleQuestions } from "../ask/examples.js";
import { askedAs, createForm } from "../ask/form.js";
import { empty, failure, fill, h, loading } from "../elements.js";
import { rest } from "../rest.js";
import { t } from "../texts.js";
import { reasonText } from "../words.js";

export const title = t("ask.title");

const LOOK = 4000; // ms between two looks whether there are documents by now
const KEPT = "c"; // part of the address of a conversation: #/ask/c/ID; of a job: #/ask/ID

export function mount(root, context) {
  const page = new AskPage(root, context);
  page.start();
  return () => page.thread?.destroy();
}

class AskPage {
  constructor(root, context) {
    this.context = context;
    this.thread = null;
    this.conversation = null; // {id, title, shared, own}, once there is one
    this.isOpening = false;
    this.list = null;
    this.intake = null;
    this.collections = [];
    this.note = h("div.ask-note"); // what comes into the collections
    this.form = createForm(context, {
      onSubmit: (given) => this.submit(given),
      onCollection: () => this.showExamples(),
      onNames: (names) => this.intake?.load(names),
      note: this.note,
    });
    this.examples = exampleQuestions(context, { onQuestion: (question) => this.form.put(question) });
    this.head = h("div.view-head", {}, h("div", {}, h("h1", {}, t("ask.heading")), h("p", {}, t("ask.about"))));
    this.name = h("h1", { dir: "auto" }, t("ask.thread"));
    this.tools = h("div.actions", {});
    this.talk = h("div.view-head.talk-head", { hidden: true }, this.name, this.tools);
    this.beside = h("div.conversations-slot");
    this.place = h("div"); // of the turns
    this.welcome = h("div");
    this.trouble = h("p.notice.is-warn.small", { role: "status", hidden: true });
    this.begins = h("p.muted.small", { hidden: true });
    // What is folded up is read on paper, too.
    addEventListener("beforeprint", () => root.querySelectorAll(".more-citations").forEach((one) => (one.open = true)), { signal: context.signal });
    fill(root, this.beside, h("div.stack.ask-main", {}, this.head, this.talk, this.trouble, this.place, this.begins, this.form.element, this.welcome));
  }

  async start() {
    const { context } = this;
    const [first, id] = context.route.rest;
    if (first === KEPT && id) this.open(() => this.readConversation(id));
    else if (first) this.open(() => this.readJob(first));
    else this.form.focus();
    this.load();
    this.showTrouble();
    context.onOnline(() => this.thread || this.load());
    const parts = [import("../ask/conversations.js"), import("../ask/intake.js"), import("../ask/thread.js"), import("../ask/conversation_tools.js")];
    const [listing, coming] = await Promise.all(parts).catch(() => []); // what is missing then is said where it is needed
    if (!listing || context.signal.aborted) return;
    this.intake = coming.intakeLine(context, { onIn: () => this.load() });
    fill(this.note, this.intake.element);
    this.intake.load(this.form.names());
    this.list = listing.conversationList(context);
    fill(this.beside, this.list.element);
    this.list.load(this.conversation?.id ?? (first === KEPT ? id : null));
  }

  load() {
    return this.form.load().then(
      (collections) => this.thread || this.isOpening || this.showWelcome(collections),
      (error) => !this.context.signal.aborted && !this.thread && !this.isOpening && fill(this.welcome, failure(error, () => this.load())),
    );
  }

  /** Show questions that the chosen collection answers; none where no document is in it yet. */
  showExamples() {
    const name = this.form.collection();
    const isListed = this.collections.some((one) => one.name === name);
    this.examples.load(isListed ? name : "");
  }

  showWelcome(collections) {
    this.collections = collections;
    const documents = collections.reduce((sum, one) => sum + one.documents, 0);
    if (documents) {
      const size = { documents: t("count.documents", { n: documents }), collections: t("count.in-collections", { n: collections.length }) };
      fill(this.welcome, empty(t("ask.nothing-asked"), t("ask.welcome", size), this.examples.element));
      this.showExamples();
    } else {
      if (!this.welcome.querySelector(".state:not(.loading)")) fill(this.welcome, noDocuments());
      rest(LOOK, this.context.signal).then(() => this.context.signal.aborted || this.thread || this.load());
    }
  }

  /** Say why the model answered nothing when it was asked last, where it did not. */
  async showTrouble() {
    const told = await this.context.about().catch(() => null);
    this.trouble.hidden = !told?.model_trouble;
    fill(this.trouble, reasonText(told?.model_trouble ?? ""));
  }

  /** Make the place of the turns, unless it is there. */
  async begin() {
    if (this.thread) return this.thread;
    const { createThread } = await import("../ask/thread.js");
    if (this.context.signal.aborted) return null;
    const whole = (then) => async (job) => then(await wholeJob(this.context, job));
    this.thread = createThread(this.context, {
      onAgain: whole((job) => this.submit(askedAs(job))),
      onEdit: whole((job) => this.form.edit(job)),
      onLast: (job) => this.last(job),
    });
    fill(this.place, this.thread.element);
    fill(this.welcome);
    this.head.hidden = true;
    this.talk.hidden = false;
    this.showTools();
    return this.thread;
  }

  async last(job) {
    this.context.entitle(job.params.question);
    this.form.follow(job);
    if (job.ended && !job.isKept) this.list?.load(this.conversation?.id ?? null);
    if (job.isKept) this.form.follow(await wholeJob(this.context, job));
  }

  async showTools() {
    const { conversation, context } = this;
    fill(this.name, conversation ? conversation.title : t("ask.thread"));
    const fresh = h("a.button", { href: "#/ask" }, t("ask.new"));
    fill(this.tools, fresh);
    if (!conversation) return;
    const { conversationTools } = await import("../ask/conversation_tools.js");
    const given = {
      conversation,
      jobs: () => this.thread.jobs(),
      onChanged: (changes) => this.keep({ ...this.conversation, ...changes }),
      onDeleted: () => context.go("#/ask"),
    };
    if (conversation === this.conversation) fill(this.tools, conversationTools(context, given), fresh);
  }

  /** Take note of what the conversation is called and whether it is shared. */
  keep(conversation) {
    this.conversation = conversation;
    this.list?.load(conversation.id);
    if (this.thread) this.showTools();
  }

  async submit(given) {
    const { context } = this;
    this.form.busy(true);
    try {
      const own = this.conversation?.own ? this.conversation : { id: freshSecret(), title: given.question, shared: false, own: true };
      const job = await context.api.post("v1/queries", { ...given, conversation: own.id }, { signal: context.signal });
      const thread = await this.begin();
      if (own !== this.conversation) this.keep(own);
      this.begins.hidden = true;
      const address = `#/ask/${KEPT}/${own.id}`;
      if (location.hash !== address) context.push(address);
      context.announce(t("ask.handed-over"));
      this.form.clear();
      thread.add(job).element.scrollIntoView({ block: "start" });
      this.form.focus();
    } catch (error) {
      if (error.name !== "AbortError") this.form.showErrors(error);
    } finally {
      this.form.busy(false);
    }
  }

  /** Show what was asked before. */
  async open(read) {
    this.isOpening = true;
    fill(this.place, loading(t("ask.opening")));
    this.form.element.hidden = true;
    try {
      await read();
    } catch (error) {
      if (error.name === "AbortError") return;
      fill(this.place, failure(error, () => this.open(read)));
    }
    this.form.element.hidden = false;
    this.isOpening = false;
  }

  async readConversation(id, chosen = "") {
    const { turns, ...about } = await this.context.api.get(`v1/conversations/${encodeURIComponent(id)}`, {}, { signal: this.context.signal });
    this.conversation = about;
    const thread = await this.begin();
    thread?.show(turns.map(jobOf), chosen);
    if (!about.own) this.tellBeginning("ask.begins-own");
  }

  async readJob(id) {
    const job = await this.context.api.get(`v1/jobs/${encodeURIComponent(id)}`, {}, { signal: this.context.signal });
    if (job.kind !== "query") {
      this.context.go(`#/jobs/${encodeURIComponent(id)}`);
      return;
    }
    const kept = job.params.conversation;
    if (kept && (await this.readConversation(kept, id).then(() => true, () => false))) {
      this.context.replace(`#/ask/${KEPT}/${kept}`);
      this.list?.load(kept);
      return;
    }
    const thread = await this.begin();
    thread?.show([job], id);
    this.tellBeginning("ask.begins");
  }

  /** Say that the next question begins a conversation. */
  tellBeginning(text) {
    fill(this.begins, t(text)).hidden = false;
  }
}

function noDocuments() {
  const add = h("a.button", { href: "#/documents" }, t("documents.add"));
  return empty(t("ask.no-documents"), t("ask.no-documents.about"), add);
}
