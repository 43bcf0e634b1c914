// Small builders of the page's elements. Whatever comes from the server goes in as text, never as markup.

import { Message, keepWritten, known, t } from "./texts.js";
import { visible } from "./words.js";

const SVG = new Set(["svg", "path", "circle", "line", "rect", "g"]);

/**
 * Make an element.
 * @param {string} name of the element, with classes after dots: "p.muted.small".
 * @param {object} [given] attributes; also `on` {event: function}, `data` {name: value}, `style` {property: value},
 *   and properties such as value, checked, disabled, hidden. null and false leave one out.
 * @param {...(Node|Message|string|number|null|undefined|false|Array)} children
 */
export function h(name, given = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = SVG.has(tag)
    ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
  if (classes.length) element.classList.add(...classes);
  for (const [key, value] of Object.entries(given)) set(element, key, value);
  append(element, children);
  return element;
}

const PROPERTIES = new Set(["value", "checked", "disabled", "hidden", "open", "selected", "multiple", "required"]);

function set(element, key, value) {
  if (value === null || value === undefined || value === false) return;
  if (key === "on") {
    for (const [event, handler] of Object.entries(value)) element.addEventListener(event, handler);
  } else if (key === "data") {
    Object.assign(element.dataset, value);
  } else if (key === "style") {
    // Through the object model: the policy forbids style attributes.
    for (const [property, told] of Object.entries(value)) element.style.setProperty(property, told);
  } else if (PROPERTIES.has(key)) {
    element[key] = value;
  } else {
    label(element, key, value === true ? "" : value);
  }
}

/** Set an attribute to a text; a message is written anew when the language changes. */
export function label(element, name, text) {
  keepIfMessage(element, name, text, () => element.setAttribute(name, String(text)));
}

function keepIfMessage(node, part, text, write) {
  if (text instanceof Message) keepWritten(node, part, write);
  else write();
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : textNode(child));
  }
}

function textNode(text) {
  if (text.isRich) return richText(text);
  const node = document.createTextNode("");
  keepIfMessage(node, "data", text, () => (node.data = visible(text)));
  return node;
}

/** A message with elements in it: their places differ between languages. */
function richText(message) {
  const element = document.createElement("span");
  const pieces = () => message.write().map((piece) => (piece instanceof Node ? piece : visible(piece)));
  keepWritten(element, "children", () => element.replaceChildren(...pieces()));
  return element;
}

/** Put these in the place of all that an element holds. */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

let counted = 0;

/** Return an id that no other element of the page has. */
export function freshId(prefix) {
  counted += 1;
  return `${prefix}-${counted}`;
}

/**
 * A labelled field with room for a hint and an error.
 * @returns {{element, control, fail(text), clear()}}
 */
export function field(label, control, { hint = "" } = {}) {
  const id = control.id || freshId("field");
  control.id = id;
  const error = h("p.field-error", { id: `${id}-error`, hidden: true });
  const told = hint ? h("p.field-hint", { id: `${id}-hint` }, hint) : null;
  control.setAttribute("aria-describedby", told ? `${id}-hint ${id}-error` : `${id}-error`);
  const isCheck = control.type === "checkbox";
  const element = isCheck
    ? h("div.field", {}, h("label.check", { for: id }, control, label), told, error)
    : h("div.field", {}, h("label", { for: id }, label), control, told, error);
  return {
    element,
    control,
    fail(text) {
      fill(error, text).hidden = false;
      control.setAttribute("aria-invalid", "true");
    },
    clear() {
      error.hidden = true;
      control.removeAttribute("aria-invalid");
    },
  };
}

const LONGEST_WORD = 24; // characters
const TAIL = 4; // characters of a longer run, as of a script without spaces

/**
 * Text with what belongs to its end, such as a marker or a score: a line never begins with it.
 * @returns {Array} children for `h`.
 */
export function tied(text, ...ends) {
  const word = text.match(/\S+\s*$/)?.[0] ?? "";
  const letters = Array.from(word);
  const last = letters.length > LONGEST_WORD ? letters.slice(-TAIL).join("") : word;
  return [text.slice(0, text.length - last.length), h("span.tied", {}, last, ...ends)];
}

/** Words behind a label in bold. */
export function labelled(name, words) {
  return t("list.labelled", { label: h("b", {}, name), words });
}

/** Text as it is, in a box that can be scrolled by keyboard too. */
export function code(label, text) {
  return h("pre", { tabindex: "0", role: "region", "aria-label": label }, text);
}

/** A job's or document's state as a badge. */
export function badge(state) {
  return h(`span.badge.is-${String(state).replace(/[^a-z]/g, "")}`, {}, known("state", state));
}

/** What a view shows while it waits. */
export function loading(text = t("shell.loading")) {
  return h("div.state.loading", { role: "status" }, h("p", {}, text));
}

/** What a view shows where there is nothing yet. */
export function empty(title, text, ...actions) {
  return h("div.state", {}, h("h2", {}, title), text && h("p", {}, text), ...actions);
}

/** What a view shows where something went wrong; `retry` makes a button. */
export function failure(error, retry) {
  const line = error.requestId ? h("p.tiny", {}, t("shell.request", { id: error.requestId })) : null;
  return h(
    "div.notice.is-bad",
    { role: "alert" },
    h("strong", {}, error.title || t("shell.failure")),
    !error.isOffline && h("p", {}, error.detail || error.message),
    line,
    retry && h("div.actions", {}, h("button", { type: "button", on: { click: retry } }, t("shell.again"))),
  );
}

/**
 * Make the buttons of a view do one thing at a time, though they are drawn anew meanwhile.
 * @param {{done: () => Promise, failed: (error: Error) => Promise}} after
 * @returns {(work: () => Promise) => (event: Event) => Promise} what a button does when it is pressed.
 */
export function oneAtATime({ done, failed }) {
  let isBusy = false;
  return (work) => async ({ currentTarget }) => {
    if (isBusy) return;
    isBusy = true;
    currentTarget.ariaDisabled = "true";
    try {
      await work();
      await done();
    } catch (error) {
      await failed(error);
    } finally {
      isBusy = false;
      currentTarget.ariaDisabled = null;
    }
  };
}

/** A dialog that closes by Escape, by its button and by a click beside it; the browser gives the focus back. */
export function dialog(title, ...children) {
  const made = dialogOf("dialog.dialog", title, children);
  const { element } = made;
  element.addEventListener("click", (event) => event.target === element && element.close());
  document.body.append(element);
  element.showModal();
  made.title.focus();
  return made;
}

/** What a dialog would show, in a place of the view; it takes the place of what was there, and closes by Escape and by its button. */
export function pane(slot) {
  for (const before of slot.querySelectorAll("dialog[open]")) before.close();
  const made = dialogOf("dialog.card.pane", "", []);
  made.element.addEventListener("keydown", ({ key }) => key === "Escape" && made.close());
  slot.append(made.element);
  made.element.show();
  return made;
}

function dialogOf(name, title, children) {
  const id = freshId("dialog");
  const body = h("div.stack", {}, ...children);
  const heading = h("h2", { id, tabindex: "-1", dir: "auto" }, title);
  const close = () => element.close();
  const element = h(name, { "aria-labelledby": id }, h("div.dialog-head", {}, heading, h("button.quiet", { type: "button", on: { click: close } }, t("shell.close"))), body);
  element.addEventListener("close", () => element.remove());
  return { element, title: heading, body, close };
}
