// A job's event stream. EventSource cannot send the key, so the stream is read from fetch.

import { Problem, noteReachable, request } from "./api.js";
import { rest } from "./rest.js";

const FIRST_PAUSE = 500; // ms; doubled with every failure
const LONGEST_PAUSE = 8000;
const SILENCE = 60000; // ms without even a heartbeat: the connection is dead

/** Take a stream's text apart, piece by piece; `feed` returns the events that are whole. */
export class EventParser {
  constructor() {
    this.buffer = "";
    this.lastId = "";
    this.fresh();
  }

  fresh() {
    this.name = "";
    this.data = [];
  }

  feed(text) {
    this.buffer += text;
    const lines = this.buffer.split(/\r\n|\n|\r(?!$)/);
    this.buffer = lines.pop();
    return lines.map((line) => this.take(line)).filter(Boolean);
  }

  take(line) {
    if (line === "") {
      const event = this.data.length ? { id: this.lastId, name: this.name || "message", text: this.data.join("\n") } : null;
      this.fresh();
      return event;
    }
    const [, field, value] = line.match(/^([^:]*)(?:: ?(.*))?$/s);
    if (field === "id") this.lastId = value ?? "";
    else if (field === "event") this.name = value ?? "";
    else if (field === "data") this.data.push(value ?? "");
    return null;
  }
}

/** Whether the same request may go well later. */
export function isPassing(error) {
  return !(error instanceof Problem) || error.status === 429 || error.status >= 500;
}

/**
 * Follow a job's events until it has ended.
 * @param {string} jobId
 * @param {object} given
 * @param {(name: string, data: object, id: string) => void} given.onEvent each event once, `snapshot` among them.
 * @param {(state: "live"|"lost") => void} [given.onState]
 * @param {string} [given.after] the id of the last event already seen.
 * @param {AbortSignal} [given.signal]
 * @returns {Promise<string>} the last id seen. Throws Problem where the server refuses.
 */
export async function followJob(jobId, { onEvent, onState = () => {}, after = "", signal } = {}) {
  let last = after;
  let pause = FIRST_PAUSE;
  for (;;) {
    const parser = new EventParser();
    try {
      const ended = await readOnce(jobId, last, parser, signal, {
        opened: () => onState("live"),
        event: (event) => {
          pause = FIRST_PAUSE;
          if (event.id) last = event.id;
          onEvent(event.name, JSON.parse(event.text), event.id);
          return event.name === "job.ended";
        },
      });
      // A retried job has an older end in its stream: an end is believed where the server closes behind it.
      if (ended) return last;
    } catch (error) {
      if (signal?.aborted) return last;
      if (!isPassing(error)) throw error;
    }
    if (signal?.aborted) return last;
    onState("lost");
    await rest(pause, signal);
    pause = Math.min(pause * 2, LONGEST_PAUSE);
  }
}

/** Read one connection to its end; return whether the job's end was seen, or nothing is left to read. */
async function readOnce(jobId, last, parser, signal, { opened, event }) {
  const own = new AbortController();
  const stop = () => own.abort();
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted) stop();
  let alarm = setTimeout(stop, SILENCE);
  try {
    const response = await request(`v1/jobs/${encodeURIComponent(jobId)}/events`, {
      headers: { Accept: "text/event-stream", ...(last ? { "Last-Event-ID": last } : {}) },
      signal: own.signal,
      cache: "no-store",
    });
    if (response.status === 204) return true;
    opened();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let ended = false;
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return ended;
      clearTimeout(alarm);
      alarm = setTimeout(stop, SILENCE);
      for (const one of parser.feed(value)) ended = event(one);
    }
  } catch (error) {
    if (error instanceof TypeError) noteReachable(false); // the connection broke in the middle
    throw error;
  } finally {
    clearTimeout(alarm);
    signal?.removeEventListener("abort", stop);
  }
}
