// The question's form: what to ask, of which collections, how, and how far to go.

import { STAND_IN } from "../api.js";
import { collectionField } from "../collections.js";
import { seenBy } from "../documents/seen_by.js";
import { field, fill, h, label } from "../elements.js";
import { collectionsOf } from "../jobs/label.js";
import { known, t, wordsOf } from "../texts.js";
import { otherCollections } from "./other_collections.js";
import { SCOPE, scopeFields, scopeOf } from "./scope.js";

// How far to go: each parameter with the strategies that read it; none where all do.
const PARAMETERS = {
  max_depth: ["graph", "reader"],
  max_visits: ["graph"],
  max_seeds: ["graph", "reader"],
  max_neighbours: ["graph", "reader"],
  max_path_calls: ["reader"],
  start_candidates: ["reader"],
  max_rounds: ["tools"],
  max_facts: ["survey"],
  max_topics: ["survey"],
  decay_rate: [],
  score_threshold: [],
  evidence_tokens: [],
  facts_per_critic: ["graph", "reader", "tools"],
  max_model_calls: [],
  timeout: [],
};
const OWN = new Set(["question", "strategy", "session", "conversation", "retry_of", "replay_of", "collections", ...SCOPE]);

/** Who answers where no model is connected, and how to connect one. */
const standIn = () =>
  h(
    "details.stand-in",
    {},
    h("summary", {}, t("ask.stand-in")),
    h("ol", {}, h("li", {}, t("ask.stand-in.address")), h("li", {}, t("ask.stand-in.restart")), h("li", {}, t("ask.stand-in.check"))),
  );

/**
 * @param {object} context of the view.
 * @param {object} given `onSubmit(given)`; `onCollection(name)`; `onNames(names)`: which collections are read; `note`: an
 *   element to stand below their choice.
 * @returns {{element, follow(job), edit(job), put(question), collection(), names(), focus(), load(), showErrors(problem), busy(boolean)}}
 */
export function createForm(context, { onSubmit, onCollection = () => {}, onNames = () => {}, note = null }) {
  const question = field(t("ask.question"), h("textarea", { rows: "2", dir: "auto", maxlength: "4000", required: true, placeholder: t("ask.question.placeholder") }));
  const collection = collectionField(context, {
    chosen: context.route.query.get("collection") ?? undefined,
    onChange: (name) => {
      others.beside(name);
      choose();
      onCollection(name);
    },
  });
  const names = () => [collection.value(), ...others.value()];
  const others = otherCollections({ onChange: choose });
  const scope = scopeFields(context, { collections: names, others: others.element });
  const strategy = field(t("ask.strategy"), h("select", {}, wordsOf("strategy-choice").map(strategyOption)));
  const parameters = new Map(); // name → {field, schema}
  const seen = h("div", { hidden: true });
  const model = h("div.ask-model", { hidden: true });
  const keys = h("p.field-hint", {}, t("ask.keys"));
  const more = h("details", {}, h("summary", {}, t("ask.how-far")));
  const grid = h("div.fields", {});
  const further = h("p.field-hint", {}, t("ask.how-far.auto"));
  more.append(grid, further);
  const general = h("p.field-error", { role: "alert", hidden: true });
  const ask = h("button.primary", { type: "submit" }, t("ask.title"));
  const element = h(
    "form.card.stack.ask-form",
    { novalidate: true, "aria-label": t("ask.heading"), on: { submit } },
    h("div.ask-line", {}, question.element, ask),
    h("div.ask-choices", {}, collection.element, strategy.element),
    seen,
    note,
    h("div.ask-more", {}, scope.element, more),
    general,
    h("div.ask-foot", {}, keys, model),
  );
  strategy.control.addEventListener("change", showParameters);
  question.control.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
  });

  /** Other collections are read from now on. */
  function choose() {
    scope.load(names());
    onNames(names());
  }

  async function load() {
    const before = names().join();
    const [found, told] = await Promise.allSettled([collection.load(), context.about()]);
    if (told.status === "fulfilled") describe(told.value);
    if (found.status === "rejected") throw found.reason;
    others.offer(found.value);
    others.beside(collection.value());
    if (names().join() !== before) choose(); // the largest collection, where there is no default one
    return found.value;
  }

  function describe({ parameters: schemas = {}, strategies = [], caller, model: name }) {
    if (parameters.size) return;
    if (name) fill(model, name === STAND_IN ? standIn() : h("p", {}, t("ask.model", { model: name })));
    model.hidden = !name;
    const line = seenBy(caller?.principals);
    seen.hidden = !line;
    if (line) fill(seen, line);
    const { value } = strategy.control;
    if (strategies.length) fill(strategy.control, strategies.map(strategyOption)).value = strategies.includes(value) ? value : strategies[0];
    for (const name of Object.keys(PARAMETERS).filter((name) => name in schemas)) {
      const schema = schemas[name];
      const isWhole = schema.type === "integer";
      const control = h("input", {
        type: "number",
        inputmode: isWhole ? "numeric" : "decimal",
        step: isWhole ? "1" : "any",
        min: schema.minimum ?? schema.exclusiveMinimum ?? null,
        max: schema.maximum ?? null,
        placeholder: String(schema.default),
      });
      const made = field(known("parameter", name), control, { hint: [known("parameter-hint", name), " ", allowedOf(schema)] });
      parameters.set(name, { ...made, schema });
    }
    fill(grid, [...parameters.values()].map((one) => one.element));
    showParameters();
  }

  /** Show what the chosen strategy reads, and what has a value. */
  function showParameters() {
    const { value } = strategy.control;
    for (const [name, one] of parameters) one.element.hidden = !isRead(name, value) && (value !== "auto" || one.control.value === "");
    further.hidden = value !== "auto";
  }

  function submit(event) {
    event.preventDefault();
    if (ask.ariaDisabled) return;
    clear();
    const given = read();
    if (given) onSubmit(given);
  }

  function read() {
    const wrong = [];
    const told = {};
    if (!question.control.value.trim()) wrong.push([question, t("ask.question.missing")]);
    for (const [name, one] of parameters) {
      if (one.element.hidden) continue;
      if (one.control.value === "" && !one.control.validity.badInput) continue;
      const value = Number(one.control.value);
      if (isAllowed(one, value)) told[name] = value;
      else wrong.push([one, t("field.allowed", { allowed: allowedOf(one.schema) })]);
    }
    const areFar = wrong.some(([one]) => one !== question);
    for (const one of scope.incomplete()) wrong.push([one, t("field.incomplete")]);
    for (const [one, words] of wrong) one.fail(words);
    if (wrong.length) {
      if (areFar) more.open = true;
      wrong[0][0].control.focus();
      return null;
    }
    const read = names().length > 1 ? names() : collection.value();
    return { question: question.control.value.trim(), collection: read, strategy: strategy.control.value, ...scope.read(), parameters: told };
  }

  /** Show a refusal beside the fields that it names. */
  function showErrors(problem) {
    const rest = [];
    for (const { field: name, allowed } of problem.errors ?? []) {
      const part = SCOPE.find((one) => name.split(/[. ]/).includes(one));
      if (part) {
        scope.fail(part, t("field.allowed", { allowed }));
        continue;
      }
      const last = name.split(".").pop();
      const named = { question, collection, strategy }[last] ?? parameters.get(last);
      if (!named) {
        rest.push(t("field.allowed-of", { name, allowed }));
        continue;
      }
      named.fail(t("field.allowed", { allowed }));
      if (parameters.has(last)) {
        named.element.hidden = false;
        more.open = true;
      }
    }
    if (!problem.errors?.length) rest.push(problem.detail || problem.message);
    if (rest.length) fill(general, rest.map((one) => [one, " "])).hidden = false;
    (element.querySelector('[aria-invalid="true"]') ?? question.control).focus();
  }

  function clear() {
    general.hidden = true;
    for (const one of [question, collection, strategy, ...parameters.values(), scope]) one.clear();
  }

  /** Be the form of a question that follows a job's: of the same collections, read in the same way. */
  function follow(job) {
    fill(question.element.querySelector("label"), t("ask.follow-up"));
    label(question.control, "placeholder", t("ask.follow-up.placeholder"));
    element.classList.add("is-follow-up");
    show(job);
  }

  /** Show a job's question, for asking it in other words. */
  function edit(job) {
    show(job);
    question.control.value = job.params?.question ?? "";
    question.control.focus();
    question.control.select();
  }

  /** Show of what and how a job asked. */
  function show(job) {
    strategy.control.value = job.params?.strategy ?? "auto";
    const select = collection.control;
    if (![...select.options].some((one) => one.value === job.collection)) select.append(h("option", { value: job.collection }, job.collection));
    select.value = job.collection;
    others.show(collectionsOf(job));
    scope.show(job.params);
    onNames(names());
    for (const [name, one] of parameters) {
      const value = job.params?.[name];
      one.control.value = value === undefined || value === one.schema.default ? "" : value;
    }
    showParameters();
  }

  /** Ask this question, of what is chosen. */
  function put(text) {
    question.control.value = text;
    element.requestSubmit();
  }

  return {
    element,
    load,
    follow,
    edit,
    put,
    collection: collection.value,
    names,
    showErrors,
    focus: () => question.control.focus({ preventScroll: true }),
    busy(isBusy) {
      // Not `disabled`: the focus would be lost.
      ask.ariaDisabled = isBusy ? "true" : null;
    },
    /** The question is asked. */
    clear: () => (question.control.value = ""),
  };
}

function isRead(name, strategy) {
  return !PARAMETERS[name].length || PARAMETERS[name].includes(strategy);
}

/** A job's question as a request asks it. */
export function askedAs(job) {
  const parameters = Object.fromEntries(Object.entries(job.params).filter(([name]) => !OWN.has(name)));
  return { question: job.params.question, collection: job.params.collections ?? job.collection, strategy: job.params.strategy, ...scopeOf(job.params), parameters };
}

function isAllowed({ control, schema }, value) {
  if (control.validity.badInput || Number.isNaN(value)) return false;
  if (schema.type === "integer" && !Number.isInteger(value)) return false;
  if (schema.exclusiveMinimum !== undefined && value <= schema.exclusiveMinimum) return false;
  return value >= (schema.minimum ?? -Infinity) && value <= (schema.maximum ?? Infinity);
}

function allowedOf(schema) {
  if (schema.maximum === undefined) return "";
  const told = { to: schema.maximum, usual: schema.default };
  if (schema.minimum === undefined) return t("field.range-above", { above: schema.exclusiveMinimum, ...told });
  return t("field.range", { from: schema.minimum, ...told });
}

function strategyOption(name) {
  return h("option", { value: name }, known("strategy-choice", name));
}
