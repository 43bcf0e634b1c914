// The shell: which view is shown, the colours, the key, and whether the server is there.

import { about, api, connection, forgetAbout, hasKey, isReachable, noteReachable, onKeyWanted, setKey } from "./api.js";
import { failure, fill, h, loading } from "./elements.js";
import { mountThemeButton } from "./colours.js";

const VIEWS = {
  ask: () => import("./views/ask.js"),
  documents: () => import("./views/documents.js"),
  concepts: () => import("./views/concepts.js"),
  graph: () => import("./views/graph.js"),
  jobs: () => import("./views/jobs.js"),
};
const main = document.getElementById("main");
const announcer = document.getElementById("announcer");

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
  requestAnimationFrame(() => (announcer.textContent = text));
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
    fill(main, failure(new Error("This part of the page could not be loaded."), () => show({ focus: true })));
    return;
  }
  if (mine !== routes) return; // another view was asked for meanwhile
  document.title = `${view.title} · hopline`;
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
  };
}

function markCurrent(view) {
  for (const link of document.querySelectorAll(".views a")) {
    if (link.dataset.view === view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

// the key ------------------------------------------------------------------------------------------------

const keyDialog = document.getElementById("key-dialog");
const keyValue = document.getElementById("key-value");
const keyError = document.getElementById("key-error");
let waiting = null;

/** Ask for a key; all that wait for one share the answer. */
function askForKey(refused, why = "") {
  waiting ??= new Promise((resolve) => {
    keyError.hidden = !refused;
    keyError.textContent = refused ? "The server does not know this key. Check it, or ask for another." : "";
    document.getElementById("key-locked").hidden = !why.includes("there is none any more");
    document.getElementById("key-forget").hidden = !hasKey();
    keyValue.value = "";
    keyDialog.returnValue = "cancel";
    keyDialog.addEventListener("close", () => resolve(keyTaken()), { once: true });
    if (!keyDialog.open) keyDialog.showModal();
    keyValue.focus();
  }).finally(() => (waiting = null));
  return waiting;
}

function keyTaken() {
  const chosen = keyDialog.returnValue;
  const given = keyValue.value.trim();
  keyValue.value = "";
  if (chosen === "forget") {
    const had = hasKey();
    setKey("");
    return had; // what waits is tried without one
  }
  if (chosen !== "use" || !given) return false;
  setKey(given);
  return true;
}

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
    button.hidden = told.access === "local";
    button.textContent = told.caller?.name ? `Key: ${told.caller.name}` : "API key";
  } catch {
    button.hidden = false;
    button.textContent = "API key";
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
  banner.textContent = "Offline: the server does not answer. Trying again until it does.";
  banner.hidden = false;
  probeUntilBack();
});
connection.addEventListener("online", () => {
  banner.hidden = true;
  announce("Online again.");
});
addEventListener("offline", () => noteReachable(false));

onKeyWanted(askForKey);
mountThemeButton(document.getElementById("theme"));
document.getElementById("key").addEventListener("click", changeKey);
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", () => show({ focus: true }));
describeCaller();
show({ focus: false });
