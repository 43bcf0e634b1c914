// Requests to the API: the key, errors that people can read, pages, waits, and whether the server is there.

import { rest } from "./rest.js";
import { isKnown, known, t } from "./texts.js";

const BASE = new URL("./", document.baseURI); // the page stands at the API's root
const KEY = "hopline.key";
const BROWSER = "hopline.browser";
const BROWSER_HEADER = "Hopline-Browser"; // whose conversations are shown where no key is needed
const WAIT_SECONDS = 20;
const PAUSE = 1000; // ms before asking again where the server did not wait

/** The server refused, and says why (RFC 9457). */
export class Problem extends Error {
  constructor(status, told, retryAfter) {
    super(told.detail || told.title || String(t("error.status", { status: String(status) })));
    this.status = status;
    this.title = titleOf(told) || t("error.status", { status: String(status) });
    this.detail = told.detail || "";
    this.errors = Array.isArray(told.errors) ? told.errors : [];
    this.requestId = told.request_id || "";
    this.retryAfter = retryAfter;
  }
}

/** A problem's title: in the page's language where its kind is known. */
function titleOf({ type = "", title = "" }) {
  const kind = type.split(":").pop();
  return isKnown("problem", kind) ? known("problem", kind) : title;
}

/** Nobody answered. */
export class Unreachable extends Error {
  constructor() {
    super(String(t("error.offline")));
    this.isOffline = true; // which the line above the page explains
    this.title = t("error.offline.title");
    this.detail = t("error.offline");
  }
}

/** Tells `offline` and `online`. */
export const connection = new EventTarget();
let reachable = true;

export function isReachable() {
  return reachable;
}

/** Note whether the server was reached; listeners hear of a change only. */
export function noteReachable(now) {
  if (now === reachable) return;
  reachable = now;
  connection.dispatchEvent(new Event(now ? "online" : "offline"));
}

let key = readKey();
const browser = readBrowser();
let askForKey = async () => false; // the shell sets what asks the user
let declined = 0; // how often the user was asked for a key and gave none

/** A secret that only this browser knows, made at its first visit. */
function readBrowser() {
  const fresh = freshSecret();
  try {
    const kept = localStorage.getItem(BROWSER) || fresh;
    localStorage.setItem(BROWSER, kept);
    return kept;
  } catch {
    return fresh; // its conversations are this page's only
  }
}

/** 128 random bits in hex, which nobody guesses. */
export function freshSecret() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function readKey() {
  try {
    return sessionStorage.getItem(KEY) || "";
  } catch {
    return "";
  }
}

export function hasKey() {
  return key !== "";
}

/** Keep the key in this tab only; an empty one forgets it. */
export function setKey(value) {
  key = value.trim();
  try {
    if (key) sessionStorage.setItem(KEY, key);
    else sessionStorage.removeItem(KEY);
  } catch {
    // Without storage the key lasts as long as the page.
  }
}

/** Set what is called where the server wants a key; it resolves to whether one was given. */
export function onKeyWanted(ask) {
  askForKey = ask;
}

function address(path, query = {}) {
  const url = new URL(path.replace(/^\//, ""), BASE);
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) {
      if (one !== null && one !== undefined && one !== "") url.searchParams.append(name, one);
    }
  }
  return url;
}

/** fetch with the key; a 401 asks for one and tries again. Throws Problem, Unreachable or AbortError. */
export async function request(path, { query, headers = {}, ...options } = {}) {
  const used = key;
  const before = declined;
  const told = { ...headers, ...(used ? { Authorization: `Bearer ${used}` } : { [BROWSER_HEADER]: browser }) };
  let response;
  try {
    response = await fetch(address(path, query), { ...options, headers: told });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    noteReachable(false);
    throw new Unreachable();
  }
  noteReachable(true);
  if (response.status === 401) {
    const why = await reasonOf(response); // meanwhile another's answer may have changed the key
    if (key !== used || (before === declined && (await wantKey(used, why)))) return request(path, { query, headers, ...options });
  }
  if (!response.ok) throw await problemOf(response);
  return response;
}

/** Whether the user gave a key; a request that began before they declined does not ask again. */
async function wantKey(used, why) {
  const isGiven = await askForKey(Boolean(used), why);
  if (!isGiven) declined += 1;
  return isGiven;
}

/** What the server says of a refusal; the response can still be read. */
async function reasonOf(response) {
  const told = await response.clone().json().catch(() => null);
  return String(told?.detail ?? "");
}

async function problemOf(response) {
  let told = {};
  try {
    told = await response.json();
  } catch {
    // Something between us and the API answered; its status is all there is.
  }
  return new Problem(response.status, told, Number(response.headers.get("Retry-After")) || null);
}

async function read(path, options) {
  const response = await request(path, options);
  return response.status === 204 ? null : response.json();
}

/** What sends JSON with a method. */
function sending(method) {
  return (path, body, { headers, ...options } = {}) => read(path, { method, ...options, headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify(body) });
}

export const api = {
  get: (path, query, options = {}) => read(path, { query, ...options }),
  /** Send JSON, or a FormData as it is. */
  post(path, body, { query, headers, signal } = {}) {
    const isForm = body instanceof FormData;
    return read(path, {
      method: "POST",
      query,
      signal,
      headers: isForm ? headers : { "Content-Type": "application/json", ...headers },
      body: isForm ? body : JSON.stringify(body ?? {}),
    });
  },
  patch: sending("PATCH"),
  put: sending("PUT"),
  remove: (path, options = {}) => read(path, { method: "DELETE", ...options }),
  /** Yield the pages of a list until there are no more. */
  async *pages(path, query = {}, options = {}) {
    let cursor = null;
    do {
      const page = await read(path, { query: { ...query, cursor }, ...options });
      yield page;
      cursor = page.next;
    } while (cursor);
  },
  /** Resolve to a job's view when it has ended. */
  async ended(jobId, { signal } = {}) {
    for (;;) {
      const asked = performance.now();
      const job = await read(`v1/jobs/${encodeURIComponent(jobId)}`, { query: { wait: WAIT_SECONDS }, signal });
      if (job.ended) return job;
      const waited = performance.now() - asked;
      if (waited < WAIT_SECONDS * 1000) await rest(Math.min(PAUSE, WAIT_SECONDS * 1000 - waited), signal);
    }
  },
};

export const STAND_IN = "offline"; // the name of the built-in model

const FRESH = 30_000; // ms
let aboutPromise = null;
let aboutAsked = 0;

/** What the server says of itself: version, caller, limits, strategies, trouble; asked again after a while. */
export function about() {
  const now = performance.now();
  if (aboutPromise && now - aboutAsked < FRESH) return aboutPromise;
  aboutAsked = now;
  aboutPromise = api.get("v1/about").catch((error) => {
    aboutPromise = null;
    throw error;
  });
  return aboutPromise;
}

/** Forget it, as after a change of key. */
export function forgetAbout() {
  aboutPromise = null;
}
