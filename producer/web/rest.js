// Pauses: one that an end cuts short, and the one in typing.

/** Resolve after `ms`, or as soon as the signal is aborted. */
export function rest(ms, signal) {
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", over);
      resolve();
    };
    const timer = setTimeout(over, ms);
    signal?.addEventListener("abort", over);
    if (signal?.aborted) over();
  });
}

const TYPING = 250; // ms without a key

/** Act on what is typed into a control: after a moment without a key, or at Enter, which does nothing else. */
export function whenTyped(control, act, signal) {
  let timer = null;
  const stop = () => clearTimeout(timer);
  control.addEventListener("input", () => {
    stop();
    timer = setTimeout(act, TYPING);
  });
  control.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    stop();
    act();
  });
  signal?.addEventListener("abort", stop, { once: true });
}
