// A pause that an end cuts short.

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
