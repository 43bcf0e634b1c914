// The shell: which view is shown, its colours and language, the key, and whether the server is there.

import { about, api, connection, forgetAbout, hasKey, isReachable, noteReachable, onKeyWanted } from "./api.js";
import { mountThemeButton } from "./colours.js";
import { failure, fill, h, label, loading } from "./elements.js";
import { askForKey } from "./key_dialog.js";
import { isLimited } from "./rights.js";
import { chooseLanguage, keepWritten, language, languages, t } from "./texts.js";

const VIEWS = {
  ask: () => import("./views/ask.js"),
  documents: () => import("./views/documents.js"),
  concepts: () => import("./views/concepts.js"),
  graph: () => import("./views/graph.js"),
  topics: () => import("./views/topics.js"),
  jobs: () => import("./views/jobs.js"),
};
const WHOLE = ["concepts", "graph", "topics"]; // views that read whole collections
const main = document.getElementById("main");
const announcer = document.getElementById("announcer");

const LONGEST_TITLE = 60; // characters
let leave = () => {};
let routes = 0;

/** "#/ask/ID?collection=x" → {view, rest, query} */
function readRoute() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [view, ...rest] = path.split("/").filter(Boolean).map(decode);
  return { view: Object.hasOwn(VIEWS, view ?? "") ? view : "ask", rest, query: new URLSearchParams(query) };
}

function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Say something to screen readers, politely. */
function announce(text) {
  announcer.textContent = "";
  requestAnimationFrame(() => (announcer.textContent = String(text)));
}

async function show({ focus }) {
  const mine = ++routes;
  const route = readRoute();
  leave();
  leave = () => {};
  markCurrent(route.view);
  fill(main, loading());
  let view;
  try {
    view = await VIEWS[route.view]();
  } catch {
    if (mine !== routes) return;
    const again = () => mine === routes && show({ focus: true });
    fill(main, failure({ detail: t("shell.part") }, again));
    connection.addEventListener("online", again, { once: true });
    return;
  }
  if (mine !== routes) return; // another view was asked for meanwhile
  keepWritten(document, "title", () => (document.title = `${view.title} · hopline`));
  const root = h("div.view", { data: { view: route.view } });
  fill(main, root);
  const stop = new AbortController();
  const unmount = view.mount(root, contextFor(route, stop.signal));
  leave = () => {
    stop.abort();
    unmount?.();
  };
  if (focus) {
    main.focus({ preventScroll: true });
    scrollTo(0, 0);
    announce(view.title);
  }
}

/** What a view is given. `replace` and `push` change the address without mounting the view anew. */
function contextFor(route, signal) {
  return {
    api,
    about,
    route,
    signal,
    announce,
    go: (hash) => (location.hash = hash),
    replace: (hash) => history.replaceState(null, "", hash),
    push: (hash) => history.pushState(null, "", hash),
    onOnline: (listener) => connection.addEventListener("online", listener, { signal }),
    onOffline: (listener) => connection.addEventListener("offline", listener, { signal }),
    isReachable,
    /** Name the page's window after what is shown in the view. */
    entitle: (name) => keepWritten(document, "title", () => (document.title = `${cut(name)} · hopline`)),
  };
}

function cut(name) {
  const text = String(name);
  return text.length > LONGEST_TITLE ? `${text.slice(0, LONGEST_TITLE).trimEnd()}…` : text;
}

function markCurrent(view) {
  for (const link of document.querySelectorAll(".views a")) {
    if (link.dataset.view === view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

// the key ------------------------------------------------------------------------------------------------

async function changeKey() {
  const had = hasKey();
  const given = await askForKey(false);
  if (!given && had === hasKey()) return;
  forgetAbout();
  await describeCaller();
  show({ focus: false });
}

async function describeCaller() {
  const button = document.getElementById("key");
  try {
    const told = await about();
    const isHidden = await isLimited({ about }); // then these views read nothing
    for (const view of WHOLE) document.querySelector(`.views a[data-view="${view}"]`).hidden = isHidden;
    button.hidden = told.access === "local";
    fill(button, told.caller?.name ? t("key.named", { name: told.caller.name }) : t("key.title"));
  } catch {
    button.hidden = false;
    fill(button, t("key.title"));
  }
}

// the connection -------------------------------------------------------------------------------------------

const banner = document.getElementById("connection");
const PROBE_FIRST = 1000; // ms; doubled up to the longest
const PROBE_LONGEST = 10000;

async function probeUntilBack() {
  let pause = PROBE_FIRST;
  while (!isReachable()) {
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, pause);
      addEventListener("online", () => (clearTimeout(timer), resolve()), { once: true });
    });
    await api.get("health/live").catch(() => {});
    pause = Math.min(pause * 2, PROBE_LONGEST);
  }
}

connection.addEventListener("offline", () => {
  fill(banner, t("shell.offline")).hidden = false;
  probeUntilBack();
});
connection.addEventListener("online", () => {
  banner.hidden = true;
  announce(t("shell.online"));
});
addEventListener("offline", () => noteReachable(false));

// the language --------------------------------------------------------------------------------------------

/** Make the button that changes the language; it bears the name of the language that it leads to. */
function mountLanguageButton(button) {
  keepWritten(button, "next", () => {
    const { name, tag } = nextLanguage();
    fill(button, name).lang = tag;
    label(button, "aria-label", t("shell.language", { name }));
  });
  // Where the texts cannot be had, the page stays as it is; that the server is away is said in its own place.
  button.addEventListener("click", () => chooseLanguage(nextLanguage().id).catch(() => {}));
}

function nextLanguage() {
  const all = languages();
  const at = all.findIndex(({ id }) => id === language().id);
  return all[(at + 1) % all.length];
}

for (const element of document.querySelectorAll("[data-text]")) fill(element, t(element.dataset.text));
for (const element of document.querySelectorAll("[data-label]")) label(element, "aria-label", t(element.dataset.label));
onKeyWanted(askForKey);
mountLanguageButton(document.getElementById("language"));
mountThemeButton(document.getElementById("theme"));
document.getElementById("key").addEventListener("click", changeKey);
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", () => show({ focus: true }));
describeCaller();
show({ focus: false });
