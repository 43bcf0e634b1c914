// Reads what a view shows anew: now and then while the view is seen, and at once when the server is back.

/**
 * Look at once, and again as long as that is wanted.
 * @param {object} context of the view.
 * @param {object} given `look()`: reads and shows, and returns whether to look again; `every`: ms between two
 *   looks; `failed(error)`: says what went wrong, and nothing is looked at until the server is back.
 * @returns {{refresh(), stop()}}
 */
export function refreshed(context, { look, every, failed }) {
  let timer = null;

  async function refresh() {
    clearTimeout(timer);
    try {
      if (await look()) timer = setTimeout(again, every);
    } catch (error) {
      if (!context.signal.aborted) failed(error);
    }
  }

  function again() {
    if (!document.hidden) refresh();
    else document.addEventListener("visibilitychange", refresh, { once: true, signal: context.signal });
  }

  context.onOnline(refresh);
  refresh();
  return { refresh, stop: () => clearTimeout(timer) };
}
